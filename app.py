"""The Space: an interactive playground for ANLS* and the other metrics.

`playground/page.py` builds the page. It is imported only when the page is built, because child processes import this
file too and do not need gradio.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import gradio as gr

# A Space installs only requirements.txt, so the Review tab imports its package from the checkout.
sys.path.append(str(Path(__file__).parent / "review" / "src"))


def build_demo() -> gr.Blocks:
    """Build the page."""
    from playground import page  # noqa: PLC0415  see above

    return page.build_demo()


if __name__ == "__main__":
    from playground.page import run

    run()
