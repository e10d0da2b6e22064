"""Make the metrics available to `evaluate`: the paths of their modules, and their registration by name."""

import os
import shutil
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from docscore.core.errors import InputValueError
from docscore.core.output import OutputError, write_whole

MODULES = ("anls_star", "kieval", "entity_f1", "nted")

_PACKAGE = Path(__file__).parents[2]

# This file loads the installed module instead of copying it, so that a registration survives upgrades of docscore.
_REGISTERED = '''\
"""The metric {name} of the installed docscore; `docscore register` wrote this file."""

import sys
from importlib.machinery import SourceFileLoader

import docscore

SourceFileLoader(__name__, docscore.evaluate_module("{name}")).exec_module(sys.modules[__name__])
'''


def evaluate_module(name: str) -> str:
    """Return the path of an evaluate module, for `evaluate.load(docscore.evaluate_module("anls_star"))`.

    Args:
        name: "anls_star", "kieval", "entity_f1" or "nted".

    Raises:
        ValueError: for any other name.

    >>> Path(evaluate_module("anls_star")).name
    'anls_star.py'
    """
    packaged = _PACKAGE / "evaluate_modules" / name / f"{name}.py"  # in the wheel
    # in a checkout, or installed from one with pip install -e
    checkout = _PACKAGE.parent / (f"{name}.py" if name == "anls_star" else f"evaluate_modules/{name}/{name}.py")
    for path in (packaged, checkout):
        if name in MODULES and path.is_file():
            return str(path)
    raise InputValueError(
        expected=f"the name of an evaluate module of docscore ({', '.join(MODULES)})",
        got=repr(name),
    )


def register(*, remove: bool = False) -> Path:
    """Make `evaluate.load("anls_star")` work on this machine, also with "kieval", "entity_f1" and "nted".

    `evaluate.load` looks for a name on the Hub first and then in its cache of modules. This function puts a small file
    for each metric into that cache; `HF_HOME` and `HF_MODULES_CACHE` can change its location. The file loads the module
    of the installed docscore, so you do not have to register again after an upgrade.

    Args:
        remove: whether to remove these files instead.

    Returns:
        The folder of the cache for metrics.

    Raises:
        OSError: if the cache cannot be written.
    """
    metrics = _modules_cache() / "evaluate_modules" / "metrics"
    try:
        for name in MODULES:
            # evaluate takes any folder whose name is as long as a SHA-256; this one is the same in every version
            folder = metrics / f"evaluate-metric--{name}" / sha256(f"docscore/{name}".encode()).hexdigest()
            if remove:
                with suppress(FileNotFoundError):
                    shutil.rmtree(folder)
                with suppress(OSError):  # it contains other versions, or does not exist
                    folder.parent.rmdir()
            else:
                folder.mkdir(parents=True, exist_ok=True)
                # written even if it exists, since evaluate loads the newest of several versions
                write_whole(folder / f"{name}.py", _REGISTERED.format(name=name))
    except OSError as error:
        reason = f"{error.strerror}; set HF_MODULES_CACHE to another folder, or load docscore.evaluate_module(NAME)"
        raise OutputError(error.errno, reason, str(error.filename)) from None
    return metrics


def _modules_cache() -> Path:
    """Return `evaluate.config.HF_MODULES_CACHE`, without the seconds that importing `evaluate` takes."""
    loaded = getattr(sys.modules.get("evaluate.config"), "HF_MODULES_CACHE", None)
    if loaded is not None:
        return Path(loaded)
    default = os.path.join(os.getenv("XDG_CACHE_HOME", "~/.cache"), "huggingface")  # noqa: PTH118
    home = os.path.expanduser(os.getenv("HF_HOME", default))  # noqa: PTH111  keeps ~ without a home
    return Path(os.getenv("HF_MODULES_CACHE", Path(home) / "modules"))
