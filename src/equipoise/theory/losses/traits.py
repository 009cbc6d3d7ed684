"""What a loss says of itself beyond its formulas: what it is for, how its labels are coded, what a planner may expect.

Only `tilt` and `sharper_rate` bear on privacy: they name the theorem of objective perturbation that covers the loss
(docs/proofs/objective_perturbation.md).  The rest decides what is offered, predicted and said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from equipoise.theory.accounting.calibrate import ObjectiveLaw
from equipoise.theory.adjacency import Adjacency

TiltRate = Callable[[float, float, float, Adjacency], float]
"""From ε, the row norm, nα and the adjacency to a rate of the tilt's noise."""


class Task(StrEnum):
    """What is learnt; the value is the word in a model's file."""

    CLASSIFICATION = "classifier"
    REGRESSION = "regressor"


class Coding(StrEnum):
    """What a label is by the time a loss sees it."""

    SIGNS = "minus one and one"
    PLACES = "a class's place in the list of classes"
    NUMBERS = "numbers scaled to [-1, 1]"


class Link(StrEnum):
    """What turns a score into a prediction."""

    LOGISTIC = "logistic"
    SOFTMAX = "softmax"
    CAPPED_LOGISTIC = "capped-logistic"
    CAPPED_SOFTMAX = "capped-softmax"
    CLIPPED_SOFTMAX = "clipped-softmax"
    SIGN = "sign"
    IDENTITY = "identity"


@dataclass(frozen=True, slots=True)
class Usual:
    """What scaled tables usually look like to the loss, for `"auto"`; any public choice is private.

    Set on training parts of real tables (docs/decisions/0004-auto.md).
    """

    score: float
    """Size of the best scores."""
    curvature: float
    """Mean second derivative in the score, there."""
    noise: float
    """Twice the variance of labels around the best prediction, in their own units; for classes it is 1 in effect."""
    ball: float
    """Coefficient norm, times row norm, that is rarely exceeded."""
    longest_step: float
    """Of gradient descent, in units of 1/(curvature·B²).  Below two is always stable; losses that flatten out far away
    stand more."""


CAPS = (0.5, 0.65)
"""Slopes at which "auto" may cap a loss of several classes; of two classes it is ½ (docs/decisions/0065)."""

THRESHOLDS = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0)
"""Residuals, over the label bound, beyond which "auto" may let a squared loss go on as a straight line.  From the last
one on no residual between a label and a possible label is affected."""

OF_CLASSES = Usual(score=2.0, curvature=0.15, noise=1.0, ball=5.0, longest_step=3.0)
OF_NUMBERS = Usual(score=0.25, curvature=2.0, noise=0.2, ball=1.5, longest_step=1.0)


@dataclass(frozen=True, slots=True)
class Traits:
    """One for each kind of loss, written beside its formulas."""

    words: str
    """What is minimised, for a card."""
    labels: Coding
    link: Link
    usual: Usual
    tilt: ObjectiveLaw
    """How a record's gradient can move, for Gaussian objective perturbation."""
    sharper_rate: TiltRate | None = None
    """A theorem about pure objective perturbation with this very loss, where there is one."""
    cap: float = 1.0
    """The slope beyond which the loss goes on as a straight line; its probabilities ask for it (links.py)."""
    quadratic: bool = False
    """Whether it is (score − label)², so that second moments of the table are all there is to know."""
    pieces: bool = False
    """Whether it is made of parabolas and straight lines, so that a Hessian changes by the records that cross from
    one to the other and by nothing else."""
    potential: bool = True
    """Whether its slope is the derivative of its value, so that there is something to minimise."""

    @property
    def task(self) -> Task:
        return Task.REGRESSION if self.labels is Coding.NUMBERS else Task.CLASSIFICATION
