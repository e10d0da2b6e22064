"""The Space: score a pair of JSON values or files of them, and show where points were lost."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import gradio as gr

from docscore.core.options import PACKAGE, PAPER, THRESHOLD, ScoringOptions
from docscore.data.json_codec import dumps
from docscore.metrics.anls_star.api import explained
from docscore.report.html_tree import stylesheet
from docscore.version import VERSION
from playground import pair
from playground.gallery import EXAMPLES, Example
from playground.limits import MAX_FILE_BYTES, check_value, check_work, shortened
from playground.tabs import compare_tab, file_tab
from playground.testset import EXAMPLE_FILES

PAGE = Path(__file__).parent / "playground"
INTRODUCTION = f"""# ANLS\\*
How good is what a model extracted from a document? Strings are compared by normalised Levenshtein similarity, lists by
optimal matching, objects key by key. docscore {VERSION}. What you type is not stored; uploaded files are deleted after
an hour.
"""
HELP = """Ground truth and prediction are JSON. Where one of several answers is right, write `{"$one_of": ["€", "EUR"]}`
in the ground truth. Keys in the tree: arrows move, Enter opens and closes, `c` copies the path."""
SNIPPETS = """### Python client
```python
from gradio_client import Client

client = Client("http://127.0.0.1:7860")
tree = client.predict({"total": "12.50"}, {"total": "12.5"}, api_name="/score")
print(tree["score"])
```
### HTTP
```bash
call=$(curl -s http://127.0.0.1:7860/gradio_api/call/score -H 'Content-Type: application/json' \\
  -d '{"data": [{"total": "12.50"}, {"total": "12.5"}, 0.5, true, "paper", "text"]}' \\
  | sed 's/.*"event_id":"\\([^"]*\\)".*/\\1/')
curl -sN http://127.0.0.1:7860/gradio_api/call/score/$call
```
### evaluate
```python
import docscore
import evaluate

metric = evaluate.load(docscore.evaluate_module("anls_star"))
print(metric.compute(predictions=[{"total": "12.5"}], references=[{"total": "12.50"}]))
```
An agent finds the same as the MCP tool `score` under `/gradio_api/mcp/`.
"""
TO_LINK = """async (...pair) => {
  const hash = await window.anlsToHash(pair);
  history.replaceState(null, "", hash);
  try { await navigator.clipboard.writeText(location.href); return "The link is in the address bar and copied."; }
  catch { return "The link is in the address bar."; }
}"""
FROM_LINK = "async (...now) => (await window.anlsFromHash?.()) ?? now"


def score_as_tree(
    ground_truth: Any,
    prediction: Any,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: str = PAPER,
    numbers: str = "text",
) -> dict[str, Any]:
    """Score a predicted JSON value against a ground truth with ANLS*, and show where points were lost.

    Args:
        ground_truth: any JSON value; {"$one_of": [...]} holds alternatives.
        prediction: any JSON value.
        threshold: similarities of texts below it count as 0, from 0 to 1.
        ignore_case: whether texts are compared in lower case.
        rules: "paper", or "anls_star-1.0.1" to count keys without a value as that package does.
        numbers: "text" to compare numbers as they print, or "value".

    Returns:
        The score tree: place, kind, status, score from 0 to 1, earned, weight, points_lost, both values, children.
    """
    try:
        check_value(ground_truth, is_truth=True)
        check_value(prediction, is_truth=False)
        check_work(ground_truth, prediction)
        options = ScoringOptions(threshold=threshold, ignore_case=ignore_case, rules=rules, numbers=numbers)
        return for_clients(explained(ground_truth, prediction, options).to_dict())
    except (TypeError, ValueError) as error:
        raise gr.Error(shortened(str(error)), print_exception=False) from None


def score(
    ground_truth: Any,
    prediction: Any,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: str = PAPER,
    numbers: str = "text",
) -> str:
    """Score a predicted JSON value against a ground truth with ANLS*; return the score tree as JSON text.

    Args:
        ground_truth: any JSON value; {"$one_of": [...]} holds alternatives.
        prediction: any JSON value.
        threshold: similarities of texts below it count as 0, from 0 to 1.
        ignore_case: whether texts are compared in lower case.
        rules: "paper", or "anls_star-1.0.1" to count keys without a value as that package does.
        numbers: "text" to compare numbers as they print, or "value".

    Returns:
        JSON text of the score tree.
    """
    return json.dumps(score_as_tree(ground_truth, prediction, threshold, ignore_case, rules, numbers))


def for_clients(node: dict[str, Any]) -> dict[str, Any]:
    """Rename `path` of a node to `place`, and convert values that are objects or lists to JSON text.

    gradio's Python client treats every object with the key "path" as a file, and tries to download it.
    """
    shown = {"place": node.pop("path"), **node}
    for side in ("ground_truth", "prediction"):
        if isinstance(shown[side], dict | list):
            shown[side] = dumps(shown[side]) if not node["children"] else None
    shown["children"] = [for_clients(child) for child in node["children"]]
    return shown


def score_pair(
    truth: str,
    prediction: str,
    threshold: float,
    ignore_case: bool,
    as_text: bool,
    metric: str,
    rules: str,
    numbers: str,
) -> tuple[str, str, str]:
    """The outputs of the tab for one pair."""
    if any(pair.faults(truth, prediction, as_text=as_text, metric=metric)):  # a link may hold anything
        return "", "", ""
    options = ScoringOptions(threshold=threshold, ignore_case=ignore_case, rules=rules, numbers=numbers)
    return pair.score(truth, prediction, options, as_text=as_text, metric=metric)


def check_pair(
    truth: str, prediction: str, _threshold: float, _ignore_case: bool, as_text: bool, metric: str, *others: str
) -> list[Any]:
    """Show the error messages at their editors."""
    faults = pair.faults(truth, prediction, as_text=as_text, metric=metric)
    fine = gr.validate(is_valid=True, message="")
    return [gr.validate(not fault, fault) for fault in faults] + [fine] * (4 + len(others))


def build_demo() -> gr.Blocks:
    """Build the page without launching it."""
    demo: gr.Blocks
    with gr.Blocks(title="ANLS*", analytics_enabled=False, delete_cache=(3600, 3600)) as demo:
        gr.Markdown(INTRODUCTION)
        with gr.Tab("One pair"):
            _pair_tab(demo)
        with gr.Tab("A file"):
            file_tab()
        with gr.Tab("Compare"):
            compare_tab()
        with gr.Tab("API"):
            gr.Markdown(SNIPPETS)
        gr.api(score_as_tree, api_name="score")
        gr.api(score, api_name="score_text")  # for MCP, where objects would become Python text
    return demo


def _pair_tab(demo: gr.Blocks) -> None:
    gr.Markdown(HELP)
    samples = gr.Dataset(
        label="Examples",
        components=[gr.Textbox(visible=False)],
        samples=[[example.title] for example in EXAMPLES],
        type="index",
        layout="gallery",
        samples_per_page=len(EXAMPLES),
        elem_id="pair-examples",
    )
    inputs = _pair_inputs(EXAMPLES[0])
    with gr.Row():
        button = gr.Button("Score", variant="primary", elem_id="pair-score")
        link = gr.Button("Copy link", elem_id="pair-link")
    linked = gr.Markdown(elem_id="pair-linked")
    outputs = _pair_outputs()

    run: dict[str, Any] = {"fn": score_pair, "inputs": inputs, "outputs": outputs, "api_visibility": "private"}
    button.click(
        None, None, outputs, js="() => ['', '', '']", api_visibility="private"
    )  # clears the result of the last pair
    button.click(**run, validator=check_pair, concurrency_limit=4)
    chosen = samples.click(take_example, samples, inputs, api_visibility="private")
    chosen.then(**run)
    link.click(None, inputs, linked, js=TO_LINK, api_visibility="private")
    restored = demo.load(None, inputs, inputs, js=FROM_LINK, api_visibility="private")
    restored.then(**run, validator=check_pair)


def take_example(index: int) -> tuple[Any, ...]:
    """The values of editors and options for an example."""
    example = EXAMPLES[index]
    return example.truth, example.prediction, THRESHOLD, True, False, pair.METRICS[0], PAPER, "text"


def _pair_inputs(first: Example) -> list[Any]:
    """Two editors and the options."""
    editor: dict[str, Any] = {"language": "json", "interactive": True, "lines": 8, "max_lines": 18, "min_width": 300}
    with gr.Row():
        truth = gr.Code(first.truth, label="Ground truth", elem_id="pair-truth", **editor)
        prediction = gr.Code(first.prediction, label="Prediction", elem_id="pair-prediction", **editor)
    with gr.Row(elem_id="pair-options"):
        threshold = gr.Slider(0, 1, THRESHOLD, step=0.05, label="Threshold", min_width=260, elem_id="pair-threshold")
        ignore_case = gr.Checkbox(value=True, label="Ignore case", min_width=260, elem_id="pair-case")
        as_text = gr.Checkbox(
            value=False, label="Read the prediction as plain text", min_width=260, elem_id="pair-as-text"
        )
        metric = gr.Radio(pair.METRICS, value=pair.METRICS[0], label="Metric", min_width=260, elem_id="pair-metric")
    with gr.Row():
        rules = gr.Dropdown(
            [("the paper: keys without a value do not count", PAPER), ("anls_star 1.0.1: they do", PACKAGE)],
            value=PAPER,
            label="Rules of ANLS*",
            elem_id="pair-rules",
        )
        numbers = gr.Dropdown(
            [("as they print", "text"), ("by value: 1000.0 is 1000", "value")],
            value="text",
            label="Numbers in ANLS*",
            elem_id="pair-numbers",
        )
    return [truth, prediction, threshold, ignore_case, as_text, metric, rules, numbers]


def _pair_outputs() -> list[Any]:
    """Build the outputs: the result as HTML, as JSON, and as Python code."""
    result = gr.HTML(elem_id="pair-result")
    with gr.Accordion("The result as JSON", open=False):
        raw = gr.Code(language="json", label="JSON", interactive=False, max_lines=30, elem_id="pair-json")
    with gr.Accordion("The same in Python", open=False):
        python = gr.Code(language="python", label="Python", interactive=False, elem_id="pair-python")
    return [result, raw, python]


def main() -> None:
    """Serve the page."""
    script = (PAGE / "page.js").read_text(encoding="utf-8")
    demo = build_demo()
    demo.queue(max_size=64, default_concurrency_limit=4)
    demo.launch(
        theme=gr.themes.Default(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]),
        css=stylesheet() + (PAGE / "page.css").read_text(encoding="utf-8"),
        head=f"<script>{script}</script>",
        max_file_size=MAX_FILE_BYTES,
        run_history=False,  # inputs of visitors are not listed
        allowed_paths=[str(EXAMPLE_FILES[0].parent)],
        mcp_server=importlib.util.find_spec("mcp") is not None,
        footer_links=["api"],
        show_error=False,
    )


if __name__ == "__main__":
    main()
