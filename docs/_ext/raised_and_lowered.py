"""Formulas in plain type, x^(p−1) and w_i, become raised and lowered on the site.

The source stays readable in an editor.  Code is left alone, and so is what looks like a name: `row_norm`, `p_value`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

BRACKETS = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\{[^{}]*\}"  # three deep
RAISED = rf"\^(?P<up>{BRACKETS}|[+−±-]?\w+(?:\.\d+)?)"
GREEK = "Α-Ωα-ω"
LOWERED = (
    rf"(?:(?<=[{GREEK}ΣΠ])|(?<=\bmax)|(?<=\bmin)|(?<=\bsup)|(?<=\blog))_(?P<long>\{{[^{{}}]*\}}|\w+)"
    rf"|(?:(?<=\b[A-Za-z])|(?<=[‖ℓ]))_(?P<down>\{{[^{{}}]*\}}|\w(?!\w))"
)
MARK = re.compile(f"{RAISED}|{LOWERED}")
KEPT = (nodes.literal, nodes.literal_block, nodes.doctest_block, nodes.title, nodes.raw, nodes.comment)


class RaisedAndLowered(SphinxTransform):
    """Splits text at carets and underscores of formulas."""

    default_priority = 710

    def apply(self, **_: Any) -> None:
        for text in list(self.document.findall(nodes.Text)):
            if ("^" in text or "_" in text) and not _kept(text):
                parts = list(split(text.astext()))
                if len(parts) > 1:
                    parent: Any = text.parent
                    parent.replace(text, parts)


def split(text: str) -> Iterator[nodes.Node]:
    """The parts of a text; a raised part may hold marks of its own."""
    end = 0
    for found in MARK.finditer(text):
        if found.start() > end:
            yield nodes.Text(text[end : found.start()])
        kind = nodes.superscript if found["up"] else nodes.subscript
        yield kind("", "", *split(_bare(found["up"] or found["long"] or found["down"])))
        end = found.end()
    if end < len(text):
        yield nodes.Text(text[end:])


def _bare(part: str) -> str:
    return part[1:-1] if part[0] in "({" else part


def _kept(node: nodes.Node) -> bool:
    above = node.parent
    while above is not None:
        if isinstance(above, KEPT):
            return True
        above = above.parent
    return False


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_transform(RaisedAndLowered)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
