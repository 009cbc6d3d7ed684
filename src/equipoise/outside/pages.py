"""A page of titled sections, as plain text and as HTML.  One content, two faces, so they cannot drift apart."""

from __future__ import annotations

import html
import math
import textwrap
from dataclasses import dataclass

from equipoise.theory.rounding import FORMULA, down

WIDTH = 100

Row = tuple[str, str, str]
"""Name, value, remark."""


@dataclass(frozen=True, slots=True)
class Section:
    """A title over a table of rows, a list of sentences, or both."""

    title: str
    rows: tuple[Row, ...] = ()
    lines: tuple[str, ...] = ()


def readable(value: float, digits: int = 6) -> str:
    """4000, 0.25, 1e-6, 3.14159: short for the eye; files keep the exact number."""
    if not math.isfinite(value):
        return "no bound" if value == math.inf else str(value)
    if value == int(value) and abs(value) < 1e7:
        return str(int(value))
    mantissa, mark, exponent = f"{value:.{digits}g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if mark else mantissa


def at_most(value: float, digits: int = 3) -> str:
    """`readable`, rounded up: for a number that follows the words "at most"."""
    if value <= 0 or not math.isfinite(value):
        return readable(value)
    place = 10.0 ** (math.floor(math.log10(value)) + 1 - digits)
    return readable(math.ceil(down(value / place, FORMULA)) * place, digits)


def as_text(title: str, sections: tuple[Section, ...], banner: str = "") -> str:
    """Plain text, at most `WIDTH` columns wide."""
    parts = [title, "=" * len(title), ""]
    if banner:
        parts += [*textwrap.wrap(f"!!! {banner} !!!", WIDTH), ""]
    for section in sections:
        parts += [section.title, "-" * len(section.title), *_text_rows(section.rows), *_text_lines(section.lines), ""]
    return "\n".join(parts)


def as_html(title: str, sections: tuple[Section, ...], banner: str = "") -> str:
    """A fragment of HTML, every word escaped."""
    parts = ["<section class='card'>", f"<h2>{html.escape(title)}</h2>"]
    if banner:
        parts.append(f"<p class='warning'><strong>{html.escape(banner)}</strong></p>")
    for section in sections:
        parts += [f"<h3>{html.escape(section.title)}</h3>", _html_rows(section.rows), _html_lines(section.lines)]
    return "\n".join(part for part in [*parts, "</section>"] if part)


def _text_rows(rows: tuple[Row, ...]) -> list[str]:
    width = max((len(name) for name, _, _ in rows), default=0)
    column = max((len(value) for _, value, remark in rows if remark), default=0)
    wrapped = []
    for name, value, remark in rows:
        told = f"{value:<{column}}  {remark}" if remark else value
        wrapped += textwrap.wrap(told, WIDTH, initial_indent=f"{name:<{width}}  ", subsequent_indent=" " * (width + 2))
    return wrapped


def _text_lines(lines: tuple[str, ...]) -> list[str]:
    bullet = "- " if len(lines) > 1 else ""
    wrapped = []
    for line in lines:
        wrapped += textwrap.wrap(line, WIDTH, initial_indent=bullet, subsequent_indent=" " * len(bullet))
    return wrapped


def _html_rows(rows: tuple[Row, ...]) -> str:
    if not rows:
        return ""
    return "<table>" + "".join(_html_row(*row) for row in rows) + "</table>"


def _html_row(name: str, value: str, remark: str) -> str:
    told = html.escape(value)
    cells = f"<td>{told}</td><td>{html.escape(remark)}</td>" if remark else f"<td colspan='2'>{told}</td>"
    return f"<tr><th scope='row'>{html.escape(name)}</th>{cells}</tr>"


def _html_lines(lines: tuple[str, ...]) -> str:
    if len(lines) <= 1:
        return "".join(f"<p>{html.escape(line)}</p>" for line in lines)
    return "<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in lines) + "</ul>"
