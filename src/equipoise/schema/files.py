"""Schemas in YAML files.  Only words that YAML 1.2 calls so are true, false or null: `no` stays a word, dates too."""

from __future__ import annotations

import os
import re
from typing import Any

from equipoise._checks import quoted
from equipoise._writing import file_at, write_whole
from equipoise.errors import BoundsRequired, InvalidInput, UnreadableFile
from equipoise.schema.plain import from_plain, to_plain
from equipoise.schema.schema import Schema

HEAD = "# Public facts about a table, for equipoise.  Nothing here may be taken from the table itself.\n"


def load(path: str | os.PathLike[str]) -> Schema:
    """The schema in the file."""
    name = os.fspath(file := file_at(path))
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        raise UnreadableFile(f"{name}: no such file, check the path") from None
    except OSError as problem:
        raise UnreadableFile(f"{name}: cannot be read ({problem.strerror or 'input error'})") from None
    try:
        return from_plain(parse(raw))
    except (BoundsRequired, InvalidInput) as problem:
        raise type(problem)(f"{name}: {problem}") from None


def save(schema: Schema, path: str | os.PathLike[str]) -> None:
    """Write it, all or nothing."""
    write_whole(path, HEAD + written(to_plain(schema)))


def written(data: Any, width: float = 110) -> str:
    """As YAML that `parse` reads back exactly."""
    import yaml

    how: dict[str, Any] = {"sort_keys": False, "allow_unicode": True, "default_flow_style": None, "width": width}
    return str(yaml.dump(data, Dumper=_dumper(), **how))


def parse(raw: bytes) -> Any:
    """YAML, with every key once; the complaint says where."""
    import yaml

    try:
        return yaml.load(raw.decode("utf-8-sig"), Loader=_loader())
    except UnicodeDecodeError:
        raise InvalidInput("schema: is not UTF-8 text") from None
    except yaml.MarkedYAMLError as problem:
        line = "" if problem.problem_mark is None else f" on line {problem.problem_mark.line + 1}"
        raise InvalidInput(f"schema: no valid YAML{line}: {problem.problem}") from None
    except (yaml.YAMLError, RecursionError):
        raise InvalidInput("schema: no valid YAML") from None


_CORE = (
    ("tag:yaml.org,2002:bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("tag:yaml.org,2002:null", r"~|null|Null|NULL|", "~nN\0"),
    ("tag:yaml.org,2002:int", r"[-+]?[0-9]+", "-+0123456789"),
    ("tag:yaml.org,2002:float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+0123456789."),
)
"""What YAML 1.2 reads as something else than text.  1.1, which PyYAML follows, has NO, on, 1:30 and dates besides."""


def _loader() -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """Core types only, no key twice."""

        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own way to say it

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [each.value for each, _ in node.value]
            if len(set(keys)) < len(keys):
                twice = next(key for key in keys if keys.count(key) > 1)
                raise yaml.constructor.ConstructorError(None, None, f"{quoted(twice)} is there twice", node.start_mark)
            return super().construct_mapping(node, deep)

    Loader.add_constructor("tag:yaml.org,2002:int", _whole)
    _resolve(Loader)
    return Loader


def _whole(loader: Any, node: Any) -> int:
    """Leading zeros do not make it octal."""
    return int(loader.construct_scalar(node))


def _dumper() -> Any:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Quotes what the loader would take for something else, and no more."""

        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012

        def ignore_aliases(self, data: Any) -> bool:
            return True

    Dumper.add_representer(str, _text)
    _resolve(Dumper)
    return Dumper


def _text(dumper: Any, text: str) -> Any:
    """With escapes where there is more than meets the eye: YAML reads some breaks and marks as others."""
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if text.isprintable() else '"')


def _resolve(cls: Any) -> None:
    for tag, pattern, first in _CORE:
        starts = ["" if each == "\0" else each for each in first]
        cls.add_implicit_resolver(tag, re.compile(f"^(?:{pattern})$"), starts)
