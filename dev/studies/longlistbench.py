"""LongListBench: rows that are wholly right in lists of up to 2,571 rows.

    git clone https://github.com/kaydotai/longlistbench
    python -m dev.studies.longlistbench longlistbench

Commit 629ed97 of 2026, MIT. The published figure of a run is the number of its records that equal an expected record
after dates, numbers and some words are written in one way (`results/*/evaluation_report.json`). `in_one_notation` does
the same here; the rest are docscore's defaults.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import warnings
from collections import defaultdict
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import docscore
from docscore.evaluation.systems import systems_of

_DATES = "%m/%d/%Y", "%m/%d/%y", "%Y-%m-%d", "%Y/%m/%d", "%m-%d-%Y"
_DATE = r"([0-9]+[-/][0-9]+[-/][0-9]+)"
_NUMBER = re.compile(r"\(?\s*-?\$?-?[\d,]+(?:\.\d+)?\s*\)?")
_REGIONS = """
alabama:al arizona:az arkansas:ar california:ca colorado:co connecticut:ct delaware:de florida:fl georgia:ga idaho:id
illinois:il indiana:in iowa:ia kansas:ks kentucky:ky louisiana:la maine:me maryland:md massachusetts:ma michigan:mi
minnesota:mn mississippi:ms missouri:mo montana:mt nebraska:ne nevada:nv new-hampshire:nh new-jersey:nj new-mexico:nm
new-york:ny north-carolina:nc north-dakota:nd ohio:oh oklahoma:ok oregon:or pennsylvania:pa rhode-island:ri
south-carolina:sc south-dakota:sd tennessee:tn texas:tx utah:ut vermont:vt virginia:va washington:wa west-virginia:wv
wisconsin:wi wyoming:wy alberta:ab british-columbia:bc manitoba:mb new-brunswick:nb nova-scotia:ns ontario:on quebec:qc
saskatchewan:sk prince-edward-island:pe newfoundland:nl
"""
_PLACES = dict(pair.replace("-", " ").split(":") for pair in _REGIONS.split())
_BUSINESS = dict.fromkeys(("bpp", "businessowners", "businessowners policy", "business owners policy"), "bop")
_LINES = {**_BUSINESS, "commercial general liability": "cgl", "workers compensation": "wc"}
_CODES: dict[str, dict[str, str]] = {
    **dict.fromkeys(("jurisdiction", "state", "policy_state", "loss_state"), _PLACES),
    "fuel_type": {"diesel": "di"},
    "lob": _LINES,
}
_IN_BRACKETS = r".*\(([a-z0-9-]+)\)", r"\1"
_PATTERNS = {  # what is written in one way, by the key of a field
    **dict.fromkeys(("jurisdiction", "state", "policy_state", "loss_state", "fuel_type"), _IN_BRACKETS),
    "lob": (r"'|( and employers liability)$", ""),
    "clause_scope": (r"^applies within |\s*;.*", ""),
    "description": (r"\.+$", ""),
    "policy_period": (rf"\D*{_DATE}\D+{_DATE}\D*", r"\1 - \2"),
    "schedule": ("quarter return", "quarterly return"),
    "unit_number": (r".*?([0-9]{5,})$", r"\1"),
    "vehicle": (r"^unit ", ""),
}


def in_one_notation(key: str, value: Any) -> Any:
    """Return a value of a record with dates, numbers and some words written in one way; None for no text."""
    if isinstance(value, dict):
        return {name: in_one_notation(name, part) for name, part in value.items()}
    if isinstance(value, list):
        return [in_one_notation(key, part) for part in value]
    text = "" if value is None else " ".join(str(value).split()).lower()
    for pattern in _DATES:
        with suppress(ValueError):
            return datetime.strptime(text, pattern).strftime("%m/%d/%Y")  # noqa: DTZ007  a day
    if _NUMBER.fullmatch(text) and not re.fullmatch(r"-?0\d+", text) and re.search(r"\d", text):
        amount = float(re.sub(r"[^\d.]", "", text))
        return f"{-amount if re.match('[(-]|[$]-', text) else amount:.6f}".rstrip("0").rstrip(".")
    text = re.sub(*_PATTERNS.get(key, ("^$", "")), text)
    return _CODES.get(key, {}).get(text, text) or None


def records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file in one notation."""
    content = json.loads(path.read_text(encoding="utf-8"))
    rows = content.get("records", []) if isinstance(content, dict) else content
    return [{key: in_one_notation(key, value) for key, value in row.items()} for row in rows]


def main() -> None:
    """Print right rows next to the published counts, ranks over runs, and the time of the longest list."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("clone", type=Path)
    clone = parser.parse_args().clone
    truths = {path.stem: records(path) for path in sorted((clone / "data" / "ground_truth").glob("*.json"))}
    systems: dict[str, list[dict[str, Any]]] = defaultdict(list)
    print("| run | rows predicted | rows right, published | rows right, docscore | lists cut off | ANLS* |")
    print("|---|---:|---:|---:|---:|---:|")
    for report in sorted((clone / "benchmarks" / "results").glob("*/evaluation_report.json")):
        run = report.parent.name.replace("_current_ocr_v2", "").replace("_page_pipeline_full", "")
        if run.startswith("reducto"):  # it has its own schema
            continue
        published = next(iter(json.loads(report.read_text("utf-8"))["model_stats"].values()))
        answers = {name: records(next(report.parent.glob(f"{name}_*predicted.json"))) for name in truths}
        result = docscore.evaluate(predictions=answers, references=truths, confidence=None)
        whole = [each for each in result.lists if each["field"] == "[]"]
        right, cut_off = (sum(each[count] for each in whole) for count in ("right", "cut_off"))
        counts = sum(map(len, answers.values())), published["total_exact_record_matches"], right, cut_off
        print(f"| {run} | {' | '.join(f'{count:,}' for count in counts)} | {result.score:.4f} |", flush=True)
        # the run called full is the first of three, except for a baseline of Sol
        systems[run if "sol_full" in run else re.sub("_(?:run[0-9]|full)$", "", run)].append(answers)
    repeated = {
        name: docscore.evaluate(predictions=runs, references=truths, runs=True)
        for name, runs in systems.items()
        if len(runs) > 1
    }
    print("\n| system | ANLS* of three runs | 95% interval | rank |\n|---|---:|---|---|")
    for name, rank in systems_of(repeated, ranked=True).ranks.items():
        low, high = repeated[name].interval or (float("nan"), float("nan"))
        print(f"| {name} | {repeated[name].score:.4f} | {low:.4f} to {high:.4f} | {rank.low} to {rank.high} |")
    name = max(truths, key=lambda each: len(truths[each]))
    begin = time.process_time()
    docscore.anls_score(truths[name], next(iter(repeated.values())).test_set.predictions[sorted(truths).index(name)])
    print(f"\nThe longest list, {len(truths[name]):,} rows, takes {time.process_time() - begin:.2f} s.")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
