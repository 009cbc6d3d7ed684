"""The page shipped with a model: what is promised, on which constants it rests, and what is not covered."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from equipoise.outside.pages import Section, as_html, as_text, at_most, readable
from equipoise.outside.uncertainty import MINIMISER, POPULATION
from equipoise.theory.accounting.convert import advantage, tpr_at_fpr
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.mechanisms import about

CARD_SCHEMA = 1
FALSE_ALARMS = 0.01

SECURE = "secure bits from the operating system"
SEEDED = "SEEDED: not private, for tests only"
WARNING = "NOT PRIVATE: the noise came from a seed and can be computed again. For tests only, do not release."
UNBOUNDED = "NOT PRIVATE: no bound on what it tells about a row. For comparison only, do not release."

ADJACENCY = {
    Adjacency.REPLACE_ONE: "replace-one: two tables of the same, public size that differ in one row",
    Adjacency.ADD_REMOVE: "add-remove: two tables of which one has one row more",
}

CLIPPED = "a row beyond its bounds is brought within them before anything else, in the fit and in every prediction"
NOT_CLIPPED = "in the fit alone: a file of this older version does not say the bounds, so predictions do not clip"

MEANINGS = {
    "records": "n, number of rows",
    "released numbers": "coefficients, intercept included",
    "row norm": "bound on the L2 norm of a row; longer rows are clipped to it",
    "intercept column": "the constant column behind the intercept",
    "row norm with intercept": "B, norm of a row with its constant column",
    "slope bound": "Lipschitz constant of the loss in the score",
    "curvature bound": "smoothness: largest second derivative of the loss in the score",
    "alpha": "weight of ½‖w‖² beside the mean loss",
    "coefficient norm": "radius of the ball the coefficients are kept in",
    "label lower bound": "labels below are raised to it",
    "label upper bound": "labels above are lowered to it",
    "solver radius": "certified distance to the exact minimiser, already paid for",
    "sensitivity": "how far one row can move what the noise hides (L2)",
    "noise scale": "scale of the noise that was added",
    "grid step": "the noisy numbers are multiples of this",
    "tilt noise scale": "scale of the noise put into the problem",
    "steps": "noisy gradient steps",
    "step size": "how far each step goes along its gradient",
    "step ball": "the steps stay within this distance of the start",
    "privacy of a step (GDP)": "μ of one step; all together √steps times as much",
    "candidates": "settings that were compared",
    "records of all parts": "rows in the whole table",
    "records to choose on": "rows kept for comparing candidates",
    "records to train on while choosing": "rows on which candidates were tried",
    "epsilon of choosing": "part of epsilon spent on the choice",
    "epsilon of the fit alone": "what the fit would cost by itself",
    "expected loss of choosing": "how much worse than the best candidate the choice is, on average at most",
    "epsilon of one run": "what each of the random number of runs may spend",
    "mean number of runs": "how many there are on average; how many there were is not told",
    "score sensitivity": "how far one row can move a candidate's score",
    "score noise scale": "scale of the noise in which scores were compared",
}

ERRORS = {
    MINIMISER: "around what the same fit without noise would give: privacy noise only, neither sampling nor ridge",
    POPULATION: "around the population's coefficients: sampling and privacy noise together, approximately",
}

NOT_COVERED = (
    "Groups: the unit is the row. A person with k rows, or rows that depend on each other (a family, a household),"
    " is protected k times less: epsilon becomes k times epsilon, and delta grows faster still.",
    "Facts about the population: what a model learns from everybody may be used to guess about anybody, whether or"
    " not their row was there. That is the purpose of learning, not a leak of a row.",
    "Other releases: each model or answer from the same rows adds to the total. Only what one ledger recorded is"
    " counted together.",
    "Choices made by looking: bounds, classes, columns, epsilon or settings that were picked by examining the rows"
    " are a release of their own and are not counted here.",
    "Side channels: running time, memory, power, files and logs of the machine that fitted the model.",
    "Arithmetic: the numeric delta assumes that the mathematical library (libm) is right within 4 units in the last"
    " place.",
    "Truth: privacy says nothing about accuracy, fairness or fitness for a purpose.",
)


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
    clips: bool = True
    """Whether predictions bring rows within the bounds of the fit; a model of an older file does not."""
    errors_cover: str | None = None
    """What standard errors are about; None where there are none."""

    def text(self) -> str:
        return as_text(self._title, self._sections(), banner=self._banner)

    def __str__(self) -> str:
        return self.text()

    def html(self) -> str:
        """A fragment for a larger page: no head, no scripts, everything escaped."""
        return as_html(self._title, self._sections(), banner=self._banner)

    def to_json(self) -> dict[str, Any]:
        """Plain data, for programs: what `json.dumps` takes."""
        g = self.guarantee
        return {
            "format": "equipoise-card",
            "schema": CARD_SCHEMA,
            "model": {"estimator": self.estimator, "kind": self.kind, "features": self.features, **self._labels()},
            "minimised": self.minimised,
            "private": g.private,
            "generator": "seeded" if g.seeded else "secure",
            "unit": g.unit,
            "adjacency": str(g.adjacency),
            "epsilon": _finite(g.epsilon),
            "delta": g.delta,
            "delta_numeric": g.delta_numeric,
            "mechanism": g.mechanism,
            "theorem": g.theorem,
            "proof": about(g.mechanism).proof,
            "sensitivity": _finite(g.sensitivity),
            "noise_scale": _finite(g.noise_scale),
            "constants": {name: _finite(value) for name, value in g.constants.items()},
            "attacker": {
                "advantage_at_most": self.advantage,
                "false_positive_rate": FALSE_ALARMS,
                "true_positive_rate_at_most": self.true_positives,
            },
            "standard_errors_cover": self.errors_cover,
            "why": list(self._reasons),
            "not_covered": list(NOT_COVERED),
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
        return min(self.guarantee.delta + self.guarantee.delta_numeric, math.nextafter(1.0, 0.0))

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
            Section("The guarantee", rows=self._guarantee_rows()),
            Section("In plain words", lines=(self._plain_words(),)),
            Section("What an attacker can gain, at most", lines=self._attacker_lines()),
            Section("Every constant the guarantee rests on", rows=self._constant_rows()),
            Section("Why these choices", lines=self._reasons),
            Section("What is not covered", lines=NOT_COVERED),
        )
        return tuple(section for section in sections if section.rows or section.lines)

    def _model_rows(self) -> tuple[tuple[str, str, str], ...]:
        rows = [("estimator", self.estimator, self.kind), ("features", str(self.features), "")]
        if self.minimised is not None:
            rows.append(("minimised", self.minimised, "and the penalty, both from public choices"))
        if self.classes is not None:
            rows.append(("classes", ", ".join(map(str, self.classes)), "taken as public"))
        rows.append(("rows", "clipped", CLIPPED if self.clips else NOT_CLIPPED))
        if self.kind == "regressor":
            rows.append(("labels", "clipped", "a label outside the public label bounds is moved to the nearer bound"))
            rows.append(("units", "scaled", "the constants below are for labels scaled to [−1, 1] by those bounds"))
        if self.errors_cover is not None:
            rows.append(("standard errors", "available", ERRORS[self.errors_cover]))
        return tuple(rows)

    def _guarantee_rows(self) -> tuple[tuple[str, str, str], ...]:
        g = self.guarantee
        return (
            ("unit of privacy", g.unit, ""),
            ("adjacency", ADJACENCY[g.adjacency], ""),
            ("epsilon (ε)", readable(g.epsilon), ""),
            ("delta (δ)", readable(g.delta), ""),
            ("numeric delta", readable(g.delta_numeric), "what computer arithmetic adds to delta"),
            ("mechanism", g.mechanism, about(g.mechanism).words),
            ("theorem", g.theorem, ""),
            ("proof", about(g.mechanism).proof, ""),
            ("random numbers", SEEDED if g.seeded else SECURE, ""),
        )

    def _constant_rows(self) -> tuple[tuple[str, str, str], ...]:
        g = self.guarantee
        known = {"sensitivity": g.sensitivity, "noise scale": g.noise_scale, **g.constants}
        return tuple((name, readable(value), MEANINGS.get(name, "")) for name, value in known.items())

    def _plain_words(self) -> str:
        if not self.guarantee.private:
            because = ": whoever knows or guesses the seed can take the noise off again"
            return f"Nothing is promised{because if self.guarantee.seeded else ''}."
        change = {
            Adjacency.REPLACE_ONE: "had any one row held other values",
            Adjacency.ADD_REMOVE: "had any one row been left out or put in",
        }[self.guarantee.adjacency]
        factor = at_most(math.exp(min(self.guarantee.epsilon, 700.0)))
        slip = f" plus {at_most(self._delta)} (δ, numeric δ included)" if self._delta > 0 else ""
        return (
            f"Whatever is learnt from this model would have been about as likely to be learnt {change}: the probability"
            f" of any outcome is at most {factor} times (e^ε) what it would have been{slip}. This holds whatever else"
            " is known, and whatever is computed from the model afterwards."
        )

    def _attacker_lines(self) -> tuple[str, ...]:
        if not self.guarantee.private:
            because = "with the seed the noise can be subtracted, so there" if self.guarantee.seeded else "there"
            return (f"Everything: {because} is no bound.",)
        guess, hits = at_most(50 * (1 + self.advantage), 4), at_most(100 * self.true_positives, 4)
        return (
            "Shown two tables that differ in one row, either as likely as the other to be the one used, an attacker"
            f" names the right one at most {guess}% of the time; blind guessing gives 50%. (Advantage, the true minus"
            f" the false positive rate: at most {at_most(self.advantage, 4)}.)",
            f"An attack that accuses falsely {FALSE_ALARMS:.0%} of the time is right at most {hits}% of the time when"
            " the row was there.",
        )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
