"""Links that lead somewhere on the forge lead somewhere on the site too.

The pages name each other by their path in the repository ("docs/proofs/noise.md"), with or without a Markdown link,
and point at source files and folders.  On the site a page's path becomes a link to that page; a file that is no page
becomes its path in plain type; a folder becomes its index.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

PAGE = re.compile(r"\bdocs/((?:[\w-]+/)*[\w-]+)\.md\b")
MARKDOWN = re.compile(r"(?<!!)\[([^\]\n]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")


class NamedPages(SphinxTransform):
    """Makes links of paths of pages that stand in the text."""

    default_priority = 700

    def apply(self, **_: Any) -> None:
        for text in list(self.document.findall(nodes.Text)):
            if not _inside(text, nodes.reference, nodes.literal_block, nodes.title, addnodes.pending_xref):
                self._link(text)

    def _link(self, text: nodes.Text) -> None:
        said, parts, end = text.astext(), [], 0
        if _inside(text, nodes.literal) and not PAGE.fullmatch(said):
            return  # a command is to be pasted as it stands
        for found in PAGE.finditer(said):
            if found[1] in self.env.found_docs:
                parts += [nodes.Text(said[end : found.start()]), self._reference(found[0], found[1])]
                end = found.end()
        if parts:
            parent: Any = text.parent
            parent.replace(text, [*parts, nodes.Text(said[end:])])

    def _reference(self, words: str, page: str) -> nodes.Node:
        return addnodes.pending_xref(
            "",
            nodes.inline("", words.removeprefix("docs/")),
            refdomain="std",
            reftype="doc",
            reftarget=f"/{page}",
            refexplicit=True,
            refwarn=True,
            refdoc=self.env.docname,
        )


def _inside(node: nodes.Node, *kinds: type) -> bool:
    above = node.parent
    while above is not None:
        if isinstance(above, kinds):
            return True
        above = above.parent
    return False


def for_the_site(app: Sphinx, page: str, source: list[str]) -> None:
    """Rewrites the links of a Markdown page that lead out of docs/ or to a folder."""
    path = Path(app.env.doc2path(page))
    if path.suffix == ".md":
        source[0] = MARKDOWN.sub(lambda link: _rewritten(link, path.parent, Path(app.srcdir)), source[0])


def _rewritten(link: re.Match[str], folder: Path, docs: Path) -> str:
    words, target = link[1], link[2]
    if "://" in target or target.startswith("mailto:"):
        return link[0]
    path = (folder / target).resolve()
    section = docs / "sections" / f"{path.name}.md"
    if path.is_dir() and section.exists():
        return f"[{words}]({os.path.relpath(section, folder)})"
    if path == docs.parent / "CONTRIBUTING.md":
        return f"[{words}]({os.path.relpath(docs / 'contributing.md', folder)})"
    if path.is_relative_to(docs) and path.is_file():
        return link[0]
    plain = words.strip("`")
    place = path.relative_to(docs.parent).as_posix()
    return f"`{plain}`" if plain in place else f"{words} (`{place}`)"


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_transform(NamedPages)
    app.connect("source-read", for_the_site)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
