"""The report: everything a privacy officer, a reader and a user of the model ask for, in one self-contained page."""

from __future__ import annotations

import html
from dataclasses import dataclass, field

from equipoise.outside import promise
from equipoise.outside.card import Card
from equipoise.outside.card_words import STRENGTHS, delta_of
from equipoise.outside.pages import at_most, readable
from equipoise.outside.report import forest, shapes, sheet
from equipoise.outside.report.facts import about_columns
from equipoise.outside.report.papers import papers
from equipoise.schema import Schema

STYLE = """
.levels { display: flex; gap: 3px; margin: .8rem 0 .2rem; } .levels span { flex: 1; height: .7rem; border-radius: 3px;
  background: var(--rule); } .levels span.on { background: var(--blue); }
.shapes { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: .6rem; }
.columns td:first-child { font-weight: 600; }
.columns td:nth-child(-n+2), .columns td:nth-child(4) { white-space: nowrap; }
@media print { .levels span { border: 1px solid #000; }
  .levels span.on { background: #000; print-color-adjust: exact; } }
"""


@dataclass(frozen=True, slots=True)
class Account:
    """What the ledger said after the release."""

    place: str
    name: str
    limit: str
    spent: str
    left: str
    entries: int | str


@dataclass(frozen=True, slots=True)
class Report:
    """Released and public facts only; `html()` is the page."""

    title: str
    card: Card
    made: str
    versions: tuple[tuple[str, str], ...]
    data: str = ""
    schema: Schema | None = None
    encoding: tuple[str, ...] = ()
    effects: tuple[forest.Effect, ...] = ()
    effects_are: str = ""
    """What the intervals are about, or why there are none."""
    spans: tuple[forest.Effect, ...] = ()
    """Effects that can be compared: of each column from one bound to the other, of each category."""
    score: str = "the score"
    """What effects are added to."""
    shapes: tuple[shapes.Shape, ...] = ()
    expected: tuple[str, ...] = ()
    measured: tuple[str, ...] = ()
    account: Account | None = None
    files: tuple[tuple[str, str], ...] = field(default=())

    def html(self) -> str:
        """The whole page."""
        parts = [
            f"<h1>{html.escape(self.title)}</h1>",
            f"<p class='lead'>{html.escape(self._lead())}</p>",
            self._promise(),
            self._who(),
            self._learnt(),
            self._accuracy(),
            self._inputs(),
            self._ledger(),
            self._files(),
            f"<h2>Papers to cite</h2>{_list(papers(self.card.guarantee.mechanism))}",
            self.card.fragment(),
        ]
        return sheet.page(self.title, [part for part in parts if part], STYLE)

    def _lead(self) -> str:
        told = f" from {self.data}" if self.data else ""
        made = ", ".join(f"{name} {version}" for name, version in self.versions)
        return f"{self.card.estimator}{told}, released on {self.made}. Made with {made}."

    def _promise(self) -> str:
        guarantee = self.card.guarantee
        name, sentence = promise.level(guarantee)
        lines = promise.in_words(guarantee, guarantee.constants.get("records"))
        price = f"ε = {readable(guarantee.epsilon)}, δ = {readable(delta_of(guarantee))}"
        return (
            f"<h2>What is promised</h2><div class='{'warning' if promise.poor(guarantee) else 'promise'}'>"
            f"<p><strong>{html.escape(name.capitalize())}</strong> ({html.escape(price)}): {html.escape(sentence)}</p>"
            f"{_meter(name)}{_paragraphs(lines)}</div>"
        )

    def _who(self) -> str:
        guarantee = self.card.guarantee
        rows = [
            ("protected", guarantee.unit),
            ("neighbours", str(guarantee.adjacency)),
            (
                "attacker's best guess",
                f"right at most {at_most(100 * promise.best_guess(guarantee), 4)}% of the time, a coin 50%",
            ),
            ("recognised at 1% false alarms", f"at most {at_most(100 * self.card.true_positives, 4)}% of the rows"),
            ("mechanism", guarantee.mechanism),
            ("theorem", guarantee.theorem),
        ]
        return f"<h2>Who is protected, and how</h2>{sheet.facts(rows)}"

    def _learnt(self) -> str:
        if not self.effects and not self.shapes:
            return ""
        parts = ["<h2>What was learnt</h2>"]
        if self.effects_are:
            parts.append(f"<p>{html.escape(self.effects_are)}</p>")
        if self.shapes:
            drawn = "".join(f"<figure>{shapes.draw(each)}</figure>" for each in self.shapes)
            parts.append(f"<div class='shapes'>{drawn}</div>")
        if self.spans:
            parts.append(
                f"<figure class='wide'>{forest.draw(self.spans, _spoken(self.spans))}"
                f"{_caption(self.spans, html.escape((STEPS if self.shapes else SPANS).format(self.score)))}</figure>"
            )
        if self.effects:
            parts.append(_numbers(self.effects))
        return "".join(parts)

    def _accuracy(self) -> str:
        if not self.expected and not self.measured:
            return ""
        parts = ["<h2>How accurate it is</h2>"]
        if self.expected:
            parts.append(f"<h3>Predicted from public facts</h3>{_paragraphs(self.expected)}")
        if self.measured:
            parts.append(f"<h3>Measured</h3>{_paragraphs(self.measured)}")
        return "".join(parts)

    def _inputs(self) -> str:
        if self.schema is None:
            return ""
        told = _paragraphs(self.encoding)
        return f"<h2>Bounds and encoding</h2>{told}{about_columns(self.schema)}"

    def _ledger(self) -> str:
        if self.account is None:
            lost = "No ledger recorded this release: nobody counts it together with others from the same rows."
            return f"<h2>Ledger</h2><p class='warning'>{lost}</p>"
        known = self.account
        rows = [
            ("ledger", known.place),
            ("account", known.name),
            ("limit", known.limit),
            ("spent in all", known.spent),
            ("left", known.left),
            ("entries", str(known.entries)),
        ]
        return f"<h2>Ledger</h2>{sheet.facts(rows)}"

    def _files(self) -> str:
        return f"<h2>Files</h2>{sheet.facts(list(self.files))}" if self.files else ""


def _meter(name: str) -> str:
    names = [each for _, each, _ in STRENGTHS]
    reached = len(names) - names.index(name) if name in names else 0
    bars = "".join(f"<span class='{'on' if place < reached else ''}'></span>" for place in range(len(names)))
    return f"<div class='levels' role='img' aria-label='strength {reached} of {len(names)}'>{bars}</div>"


def _paragraphs(lines: tuple[str, ...]) -> str:
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def _list(lines: tuple[str, ...]) -> str:
    return f"<ul>{''.join(f'<li>{html.escape(line)}</li>' for line in lines)}</ul>"


def _numbers(effects: tuple[forest.Effect, ...]) -> str:
    banded = any(each.low is not None for each in effects)
    head = ("", "value", *(("from", "to") if banded else ()))
    top = "".join(f"<th scope='col'>{name}</th>" for name in head)
    body = "".join(sheet.line(_named(each), _cells(each, banded)) for each in effects)
    table = f"<table class='numbers'><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f"<details><summary>All {len(effects)} numbers</summary><div class='wide'>{table}</div></details>"


SPANS = "What is added to {} over a column's whole range, and by each category, highest first."
STEPS = "What each category adds to {}, highest first."


def _caption(spans: tuple[forest.Effect, ...], told: str) -> str:
    few = f" The {forest.MOST} largest of {len(spans)}." if len(spans) > forest.MOST else ""
    return f"<figcaption>{told}{few}</figcaption>"


def _named(effect: forest.Effect) -> str:
    return f"{effect.name} ({effect.unit})" if effect.unit else effect.name


def _cells(effect: forest.Effect, banded: bool) -> list[str]:
    edges = (effect.low, effect.high) if banded else ()
    return [readable(effect.value, 4), *("" if edge is None else readable(edge, 4) for edge in edges)]


def _spoken(effects: tuple[forest.Effect, ...]) -> str:
    ordered = sorted(effects, key=lambda each: -abs(each.value))[:5]
    return "Largest: " + "; ".join(f"{each.name} {readable(each.value, 3)}" for each in ordered)
