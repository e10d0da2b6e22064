"""The image of a document's page: what a column of the references may name, and what of it a browser is shown."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any

from docscore.core.formatting import clipped
from docscore.core.printing import printable

IMAGE = "image"  # the column
EMBEDDED = "data:"  # in place of a name, where the row holds the image itself
_LONGEST_NAME = 500  # characters of a path or an address that are shown
_KINDS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}
_DATA = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}")


def image_of_row(row: Mapping[str, Any]) -> str:
    """The image of a row as a `data:` address, or the name of a file or an address that is never fetched; "" for none.

    The column "image" holds text, bytes, or an object with the keys "bytes" and "path" as the library `datasets` writes
    it. Only PNG, JPEG, GIF and WebP are images here: no script can be in them.
    """
    value = row.get(IMAGE)
    if isinstance(value, Mapping):
        content = value.get("bytes")
        value = content if isinstance(content, bytes) else value.get("path")
    if isinstance(value, bytes):
        kind = next((kind for begin, kind in _KINDS.items() if value.startswith(begin)), None)
        value = kind and f"data:image/{kind};base64,{base64.b64encode(value).decode()}"
    return value if isinstance(value, str) else ""


def name_of_image(image: str) -> str:
    """What the list of documents says of an image: `EMBEDDED`, or its name."""
    return EMBEDDED if _DATA.fullmatch(image) else clipped(printable(image), _LONGEST_NAME)


def embedded_image(image: str) -> str:
    """The image as a `data:` address; "" where there is only a name, or something else than an image."""
    return image if _DATA.fullmatch(image) else ""
