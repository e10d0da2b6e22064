"""The modules for `evaluate` in the wheel; an editable install has them in the checkout."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULES = {"anls_star": "anls_star.py"} | {
    name: f"evaluate_modules/{name}/{name}.py" for name in ("entity_f1", "kieval", "nted")
}


class WheelModules(BuildHookInterface):  # type: ignore[type-arg, unused-ignore]
    """Puts the modules for `evaluate` inside the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files, except to an editable install, where a second folder `docscore` would hide the first."""
        if version != "editable":
            build_data["force_include"] |= {
                path: f"docscore/evaluate_modules/{name}/{name}.py" for name, path in MODULES.items()
            }
