"""A schema as a table for readers: what each column is, what becomes of odd cells, and who says so."""

from __future__ import annotations

import html
from dataclasses import fields
from typing import Any

from equipoise.outside.pages import readable
from equipoise.schema import Column, Range, Schema

HEAD = ("column", "kind", "public facts", "missing cells", "source")
MOST_VALUES = 12
APART = ("missing", "source")


def about_columns(schema: Schema) -> str:
    """Target, person and columns."""
    rows = [_target(schema)] if schema.target is not None else []
    if schema.person is not None:
        cap = f"at most {schema.person.rows_per_person} rows of one person count"
        rows.append((schema.person.column, "person", cap, "", schema.person.source))
    rows += [(name, column.kind, _facts(column), _missing(column), column.source) for name, column in _used(schema)]
    top = "".join(f"<th scope='col'>{name}</th>" for name in HEAD)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    table = f"<table class='columns'><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div class='wide'>{table}</div>"


def _used(schema: Schema) -> list[tuple[str, Column]]:
    return [(name, schema.columns[name]) for name in schema.features]


def _target(schema: Schema) -> tuple[str, str, str, str, str]:
    target = schema.target
    assert target is not None
    if isinstance(target, Range):
        unit = f" {target.unit}" if target.unit else ""
        return target.column, "target", f"{_told(target.bounds)}{unit}, clipped", "middle of the bounds", target.source
    return target.column, "target", f"classes {_told(target.classes)}", f"count as {target.classes[0]}", target.source


def _facts(column: Column) -> str:
    """What was stated, the usual left out."""
    said = [(each.name, getattr(column, each.name), each.default) for each in fields(column) if each.name not in APART]
    return "; ".join(f"{name} {_told(value)}" for name, value, usual in said if value not in (usual, "", ()))


def _missing(column: Column) -> str:
    rule = getattr(column, "missing", "")
    return str(rule).lower() if isinstance(rule, bool) else str(rule)


def _told(value: Any) -> str:
    if isinstance(value, tuple | list):
        shown = [_told(each) for each in value[:MOST_VALUES]]
        more = f" and {len(value) - MOST_VALUES} more" if len(value) > MOST_VALUES else ""
        return ", ".join(shown) + more
    return readable(value) if isinstance(value, float) else str(value)
