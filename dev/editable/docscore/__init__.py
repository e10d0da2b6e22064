"""Import `docscore` from this checkout after `pip install -e`, which puts the folder above on Python's path.

The folder holds no other package, so the checkout's tests, scripts and pages cannot shadow other packages. It is a path
and not an import hook, because Python asks hooks too late: in the folder above a clone that is called `docscore`, it
would import the clone itself as a package without `__init__.py`.
"""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_spec = spec_from_file_location(__name__, Path(__file__).parents[3] / "docscore" / "__init__.py")
sys.modules[__name__] = module_from_spec(_spec)
_spec.loader.exec_module(sys.modules[__name__])
