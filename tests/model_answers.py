"""Answers as chat models write them, each with the value that `parse="repair"` reads and how it is read."""

from __future__ import annotations

from typing import Any, NamedTuple

from docscore.data.json_text import Reading

TEXT_AS_IT_IS = object()  # the value of a text that holds no JSON


class ModelAnswer(NamedTuple):
    """An answer.

    Attributes:
        why: what is particular about it.
        text: what the model wrote.
        value: what is read.
        outcome: how it is read.
    """

    why: str
    text: str
    value: Any
    outcome: Reading


BILL = {"total": "12.50"}
J = '{"total": "12.50"}'


def _exact(why: str, text: str, value: Any = BILL) -> ModelAnswer:
    return ModelAnswer(why, text, value, "exact")


def _extracted(why: str, text: str, value: Any = BILL) -> ModelAnswer:
    return ModelAnswer(why, text, value, "extracted")


def _mended(why: str, text: str, value: Any = BILL) -> ModelAnswer:
    return ModelAnswer(why, text, value, "mended")


def _failed(why: str, text: str) -> ModelAnswer:
    return ModelAnswer(why, text, TEXT_AS_IT_IS, "failed")


EXACT = [
    _exact("an object", J),
    _exact("white space around", f"\n\n  {J}\r\n"),
    _exact("over several lines", '{\n  "total": "12.50"\n}'),
    _exact("a list", '["tea", "cake"]', ["tea", "cake"]),
    _exact("an empty list: nothing was found", "[]", []),
    _exact("three backticks inside a text", '{"code": "```js\\nx\\n```"}', {"code": "```js\nx\n```"}),
    _exact("braces inside a text", '{"format": "{total} EUR"}', {"format": "{total} EUR"}),
    _exact("a thinking tag inside a text", '{"note": "</think>"}', {"note": "</think>"}),
    _exact("a scalar", '"12.50"', "12.50"),
    _exact("null", "null", None),
    _exact("JSON in a JSON string stays a string", r'"{\"total\": \"12.50\"}"', J),
]

IN_A_FENCE = [
    _extracted("marked json", f"```json\n{J}\n```"),
    _extracted("marked JSON", f"```JSON\n{J}\n```"),
    _extracted("marked json5", f"```json5\n{J}\n```"),
    _extracted("marked jsonc, a comment behind", f"```jsonc\n{J}\n// total of the receipt\n```"),
    _extracted("a blank before the mark", f"``` json\n{J}\n```"),
    _extracted("not marked", f"```\n{J}\n```"),
    _extracted("marked with another language", f"```javascript\n{J}\n```"),
    _extracted("not closed", f"```json\n{J}"),
    _extracted("never opened", f"{J}\n```"),
    _extracted("on one line", f"```json {J}```"),
    _extracted("on one line, not marked", f"```{J}```"),
    _extracted("one backtick", f"`{J}`"),
    _extracted("four backticks", f"````json\n{J}\n````"),
    _extracted("indented, in a list", f"1. The receipt:\n   ```json\n   {J}\n   ```"),
    _extracted("line ends of Windows", f"```json\r\n{J}\r\n```\r\n"),
    _extracted("prose before", f"Here is the receipt:\n```json\n{J}\n```"),
    _extracted("prose behind", f"```json\n{J}\n```\nLet me know if you need anything else!"),
    _extracted("prose on both sides", f"Sure!\n\n```json\n{J}\n```\n\nI hope this helps {{smile}}."),
    _extracted("an empty object", "```json\n{}\n```", {}),
    _extracted("an empty list", "```json\n[]\n```", []),
    _extracted("a list of null", "```json\n[null]\n```", [None]),
    _extracted("a list of numbers", "```json\n[1, 2]\n```", [1, 2]),
    _extracted("a text", '```json\n"12.50"\n```', "12.50"),
    _extracted("a number", "```\n42\n```", 42),
    _extracted("null", "```json\nnull\n```", None),
    _extracted("a first block of code", f"```python\nprint('hi')\n```\n```json\n{J}\n```"),
    _extracted("a first block with another object", f'```\n{{"example": 1}}\n```\n```json\n{J}\n```'),
    _extracted("a first block of a shell", f"```bash\ncat a.json\n```\n\nOutput:\n```\n{J}\n```"),
    _extracted("a first block that is empty", f"```json\n```\n{J}"),
    _extracted("a block of text, the object outside", f"```\nTOTAL 12.50\n```\nAs JSON: {J}"),
    _extracted("two blocks: the first", f'```json\n{J}\n```\nor\n```json\n{{"total": "13"}}\n```'),
    _extracted("an object before a scalar in a block", f"```\n12.50\n```\n{J}"),
    _extracted("an object in prose before a scalar in a block", f"The object is {J}\n```json\n5\n```"),
    _extracted(
        "three backticks inside a text, in a fence",
        '```json\n{"code": "```js", "total": "12.50"}\n```',
        {"code": "```js", "total": "12.50"},
    ),
    _extracted(
        "three backticks inside a text, behind prose",
        'Result: {"code": "```js\\nx\\n```", "total": "12.50"} done.',
        {"code": "```js\nx\n```", "total": "12.50"},
    ),
    _extracted("a comment in the block, before the object", f"```json\n// receipt\n{J}\n```"),
]

IN_PROSE = [
    _extracted("a footnote behind", f"{J}\nSource: see [1]."),
    _extracted("a footnote before", f"As page [1] says: {J}"),
    _extracted("a word in braces behind", f"{J} (fields {{total}} only)"),
    _extracted("a word in braces before", f"(fields {{total}} only) {J}"),
    _extracted("a second object", f'{J}\n{{"total": "13"}}'),
    _extracted("a second object on the line", f'{J} {{"currency": "EUR"}}'),
    _extracted("prose before", f"Sure! Here is the JSON: {J}"),
    _extracted("prose behind", f"{J}\nI hope this helps."),
    _extracted("bold prose", f"**Answer:** {J}"),
    _extracted("a heading", f"## Receipt\n\n{J}"),
    _extracted("the word json before", f"json\n{J}"),
    _extracted("a byte order mark", f"\ufeff{J}"),
    _extracted("a comment behind", f"{J} // done"),
    _extracted("a semicolon behind", f"{J};"),
    _extracted("a comma behind", f"{J},"),
    _extracted("an assignment", f"const receipt = {J};"),
    _extracted("a call", f"json.loads('{J}')"),
    _extracted("tags", f"<answer>{J}</answer>"),
    _extracted("a token of the template", f"{J}<|im_end|>"),
    _extracted("a call of a tool", f"<tool_call>\n{J}\n</tool_call>"),
    _extracted("braces of a template doubled", "{" + J + "}"),
    _extracted("in brackets of prose", f"[the result is {J}]"),
    _extracted("in parentheses", f"({J})"),
    _extracted("a quotation", f"> {J}"),
    _extracted("an apostrophe before", f"Here's what I've found: {J}"),
    _extracted("an open quotation mark before", f'The "receipt says {J}'),
    _extracted("a format with names before", f"With {{key: value}} as asked: {J}"),
    _extracted("a damaged object before", f'{{"total": 12.50 EUR}} or rather {J}'),
    _extracted("a list", 'The items are ["tea", "cake"].', ["tea", "cake"]),
    _extracted("a list of objects", f"The receipts: [{J}, {J}]!", [BILL, BILL]),
    _extracted("an empty list on a line of its own", "Answer:\n[]", []),
    _extracted("an empty object on a line of its own", "Nothing was found.\n\n{}\n", {}),
    _extracted("a list of numbers on a line of its own", "The amounts:\n[1, 2.5]", [1, 2.5]),
    _extracted("an object with a list of objects", 'Ok: {"i": [{"n": 1}, {"n": 2}]}.', {"i": [{"n": 1}, {"n": 2}]}),
    _extracted("a smiley behind", f"{J} :-}}"),
    _extracted("a closing brace too many", f"{J}}}"),
    _extracted("a closing bracket too many", f"{J}]"),
]

THOUGHTS = [
    _extracted("thoughts before", f"<think>The total is 12.50.</think>\n{J}"),
    _extracted("thoughts with a draft", f'<think>\nMaybe {{"total": "13"}}?\n</think>\n\n{J}'),
    _extracted("thoughts with a fenced draft", f'<think>```json\n{{"total": "13"}}\n```</think>{J}'),
    _extracted("thoughts whose beginning is in the prompt", f'or {{"total": "13"}}\n</think>\n{J}'),
    _extracted("thoughts of another spelling", f'<thinking>{{"a": 1}}</thinking>\n```json\n{J}\n```'),
    _failed("thoughts that do not end", f"<think>Perhaps {J}, but"),
    _failed("thoughts and no answer", f"<think>{J}</think>"),
]

DAMAGED = [
    _mended("a trailing comma in an object", '{"total": "12.50",}'),
    _mended("a trailing comma in a list", '["tea", "cake",]', ["tea", "cake"]),
    _mended("a trailing comma in a fence", '```json\n{"total": "12.50",}\n```'),
    _mended("a trailing comma and prose with a footnote", '{"total": "12.50",}\nSource: see [1].'),
    _mended("a trailing comma and prose with braces", '(fields {total} only) {"total": "12.50",}'),
    _mended(
        "inside, an object is whole: it is not the answer", '{"i": [{"n": 1}, {"n": 2},],}', {"i": [{"n": 1}, {"n": 2}]}
    ),
    _mended("single quotes", "{'total': '12.50'}"),
    _mended("Python's names", "{'a': None, 'b': True, 'c': False}", {"a": None, "b": True, "c": False}),
    _mended("an apostrophe in double quotes of Python", "{'a': \"it's\"}", {"a": "it's"}),
    _mended("a tuple of Python", "{'a': (1, 2)}", {"a": [1, 2]}),
    _mended("Python in a fence", "```python\n{'total': '12.50'}\n```"),
    _mended("keys without quotes", '{total: "12.50"}'),
    _mended("keys without quotes behind prose", 'Here it is: {total: "12.50"}'),
    _mended("double quotes of typography", "{“total”: “12.50”}"),
    _mended("single quotes of typography", "{‘total’: ‘12.50’}"),
    _mended("quotes that are escaped", r"{\"total\": \"12.50\"}"),
    _mended("a comma is missing", '{"total": "12.50" "tax": "2.00"}', {"total": "12.50", "tax": "2.00"}),
    _mended("a comma is missing at a line end", '{"total": "12.50"\n"tax": "2.00"}', {"total": "12.50", "tax": "2.00"}),
    _mended("a line feed in a text", '{"a": "x\ny"}', {"a": "x\ny"}),
    _mended("a comment inside", '{"total": "12.50" // with tax\n}'),
    _mended("a block comment inside", '{"total": /* with tax */ "12.50"}'),
    _mended("an ellipsis", '{"items": ["tea", "cake", ...]}', {"items": ["tea", "cake"]}),
    _mended("numbers with a comma stay text", '{"total": 1,234.50}', {"total": "1,234.50"}),
    _mended("a value is missing", '{"total": "12.50", "tax": }', {"total": "12.50", "tax": ""}),
    _mended("three backticks inside a text", '```json\n{"md": "a ``` b", "c": 1,}\n```', {"md": "a ``` b", "c": 1}),
    _mended("a quote is missing", '{"total: "12.50"}'),
    _mended(
        "the largest damaged part",
        "With {key: value} as asked: {'total': '12.50', 'tax': '2.00'}",
        {"total": "12.50", "tax": "2.00"},
    ),
]

CUT_OFF = [
    _mended("in a text", '{"total": "12.50", "name": "Te', {"total": "12.50", "name": "Te"}),
    _mended("in a number", '{"total": "12.50", "tax": 12', {"total": "12.50", "tax": 12}),
    _mended("in a key, which is dropped", '{"total": "12.50", "na'),
    _mended("behind a colon", '{"total": "12.50", "name":', {"total": "12.50", "name": ""}),
    _mended("behind a comma", '{"total": "12.50",'),
    _mended("behind a value", '{"i": [{"n": "x"}, {"n": "y"', {"i": [{"n": "x"}, {"n": "y"}]}),
    _mended("in a list", '["tea", "ca', ["tea", "ca"]),
    _mended("in a list of numbers", "[1, 2", [1, 2]),
    _mended("in a fence", '```json\n{"total": "12.50",'),
    _mended("in a fence that is closed", '```json\n{"total": "12.50"\n```\nThe rest {was} cut.'),
    _mended("behind prose", 'Here is the receipt: {"total": "12.50",'),
    _mended("with braces in a text", '{"total": "12.50", "note": "{x} and', {"total": "12.50", "note": "{x} and"}),
    _mended("blanks without an end", '{"total": "12.50",' + "\n" * 500),
]

NO_JSON = [
    _failed("nothing", ""),
    _failed("white space", " \n "),
    _failed("a refusal", "I cannot read this document."),
    _failed("an amount with its currency", "12.50 EUR"),
    _failed("an amount in prose", "The total is 12.50."),
    _failed("leading zeros", "007"),
    _failed("a date", "2024-01-02"),
    _failed("a name", 'O\'Brien, "Jo"'),
    _failed("one word", "None"),
    _failed("an open quote", '"abc'),
    _failed("empty braces in prose", "Use {} here."),
    _failed("empty brackets in prose", "The list [] is empty."),
    _failed("a footnote: not the list [1]", "See note [1] for details."),
    _failed("a word in brackets", "I found [nothing]."),
    _failed("brackets in an answer", "Price (EUR) [approx] 5"),
    _failed("a letter in braces", "The set {x} is empty."),
    _failed("a task list", "- [x] total\n- [ ] tax"),
    _failed("a link", "See [the receipt](https://example.com/{id})."),
    _failed("a fence without anything in it", "```json\n```"),
    _failed("a fence with prose in it", "```\nno total on this page\n```"),
    _failed("pairs without braces", "total: 12.50\ntax: 2.00"),
]

MODEL_ANSWERS = [*EXACT, *IN_A_FENCE, *IN_PROSE, *THOUGHTS, *DAMAGED, *CUT_OFF, *NO_JSON]
