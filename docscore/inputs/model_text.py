"""Extract JSON values from the output of a model, repair damaged ones, and read ground truths that are text."""

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from docscore.core.errors import InputValueError, at_place, row_place, short_repr
from docscore.core.formatting import counted
from docscore.core.options import check_choice
from docscore.core.runtime import Progress, call_with_fresh_stack, no_progress, watched
from docscore.core.values import JSON_BEGINS, MAX_DEPTH, convert_ground_truth, convert_prediction
from docscore.inputs.json_text import TOO_DEEP, JsonError, loads, read_json, repeated_key

_CLOSED_BY = {'"': '"', "'": "'", **dict.fromkeys("“”„‟", '“”„‟"'), **dict.fromkeys("‘’‚‛", "‘’‚‛'")}
_QUOTES = "".join(_CLOSED_BY)
_TEXTS = {  # a text in quotes, by the opening quote
    sign: re.compile(
        rf"{sign}{{3}}(.*?){sign}{{3}}|{sign}([^\\{closing}]*(?:\\.[^\\{closing}]*)*)[{closing}]", re.DOTALL
    )
    for sign, closing in _CLOSED_BY.items()
}
_NAMES = {"true": True, "false": False, "none": None, "null": None, "undefined": None}

# Each lookahead has a maximum length, so that a search takes linear time.
_QUOTED = (
    r"""(?:"(?:[^"\\\n]|\\.){0,200}"|'(?:[^'\\\n]|\\.){0,200}'"""
    r"|[“”„‟][^“”„‟\n]{0,200}[“”]|[‘’‚‛][^‘’‚‛\n]{0,200}[‘’])"
)
_COLON_SIGN = r"(?::|=>|：)"
_COLON = rf"\s{{0,99}},?{_COLON_SIGN}"
_NAMED = rf"{_QUOTED}{_COLON}"
_NAME = rf"(?:[{_QUOTES}]{{1,3}}[\w -]{{1,60}}|[^\W\d][\w-]{{0,60}})[{_QUOTES}]{{0,3}}{_COLON}"
_WORD = r"(?:null|true|false|None|True|False|undefined)\b"
_LITERAL = rf"(?:-?\d[\d.]{{0,20}}|{_WORD})"
_NO_COLON = (  # a value after a key in quotes, if neither contains the colon
    rf"(?<!:[{_QUOTES}])(?<!:\s[{_QUOTES}])(?=\s{{1,99}}(?:[{_QUOTES}\[{{]|{_LITERAL})|[\[{{]"
    rf"|(?![{_QUOTES}]\s{{0,9}}:)(?:{_QUOTED}|{_LITERAL})\s{{0,99}}(?:[,\]}}]|\Z))"
)
_KEY = rf"(?:{_NAMED}|{_NAME}|{_QUOTED}{_NO_COLON})"
_COMMENT = r"(?:(?<!:)//[^\n]{0,120}(?=\n)|(?<!:)//[^\n\"{}\[\]]{0,200}\Z|/\*.{0,200}?\*/)"
_CUT_OFF = rf"(?:[{_QUOTES}][^{_QUOTES}\n{{}}\[\]]{{0,200}}[{_QUOTES}]?|[^\W\d][\w-]{{0,60}})?\Z"  # a text or a word
_ITEM = (
    rf"(?:(?:{_QUOTED}|(?<=\s){_LITERAL}|(?<=[{_QUOTES}],){_LITERAL})\s{{0,99}}[,\]}}]"
    rf"|[\[{{}}\],:]|{_COMMENT}|\#|{_CUT_OFF})"
)
_END = rf"[}}\]]|\Z|```|(?<=\s)(?:{_COMMENT}|\#\s)"
_IN_OBJECT = rf"\s*(?:{_END}|{_NAMED}|[,，]\s*(?:{_KEY}|{_ITEM}))|[^\S\n]*\n\s*{_KEY}"
_IN_LIST = (
    rf"\s*(?:{_END}|{_LITERAL}\s{{0,99}}[,\]]|{_QUOTED}|[,，]\s*(?:[-+]?\.?\d|{_WORD}|[{_QUOTES}(]|\.\.\.|…|{_ITEM}))"
)
_NEXT = rf"{_QUOTED}\s{{0,99}}(?:[:,\]}}]|\Z)"
_ENDS: dict[str, tuple[re.Pattern[str], ...]] = {
    # by closing bracket, patterns for what may follow a text, what begins within a text whose quote is missing, and
    # what may follow a value without quotes
    closing: tuple(re.compile(pattern, re.DOTALL) for pattern in patterns)
    for closing, *patterns in (
        ("}", _IN_OBJECT, _NAMED, rf"(?<!\s)(?:{_IN_OBJECT})"),
        ("]", _IN_LIST, _NEXT, rf"(?<!\s)(?:\s*(?:{_END}|[,，\[{{]|{_NEXT})|[^\S\n]*\n\s*(?:-?\d|{_WORD}))"),
        (")", rf"{_IN_LIST}|\s*\)", _NEXT, rf"(?<!\s)\s*(?:{_END}|[,\[{{)]|{_NEXT})"),
    )
}
_NOT_AFTER: dict[type, re.Pattern[str]] = {  # by container, text that cannot follow a closed value in it
    dict: re.compile(rf"\s*,\s*(?!{_KEY}|[\s}}\]]|\Z)", re.DOTALL),
    list: re.compile(rf"[\s，]*,?\s*{_NAMED}", re.DOTALL),
}
_PAIR = re.compile(rf"({_QUOTED})\s{{0,99}}{_COLON_SIGN}", re.DOTALL)
_MEMBER = re.compile(
    rf"({_QUOTED})(?:{_COLON}|\s{{0,99}}=|{_NO_COLON})"
    rf"|[{_QUOTES}]{{0,3}}([^\s{{}}\[\],:：{_QUOTES}][^{{}}\[\],:：\n{_QUOTES}]{{0,200}})[{_QUOTES}]{{0,3}}{_COLON}",
    re.DOTALL,
)
_NO_VALUE = re.compile(rf"\s*{_PAIR.pattern}|[^\S\n]*\n\s*{_NAME}", re.DOTALL)  # after a colon
_CUT_NAME = re.compile(_CUT_OFF)
_BLANKS = rf"[\s，]+|{_COMMENT}|(?:\.\.\.|…)(?=\s{{0,99}}(?:[,\]}}]|\Z))|```[\w+.-]*"
_BEFORE_VALUE = re.compile(rf"(?:{_BLANKS}|:)*", re.DOTALL)
_BETWEEN = re.compile(rf"(?:{_BLANKS}|:|\#[ \t][^\n]{{0,120}}(?=\n))*", re.DOTALL)
_SCALAR = rf"(?:{_QUOTED}|-?\d[\d.e+-]*|{_WORD})"
_LIST = re.compile(  # a list, a tuple or a set
    rf"\[|\(\s*(?:[(\[{{]|{_SCALAR}\s*,(?!\d))|\{{\s*{_SCALAR}\s*(?:\}}(?!\s*:)|,\s*{_SCALAR}\s*[,}}])", re.DOTALL
)
_UNBROKEN = re.compile(  # a call or an amount, in which a comma does not end the value
    rf"((?:[^\W\d]\w{{0,30}}\.){{1,3}}\w{{1,30}}|Decimal)\(\s*({_SCALAR})\s*\)"
    r"|([^\W\d][\w.]{0,60})\((?:[^()\n]{0,200}\))?"
    r"|(?:[^\w\s\"',.\[\](){}+-]|[A-Z]{2,3}\$?\s?)\s?-?\d{1,3}(?:,\d{3})+(?!\d)"
    r"|-?\d{1,3}(?:,\d{3})+(?:\.\d+)?\s?(?![eE][-+]?\d)(?:[^\W\d_]|[^\w\s\"',.\[\](){}+-])",
    re.DOTALL,
)
_SIGNS = re.compile(rf"\\.|([,{{\[]\s*)?([{_QUOTES}])", re.DOTALL)
_GOES_ON = re.compile(
    rf"[-.]?\d|([\s\]}})]*)(?:{_NEXT}|{_LITERAL}\s{{0,99}},|[\[{{]?,\s*(?:[{_QUOTES}{{\[]|-?\d|{_WORD}))"
    rf"|[^\n{{\[]{{0,200}}[{_QUOTES}]\s{{0,99}}[\]}}]"
    rf"|[^\n{{}}\[\]]{{0,60}},\s*[{_QUOTES}]{{0,3}}\w[\w -]{{0,60}}[{_QUOTES}]{{1,3}}{_COLON}",
    re.DOTALL,
)
_BEGINS = re.compile(rf"\s*(?:[:{_QUOTES}{{\[]|[-.]?\d|{_WORD})")
_CLOSED_LATER = re.compile(rf"[^{{\[]{{0,2000}}[\]}}]|{_GOES_ON.pattern}", re.DOTALL)
_ESCAPED = re.compile(r'[\[{]\s*\\"')
_ESCAPES = re.compile(r"""((?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))+)|\\(')|\\(?:u[\da-fA-F]{0,3})?\Z""")


class _Repairer:
    """A one-pass reader of a damaged JSON text, which puts each letter, digit and sign into a key or a value.

    Attributes:
        source: the text, unescaped if it was escaped as a whole.
        end: the position up to which it was read.
        ambiguities: sentences that say why the text is ambiguous, by kind.
        notes: other notes on the text, by kind.
    """

    def __init__(self, source: str, start: int, missing: dict[str, int]) -> None:
        """Begin at a position of a text.

        Args:
            source: the text.
            start: the position at which the value begins.
            missing: by opening bracket, how many more of its kind the text closes than it opens; each added bracket
                lowers the number.
        """
        self.source, self.end = source, start
        self.ambiguities: dict[str, str] = {}
        self.notes: dict[str, str] = {}
        self._missing = missing
        self._open: list[Any] = [[]]  # the open objects and lists, in a list that represents the text
        self._closing = "]"  # the bracket that closes each
        self._key = ""
        self._last = ""  # "," or ":" if nothing was read after it, otherwise ""

    def read(self) -> Any:
        """Return the value that begins at the start.

        Raises:
            JsonError: if it is nested deeper than `MAX_DEPTH` levels.
        """
        if _ESCAPED.match(self.source, self.end):
            self.source = self.source[: self.end] + _unescaped(self.source[self.end :])
        goes_on = True
        while goes_on and self._skip():
            sign = self.source[self.end]
            if sign == ",":
                self.end += 1
                self._finish()
                self._last = ","
            elif sign in "}]" or sign == ")" == self._closing[-1]:
                self.end += 1
                goes_on = self._close(sign)
            elif self._last != ":" and type(self._open[-1]) is dict and (pair := _MEMBER.match(self.source, self.end)):
                self._key = self._text_of(pair[1]) if pair[1] else pair[2].rstrip()
                self._last, self.end = ":", pair.end()
                if self._missing["{"] < 1 and _NO_VALUE.match(self.source, self.end):
                    self._finish()
            elif self._last != ":" and type(self._open[-1]) is dict and _CUT_NAME.match(self.source, self.end):
                name, self.source = self.source[self.end :].strip(_QUOTES), self.source[: self.end]
                self.notes["name"] = f"ends within the name {short_repr(name)}, which was left out"
            elif pair := _PAIR.match(self.source, self.end):
                self._open_object_for(self._text_of(pair[1]))
            elif sign == "{" or _LIST.match(self.source, self.end):
                self._begin(sign)
            else:
                self._scalar(sign)
        self._finish()
        values = self._open[0]
        return values[0] if len(values) == 1 else values

    def _skip(self) -> bool:
        """Go to the next sign; return whether there is one."""
        if blanks := (_BEFORE_VALUE if self._last == ":" else _BETWEEN).match(self.source, self.end):
            self.end = blanks.end()
        return self.end < len(self.source)

    def _finish(self) -> None:
        """Give the last key a value, if it has none."""
        if self._last == ":":
            self._put("")

    def _close(self, sign: str) -> bool:
        """Close the object or list of a closing bracket, if the next text fits; return whether the value goes on."""
        level, top = self._closing.rfind(sign), len(self._open) - 1
        unfit = [_BEGINS] if self._last and level == 1 else []
        if 0 < level < top:
            unfit.append(_NOT_AFTER[type(self._open[level - 1])] if level > 1 else _CLOSED_LATER)
        if top and (level < 1 or any(pattern.match(self.source, self.end) for pattern in unfit)):
            return True  # a bracket too many
        self._finish()
        self._last = ""
        self._drop(max(level, 1))
        if len(self._open) > 1:
            return True
        rest = _GOES_ON.match(self.source, self.end)
        if rest and rest[1]:
            self.end = rest.end(1)
        return rest is not None

    def _drop(self, level: int) -> None:
        del self._open[level:]
        self._closing = self._closing[:level]

    def _open_object_for(self, key: str) -> None:
        """Choose the object for the next key: the last one in the list, the one around the list, or a new one."""
        around, inner = ([None], *self._open)[-2:]
        items = inner if self._last != ":" else []
        first, last = (items[0], items[-1]) if items else (None, None)
        is_new = type(last) is dict and key not in last
        in_object = type(around) is dict and items
        if is_new and (not in_object or (type(first) is dict and key in first)):
            self._open.append(last)
            self._closing += "}"
        elif in_object and (is_new or type(last) is not dict or inner is around.get("")):
            self._drop(-1)
        else:
            self._begin("")

    def _begin(self, sign: str) -> None:
        """Begin an object or a list."""
        value: Any = [] if sign and _LIST.match(self.source, self.end) else {}
        self.end += len(sign)
        inner = self._open[-1]
        if type(inner) is dict and self._last != ":":
            is_doubled = not inner and (not self._open[2:] or self._missing["{"] < 0)
            if _PAIR.match(self.source, self.end) if sign == "[" else is_doubled:
                return  # a bracket too many
            is_item = inner and sign == "{" and self._missing["{"] < 0 and self._closing[1:-1].endswith("]")
            if is_item and not isinstance(inner[next(reversed(inner))], dict | list):
                self._drop(-1)
        self._missing["{"] -= not sign
        self._put(value)
        self._open.append(value)
        self._closing += {"[": "]", "(": ")"}.get(sign, "}")
        if len(self._open) > MAX_DEPTH + 1:
            raise JsonError(TOO_DEEP)

    def _put(self, value: Any) -> None:
        """Add a value to the innermost object or list."""
        if type(self._open[-1]) is dict and self._last != ":":
            self._begin_list_of_more(self._open[-1])
        inner = self._open[-1]
        if type(inner) is list:
            inner.append(value)
        else:
            if self._key in inner:
                self.ambiguities["key"] = f"{repeated_key(self._key)}{_LAST_TAKEN}"
                del inner[self._key]
            inner[self._key] = value
        self._last = ""

    def _begin_list_of_more(self, inner: dict[str, Any]) -> None:
        """Begin a list for a value without a key: under the previous key if "[" is missing, otherwise under ""."""
        key = next(reversed(inner)) if inner and self._missing["["] > 0 else ""
        if key:
            self._missing["["] -= 1
        else:
            self.ambiguities["value"] = "a value without a key was put under ''"
        if key or type(inner.setdefault(key, [])) is not list:
            inner[key] = [inner[key]]
        self._open.append(inner[key])
        self._closing += "]"

    def _scalar(self, sign: str) -> None:
        """Read a value that is neither an object nor a list."""
        start = self.end
        if sign in _CLOSED_BY:
            value: Any = self._text(sign)
        else:
            begun = _UNBROKEN.match(self.source, start)
            self.end = begun.end() - 1 if begun else start
            self._go_to_end_of_token()
            value = _value_of(self.source[start : self.end])
            if begun and begun[2] and self.end == begun.end():
                value = self._text_of(begun[2]) if begun[2][0] in _CLOSED_BY else _value_of(begun[2])
                self.notes["call"] = f"{begun[1]}(…) was read as its argument"
            elif begun and (call := begun[1] or begun[3]):
                self.ambiguities["call"] = f"{call}(…) may be a call, and was kept as text"
            elif self.end == len(self.source) and not isinstance(value, bool | None):
                is_number = not str(value).strip("+-.eE0123456789")
                self.notes["end"] = f"ends within a {'number' if is_number else 'word'}"
        self._put(value)

    def _go_to_end_of_token(self) -> None:
        """Go to the end of a value without quotes; brackets that open inside the value also close inside it."""
        is_closed, inside = False, 0
        while not is_closed:
            start = self.end
            end = _ENDS[self._closing[-1]][2].search(self.source, start + 1)
            self.end = end.start() if end else len(self.source)
            inside += sum(map(self.source[start : self.end].count, "{["))
            is_closed = not inside or not end or end[0].strip() not in ("}", "]")
            inside -= 1

    def _text(self, sign: str) -> str:
        """Read a text in quotes.

        It ends at the first quote before a comma, a key or a bracket, or before another text that begins within it.
        """
        follows, begins, _ = _ENDS[self._closing[-1]]
        start, source = self.end + 1, self.source
        whole = _TEXTS[sign].match(source, self.end)
        if whole and follows.match(source, whole.end()):
            self.end = whole.end()
            return self._text_of(sign + whole[whole.lastindex or 0] + sign)
        for quote in _SIGNS.finditer(source, start):
            if quote[2] and quote[2] in _CLOSED_BY[sign] and follows.match(source, quote.end()):
                end, self.end = quote.start(2), quote.end()
                break
            if quote[1] and begins.match(source, quote.start(2)):
                end = self.end = start + len(source[start : quote.start()].rstrip(",{}[] \t\r\n"))
                break
        else:
            end = self.end = start + len(source[start:].rstrip("}] \t\r\n"))
            if end == len(source):
                self.notes["end"] = "ends within a text"
        return self._text_of(sign + source[start:end] + sign)

    @staticmethod
    def _text_of(quoted: str) -> str:
        """Return the text inside quotes."""
        try:
            return str(loads(quoted))
        except ValueError:
            return _unescaped(quoted[1:-1])


def _value_of(token: str) -> Any:
    """Return the number or the name that a token spells; any other token is a text without quotes."""
    try:
        return loads(token)
    except ValueError:
        if token.lower() in _NAMES:
            return _NAMES[token.lower()]
    return token[:-1] if token[-1] in _CLOSED_BY and token.count(token[-1]) % 2 else token


def _changes(source: str, value: Any) -> str:
    """Describe the changes by a repair: how many more or fewer signs of each kind the value has than the text."""
    sides = [side.replace('\\"', _ESCAPED_QUOTE) for side in (json.dumps(value, ensure_ascii=False), source)]
    parts = []
    for verb, noun, signs in _KINDS:
        more, fewer = (sum(map(side.count, signs)) for side in sides)
        more -= fewer
        if more:
            number = f"a {noun}" if abs(more) == 1 else counted(abs(more), noun)
            parts.append(f"{verb if more > 0 else 'removed'} {number}")
    return "; ".join(parts) or "replaced text that is not JSON"


_ESCAPED_QUOTE = "\0"
_KINDS = (
    ("opened", "bracket", "{["),
    ("closed", "bracket", "}]"),
    ("added", "colon", ":"),
    ("added", "comma", ","),
    ("added", "quote", '"'),
    ("escaped", "quote", _ESCAPED_QUOTE),
    ("escaped", "line break", ("\\n",)),
)


def _unescaped(text: str) -> str:
    return _ESCAPES.sub(lambda escape: str(loads(f'"{escape[1]}"')) if escape[1] else escape[2] or "", text)


PARSE_COUNTS = {
    "failed": "parse_failures",
    "extracted": "parse_extracted",
    "repaired": "parse_repaired",
    "ambiguous": "parse_ambiguous",
}
ParseOutcome = Literal["exact", "extracted", "repaired", "ambiguous", "failed"]
COUNTED_OUTCOMES: dict[str | None, tuple[ParseOutcome, ...]] = {  # by `parse`
    None: (),
    "json": ("failed",),
    "repair": ("failed", "extracted", "repaired", "ambiguous"),
}


class Parsed(NamedTuple):
    """A prediction after parsing.

    Attributes:
        value: the JSON value, or the unchanged text if it could not be parsed.
        outcome: "exact" if the text is JSON; "extracted" if a part within prose, a fence or a JSON string is JSON;
            "ambiguous" if several such parts differ, an object has a key twice or a value without a key, or a value
            may be a call; "repaired" if a part was changed or cut off; "failed" if nothing could be parsed.
        note: which of several values was chosen, what the repair changed, or why it failed; otherwise "".
    """

    value: Any
    outcome: ParseOutcome = "exact"
    note: str = ""

    @property
    def failed(self) -> bool:
        """Return whether the text could not be parsed."""
        return self.outcome == "failed"


def parse_text(text: str, mode: str, truth: Any = None) -> Parsed:
    """Parse the JSON value in the output text of a model.

    "json" accepts only a text that is JSON as a whole. "repair" ignores thoughts before `</think>`, and returns the
    first of these values in the rest:

    1. An object or a list that is valid JSON. If several have different values, it prefers values of the type of the
       ground truth, and among these the last value in a fenced block, or else the last value. A value inside a bracket
       that is not closed does not count.
    2. A scalar that is the whole content of a fenced block.
    3. The largest part that begins like an object or a list, repaired: trailing commas, single quotes, text that is cut
       off. The repair keeps each letter, digit and sign of a value; it leaves out a key that is cut off before its
       colon. A value without quotes is a text, unless it is a number, a name such as `None`, or `Decimal` or a dotted
       name called with one text or number, such as `np.float64(4.2)`. Any other call makes the text ambiguous. A value
       without a key also makes it ambiguous, and is read under the key "".

    If an object has a key twice, the last value counts, and the text is ambiguous; "json" does not accept it.
    "repair" also reads an object or a list in a JSON string, if the ground truth is an object or a list.

    Args:
        text: the output of the model.
        mode: "json" or "repair".
        truth: the ground truth; a tuple holds acceptable answers.

    >>> parse_text('{"total": 1}', "json")
    Parsed(value={'total': 1}, outcome='exact', note='')
    >>> parse_text('Here it is: {"total": 1} (see [1])', "json").outcome
    'failed'
    >>> parse_text('Here it is: {"total": 1} (see [1])', "repair")
    Parsed(value={'total': 1}, outcome='extracted', note='')
    >>> parse_text('Here it is: {"total": 1,', "repair")
    Parsed(value={'total': 1}, outcome='repaired', note='closed a bracket; removed a comma')
    >>> parse_text('Fields: ["total"]. {"total": 1}', "repair", {"total": 1})
    Parsed(value={'total': 1}, outcome='ambiguous', note='2 complete values; the only object was used')
    """
    try:
        value, _, repeated = read_json(text)
    except (ValueError, RecursionError):
        return _repaired(text, truth) if mode == "repair" else Parsed(text, "failed")
    if (repeated and mode == "json") or not _can_be_scored(value, text):
        return Parsed(text, "failed", repeated)
    inner = _container_in(value) if mode == "repair" and type(value) is str else None
    if inner is not None and (truth is None or type(inner) in kinds_of(truth)):
        return Parsed(inner, "extracted", "JSON in a JSON string")
    return Parsed(value, "ambiguous", f"{repeated}{_LAST_TAKEN}") if repeated else Parsed(value)


_ANSWER = "an answer"  # a part of a row
OUTPUT_MODES = ("auto", "none", "json", "repair")


def parse_output(output: Any, truth: Any, mode: str = "auto") -> tuple[Any, ParseOutcome | None]:
    """Parse the output of a model if it is a text.

    Args:
        output: the output; a value that is not text is returned unchanged.
        truth: the ground truth; a tuple holds acceptable answers.
        mode: "json" or "repair", as for `parse_text`; "none" to keep the text. "auto" is "repair" if an acceptable
            answer is an object or a list, and "none" otherwise.

    Returns:
        The value, and how it was parsed; None if it was not parsed.
    """
    if mode == "auto":
        mode = "repair" if kinds_of(truth) & {dict, list} else "none"
    if mode == "none" or not isinstance(output, str):
        return output, None
    parsed = parse_text(output, mode, truth)
    return parsed.value, parsed.outcome


def answer_in(text: Any, reading: str = "auto") -> Any:
    """Return the ground truth from the text in which a tool stores it.

    Args:
        text: the text; any other value is returned unchanged.
        reading: "json" to parse the text, "text" to keep it, or "auto" to parse it if it is a JSON object or list.

    Raises:
        ValueError: for any other `reading`, and for "json" if the text is not JSON.

    >>> answer_in('{"total": "12.50"}'), answer_in("12.50"), answer_in("[sic]")
    ({'total': '12.50'}, '12.50', '[sic]')
    """
    check_choice("target", reading, ("auto", "text", "json"))
    if reading == "text" or not isinstance(text, str):
        return text
    if reading == "auto" and text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return loads(text)
    except ValueError as error:
        if reading == "auto":
            return text
        raise InputValueError(place="target", expected="JSON text", got=f"{error}") from None


def parse_predictions(
    predictions: Sequence[Any], truths: Sequence[Any], mode: str, progress: Progress = no_progress
) -> tuple[list[Any], dict[int, Parsed]]:
    """Read text predictions as JSON; return all predictions, and how each text was read, by its row number."""
    readings: dict[int, Parsed] = {}
    values = list(predictions)
    for number, prediction in enumerate(watched(predictions, progress, "Parsing", len(predictions))):
        if type(prediction) is str:  # not a subclass such as the digits of a number
            parsed = parse_text(prediction, mode, truths[number])
            values[number], readings[number] = parsed.value, parsed._replace(value=None)
    return values, readings


def parsed_references(ids: Sequence[str], truths: Sequence[Any], mode: str) -> tuple[list[Any], dict[str, str]]:
    """Return ground truths with their texts read as JSON, and the changes in repaired ground truths, by id.

    Args:
        ids: the id of each row.
        truths: the ground truths; a tuple holds acceptable answers.
        mode: "json", or "repair" to repair texts that can be read in one way only.

    Raises:
        TypeError, ValueError: for a text that cannot be read or scored, naming the row.

    >>> parsed_references(["a"], [('{"total": 1}', "{'total': 2}")], "repair")
    ([({'total': 1}, {'total': 2})], {'a': 'added 2 quotes'})
    """
    values, repairs = [], dict[str, str]()
    for name, truth in zip(ids, truths, strict=True):
        try:
            value, notes = read_reference(truth, mode)
        except ValueError as error:
            raise at_place(row_place(name), error) from None
        values.append(value)
        if notes:
            repairs[name] = notes[0]
    return values, repairs


def read_reference(truth: Any, mode: str) -> tuple[Any, list[str]]:
    """Return a ground truth with its texts read as JSON, and the changes in each repaired text.

    Raises:
        TypeError, ValueError: for a text that cannot be read or scored.
    """
    notes: list[str] = []
    try:
        return convert_ground_truth(_read_answers(truth, mode, notes)), notes
    except ValueError as error:
        raise at_place(_ANSWER, error) from None


def _read_answers(truth: Any, mode: str, notes: list[str]) -> Any:
    """Return acceptable answers with their texts read as JSON; add the changes to the notes."""
    if isinstance(truth, tuple):
        return tuple(_read_answers(each, mode, notes) for each in truth)
    if type(truth) is not str:
        return truth
    parsed = parse_text(truth, mode)
    if parsed.outcome == "ambiguous":
        raise InputValueError(expected="a text that can be read in one way", got=parsed.note)
    if parsed.failed:
        return loads(truth, unique_keys=True)
    if parsed.outcome != "exact":
        notes.append(parsed.note or "extracted from surrounding text")
    return parsed.value


def is_json_container(value: object) -> bool:
    """Return whether a value is a text that consists of one JSON object or list."""
    return isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and _container_in(value) is not None


def holds_json(value: object, *, repaired: bool = False) -> bool:
    """Return whether a value is a text that contains a JSON object or list, which may be damaged if `repaired`."""
    if not isinstance(value, str):
        return False
    parsed = parse_text(value, "repair")
    return isinstance(parsed.value, dict | list) and (repaired or parsed.outcome != "repaired")


def _repaired(text: str, truth: Any) -> Parsed:
    """Parse a text that is not JSON as a whole."""
    *thoughts, answer = _END_OF_THOUGHTS.split(text)
    if not thoughts and _THOUGHTS.match(text):  # thoughts without an end
        answer = ""
    blocks = _fenced_blocks(answer)
    try:
        in_blocks = [_values_in(answer[start:end]) for start, end, _ in blocks]
        whole, damaged = _values_in(answer)
    except JsonError as error:
        return Parsed(text, "failed", f"not repaired: {error}")
    values: list[tuple[int, bool, Parsed]] = []  # the start of each, whether it is in a block, and how it was read
    for (start, _, _), (inside, _) in zip(blocks, in_blocks, strict=True):
        values += [(start + at, True, value) for at, value in inside]
    starts = [start for start, _, _ in blocks]
    for at, value in whole:
        block = bisect_right(starts, at) - 1
        if block < 0 or at >= blocks[block][1]:
            values.append((at, False, value))
    if not values:
        scalars = [(start, True, parse_text(answer[start:end], "json")) for start, end, _ in blocks]
        values = [(at, True, scalar._replace(outcome="extracted")) for at, _, scalar in scalars if not scalar.failed]
    if values:
        chosen = _chosen(sorted(values, key=itemgetter(0)), truth)
        if not damaged:
            return chosen
        notes = chosen.note, f"{counted(len(damaged), 'malformed value')} next to it was not used"
        return Parsed(chosen.value, "ambiguous", "; ".join(filter(None, notes)))
    marked_first = sorted(zip(blocks, in_blocks, strict=True), key=lambda each: not each[0][2])
    groups = [*(repaired for _, (_, repaired) in marked_first), damaged]
    largest = (max(group, key=itemgetter(0))[1] for group in groups if group)
    repaired = next(largest, Parsed(text, "failed"))
    if len(damaged) > 1:
        note = f"{len(damaged):,} malformed values; the largest was used; {repaired.note}"
        return Parsed(repaired.value, "ambiguous", note)
    return repaired


def _chosen(values: list[tuple[int, bool, Parsed]], truth: Any) -> Parsed:
    """Choose one of the values that a text contains as JSON, by the rule of `parse_text`."""
    different: dict[str, tuple[bool, Parsed]] = {}  # in the order of their last occurrences
    for _, fenced, parsed in values:
        key = json.dumps(parsed.value, sort_keys=True)
        different[key] = fenced or different.pop(key, (False,))[0], parsed
    if len(different) == 1:
        return values[0][2]
    kinds = kinds_of(truth)
    of_kind = [entry for entry in different.values() if type(entry[1].value) in kinds]
    candidates = of_kind or list(different.values())
    in_blocks = [parsed for fenced, parsed in candidates if fenced]
    value, _, note = in_blocks[-1] if in_blocks else candidates[-1][1]
    if len(of_kind) == 1:
        rule = f"only {'object' if isinstance(value, dict) else 'list'}"
    else:
        rule = "last one in a fenced block" if in_blocks else "last one"
    choice = f"{len(different):,} complete values; the {rule} was used"
    return Parsed(value, "ambiguous", f"{choice}; {note}" if note else choice)


def kinds_of(truth: Any) -> set[type]:
    """Return the types of a ground truth and of its alternatives."""
    return set().union(*map(kinds_of, truth)) if isinstance(truth, tuple) else {type(truth)}


def _fenced_blocks(text: str) -> list[tuple[int, int, bool]]:
    """Return the start and end of each fenced block that is not empty, and whether the block is marked as json."""
    blocks = []
    position = 0
    while fence := _FENCE.search(text, position):
        closing = _ANY_CLOSING.search(text, fence.end())
        if closing and "\n" in text[fence.end() : closing.start()]:
            closing = _CLOSING.search(text, fence.end())
        start, position = closing.span() if closing else (len(text), len(text))
        if text[fence.end() : start].strip(_BLANK):
            blocks.append((fence.end(), start, fence[1].lower().startswith("json")))
    return blocks


def _values_in(source: str) -> tuple[list[tuple[int, Parsed]], list[tuple[int, Parsed]]]:
    """Return the objects and lists that are valid JSON, with their starts, and the damaged ones, with their lengths.

    Raises:
        JsonError: if one is nested too deep.
    """
    is_cut, source = not source.endswith(tuple(_BLANK)), source.rstrip(_BLANK)  # text before a blank is complete
    missing = {sign: source.count(other) - source.count(sign) for sign, other in ("{}", "[]")}
    first, has_quotes = len(source) - len(source.lstrip(_BLANK)), bool(_QUOTE.search(source))
    position, seen, tries = 0, 0, _MOST_TRIES
    values, damaged = [], []
    while tries and (bracket := _BRACKET.search(source, position)):
        start, position = bracket.end() - 1, bracket.end()
        likely = JSON_BEGINS.match(source, start)
        is_first = start == first and _BARE_LIST.match(source, start)
        if not likely and not is_first and bracket[1] is None:
            continue
        value, end, note = _whole_value(source, start)
        is_json, before = value is not None, source[seen:start]
        is_part = _is_part(source, before, start, end if is_json else None)
        is_part = is_part or bool(not seen and start > first and _STARTS.match(source, first))
        is_whole = is_json and not is_part and not _GOES_ON.match(source, end)
        if is_whole and (likely or _REST_OF_LINE.match(source, end)):
            note = note or (_AROUND if (has_quotes and not value) or _KEYWORD.search(before) else "")
            values.append((start, Parsed(value, "ambiguous" if note else "extracted", note)))
            position = seen = end
        elif likely or (is_first and not is_whole):
            begin = _BEGINNING.search(source, seen) if is_part else None
            start = begin.start() if begin else start
            parsed, position = _repaired_value(source, start, missing, is_cut=is_cut)
            damaged += [(position - start, parsed)] if parsed.value else []
            seen = position
        else:
            tries -= 1
    return values, damaged


def _is_part(source: str, before: str, start: int, end: int | None) -> bool:
    """Decide from the text around a value whether it is part of another value.

    Args:
        source: the text.
        before: the text between the previous value and this one.
        start: the position at which the value begins.
        end: its end; None if it is not JSON.
    """
    if _PART.search(before) or (source[start] == "[" and before.rstrip().endswith("{")):
        return True
    if end is None:
        return _ASSIGNED.search(before) is not None
    return bool(_LAST_PART.search(before) and _CLOSES.match(source, end))


def _repaired_value(source: str, start: int, missing: dict[str, int], *, is_cut: bool) -> tuple[Parsed, int]:
    """Repair the damaged value that begins at `start`; return how it was read, and its end."""
    repairer = _Repairer(source, start, missing)
    value = repairer.read()
    is_quoted = _QUOTE.search(source, 0, start) or _QUOTE.search(repairer.source, repairer.end)
    ambiguities = [*repairer.ambiguities.values(), *([_AROUND] if is_quoted else [])]
    if not is_cut:
        repairer.notes.pop("end", None)
    # if a key is repeated, the value that was dropped with it would count as a change of signs
    changes = [] if "key" in repairer.ambiguities else [_changes(source[start : repairer.end], value)]
    note = "; ".join([*ambiguities, *repairer.notes.values(), *changes])
    return Parsed(value, "ambiguous" if ambiguities else "repaired", note), repairer.end


def _whole_value(source: str, start: int) -> tuple[Any, int, str]:
    """Return the value that begins at a bracket, its end, and a note on it; the value is None if it is not JSON."""
    try:
        value, end, repeated = read_json(source, start)
    except (ValueError, RecursionError):
        return None, start, ""
    if not _can_be_scored(value, source[start:end]):
        raise JsonError(TOO_DEEP)
    return value, end, f"{repeated}{_LAST_TAKEN}" if repeated else ""


def _can_be_scored(value: Any, text: str) -> bool:
    """Return whether the value of a text is not nested too deep; few brackets in the text show it at once."""
    if text.count("[") + text.count("{") > MAX_DEPTH:
        try:
            call_with_fresh_stack(convert_prediction, value)
        except ValueError:
            return False
    return True


def _container_in(part: str) -> Any:
    """Return the object or list that makes up a text; None if the text is not JSON or cannot be scored."""
    try:
        value = loads(part)
    except ValueError:
        return None
    return value if isinstance(value, dict | list) and _can_be_scored(value, part) else None


_BLANK = "\ufeff \t\r\n"  # a byte order mark, white space
_MOST_TRIES = 100  # the search ends after this many brackets at which no object or list begins
_LAST_TAKEN = ", and its last value was used"
_AROUND = "the surrounding text may be a part of it"
_QUOTE = re.compile(r"[\"“”„]|'\s{0,9}[:,\]}]")  # a quote that suggests JSON around a value

_THOUGHTS = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)

_FENCE = re.compile(r"```[ \t]*([\w+.-]*)")
_CLOSING = re.compile(r"^[ \t]*```+", re.MULTILINE)
_ANY_CLOSING = re.compile(r"```+")

_BRACKET = re.compile(r"(^[ \t\ufeff]*)?[{\[]", re.MULTILINE)  # with the blanks before it at the start of a line
_REST_OF_LINE = re.compile(r"[ \t\r\]}]*(?:\n|\Z)")

_BARE_LIST = re.compile(  # with an amount, a call or a number in front
    r"\[\s*(?:[$€£¥]\s?-?\d|[^\W\d][\w.]{0,60}\("
    rf"|-?\d[\d.e+-]*(?:\s*(?:[,\[{{{_QUOTES}]|\]\s*\Z|\Z)|[^\S\n]*\n\s*-?\d))"
)

# Texts before a value which show that it is part of another value; `_LAST_PART` only if a bracket closes after it.
_PART = re.compile(
    rf"(?:[,{{}}\[\]]\s*{_QUOTED}\s{{0,99}}:|\[[^\[\]{{}}]*,|[\]}}]\s{{0,99}},|\[\s*(?:-?\d[\d.]*|{_WORD})"
    rf"|(?:\A|[,{{\[])\s*{_QUOTED}\s{{0,99}}:[^{{}}\[\]]*,|\{{[^{{}}\[\]]*(?:[:,]|=>))\s*\Z",
    re.DOTALL,
)
_STARTS = re.compile(
    rf"\s*(?:{_QUOTED}\s{{0,99}}[:,\]}}]|(?:-?\d[\d.]*|{_WORD})\s{{0,99}}[,\[\]{{}}]|\[[\s,]{{0,99}}[-\d])", re.DOTALL
)
_ASSIGNED = re.compile(rf"{_NAMED}\s{{0,99}}(?:[{_QUOTES}]|-?\d|{_WORD})", re.DOTALL)
_LAST_PART = re.compile(rf"(?:{_QUOTED}\s{{0,99}}:|[\w\"'\]}}]\s{{0,99}},)\s{{0,99}}\Z", re.DOTALL)
_CLOSES = re.compile(r"\s*[\]}]")
_KEYWORD = re.compile(r"\([^()]*=\s*\Z")  # of an argument in a call
_BEGINNING = re.compile(rf"[\[{{]|{_NEXT}|(?:-?\d[\d.]*|{_WORD})\s{{0,99}}[,\[{{]", re.DOTALL)
