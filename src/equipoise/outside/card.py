"""The page shipped with a model: what is promised, on which constants it rests, and what is not covered."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from equipoise.outside.card_words import (
    ADJACENCY,
    CLIPPED,
    ERRORS,
    FOUND,
    FROM_AFAR,
    MEANINGS,
    NOT_CLIPPED,
    UNCOUNTED,
    USUAL_LABELS,
    delta_of,
    not_covered,
    promise,
    strength,
)
from equipoise.outside.origin import Origin
from equipoise.outside.pages import Row, Section, as_html, as_text, at_most, readable
from equipoise.outside.report import sheet
from equipoise.rows import RowBounds
from equipoise.theory.accounting.convert import advantage, tpr_at_fpr
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.mechanisms import about

CARD_SCHEMA = 2
FALSE_ALARMS = 0.01
DENSITY = "density"
MOST_NAMES = 40
"""Of columns; a page is to be read."""

SECURE = "secure bits from the operating system"
SEEDED = "SEEDED: not private, for tests only"
WARNING = "NOT PRIVATE: the noise came from a seed and can be computed again. For tests only, do not release."
UNBOUNDED = "NOT PRIVATE: no bound on what it tells about a row. For comparison only, do not release."


@dataclass(frozen=True, slots=True)
class Card:
    """A released model in words.  `str(card)` is the page; `to_json()` holds the exact numbers."""

    estimator: str
    kind: str
    features: int
    classes: tuple[str | int | bool | float, ...] | None
    guarantee: Guarantee
    minimised: str | None = None
    """The loss in words; None where it is not known."""
    why: tuple[str, ...] = ()
    feature_names: tuple[str, ...] | None = None
    row_bounds: RowBounds | None = None
    """What rows were brought within, where the model knows it."""
    clips: bool = True
    """Whether predictions bring rows within the bounds of the fit; a model of an older file does not."""
    origin: Origin | None = None
    errors_cover: str | None = None
    """What standard errors are about; None where there are none."""
    unbounded: int | None = None
    """The place of a column to which no bounds belong: the one that names tasks."""

    def text(self) -> str:
        return as_text(self._title, self._sections(), banner=self._banner)

    def __str__(self) -> str:
        return self.text()

    def html(self) -> str:
        """A page of its own that needs nothing beside it: on a phone, in the dark, on paper."""
        return sheet.page(self._title, [self.fragment()])

    def fragment(self) -> str:
        """The same for a larger page: no head, no scripts, everything escaped."""
        return as_html(self._title, self._sections(), banner=self._banner)

    def to_json(self) -> dict[str, Any]:
        """Plain data, for programs: what `json.dumps` takes."""
        g = self.guarantee
        return {
            "format": "equipoise-card",
            "schema": CARD_SCHEMA,
            "model": {
                "estimator": self.estimator,
                "kind": self.kind,
                "features": self.features,
                "feature_names": None if self.feature_names is None else list(self.feature_names),
                **self._labels(),
            },
            "minimised": self.minimised,
            "bounds": None if self.row_bounds is None else asdict(self.row_bounds),
            "origin": None if self.origin is None else self.origin.fields(),
            "private": g.private,
            "generator": "seeded" if g.seeded else "secure",
            "unit": g.unit,
            "adjacency": str(g.adjacency),
            "epsilon": _finite(g.epsilon),
            "delta": delta_of(g),
            "delta_allowed": g.delta,
            "delta_numeric": g.delta_numeric,
            "mechanism": g.mechanism,
            "theorem": g.theorem,
            "proof": about(g.mechanism).proof,
            "sensitivity": _finite(g.sensitivity),
            "noise_scale": _finite(g.noise_scale),
            "constants": {name: _finite(value) for name, value in g.constants.items()},
            "strength": strength(self._guess)[0] if g.private else "none",
            "attacker": {
                "advantage_at_most": self.advantage,
                "false_positive_rate": FALSE_ALARMS,
                "true_positive_rate_at_most": self.true_positives,
            },
            "standard_errors_cover": self.errors_cover,
            "why": list(self._reasons),
            "not_covered": list(not_covered(g)),
        }

    @property
    def advantage(self) -> float:
        """Most by which an attack's true positive rate can exceed its false positive rate; 1 when seeded."""
        return advantage(self.guarantee.epsilon, self._delta) if self.guarantee.private else 1.0

    @property
    def true_positives(self) -> float:
        """Most rows an attack can recognise while falsely accusing one in a hundred; 1 when seeded."""
        return tpr_at_fpr(self.guarantee.epsilon, self._delta, FALSE_ALARMS) if self.guarantee.private else 1.0

    @property
    def _delta(self) -> float:
        return min(delta_of(self.guarantee) + self.guarantee.delta_numeric, math.nextafter(1.0, 0.0))

    @property
    def _guess(self) -> float:
        """An attacker's best chance to name the right one of two tables."""
        return (1 + self.advantage) / 2

    @property
    def _reasons(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.why, *self.guarantee.notes)))

    @property
    def _title(self) -> str:
        return f"Model card: {self.estimator}"

    @property
    def _banner(self) -> str:
        if self.guarantee.private:
            return ""
        return WARNING if self.guarantee.seeded else UNBOUNDED

    def _labels(self) -> dict[str, Any]:
        return {} if self.classes is None else {"classes": list(self.classes)}

    def _sections(self) -> tuple[Section, ...]:
        sections = (
            Section("The model", rows=self._model_rows()),
            Section("Where it comes from", rows=() if self.origin is None else self.origin.rows()),
            Section("The guarantee", rows=self._guarantee_rows()),
            Section("In plain words", lines=(self._plain_words(),)),
            Section("What an attacker can gain, at most", lines=self._attacker_lines()),
            Section("Every constant the guarantee rests on", rows=self._constant_rows()),
            Section("Why these choices", lines=self._reasons),
            Section("What is not covered", lines=not_covered(self.guarantee)),
        )
        return tuple(section for section in sections if section.rows or section.lines)

    def _model_rows(self) -> tuple[Row, ...]:
        rows = [("estimator", self.estimator, self.kind), ("features", str(self.features), self._names())]
        if self.minimised is not None:
            rows.append(("minimised", self.minimised, "and the penalty, both from public choices"))
        if self.classes is not None:
            rows.append(("classes", ", ".join(map(str, self.classes)), "taken as public"))
        if self.kind != DENSITY:
            rows.append(("rows", "clipped", CLIPPED if self.clips else NOT_CLIPPED))
        rows += self._bound_rows()
        if self.kind == "regressor":
            rows.append(("labels", "clipped", "a label outside the public label bounds is moved to the nearer bound"))
            by = "their usual range" if self.guarantee.constants.keys() >= USUAL_LABELS else "those bounds"
            rows.append(("units", "scaled", f"the constants below are for labels scaled to [−1, 1] by {by}"))
        rows.append(("clipped", "not counted", UNCOUNTED))
        if self.errors_cover is not None:
            rows.append(("standard errors", "available", ERRORS[self.errors_cover]))
        return tuple(rows)

    def _names(self) -> str:
        return "" if self.feature_names is None else _shortened(self.feature_names)

    def _bound_rows(self) -> list[Row]:
        """Public bounds of rows and labels."""
        known, rows = self.guarantee.constants, list[Row]()
        if self.row_bounds is not None and self.row_bounds.columns is not None:
            names = self.feature_names or tuple(f"column {place + 1}" for place in range(self.features))
            bounded = [name for place, name in enumerate(names) if place != self.unbounded]
            pairs = zip(bounded, self.row_bounds.columns, strict=True)
            told = _shortened(tuple(f"{name} {readable(low)} to {readable(high)}" for name, (low, high) in pairs))
            rows.append(("bounds of columns", told, ""))
        elif self.row_bounds is not None:
            rows.append(("bound of rows", f"L2 norm {readable(self.row_bounds.row_norm)}", ""))
        if self.row_bounds is not None and self.row_bounds.view is not None:
            away = readable(self.row_bounds.view.reach)
            rows.append(("rows seen from", f"a private middle, up to {away} away", FROM_AFAR))
        if {"label lower bound", "label upper bound"} <= known.keys():
            low, high = known["label lower bound"], known["label upper bound"]
            rows.append(("bounds of labels", f"{readable(low)} to {readable(high)}", ""))
        if known.keys() >= USUAL_LABELS:
            low, high = (known[end] for end in sorted(USUAL_LABELS))
            rows.append(("usual labels", f"{readable(low)} to {readable(high)}", FOUND))
        return rows

    def _guarantee_rows(self) -> tuple[Row, ...]:
        g = self.guarantee
        return (
            ("unit of privacy", g.unit, ""),
            ("adjacency", ADJACENCY[g.adjacency], ""),
            ("epsilon (ε)", readable(g.epsilon), ""),
            ("delta (δ)", readable(delta_of(g)), self._allowed()),
            ("numeric delta", readable(g.delta_numeric), "what computer arithmetic adds to delta"),
            ("mechanism", g.mechanism, about(g.mechanism).words),
            ("theorem", g.theorem, ""),
            ("proof", about(g.mechanism).proof, ""),
            ("random numbers", SEEDED if g.seeded else SECURE, ""),
        )

    def _constant_rows(self) -> tuple[Row, ...]:
        g = self.guarantee
        known = {"sensitivity": g.sensitivity, "noise scale": g.noise_scale, **g.constants}
        return tuple((name, readable(value), MEANINGS.get(name, "")) for name, value in known.items())

    def _allowed(self) -> str:
        """Of a δ that was not needed."""
        asked = self.guarantee.delta
        return f"up to {readable(asked)} was allowed and not needed" if asked > delta_of(self.guarantee) else ""

    def _plain_words(self) -> str:
        if not self.guarantee.private:
            because = ": whoever knows or guesses the seed can take the noise off again"
            return f"Nothing is promised{because if self.guarantee.seeded else ''}."
        return promise(self.guarantee, self._delta, self._guess)

    def _attacker_lines(self) -> tuple[str, ...]:
        if not self.guarantee.private:
            because = "with the seed the noise can be subtracted, so there" if self.guarantee.seeded else "there"
            return (f"Everything: {because} is no bound.",)
        guess, hits = at_most(100 * self._guess, 4), at_most(100 * self.true_positives, 4)
        return (
            "Shown two tables that differ in one row, either as likely as the other to be the one used, an attacker"
            f" names the right one at most {guess}% of the time; blind guessing gives 50%. (Advantage, the true minus"
            f" the false positive rate: at most {at_most(self.advantage, 4)}.)",
            f"An attack that accuses falsely {FALSE_ALARMS:.0%} of the time is right at most {hits}% of the time when"
            " the row was there.",
        )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _shortened(words: tuple[str, ...]) -> str:
    left = len(words) - MOST_NAMES
    return ", ".join(words[:MOST_NAMES]) + (f" and {left} more" if left > 0 else "")
