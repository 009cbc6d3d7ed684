"""What the library's files are made of: each is parsed once for all laws, and forgotten with the last of them."""

from __future__ import annotations

import ast
import importlib
from functools import cache
from importlib.abc import InspectLoader
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "equipoise"


@cache
def files() -> tuple[Path, ...]:
    """Every file of the library."""
    return tuple(SOURCE.rglob("*.py"))


@cache
def source(path: Path) -> str:
    """The text of a module as it was loaded, which under sabotage is not what is on disk."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    spec = importlib.import_module(name).__spec__
    text = spec.loader.get_source(name) if spec is not None and isinstance(spec.loader, InspectLoader) else None
    return path.read_text(encoding="utf-8") if text is None else text


@cache
def tree_of(text: str) -> ast.Module:
    """Parsed; nobody changes it."""
    return ast.parse(text)


@cache
def _nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree))


def nodes(text: str) -> tuple[ast.AST, ...]:
    """Everything that stands in a text."""
    return _nodes(tree_of(text))


def forget() -> None:
    """Half a million nodes are a hundred megabytes."""
    for kept in (files, source, tree_of, _nodes):
        kept.cache_clear()
