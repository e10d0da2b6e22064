"""What other implementations answer under the name ANLS: the tables of docs/how_others_compute_anls.md.

Each implementation is written here again, with its deviations from the paper alone. The page names the commits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import sqrt

from Levenshtein import distance, ratio

from docscore import anls_score
from tests.conftest import ROOT, golden

PAGE = (ROOT / "docs" / "how_others_compute_anls.md").read_text(encoding="utf-8")
SPACE = "␣"  # on the page, where Markdown would remove a space
Implementation = Callable[[str, str], float]


def stripped(text: str) -> str:
    return text.strip()


def folded(text: str) -> str:
    return " ".join(text.split())


def unsigned(text: str) -> str:
    """Without what MMLongBench-Doc and LongDocURL call noise: parentheses, quotes, signs of money and percent."""
    text = re.sub(r"\s*\([^)]*\)", "", text.strip())
    return re.sub(r"^['\"]|['\"]$", "", text).strip().lstrip("$").strip().rstrip("%").strip()


def anls(
    space: Callable[[str], str] = str,
    *,
    case: bool = False,
    raw_length: bool = False,
    exactly: float = 0.5,
    threshold: float = 0.5,
    empty: float = 1.0,
) -> Implementation:
    """Return an implementation that differs from the paper by these rules.

    `raw_length` divides by the length of the texts before white space is removed. A similarity of exactly the threshold
    scores `exactly`, and two empty texts score `empty`.
    """

    def score(truth: str, prediction: str) -> float:
        sides = [space(text if case else text.lower()) for text in (truth, prediction)]
        length = max(len(text) for text in ([truth, prediction] if raw_length else sides))
        if not length:
            return empty
        similarity = 1 - distance(*sides) / length
        return exactly if similarity == threshold else similarity * (similarity > threshold)

    return score


def docvqa_2026(truth: str, prediction: str) -> float:
    """A share of right answers: punctuation and articles are ignored, and a similarity of 0.9 is right."""
    sides = [folded(re.sub(r"[^\w\s]|_|\b(a|an|the)\b", " ", text.lower())) for text in (truth, prediction)]
    return float(anls(threshold=0.9, exactly=0.9)(*sides) > 0)


def pull_request_412(truth: str, prediction: str) -> float:
    """Removing or adding characters at the start is free: the first row and column of the table of distances are 0."""
    above = [0] * (len(prediction) + 1)
    for expected in truth:
        row = [0]
        for column, got in enumerate(prediction):
            steps = (above[column], above[column + 1], row[column])
            row.append(above[column] if expected == got else 1 + min(steps))
        above = row
    return 1 - above[-1] / max(len(truth), len(prediction))


def pull_request_413(truth: str, prediction: str) -> float:
    """The similarity is used as if it was a distance."""
    similarity = ratio(truth, prediction)
    return 1 - similarity if similarity < 0.5 else 0.0


def mmesgbench(truth: str, prediction: str) -> float:
    """A prediction that contains the answer is right. Others are compared with each letter of the answer."""
    truth, prediction = unsigned(truth.lower()), unsigned(prediction.lower())
    best = 1.0 if truth in prediction else max(ratio(prediction, letter) for letter in truth)
    return best if best >= 0.5 else 0.0


def mp_docvqa_of_lmms_eval(truth: str, prediction: str) -> float:
    """The answer `none` is wrong."""
    return 0.0 if stripped(prediction).lower() == "none" else anls(stripped, empty=0)(truth, prediction)


def florence_2(truth: str, prediction: str) -> float:
    return anls(exactly=0, empty=0)(truth.removesuffix("."), prediction.removesuffix("."))


def ocrbench_v2(truth: str, prediction: str) -> float:
    """An answer of fewer than five words has to occur in the prediction, or to be similar."""
    contained = stripped(truth).lower() in stripped(prediction).lower()
    return 1.0 if contained and len(truth.split()) < 5 else anls(stripped)(truth, prediction)


def longdocurl(truth: list[str], prediction: list[str]) -> float:
    """Of lists: each expected text takes the most similar prediction, also one that is taken already."""
    score = anls(unsigned, exactly=0)
    best = [max(score(expected, got) for got in prediction) for expected in truth]
    return sum(best) / len(truth) * sqrt(min(1, len(truth) / len(prediction)))


def mmlongbench_doc(truth: list[str], prediction: list[str]) -> float:
    """Of lists: the lowest score of the sorted texts, and 0 if the lengths differ."""
    if len(truth) != len(prediction):
        return 0.0
    return min(map(anls(unsigned, exactly=0), sorted(truth), sorted(prediction)))


IMPLEMENTATIONS: dict[str, Implementation] = {
    "docscore, `anls_star` 1.0.1": anls(folded),
    "script of the competition, lmms-eval, unitxt, DUDE, VLMEvalKit (DocVQA)": anls(folded, raw_length=True),
    "PyPI `anls`": anls(folded, exactly=0),
    "VLMEvalKit (SlideVQA, DUDE)": anls(exactly=0),
    "DUE, PaliGemma": anls(exactly=0, case=True),
    "Pix2Struct": anls(empty=float("nan")),
    "LayoutLMv3-DocVQA, lmms-eval (SlideVQA)": anls(exactly=0, empty=0),
    "Florence-2 fine-tuning": florence_2,
    "MP-DocVQA framework": anls(stripped, empty=0),
    "lmms-eval (MP-DocVQA)": mp_docvqa_of_lmms_eval,
    "MMF, M4C": anls(stripped, empty=float("nan")),
    "MMLongBench-Doc, LongDocURL, also in VLMEvalKit": anls(unsigned, exactly=0),
    "mistral-evals": anls(folded, threshold=0),
    "docext": anls(case=True, threshold=0),
    "OCRBench v2": ocrbench_v2,
    "MMESGBench": mmesgbench,
    "DocVQA2026": docvqa_2026,
    "`evaluate`, pull request 412": pull_request_412,
    "`evaluate`, pull request 413": pull_request_413,
}
LISTS = {"LongDocURL": longdocurl, "MMLongBench-Doc": mmlongbench_doc}


@golden("other_implementations", "texts")
def test_a_deviation_changes_the_score_of_a_text(
    implementation: str, truth: str, prediction: str, theirs: float, paper: float
) -> None:
    assert round(IMPLEMENTATIONS[implementation](truth, prediction), 3) == theirs
    assert round(anls_score(truth, prediction), 3) == paper


@golden("other_implementations", "lists")
def test_a_deviation_changes_the_score_of_a_list(
    implementation: str, truth: list[str], prediction: list[str], theirs: float, paper: float
) -> None:
    assert round(LISTS[implementation](truth, prediction), 3) == theirs
    assert round(anls_score(truth, prediction), 3) == paper


def test_the_table_of_the_page_has_every_implementation_and_its_figures() -> None:
    head, *rows = re.findall(r"^\| (.+) \|$", PAGE.partition("\n## ")[0], flags=re.MULTILINE)
    pairs = [re.findall(r"`(.*?)`", cell.replace(SPACE, " ")) for cell in head.split(" | ")[1:-1]]
    table = {name: figures for name, *figures, _ in (re.split(r" \| ?", row) for row in rows)}
    assert table == {name: [f"{score(*pair):.3f}" for pair in pairs] for name, score in IMPLEMENTATIONS.items()}
