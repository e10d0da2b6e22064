"""Build the folder of a Space for one of the evaluate modules: `python -m dev.scripts.build_space kieval FOLDER`.

The folder is complete: the module for `evaluate.load`, the card, the requirements, the page and docscore.
"""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

from dev.scripts.project_address import ROOT, project_address
from docscore.integrations.evaluate import MODULES, evaluate_module

_FILES = "app.py", "requirements.txt", "LICENSE"
_FOLDERS = "docscore", "playground", "review/src", "examples/receipts", "examples/invoices"
_MARK = ".docscore_space"  # the file that says that this script wrote the folder
_EMOJI = {"kieval": "✏️", "entity_f1": "🎯", "nted": "🌳"}
_FRONT = re.compile(r"---\n(.*?)---\n(.*)", flags=re.DOTALL)
_OWN = re.compile(r"^(title|description|license|tags):.*\n(?:[- ].*\n)*", flags=re.MULTILINE)
_LINK = re.compile(r"(!?)\]\((?!\w+:|#)([^)]+)\)")


def build_space(name: str, folder: Path) -> None:
    """Write the folder of the Space of a module.

    Args:
        name: one of the evaluate modules, such as "kieval".
        folder: a new or empty folder, or one that this function wrote. It then replaces what it wrote, and keeps other
            files of the folder, such as `.gitattributes`.

    Raises:
        ValueError: if there is no such module.
        FileExistsError: if the folder has other content.
    """
    module = Path(evaluate_module(name))
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / _MARK).exists() and any(folder.iterdir()):
        msg = f"{folder}: expected an empty folder or one that build_space wrote, got a folder with other content"
        raise FileExistsError(msg)
    copied = (*_FILES, *_FOLDERS)
    for part in ("README.md", *(path.partition("/")[0] for path in copied), *(f"{each}.py" for each in MODULES)):
        _delete(folder / part)
    (folder / _MARK).write_text("build_space wrote this folder and replaces what it wrote.\n", "utf-8")
    for part in copied:
        _copy(ROOT / part, folder / part)
    for each in MODULES:  # where the wheel has them
        _copy(Path(evaluate_module(each)), folder / "docscore" / "evaluate_modules" / each / f"{each}.py")
    _copy(module, folder / module.name)
    card = ROOT if name == "anls_star" else module.parent
    (folder / "README.md").write_text(card_of_space(name, card / "README.md"), "utf-8")


def card_of_space(name: str, path: Path) -> str:
    """Return the card of a module with the front matter of a Space; its links lead to the repository."""
    front, text = _parts(path)
    if name != "anls_star":  # these have the kind of Space, file to run and colours of the first card
        shared = _OWN.sub("", _parts(ROOT / "README.md")[0])
        front += re.sub(r"^emoji:.*$", f"emoji: {_EMOJI[name]}", shared, flags=re.MULTILINE)
    below = path.parent.relative_to(ROOT)

    def absolute(link: re.Match[str]) -> str:
        kind = "raw" if link[2].endswith(".png") else "blob"
        return f"{link[1]}]({project_address()}/{kind}/main/{(below / link[2]).as_posix()})"

    return f"---\n{front}---\n{_LINK.sub(absolute, text)}"


def _parts(card: Path) -> tuple[str, str]:
    """Return the front matter of a card, and the text after it."""
    match = _FRONT.fullmatch(card.read_text("utf-8"))
    if match is None:
        msg = f"{card}: expected front matter between two lines of ---"
        raise ValueError(msg)
    return match[1], match[2]


def _delete(path: Path) -> None:
    """Delete a folder or a file, if it exists."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.test.js", "samples.js"))
    else:
        shutil.copyfile(source, target)


def main() -> None:
    """Build the folder that the arguments name."""
    parser = argparse.ArgumentParser(
        prog="python -m dev.scripts.build_space", description="Build the folder of a Space for an evaluate module."
    )
    parser.add_argument("module", choices=MODULES, help="the module that the Space is for")
    parser.add_argument("folder", type=Path, help="a new or empty folder, or one that this script wrote")
    arguments = parser.parse_args()
    try:
        build_space(arguments.module, arguments.folder)
    except OSError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
