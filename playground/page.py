"""The page: score a pair of JSON values or files of them, and show where points were lost."""

import gc
import importlib.util
import logging
from collections.abc import Iterable
from typing import Any

import gradio as gr
from fastapi.exceptions import RequestValidationError
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from docscore.report.html_tree import stylesheet
from playground.compare import tab as compare
from playground.pair import api
from playground.pair import tab as pair
from playground.parts.fragments import PAGE, fragment
from playground.parts.functions import FUNCTIONS
from playground.parts.optional_packages import WITHOUT_REVIEW
from playground.parts.scripts import bundled
from playground.server.bodies import BodyLimit, refuse_request
from playground.server.connections import (
    McpBelowRoot,
    SecurityHeaders,
    allow_connections,
    close_idle,
    note_addresses,
    trust_the_proxy_of_a_space,
)
from playground.server.first_screen import FirstScreen
from playground.server.functions import written
from playground.server.limits import MAX_FILE_BYTES
from playground.server.requests import INVOICES, RECEIPTS
from playground.server.storage import KEPT_SECONDS, delete_when_ended, results_folder, uploads_folder
from playground.testset import tab as testset

if not WITHOUT_REVIEW:
    from playground.review import tab as review

FONTS = PAGE / "parts" / "fonts"
STYLES = "parts/page.css", "pair/pair.css", "parts/document.css"
LATER_STYLES = (  # the first screen does not wait for these
    *("parts/later.css", "parts/files.css", "testset/testset.css", "compare/compare.css", "pair/api.css"),
)
FIRST = "pair/first.js"  # the script of the first screen
SESSIONS = 200  # visitors whose state is kept, half a megabyte each; the oldest is dropped first
TABS = [pair.TAB, testset.TAB, compare.TAB, *([] if WITHOUT_REVIEW else [review.TAB]), api.TAB]
OTHER_PARTS = [*LATER_STYLES, *(name for tab in TABS for name in tab.parts)]  # the other screens need these
STARTED_LATER = {  # scripts that load after the first screen, and the function that starts each
    pair.DOCUMENT: "startDocument",
    "parts/keys_list.js": "startKeys",
    "parts/title_notes.js": "startTitleNotes",
}
ASKED = FUNCTIONS | {name: function for tab in TABS for name, function in tab.functions.items()}


def build_demo() -> gr.Blocks:
    """Build the page without launching it."""
    uploads_folder()  # also tells gradio where uploads are
    asked = [written(name, function) for name, function in ASKED.items()]
    demo: gr.Blocks
    with api.Page(
        title="Score an extraction · docscore",
        analytics_enabled=False,
        delete_cache=(KEPT_SECONDS, KEPT_SECONDS),
        fill_width=True,
    ) as demo:
        top = fragment("top", TABS, WITHOUT_REVIEW, template="controls.html.jinja")
        gr.HTML(top, elem_id="top", js_on_load="docscore['parts/tabs.js'].showBar()", apply_default_css=False)
        for tab in TABS:
            with gr.Column(elem_id=f"panel-{tab.name}"):
                gr.HTML(
                    tab.html or "<div></div>",  # the first screen moves into this empty element
                    elem_id=tab.name,
                    js_on_load=tab.script,
                    server_functions=asked,
                    apply_default_css=False,
                )
        for name, function in api.API.items():
            gr.api(function, api_name=name, concurrency_limit=None)  # `WorkerPool` queues heavy requests
    return demo


def serve(demo: gr.Blocks, *, prevent_thread_lock: bool = False, **options: Any) -> Any:
    """Launch the page within its limits; `options` are passed on to `launch`."""
    if WITHOUT_REVIEW:
        logging.getLogger(__name__).warning(WITHOUT_REVIEW)
    trust_the_proxy_of_a_space()
    allow_connections()
    demo.queue(max_size=64, default_concurrency_limit=4)
    gc.collect()
    gc.freeze()  # keep imported objects out of collections, which would block all requests for 250 ms
    gc.set_threshold(700, 10, 100)  # newer objects block for 50 ms; with the default of 10, once per large body
    launched = demo.launch(
        theme=page_theme(),
        ssr_mode=False,  # otherwise a second server renders the page
        max_file_size=MAX_FILE_BYTES,
        run_history=False,  # do not list what visitors entered
        allowed_paths=[str(RECEIPTS), str(INVOICES), str(results_folder()), str(FONTS)],
        state_session_capacity=SESSIONS,
        app_kwargs={
            "middleware": [
                Middleware(SecurityHeaders),
                Middleware(BodyLimit),
                Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=5),
                Middleware(McpBelowRoot),
                Middleware(FirstScreen, **first_screen()),
            ],
            "exception_handlers": {RequestValidationError: refuse_request, TypeError: api.refuse_arguments},
        },
        mcp_server=importlib.util.find_spec("mcp") is not None,
        footer_links=[],
        show_error=False,
        prevent_thread_lock=True,
        _frontend=False,  # otherwise gradio exits if its own request takes three seconds, as on a busy machine
        **options,
    )
    note_addresses(demo.server)
    close_idle(demo.server)
    if not prevent_thread_lock:
        demo.block_thread()
    return launched


def first_screen() -> dict[str, str]:
    """Return the styles, scripts and HTML of the first screen, for the head and the body of gradio's page.

    The first screen can score before the scripts and styles of the other tabs have loaded.
    """

    def text_of(names: Iterable[str]) -> str:
        return "\n".join((PAGE / name).read_text(encoding="utf-8") for name in names)

    head, other_fonts = (
        fragment(macro, f"gradio_api/file={FONTS}", template="head.html.jinja") for macro in ("head", "other_fonts")
    )
    styles, entries = ([name for name in OTHER_PARTS if name.endswith(kind)] for kind in (".css", ".js"))
    later_styles = other_fonts + text_of(styles)
    first = bundled([FIRST])
    scripts = f"const docscore = {{}};\n{''.join(first.values())}docscore['{FIRST}'].startFirst();"
    starts = (f"docscore['{name}'].{function}();" for name, function in STARTED_LATER.items())
    others = "".join((*bundled([*entries, *STARTED_LATER], first).values(), *starts))
    drawn = fragment("first", TABS, WITHOUT_REVIEW, pair.first_workspace(), template="pair.html.jinja")
    return {
        "head": f"{head}<style>{stylesheet()}{text_of(STYLES)}</style>",
        "body": f"{drawn}<script>{scripts}</script><style>{later_styles}</style><script>{others}</script>",
    }


def run() -> None:
    """Serve the page until this process ends, then delete what it kept."""
    delete_when_ended()
    serve(build_demo())


if __name__ == "__main__":
    run()


_INK, _SOFT = ("#1f2328", "#e6edf3"), ("#57606a", "#a3adb8")  # light, dark; contrast of 4.5 to 1 or more


_COLOURS = {
    "body_background_fill": ("#fff", "#0d1117"),
    "body_text_color": _INK,
    "body_text_color_subdued": _SOFT,
    "block_info_text_color": _SOFT,
    "block_label_text_color": _SOFT,
    "block_title_text_color": _SOFT,
    "background_fill_primary": ("#fff", "#0d1117"),
    "block_background_fill": ("#fff", "#0d1117"),
    "border_color_primary": ("#d0d4d9", "#3d444d"),
    "input_background_fill": ("#fff", "#0d1117"),
    "input_placeholder_color": _SOFT,
    "checkbox_background_color": ("#fff", "#0d1117"),
    "checkbox_border_color": _SOFT,
    "checkbox_label_background_fill": ("#fff", "#0d1117"),
    "code_background_fill": ("#f6f8fa", "#161b22"),
    "link_text_color": ("#0550ae", "#79c0ff"),
    "link_text_color_hover": ("#04459a", "#8ab6e6"),
    "link_text_color_visited": ("#0550ae", "#79c0ff"),
    "button_primary_background_fill": ("#0550ae", "#1f5fa8"),
    "button_primary_background_fill_hover": ("#04459a", "#0550ae"),
    "button_primary_text_color": ("#fff", "#fff"),
    "button_secondary_background_fill": ("#fff", "#0d1117"),
    "button_secondary_background_fill_hover": ("#f6f8fa", "#21262d"),
    "button_secondary_border_color": ("#d0d4d9", "#3d444d"),
    "button_secondary_text_color": _INK,
}
_SIZES = {
    "button_border_width": "1px",
    "button_large_padding": "5px 12px",
    "button_large_text_size": "13px",
    "button_large_text_weight": "600",
    "button_transition": "none",
    "layout_gap": "10px",
}


def page_theme() -> gr.themes.Base:
    """Return the theme; it has the same colours as the score tree and `page.css`."""
    light = {name: colour for name, (colour, _) in _COLOURS.items()}
    dark = {f"{name}_dark": colour for name, (_, colour) in _COLOURS.items()}
    return gr.themes.Default(
        primary_hue="blue",
        secondary_hue="blue",
        neutral_hue="gray",
        spacing_size="sm",
        radius_size="sm",
        text_size="sm",
        font=["system-ui", "sans-serif"],
        font_mono=["ui-monospace", "monospace"],
    ).set(**light, **dark, **_SIZES)
