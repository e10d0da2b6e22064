"""What the repository promises: the card, its code, the front matter, the requirements, the example data."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from dev.scripts.list_messages import texts_of
from dev.scripts.project_address import project_address
from docscore import __version__
from docscore.evaluation.citations import CITATIONS, DOCSCORE
from docscore.evaluation.registry import METRICS, is_own
from docscore.integrations.evaluate import MODULES
from tests.commands import run_python
from tests.conftest import GONE, ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CARD_SECTIONS = [  # in the order of evaluate's template
    "Metric description",
    "How to use",
    "Inputs",
    "Output values",
    "Values from popular papers",
    "Examples",
    "Limitations and bias",
    "Citation",
    "Further references",
]

CARDS = ["README.md", *(f"evaluate_modules/{name}/README.md" for name in MODULES if name != "anls_star")]


def test_pictures_and_files_that_the_card_names_exist() -> None:
    card = (ROOT / "README.md").read_text(encoding="utf-8")
    named = [link.split("#")[0] for link in re.findall(r"\]\(([^):\s]+)\)", card)]
    assert len(named) > 15
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_address_of_the_repository_is_that_of_pyproject_in_at_most_seven_lines() -> None:
    """Links are relative, and messages name the extra to install."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False).stdout  # noqa: S607
    names = [name for name in listed.split("\0") if name.endswith((".md", ".py", ".cff", ".yml", ".toml"))]
    if not names:
        pytest.skip("needs a clone")
    collected: list[tuple[str, str]] = []
    for name in names:
        found = re.findall(
            r"https://github\.com/[\w.-]+/docscore\b|git\+https://[\w./-]+", (ROOT / name).read_text("utf-8")
        )
        collected += [(address.removeprefix("git+"), name) for address in found]
    assert {address for address, _ in collected} == {project_address()}, collected
    assert len(collected) <= 7, collected


@pytest.mark.parametrize("path", CARDS)
def test_each_card_has_all_sections_in_order_and_none_is_empty(path: str) -> None:
    card = (ROOT / path).read_text(encoding="utf-8")
    parts = re.split(r"^#{2,4} (.+)$", card, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert [title for title in sections if title in CARD_SECTIONS] == CARD_SECTIONS
    assert all(len(sections[title].strip()) > 80 or title == "How to use" for title in CARD_SECTIONS)


def test_workflows_publish_nothing_before_somebody_switches_them_on() -> None:
    """A job that could publish asks for a variable of the repository; none is set in a new one."""
    publishing = set()
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for name, job in yaml.safe_load(path.read_text("utf-8"))["jobs"].items():
            if "id-token" in job.get("permissions", {}) or "secrets." in str(job):
                publishing.add(name)
                assert "vars." in job["if"], (path.name, name)
    assert publishing == {"publish", "push"}


def test_requirements_are_those_of_the_package_and_its_app() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = {*project["dependencies"], *extras["evaluate"], *extras["parquet"], *extras["app"]}
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    listed = {line for line in lines if line and not line.startswith("#")}
    assert listed == {each for each in wanted if not each.startswith("docscore[")}


def test_version_and_date_are_the_same_in_the_citation_file_the_card_and_the_changelog() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == __version__
    card = (ROOT / "README.md").read_text(encoding="utf-8").split("## Citation")[1]
    assert list(CITATIONS) == [name for name, metric in METRICS.items() if not is_own(metric)]
    assert "".join(CITATIONS["anls_star"].split() + DOCSCORE.split()) in "".join(card.split())
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert headings[:2] == ["[Unreleased]", f"[{__version__}] - {cited['date-released']}"]


def test_the_example_receipts_are_what_their_script_writes(tmp_path: Path) -> None:
    folder = ROOT / "examples" / "receipts"
    for source in folder.glob("*"):
        if source.suffix in (".py", ".json"):
            (tmp_path / source.name).write_bytes(source.read_bytes())
    run_python("generate.py", cwd=tmp_path)
    names = [path.name for path in folder.glob("*.jsonl")]
    assert len(names) == 5
    for name in names:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


@pytest.mark.skipif(bool(GONE), reason="it names all three distributions")
def test_the_page_on_where_things_are_names_no_path_that_does_not_exist() -> None:
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[\w.]+/)+(?:\w+\.\w+)?|\w+\.(?:py|md|yml))`", page))
    assert len(named) > 50
    assert sorted(path for path in named if not (ROOT / path).exists()) == []


def test_the_list_of_messages_has_f_strings_and_short_arguments_of_errors_and_no_docstrings(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        '''def f(x):
    """A docstring of five words."""
    if x:
        raise InputTypeError(place=f"{x}", expected="a list", got=f"the text {x!r} of {'a' if x else 'b'} row" "s")
    warn(x if x else "no value at all")
''',
        encoding="utf-8",
    )
    assert [*texts_of(module)] == [(4, "a list"), (4, "the text {…} of {…} rows"), (5, "no value at all")]
