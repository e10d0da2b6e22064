"""Write Python code that reproduces a result of the page with the library alone."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docscore.core.options import OPTIONS
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.registry import ANLS_STAR
from playground.parts.files import FileRows, encoding_of, layout_of
from playground.server.requests import LAYOUT, FileRequest, arguments_of, given_options

MAX_RAW = 200_000  # characters of a JSON text that are shown
EACH_SCORE = "for name, result in results.items():\n    print(name, result.score)"
BEFORE_AND_AFTER = """\
from dataclasses import replace

from docscore_review import Review

review = Review.read("verdicts.jsonl")
for name, before in results.items():
    rows = before.test_set
    truths = dict(zip(rows.ids, rows.truths)) | review.corrected(rows.ids, rows.truths)
    corrected = replace(rows, truths=list(truths.values()))
    after = docscore.Evaluation(corrected, before.options, metrics=before.metrics)
    print(name, before.score, after.score)"""


def code_of_files(
    uploaded: FileRows,
    asked: FileRequest,
    evaluation: Evaluation,
    systems: Mapping[str, Path] | None = None,
    then: str = EACH_SCORE,
) -> str:
    """Return Python code that computes the score of these files, or of several systems, with the library alone.

    Args:
        uploaded: how the files were read.
        asked: the files, and whether rows with errors are left out; of several systems, the first one.
        evaluation: the evaluation of one system.
        systems: the files of several systems by system name.
        then: the code for their results, `EACH_SCORE` or `BEFORE_AND_AFTER`.
    """
    plan = uploaded.plan
    columns = {"references": (plan.ids[0], plan.references), "predictions": (plan.ids[1], plan.prediction)}
    files = {side: repr(path.name) for side, path in asked.files.items()} | ({"predictions": "path"} if systems else {})
    layout = given_options(asked.reading, LAYOUT)
    own, is_read = layout_of(asked.reading), False
    for side, path in asked.files.items():
        left_out = uploaded.unread if side == next(iter(asked.files)) else []
        how = asked.reading.get(f"{side}_delimiter"), encoding_of(path, side, asked.reading), left_out
        if any(how) or (None in columns[side] and not plan.certain and not layout.keys() - {"id_pattern"}):
            files[side] = f"read({', '.join([files[side], *map(repr, (side, *columns[side], *how))])})"
            is_read = True
    first, second = plan.options_of("references"), plan.options_of("predictions")
    ids = first.references_id_column, second.predictions_id_column
    reading, options = evaluation.test_set.options, evaluation.options
    settings: dict[str, Any] = {
        **layout,
        "id_column": (ids[0] if ids[0] == ids[1] else None) or layout.get("id_column"),
        "references_id_column": ids[0] if ids[0] != ids[1] else None,
        "predictions_id_column": ids[1] if ids[0] != ids[1] else None,
        "references_column": own.references_column or first.references_column,
        "prediction_column": own.prediction_column or second.prediction_column,
        "metrics": [*evaluation.metrics] if [*evaluation.metrics] != [ANLS_STAR] else None,
        "by": asked.by,
        "on_error": "skip" if asked.skip else None,
    }
    arguments = [
        *(f"{side}={file}" for side, file in files.items()),
        *(f"{name}={value!r}" for name, value in settings.items() if value),
        *arguments_of(reading, OPTIONS.keys() - settings.keys() - layout.keys()),
        *arguments_of(options, OPTIONS),
    ]
    code = f"{_OF_SEVERAL}{_ON_SHARED_ROWS if evaluation.test_set.skipped else ''}{then}" if systems else _OF_ONE
    names = {name: path.name for name, path in (systems or {}).items()}
    line = "\n    " if systems else "\n"
    call = f"docscore.evaluate({line}    {f',{line}    '.join(arguments)},{line})"
    imports = "from pathlib import Path\n\nimport docscore\nfrom docscore.inputs.formats import read_table"
    schema = {"schema": options.schema.schema_of("")} if options.schema else {}
    code = (_READ if is_read else "") + code.format(call=call, systems=names)
    return python_code(imports if is_read else "import docscore", schema, code)


_READ = """\
def read(path, side, id_column, column, delimiter, encoding, left_out):
    # without a column of ids, rows are numbered; without a column of values, each is one as a whole
    options = docscore.ReadOptions(delimiter=delimiter, encoding=encoding)
    table, rows = read_table(Path(path), side=side, options=options), []
    for number, row in enumerate(table.rows):
        if str(number if id_column is None else row[id_column]) in left_out:
            continue
        added = {"question_id": str(number)} if id_column is None else {}
        if column is None:
            whole = {name: cell for name, cell in row.items() if name != id_column}
            added |= {"references": [whole]} if side == "references" else {"prediction": whole}
        rows.append({**row, **added})
    return table._replace(rows=rows)


"""
_OF_ONE = "result = {call}\nprint(result.score)"
_OF_SEVERAL = "systems = {systems!r}\nresults = {{}}\nfor name, path in systems.items():\n    results[name] = {call}\n"
_ON_SHARED_ROWS = """\
shared = set.intersection(*map(set, results.values()))
for name, result in results.items():
    rows = result.test_set.only([row for row, question_id in enumerate(result.ids) if question_id in shared])
    results[name] = docscore.Evaluation(rows, result.options, metrics=result.metrics)
"""


def python_code(imports: str, texts: Mapping[str, str], code: str) -> str:
    """Return Python code that reproduces a result; JSON texts are in variables, and long ones come from files."""
    values = "".join(
        f"{name} = json.loads({text!r})\n" if len(text) <= MAX_RAW else f'{name} = json.load(open("{name}.json"))\n'
        for name, text in texts.items()
    )
    return "".join(["import json\n" if texts else "", f"{imports}\n\n", values, f"{code}\n"])
