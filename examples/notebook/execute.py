"""Execute `docs/notebook.ipynb` in place: its outputs are those of this checkout, without anything of this machine."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

DOCS = Path(__file__).resolve().parents[2] / "docs"
NOTEBOOK = DOCS / "notebook.ipynb"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def executed() -> nbformat.NotebookNode:
    """The notebook with fresh outputs, executed in the folder in which it is."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    resources = {"metadata": {"path": str(DOCS)}}
    NotebookClient(notebook, timeout=600, startup_timeout=600, kernel_name="python3", resources=resources).execute()
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
    return notebook


if __name__ == "__main__":
    nbformat.write(executed(), NOTEBOOK)
    print(f"wrote {NOTEBOOK.name}")
