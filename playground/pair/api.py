"""The API of the page, by which programs and agents score a pair of values."""

import asyncio
import json
from functools import partial, wraps
from typing import Any, Literal

import gradio as gr
from fastapi import Request
from fastapi.responses import JSONResponse
from gradio.utils import get_function_params

from docscore.core.errors import InputTypeError
from docscore.core.options import OPTIONS, THRESHOLD, CompareOptions, check_choice
from playground.pair.pair import is_json_text, tree_for_clients
from playground.parts.fragments import fragment
from playground.parts.tab import Tab
from playground.server.connections import client
from playground.server.functions import PAIRS
from playground.server.limits import is_small, shortened

_CALLS = "/gradio_api/call/"  # the URL that programs call
_LONGEST_READ_AT_ONCE = 2_000  # characters of JSON text, which may hold many lists
JsonValue = dict[str, Any] | list[Any] | str | int | float | bool | None
RuleName = Literal["paper", "anls_star-1.0.1"]
NumberMode = Literal["text", "value"]
Reading = Literal["json", "repair", "text"] | None


async def score_as_tree(
    ground_truth: JsonValue,
    prediction: JsonValue,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: RuleName = "paper",
    numbers: NumberMode = "text",
    schema: dict[str, Any] | None = None,
    parse: Reading = None,
) -> dict[str, Any]:
    """Score a predicted JSON value against a ground truth with ANLS*, and show where points were lost.

    A side that is the text of a JSON object or list is read as that, and any other text is a text; "parse" reads the
    prediction in another way. "notes" in the answer says how texts were read, and whether the prediction is a text
    where an object or a list was expected.

    Args:
        ground_truth: any JSON value; {"$one_of": [...]} holds alternatives.
        prediction: any JSON value.
        threshold: similarities of texts below it count as 0, from 0 to 1.
        ignore_case: whether texts are compared in lower case.
        rules: "paper", or "anls_star-1.0.1" to count keys without a value as that package does.
        numbers: "text" to compare numbers as they print, or "value".
        schema: a JSON Schema that says how places compare, for the typed score in place of ANLS*; null for none.
        parse: how a prediction that is text is read: "json" as JSON, "repair" also out of prose and fences, and
            repaired, "text" not at all; null reads it if it is an object or a list.

    Returns:
        The score tree: place, status, score from 0 to 1, points_lost, both values, children. Of more than 3,000 places
        exact ones are left out, and counted as left_out.
    """
    try:
        if schema is not None and not isinstance(schema, dict):
            raise InputTypeError(place="schema", expected="a JSON object", got=type(schema).__name__)
        check_choice("parse", parse, (None, *OPTIONS["parse"].metadata["choices"]))
        options = CompareOptions(
            threshold=threshold, ignore_case=ignore_case, rules=rules, numbers=numbers, schema=schema
        )
        sides: tuple[Any, Any] = ground_truth, prediction
        task = partial(tree_for_clients, *sides, options, parse)
        texts = [value for value in sides if is_json_text(value) or (parse == "repair" and isinstance(value, str))]
        is_short = all(len(text) <= _LONGEST_READ_AT_ONCE for text in texts)
        if schema is None and is_short and is_small(*sides):
            return await asyncio.to_thread(task)
        return dict(await PAIRS.run("", task, client=client()))
    except (TypeError, ValueError) as error:
        raise gr.Error(shortened(str(error)), print_exception=False) from None


@wraps(score_as_tree)
async def score(*values: Any, **options: Any) -> str:  # noqa: D103  it has that of the tree
    return json.dumps(await score_as_tree(*values, **options))


score.__name__ = "score"

# gradio names an agent's tool after its function and passes objects as Python text; agents get JSON text instead
API = {"score": score_as_tree, "score_text": score}
score_as_tree._mcp_type = "endpoint"  # type: ignore[attr-defined]  # noqa: SLF001


TAB = Tab(  # with an address until the browser inserts its own
    *("api", "api", "API", "docscore['pair/api.js'].startApi(element)"),
    fragment("api", "http://127.0.0.1:7860", template="api.html.jinja"),
    ["pair/api.js"],
)


class Page(gr.Blocks):
    """A page whose API reports missing arguments by name and fills in defaults."""

    def validate_inputs(self, block_fn: Any, inputs: list[Any]) -> None:
        """Fill in defaults; gradio's own error for missing arguments would print everything that the visitor sent."""
        known = {name: (has_default, default) for name, has_default, default, _ in get_function_params(block_fn.fn)}
        names = [*known, *[""] * len(block_fn.inputs)][: len(block_fn.inputs)]
        for name in names[len(inputs) :]:
            has_default, default = known.get(name, (False, None))
            if not has_default:
                expected = f"expected {', '.join(known)}" if known else f"expected {len(names)} values"
                msg = f"arguments: {expected}; got {len(inputs)}; {name or 'one'} is missing"
                raise gr.Error(msg, print_exception=False)
            inputs.append(default)


async def refuse_arguments(request: Request, error: Exception) -> JSONResponse:
    """Report invalid arguments by name with status 422; gradio does not handle missing or unknown arguments.

    Raises:
        TypeError: the error itself, for any other request.
    """
    if not request.url.path.startswith(f"{request.scope.get('root_path', '')}{_CALLS}"):
        raise error
    return JSONResponse({"detail": shortened(str(error))}, status_code=422)
