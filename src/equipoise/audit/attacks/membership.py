"""Membership inference: tell the people a model was trained on from others, and how well that may go under (ε, δ).

Thresholds are picked on half of the records and tested on the other half, so the intervals are valid for the records
of this one model.  What (ε, δ) allow holds on average over trainings: an attack far above it refutes the claim only
as far as one training can; `one_run_audit` and `lower_bound` give bounds that do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise._checks import one_of
from equipoise._docs import documented
from equipoise.audit.attacks.agreement import RAISED, Rows, Target, agreement, ask
from equipoise.audit.attacks.shadows import Train, likelihood_ratios, repeated_agreement
from equipoise.audit.bounds.intervals import Interval, share_between, share_of
from equipoise.errors import InvalidInput
from equipoise.gate.order import random_order
from equipoise.gate.source import noise_source
from equipoise.theory.accounting.convert import advantage as allowed_advantage_of
from equipoise.theory.accounting.convert import tpr_at_fpr

Array = npt.NDArray[np.float64]
People = tuple[npt.ArrayLike, npt.ArrayLike]

METHODS = ("threshold", "likelihood-ratio", "service")


@documented(record=True)
@dataclass(frozen=True, slots=True)
class RateAt:
    """How many members are found when about `wanted` of the others are accused; `allowed` at the rate measured."""

    wanted: float
    fpr: float
    fpr_interval: Interval
    tpr: float
    tpr_interval: Interval
    allowed: float | None


@documented(record=True)
@dataclass(frozen=True, slots=True)
class Membership:
    """What the attack achieved on records it was not tuned on.  All intervals hold together at `confidence`."""

    method: str
    advantage: float
    advantage_interval: Interval
    rates: tuple[RateAt, ...]
    members: int
    non_members: int
    confidence: float
    epsilon: float | None
    delta: float | None
    allowed_advantage: float | None

    @property
    def above_claim(self) -> bool | None:
        """Whether an interval lies wholly above what (ε, δ) allow; None when no claim was given."""
        if self.allowed_advantage is None:
            return None
        excess = [rate.tpr_interval[0] > rate.allowed for rate in self.rates if rate.allowed is not None]
        return self.advantage_interval[0] > self.allowed_advantage or any(excess)

    def __str__(self) -> str:
        most = "" if self.allowed_advantage is None else f"; the claim allows {self.allowed_advantage:.1%}"
        lines = [
            f"Membership inference ({self.method}) of {self.members} members and {self.non_members} others, "
            f"intervals at {self.confidence:.0%}",
            f"  advantage {_shown(self.advantage, self.advantage_interval)}{most}",
        ]
        for rate in self.rates:
            most = "" if rate.allowed is None else f"; the claim allows {rate.allowed:.1%}"
            lines.append(f"  found {_shown(rate.tpr, rate.tpr_interval)} accusing {rate.fpr:.2%} of the others{most}")
        return "\n".join(lines)


@documented(returns="Membership: What the attack achieved, beside what the claim allows.")
def membership_inference(
    target: Target,
    members: People,
    non_members: People,
    *,
    method: str = "threshold",
    train: Train | None = None,
    shadows: int = 16,
    offline: bool = False,
    queries: int = 8,
    jitter: float = 0.0,
    score: Callable[[Rows, Rows], npt.ArrayLike] | None = None,
    classes: Sequence[object] | None = None,
    epsilon: float | None = None,
    delta: float = 0.0,
    fprs: Sequence[float] = (1e-2, 1e-3),
    confidence: float = 0.95,
    random_state: int | None = None,
) -> Membership:
    """Attack `target`, a model or a function from rows to answers, with (X, y) of members and of others.

    `threshold` looks at how well the answer fits the record's label (or at `score(answers, y)`).  `likelihood-ratio`
    also trains `shadows` models by `train(X, y)` on halves of all these people, and compares with models that did and
    did not see the person (`offline`: only with those that did not).  `service` asks `queries` times for each person,
    with features moved by Gaussian noise of scale `jitter`, and averages: made for APIs that answer with labels or at
    random.  `classes` is the order of an API's probabilities.
    """
    one_of(METHODS, method=method)
    share_of(confidence=confidence)
    X, y, inside = _pooled(members, non_members)
    bits = noise_source("equipoise", random_state)

    def fit(model: Target, rows: Rows, labels: Rows) -> Array:
        asked = ask(model, rows)
        if score is None:
            found = agreement(asked.answers, labels, asked.classes if classes is None else classes)
        else:
            found = np.asarray(score(asked.answers, labels), dtype=np.float64).reshape(len(labels))
        return np.where(asked.raised, RAISED, found)

    if method == "likelihood-ratio":
        if train is None:
            raise InvalidInput('train: method="likelihood-ratio" needs a function from (X, y) to a model')
        scores = likelihood_ratios(target, X, y, train, shadows, fit, bits, offline)
    elif method == "service":
        scores = repeated_agreement(target, X, y, queries, jitter, fit, bits)
    else:
        scores = fit(target, X, y)
    if scores.shape != (len(y),) or np.isnan(scores).any():
        raise InvalidInput("score: must give one number for each record")
    pick = np.zeros(len(y), dtype=bool)
    for side in (inside, ~inside):  # half of each, at random
        places = np.flatnonzero(side)
        pick[places[random_order(len(places), bits)[: len(places) // 2]]] = True
    return _report(method, _turned(scores, inside, pick), inside, pick, fprs, epsilon, delta, confidence)


def _turned(scores: Array, inside: npt.NDArray[np.bool_], pick: npt.NDArray[np.bool_]) -> Array:
    """Whoever makes the target raise scores highest if, among those picked with, that is commoner with members."""
    raised = scores <= RAISED / 2
    commoner = raised[pick & inside].mean() > raised[pick & ~inside].mean()
    return np.where(raised, -scores, scores) if commoner else scores


def _pooled(members: People, non_members: People) -> tuple[Rows, Rows, npt.NDArray[np.bool_]]:
    tables = [(np.asarray(rows), np.asarray(labels)) for rows, labels in (members, non_members)]
    for name, (rows, labels) in zip(("members", "non_members"), tables, strict=True):
        if rows.ndim != 2 or labels.shape != (len(rows),) or len(rows) < 4:
            raise InvalidInput(f"{name}: must be (X, y) with at least four rows and a label for each")
    if tables[0][0].shape[1] != tables[1][0].shape[1]:
        raise InvalidInput("members, non_members: must have the same columns")
    X, y = (np.concatenate([tables[0][part], tables[1][part]]) for part in (0, 1))
    return X, y, np.arange(len(y)) < len(tables[0][0])


def _report(
    method: str,
    scores: Array,
    inside: npt.NDArray[np.bool_],
    pick: npt.NDArray[np.bool_],
    fprs: Sequence[float],
    epsilon: float | None,
    delta: float,
    confidence: float,
) -> Membership:
    a, b = scores[pick & inside], scores[pick & ~inside]
    tested = scores[~pick & inside], scores[~pick & ~inside]
    risk = (1 - confidence) / (1 + len(fprs))
    found, accused = (share_between(int(np.sum(part >= _best(a, b))), len(part), risk / 2) for part in tested)
    rates = [float(np.mean(part >= _best(a, b))) for part in tested]
    return Membership(
        method=method,
        advantage=rates[0] - rates[1],
        advantage_interval=(found[0] - accused[1], found[1] - accused[0]),
        rates=tuple(_rate(share_of(fpr=fpr), b, *tested, epsilon, delta, risk) for fpr in fprs),
        members=len(tested[0]),
        non_members=len(tested[1]),
        confidence=confidence,
        epsilon=epsilon,
        delta=None if epsilon is None else delta,
        allowed_advantage=None if epsilon is None else allowed_advantage_of(epsilon, delta),
    )


def _best(a: Array, b: Array) -> float:
    """The threshold that finds most members for the others it accuses."""
    cuts = np.unique(np.concatenate([a, b]))
    above = [len(part) - np.searchsorted(np.sort(part), cuts, side="left") for part in (a, b)]
    return float(cuts[np.argmax(above[0] / len(a) - above[1] / len(b))])


def _rate(
    wanted: float, b: Array, here: Array, there: Array, epsilon: float | None, delta: float, risk: float
) -> RateAt:
    """Accuse whoever scores above all but `wanted` of the others in the first half."""
    ranked = np.sort(b)
    cut = np.nextafter(ranked[len(b) - 1 - int(wanted * len(b))], math.inf)
    hits, wrong = int(np.sum(here >= cut)), int(np.sum(there >= cut))
    accused = share_between(wrong, len(there), risk)
    return RateAt(
        wanted=wanted,
        fpr=wrong / len(there),
        fpr_interval=accused,
        tpr=hits / len(here),
        tpr_interval=share_between(hits, len(here), risk),
        allowed=None if epsilon is None else tpr_at_fpr(epsilon, delta, accused[1]),
    )


def _shown(share: float, interval: Interval) -> str:
    return f"{share:.1%} ({interval[0]:.1%} to {interval[1]:.1%})"
