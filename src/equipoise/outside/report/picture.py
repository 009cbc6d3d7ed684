"""A picture within a page; nothing here needs what draws it."""

from __future__ import annotations

import base64
import html
import io
from typing import Any


def image(picture: bytes, alternative: str) -> str:
    """The picture inside the page, with words for who cannot see it."""
    data = base64.b64encode(picture).decode("ascii")
    return f"<img alt='{html.escape(alternative, quote=True)}' src='data:image/png;base64,{data}'>"


def png(figure: Any) -> bytes:
    """Of a matplotlib figure: the same bytes for the same figure."""
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()
