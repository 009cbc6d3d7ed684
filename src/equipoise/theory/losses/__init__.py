"""Losses: one file each.  A new loss is one file here and one line in the contract tests."""

from equipoise.theory.losses.absolute import Absolute
from equipoise.theory.losses.contract import Loss, LossFacts
from equipoise.theory.losses.hinge import Hinge
from equipoise.theory.losses.huber import Huber
from equipoise.theory.losses.logistic import Logistic
from equipoise.theory.losses.smoothed_hinge import SmoothedHinge
from equipoise.theory.losses.softmax import Softmax, zero_sum_basis
from equipoise.theory.losses.squared import Squared

__all__ = [
    "Absolute",
    "Hinge",
    "Huber",
    "Logistic",
    "Loss",
    "LossFacts",
    "SmoothedHinge",
    "Softmax",
    "Squared",
    "zero_sum_basis",
]
