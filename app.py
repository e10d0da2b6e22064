"""The Space: an interactive playground for ANLS* and the other metrics.

The page is in `playground/page.py` and is imported when it is built: child processes, which import this file, need no
gradio.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import gradio as gr

# A Space installs only requirements.txt: the tab Review comes from the checkout.
sys.path.append(str(Path(__file__).parent / "review" / "src"))


def build_demo() -> gr.Blocks:
    """Build the page."""
    from playground import page  # noqa: PLC0415  see above

    return page.build_demo()


if __name__ == "__main__":
    from playground.page import run

    run()
