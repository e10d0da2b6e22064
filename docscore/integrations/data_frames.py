"""Tables as data frames of pandas, which is imported when one is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def frame_of_columns(columns: Mapping[str, Sequence[Any]]) -> Any:
    """The columns as a `pandas.DataFrame`.

    Raises:
        ImportError: if pandas is not installed.
    """
    try:
        import pandas as pd  # noqa: PLC0415  not a dependency
    except ImportError as error:
        msg = "to_pandas needs pandas: pip install pandas"
        raise ImportError(msg) from error
    return pd.DataFrame(dict(columns))
