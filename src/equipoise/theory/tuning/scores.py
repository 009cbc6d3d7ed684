"""How well a candidate does on one record: numbers within a public range that move little when the model does.

A score here is a *loss* of one record: 0 is best, `cap` is worst, and it changes by at most `lipschitz` per unit of the
margin or the residual.  These two numbers are all that docs/proofs/tuning.md needs.  Counting errors is not such a
score: the smallest move of a model can turn a right answer into a wrong one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise._checks import one_of, positive, quoted, shown
from equipoise._docs import documented
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.losses import Softmax
from equipoise.theory.rounding import FORMULA, ONE_STEP, up

Array = npt.NDArray[np.float64]

KINDS = ("margin", "residual", "scores")


@documented()
@dataclass(frozen=True, slots=True)
class Score:
    """A loss of one record, clipped to [0, cap].

    `function` takes an array of margins (`on="margin"`, classifiers: label times score, or the true class's logit less
    the largest other one), of residuals (`on="residual"`, regression: prediction less label, in half label ranges), or
    scores and encoded labels (`on="scores"`: ±1 for two classes, else one logit per class and the class's place).
    `lipschitz` bounds its change per unit of that argument, in L2 for logits.  Both numbers are the caller's word.
    """

    name: str
    function: Callable[..., Array]
    lipschitz: float
    cap: float
    on: str = "margin"

    def __post_init__(self) -> None:
        positive(lipschitz=self.lipschitz)
        positive(cap=self.cap)
        one_of(KINDS, on=self.on)
        if not callable(self.function):
            raise InvalidInput("function: must be a function of arrays, one number for each record")

    @documented(returns="array: One loss for each row.")
    def losses(self, scores: Array, labels: Array, classes: int) -> Array:
        """One number per record; `classes` is 2 for regression too, which has one score per row."""
        if self.on == "residual":
            return self.function(scores - labels)
        if self.on == "margin":
            return self.function(margins(scores, labels, classes))
        return self.function(scores if classes == 2 else Softmax(classes).logits(scores), labels)

    @documented(returns="float: The constant.")
    def slope(self, classes: int) -> float:
        """Lipschitz constant in the scores of one row: a margin of two logits moves √2 times as far."""
        several = up(math.sqrt(2), ONE_STEP) if self.on == "margin" and classes > 2 else 1.0
        return self.lipschitz * several


def margins(scores: Array, labels: Array, classes: int) -> Array:
    """Positive where the answer is right: y·z for labels ±1, else z_y less the largest of the other logits."""
    if classes == 2:
        return labels * scores
    logits = Softmax(classes).logits(scores)
    places = labels.astype(np.intp)[:, None]
    own = np.take_along_axis(logits, places, axis=1)[:, 0]
    np.put_along_axis(logits, places, -np.inf, axis=1)
    return np.asarray(own - logits.max(axis=1))


def ramp(scale: float = 1.0) -> Score:
    """1 below a margin of −scale, 0 above +scale, a straight line between: slope 1/(2·scale), range 1."""
    wide = positive(scale=scale)
    return Score("ramp", lambda margin: 0.5 - 0.5 * np.clip(margin / wide, -1.0, 1.0), up(0.5 / wide, ONE_STEP), 1.0)


def clipped_hinge(cap: float = 4.0) -> Score:
    """min(cap, max(0, 1 − margin)): slope 1.  With cap 2 it is twice the ramp."""
    most = positive(cap=cap)
    return Score("hinge", lambda margin: np.clip(1.0 - margin, 0.0, most), 1.0, most)


def clipped_logistic(cap: float = 2.0) -> Score:
    """min(cap, log(1 + e^−margin)): the slope where it is cut off is 1 − e^−cap, and it is less steep elsewhere."""
    most = positive(cap=cap)
    steepest = up(-math.expm1(-most), FORMULA)
    return Score("logistic", lambda margin: np.minimum(np.logaddexp(0.0, -margin), most), steepest, most)


def clipped_squared(cap: float = 1.0) -> Score:
    """min(cap, residual²): slope 2√cap where it is cut off."""
    most = positive(cap=cap)
    edge = math.sqrt(most)
    return Score("squared", lambda away: np.minimum(np.abs(away), edge) ** 2, up(2 * edge, ONE_STEP), most, "residual")


def clipped_absolute(cap: float = 1.0) -> Score:
    """min(cap, |residual|): slope 1."""
    most = positive(cap=cap)
    return Score("absolute", lambda away: np.minimum(np.abs(away), most), 1.0, most, "residual")


def clipped_huber(threshold: float = 0.25, furthest: float = 1.0) -> Score:
    """Half the squared residual up to the threshold, straight up to `furthest`, then flat: slope = threshold."""
    bend, edge = positive(threshold=threshold), positive(furthest=furthest)
    if edge < bend:
        raise InvalidInput(f"furthest={shown(furthest)}: must be at least the threshold")

    def values(away: Array) -> Array:
        size = np.minimum(np.abs(away), edge)
        near = np.minimum(size, bend)
        return near * near / 2 + bend * (size - near)

    return Score("huber", values, bend, up(bend * (edge - bend / 2), ONE_STEP), "residual")


CLASSIFIERS = {"ramp": ramp(), "hinge": clipped_hinge(), "logistic": clipped_logistic()}

REGRESSION = {
    "ramp": clipped_absolute(),
    "absolute": clipped_absolute(),
    "squared": clipped_squared(),
    "huber": clipped_huber(),
}
"""The ramp of a residual is its size, clipped."""

JUMPS = ("accuracy", "balanced_accuracy", "top_k_accuracy", "f1", "precision", "recall", "roc_auc", "average_precision")
ENDLESS = ("neg_log_loss", "neg_mean_squared_error", "neg_root_mean_squared_error", "neg_mean_absolute_error", "r2")


def score_named(score: object, *, regression: bool) -> Score:
    """The score asked for, by name or as a Score; what has no stability is refused, and the others are named."""
    known = REGRESSION if regression else CLASSIFIERS
    offered = ", ".join(f'"{name}"' for name in known)
    if isinstance(score, Score):
        if (score.on == "residual") != regression and score.on != "scores":
            raise InvalidInput(f"score={quoted(score.name)}: a score on {score.on}s does not fit this estimator")
        return score
    if not isinstance(score, str):
        raise MechanismRefused(
            f"score of type {type(score).__name__}: states no stability, use {offered} or"
            " tuning.Score(name, function, lipschitz, cap)"
        )
    if score in known:
        return known[score]
    if score.startswith(JUMPS):
        raise MechanismRefused(f"score={shown(score)}: jumps however little a model moves, use {offered}")
    if score in ENDLESS:
        raise MechanismRefused(f"score={shown(score)}: one record can move it without limit, use {offered}")
    raise InvalidInput(f"score={shown(score)}: must be one of {offered}, or a tuning.Score")
