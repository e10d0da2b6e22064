"""The scripts that compute published results again, on small files of our own in the form of each repository."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

from tests.commands import run_python, written


def printed(script: str, clone: Path) -> list[list[str]]:
    """The cells of the tables that a script prints, without heads and rules."""
    lines = [line for line in run_python("-m", f"dev.studies.{script}", clone).splitlines() if "|" in line]
    rows = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if not set("".join(row)) <= set("-:")]


def test_kieval(tmp_path: Path) -> None:
    """Two of three entities are right: a group has a wrong price, and several values stand with || between them."""
    table = "0\r\nmenu.nm\tmenu.price\r\ntea\t{price}\r\n\r\n1\r\ntotal.total_price\ttotal.tax\r\n2||3\t<empty>\r\n"
    for side, price in (("gt", "2"), ("pred", "5")):
        written(tmp_path, f"csv/{side}/1.csv", table.format(price=price).encode())
    folder = tmp_path / "QwenVL_72B_Sample"
    written(folder, "result.md", "# x\n||kieval_entity_f1|no_match|\n|--|--|--|\n|total.kieval|0.75|0|\n")
    with tarfile.open(folder / "QwenVL_72B_csv.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "csv", "QwenVL_72B_csv")
    assert printed("kieval", tmp_path)[1:] == [
        ["kieval_entity_f1", "0.7500", "0.7500"],
        ["no_match", "0.0000", "0.0000"],
    ]


def test_docubench(tmp_path: Path) -> None:
    """Numbers by value give the published order, numbers as text the other one."""
    written(tmp_path, "labels/a.json", {"total": 1000.0, "shop": "Tea"})
    written(tmp_path, "results/one/a.json", {"status": "ok", "data": {"total": 1000, "shop": "Tea"}})
    written(tmp_path, "results/two/a.json", {"score": 0.5, "data": {"total": 1000.0, "shop": "Rum"}})
    engines = [{"key": "one", "overall": 1.0}, {"key": "two", "overall": 0.5}]
    written(tmp_path, "space/leaderboard.json", {"engines": engines})
    assert [[row[0], row[1], row[2], row[4]] for row in printed("docubench", tmp_path)[1:]] == [
        ["one", "1.0000", "1.0000", "0.8333"],
        ["two", "0.5000", "0.5000", "0.5000"],
    ]


def test_humanities(tmp_path: Path) -> None:
    """A variant is the person, brackets and "None" are dropped, an answer that is no JSON is left out."""
    truths = tmp_path / "benchmarks" / "metadata_extraction" / "ground_truths"
    letter = {"send_date": ["1926-02-16"], "sender_persons": ["Tee, Ann", "<Rum>"], "receiver_persons": ["None"]}
    written(truths, "letter01.json", letter)
    written(truths, "letter02.json", letter)
    written(truths, "persons.json", [{"name": "Tee, Ann", "alternateName": ["Frau Tee", ""]}])
    run = tmp_path / "results" / "2025-04-01" / "T1"
    answer = {"send_date": "1926-02-16", "sender_persons": "Frau Tee | Tee, Ann", "receiver_persons": ["X"]}
    written(run, "request_T1_letter01.json", {"response_text": f"```json\n{json.dumps({'metadata': answer})}\n```"})
    written(run, "request_T1_letter02.json", {"response_text": "I cannot read this letter."})
    written(run, "scoring.json", {"f1_micro": 0.8, "f1_macro": 2 / 3})
    assert printed("humanities", tmp_path)[1:] == [
        ["2025-04-01/T1", "1", "0.8000", "0.8000", "0.6667", "0.6667"],
    ]


def test_sob(tmp_path: Path) -> None:
    """The ranking by docscore, and where it and the authors' accuracy disagree; another set of records is left out."""
    truths = ("tea", "rum")
    for model, answers, accuracy in (("good", truths, 0.1), ("bad", ("tea", "xxx"), 0.9), ("odd", ("tea",), 0.5)):
        lines = []
        for number, text in enumerate(answers):
            output = {"candidate_response": {"a": text}, "ground_truth": {"a": truths[number]}}
            lines.append(json.dumps({"metadata": {"record_id": str(number)}, "output": output}))
        written(tmp_path, f"data/images_responses/response_{model}_image.jsonl", "\n".join(lines))
        summary = {"summary": {"overall": {"metrics": {"leaf_value_em": {"mean": accuracy}}}}}
        written(tmp_path, f"data/evaluation/image/{model}/eval_summary.json", summary)
    rows = printed("sob", tmp_path)
    assert [row[1] for row in rows[1:3]] == ["good", "bad"]
    assert sorted(row for row in rows if row[0] in {"good", "bad"}) == [
        ["bad", "0.5000", "2", "0.9000", "1"],
        ["good", "1.0000", "1", "0.1000", "2"],
    ]
