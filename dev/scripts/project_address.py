"""Read the address of the repository, which is in `pyproject.toml` once, or replace it.

`python -m dev.scripts.project_address ADDRESS` changes it everywhere.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]


def project_address() -> str:
    """Return the address of the repository, without a slash at its end."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["urls"]["Repository"])


def replace_address(new: str) -> list[str]:
    """Replace the present address by another in every text file of the repository.

    Returns:
        The files that were changed.
    """
    old = project_address().encode()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)  # noqa: S607
    changed = []
    for name in listed.stdout.decode().split("\0")[:-1]:
        content = (ROOT / name).read_bytes()
        if old in content:
            (ROOT / name).write_bytes(content.replace(old, new.rstrip("/").encode()))
            changed.append(name)
    return changed


if __name__ == "__main__":
    print(project_address() if len(sys.argv) == 1 else "\n".join(replace_address(sys.argv[1])))
