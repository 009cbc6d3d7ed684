"""Losses: one file each.  A new loss is one file here and one line in `LOSSES`; tests and readers go by that list."""

from equipoise.theory.losses.absolute import Absolute
from equipoise.theory.losses.capped_logistic import CappedLogistic
from equipoise.theory.losses.capped_softmax import CappedSoftmax
from equipoise.theory.losses.clipped_softmax import ClippedSoftmax
from equipoise.theory.losses.contract import Loss, LossFacts, is_regression, needs_ball
from equipoise.theory.losses.hinge import Hinge
from equipoise.theory.losses.huber import Huber
from equipoise.theory.losses.logistic import Logistic
from equipoise.theory.losses.smoothed_hinge import SmoothedHinge
from equipoise.theory.losses.softmax import Softmax, zero_sum_basis
from equipoise.theory.losses.squared import Squared
from equipoise.theory.losses.squared_hinge import SquaredHinge
from equipoise.theory.losses.traits import Coding, Link, Task, Traits, Usual

LOSSES: tuple[type[Loss], ...] = (
    Absolute,
    CappedLogistic,
    CappedSoftmax,
    ClippedSoftmax,
    Hinge,
    Huber,
    Logistic,
    SmoothedHinge,
    Softmax,
    Squared,
    SquaredHinge,
)

__all__ = [
    "LOSSES",
    "Absolute",
    "CappedLogistic",
    "CappedSoftmax",
    "ClippedSoftmax",
    "Coding",
    "Hinge",
    "Huber",
    "Link",
    "Logistic",
    "Loss",
    "LossFacts",
    "SmoothedHinge",
    "Softmax",
    "Squared",
    "SquaredHinge",
    "Task",
    "Traits",
    "Usual",
    "is_regression",
    "needs_ball",
    "zero_sum_basis",
]
