"""The BibTeX of the papers that define the metrics, and of docscore."""

from docscore.version import VERSION

DOCSCORE = f"""\
@software{{docscore,
    title = {{docscore: {{ANLS*}} scores for document extraction}},
    author = {{{{The docscore authors}}}},
    year = {{2026}},
    version = {{{VERSION}}},
    url = {{https://github.com/OWNER/docscore}}
}}
"""

_PEER = """\
@misc{peer2024anls,
    title = {{ANLS*} -- A Universal Document Processing Metric for Generative Large Language Models},
    author = {Peer, David and Sch{\\"o}pf, Philemon and Nebendahl, Volckmar and
              Rietzler, Alexander and Stabinger, Sebastian},
    year = {2024},
    eprint = {2402.03848},
    archivePrefix = {arXiv},
    primaryClass = {cs.CL}
}
"""

_KIM = """\
@misc{kim2022donut,
    title = {{OCR}-free Document Understanding Transformer},
    author = {Kim, Geewook and Hong, Teakgyu and Yim, Moonbin and Nam, Jeongyeon and Park, Jinyoung and Yim, Jinyeong
              and Hwang, Wonseok and Yun, Sangdoo and Han, Dongyoon and Park, Seunghyun},
    year = {2022},
    eprint = {2111.15664},
    archivePrefix = {arXiv}
}
"""

# The paper of each metric; "" for a metric that docscore defines. The typed score extends ANLS*.
CITATIONS = {
    "anls_star": _PEER,
    "anls": """\
@misc{biten2019scene,
    title = {Scene Text Visual Question Answering},
    author = {Biten, Ali Furkan and Tito, Rub{\\`e}n and Mafla, Andres and Gomez, Lluis and
              Rusi{\\~n}ol, Mar{\\c{c}}al and Valveny, Ernest and Jawahar, C. V. and Karatzas, Dimosthenis},
    year = {2019},
    eprint = {1905.13648},
    archivePrefix = {arXiv}
}
""",
    "anlsl": """\
@misc{tito2021document,
    title = {Document Collection Visual Question Answering},
    author = {Tito, Rub{\\`e}n and Karatzas, Dimosthenis and Valveny, Ernest},
    year = {2021},
    eprint = {2104.14336},
    archivePrefix = {arXiv}
}
""",
    "kieval": """\
@misc{khang2025kieval,
    title = {{KIEval}: Evaluation Metric for Document Key Information Extraction},
    author = {Khang, Minsoo and Jung, Sang Chul and Park, Sungrae and Hong, Teakgyu},
    year = {2025},
    eprint = {2503.05488},
    archivePrefix = {arXiv}
}
""",
    "entity_f1": _KIM,
    "nted": _KIM,
    "typed": _PEER,
    "grounding": "",
}
