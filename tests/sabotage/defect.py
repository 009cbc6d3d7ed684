"""What a defect is, and how it is put into the running library: a module is changed while it is being imported.

No file is written.  The text of a module is read, a passage of it replaced, and the result compiled and run in place of
the original when somebody imports that module, so every name that other modules take from it is the broken one.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

PACKAGE = "equipoise"


class InvalidDefect(Exception):
    """The defect changes nothing, or cannot be put in."""


@dataclass(frozen=True, slots=True)
class Defect:
    """A plausible mistake, what it would do to the promise, and who has to notice it."""

    name: str
    area: str
    broken: str
    """What is wrong, in one sentence."""
    harm: str
    """How that weakens the promise."""
    inject: Callable[[], None]
    """Puts it into this process; the library must not have been imported yet."""
    tests: tuple[str, ...]
    """Files or tests, below tests/, of which at least one must fail."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One passage of a module's text and what stands there instead."""

    module: str
    """Below the package: "gate.answers.vote"."""
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Injects edits, each of them exactly once or not at all."""

    edits: tuple[Edit, ...]

    def __call__(self) -> None:
        if any(name == PACKAGE or name.startswith(f"{PACKAGE}.") for name in sys.modules):
            raise InvalidDefect("the library was imported before the defect could be put in")
        changed: dict[str, tuple[Path, str]] = {}
        for edit in self.edits:
            path = module_path(edit.module)
            _, text = changed.get(edit.module, (path, path.read_text(encoding="utf-8")))
            changed[edit.module] = path, replaced(text, edit)
        sys.meta_path.insert(0, _Finder({f"{PACKAGE}.{name}": source for name, source in changed.items()}))


def edited(module: str, *pairs: tuple[str, str]) -> Rewrite:
    """The injection that replaces each first text by the second one in a module."""
    return Rewrite(tuple(Edit(module, old, new) for old, new in pairs))


def together(*rewrites: Rewrite) -> Rewrite:
    """Edits of several modules at once."""
    return Rewrite(tuple(edit for rewrite in rewrites for edit in rewrite.edits))


def replaced(text: str, edit: Edit) -> str:
    """The text with its one occurrence of `old` replaced, if that changes what the program does."""
    if text.count(edit.old) != 1:
        raise InvalidDefect(f"{edit.module}: the passage to break occurs {text.count(edit.old)} times, not once")
    result = text.replace(edit.old, edit.new)
    try:
        same = ast.dump(ast.parse(result)) == _meaning(text)
    except SyntaxError:
        raise InvalidDefect(f"{edit.module}: cannot be parsed once it is broken") from None
    if same:
        raise InvalidDefect(f"{edit.module}: nothing is changed")
    return result


@lru_cache(maxsize=512)
def _meaning(text: str) -> str:
    """What a module does, without its comments; many defects are put into the same one."""
    return ast.dump(ast.parse(text))


def module_path(module: str) -> Path:
    """Where a module's text is, found without importing it."""
    package = importlib.util.find_spec(PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise InvalidDefect("the library is not installed")
    base = Path(package.submodule_search_locations[0]).joinpath(*module.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    raise InvalidDefect(f"{module}: no such module")


class _Finder(MetaPathFinder):
    """Answers for the broken modules before anybody else is asked."""

    def __init__(self, sources: dict[str, tuple[Path, str]]) -> None:
        self._sources = sources

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._sources:
            return None
        file, text = self._sources[fullname]
        inside = [str(file.parent)] if file.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            fullname, file, loader=BrokenLoader(file, text), submodule_search_locations=inside
        )


class BrokenLoader(InspectLoader):
    """Runs the broken text; nothing is cached on disk."""

    def __init__(self, file: Path, text: str) -> None:
        self._file, self._text = file, text

    def get_source(self, fullname: str) -> str:
        """For tests that read the library instead of running it."""
        return self._text

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._text, str(self._file), "exec"), module.__dict__)


def is_broken(module: str) -> bool:
    """Whether the module that was imported is the broken one."""
    found = sys.modules.get(f"{PACKAGE}.{module}")
    return found is not None and found.__spec__ is not None and isinstance(found.__spec__.loader, BrokenLoader)
