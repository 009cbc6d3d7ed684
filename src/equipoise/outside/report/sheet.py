"""One style sheet for every page we write: wide and narrow screens, dark mode, paper; nothing from elsewhere."""

from __future__ import annotations

import html

from equipoise.outside.report import svg

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --soft: #444; --paper: #fff; --rule: #d6dbe1; --tint: #f3f6f9;
        --blue: #0072B2; --link: #005a8c; --warn: #b00020; --warn-tint: #fdecea; --good: #00694d;
        --good-tint: #e6f4ee; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --soft: #b9c0c7; --paper: #15181c; --rule: #3a4149;
        --tint: #1f242a; --blue: #56B4E9; --link: #7cc4ef; --warn: #ff8a80; --warn-tint: #3a1a1a; --good: #6fd3ae;
        --good-tint: #14301f; } }
* { box-sizing: border-box; }
body { font: 17px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
       margin: 0 auto; padding: 2rem 1.2rem 4rem; overflow-wrap: break-word; }
h1 { line-height: 1.2; margin: 0 0 .4rem; }
h2 { margin: 2.6rem 0 .6rem; border-bottom: 2px solid var(--blue); padding-bottom: .2rem; line-height: 1.25; }
h3 { margin: 1.6rem 0 .4rem; }
a { color: var(--link); }
.lead { font-size: 1.15rem; color: var(--soft); }
.soft { color: var(--soft); }
img { width: 100%; height: auto; background: #fff; }
figure { margin: 1rem 0; } figcaption { color: var(--soft); font-size: .92rem; }
table { border-collapse: collapse; margin: .6rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; }
.wide { overflow-x: auto; } figure.wide svg { min-width: 34rem; }
.numbers td, .numbers thead th:not(:first-child) { text-align: right; padding-left: 1.5rem;
       font-variant-numeric: tabular-nums; }
.numbers td { white-space: nowrap; }
.numbers th:first-child { padding-left: .4rem; }
.numbers tbody tr.compare { background: var(--tint); }
.card { background: var(--tint); border: 1px solid var(--rule); border-radius: 8px; padding: .2rem 1.4rem 1.2rem;
       margin-top: 2.6rem; overflow-x: auto; }
.card h2 { margin-top: 1rem; }
.card td + td { color: var(--soft); }
.warning { background: var(--warn-tint); border: 2px solid var(--warn); border-radius: 8px; padding: .6rem 1rem; }
.promise { background: var(--good-tint); border: 2px solid var(--good); border-radius: 8px; padding: .6rem 1.1rem; }
pre { background: var(--tint); padding: .9rem 1.1rem; border-radius: 6px; font-size: .9rem;
  white-space: pre-wrap; overflow-wrap: anywhere; }
code { font-family: ui-monospace, monospace; }
@media (max-width: 40rem) { body { font-size: 16px; padding: 1.2rem .9rem 3rem; } h1 { font-size: 1.6rem; }
  .facts tr, .card tr { display: block; border-bottom: 1px solid var(--rule); padding: .35rem 0; }
  .facts th, .facts td, .card th, .card td { display: block; border: 0; padding: 0; }
  .numbers td, .numbers thead th:not(:first-child) { padding-left: .6rem; padding-right: .1rem; }
  figure.wide figcaption::after { content: " Drag the picture sideways to see all of it."; } }
@media print { :root { color-scheme: light; --ink: #000; --soft: #333; --paper: #fff; --rule: #bbb; --tint: #fff;
        --blue: #0072B2; --link: #000; --warn: #b00020; --warn-tint: #fff; --good: #00694d; --good-tint: #fff; }
  body { font-size: 10.5pt; max-width: none; padding: 0; } h2 { margin-top: 1.4rem; break-after: avoid; }
  h3 { break-after: avoid; } tr, figure, .promise, .warning { break-inside: avoid; }
  figure.wide svg { min-width: 0; } figure.wide figcaption::after { content: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .numbers { font-size: 8.5pt; } pre { border: 1px solid #bbb; } @page { margin: 18mm 16mm; } }
"""


def page(title: str, parts: list[str], style: str = "") -> str:
    """A whole HTML file that needs nothing beside it."""
    head = [
        "<!DOCTYPE html>",
        "<html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>{html.escape(title)}</title><style>{STYLE}{svg.STYLE}{style}</style></head><body>",
    ]
    return "\n".join([*head, *parts, "</body></html>"]) + "\n"


def facts(rows: list[tuple[str, str]]) -> str:
    """A table of names and values; every word escaped."""
    cells = "".join(f"<tr><th scope='row'>{html.escape(a)}</th><td>{html.escape(b)}</td></tr>" for a, b in rows)
    return f"<table class='facts'>{cells}</table>"


def line(name: str, cells: list[str], style: str = "") -> str:
    """A row of a table of numbers."""
    values = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
    return f"<tr class='{style}'><th scope='row'>{html.escape(name)}</th>{values}</tr>"
