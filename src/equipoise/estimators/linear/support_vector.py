"""Private linear support vector machine."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._checks import is_word, not_negative, shown
from equipoise._docs import documented
from equipoise.errors import EquipoiseError, InvalidInput, MechanismRefused
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.estimators.linear.given import mechanism_and_steps
from equipoise.gate import RandomState
from equipoise.gate.models import constant
from equipoise.gate.models.choose import MECHANISMS
from equipoise.ledger import LedgerLike
from equipoise.outside import LinearModel, Released
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Hinge, Loss, SmoothedHinge, SquaredHinge
from equipoise.theory.plan import Plan
from equipoise.theory.stability.descents import SGD

Array = npt.NDArray[np.float64]


FINEST = 1e-9
"""Of a rounded corner: curvature is the inverse, and its products are to stay far inside the range of doubles."""

USUAL = 1.0
"""The half-width that "auto" takes: the whole margin, the best of three on tables (docs/decisions/0084)."""


@documented("classifier")
class LinearSVC(PrivateClassifier):
    """Minimises mean loss + (alpha/2)‖w‖², intercept included, for two classes.

    `loss="hinge"` is max(0, 1 − margin), `loss="squared_hinge"` its square, which is smooth and serves every mechanism;
    its slope grows with the scores, so `coef_norm` bounds the coefficients where a theorem asks for it.
    A plain hinge, `smoothing=0`, is for output perturbation alone, which rounds its corner by a sixteenth of the margin
    so that every table can be solved.  A half-width in (0, 1] rounds it by that much and opens the other mechanisms,
    which are more accurate at the same epsilon: `smoothing="auto"` takes 1, and card and plan say so, unless a
    mechanism is named that serves the plain hinge.  `classes=None` means 0/1, and a label of −1 counts as 0.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        mechanism: str | SGD = "auto",
        alpha: float | str = "auto",
        row_norm: float = 1.0,
        fit_intercept: bool = True,
        classes: Sequence[Any] | str | None = None,
        loss: str = "hinge",
        smoothing: float | str = "auto",
        adjacency: str = "replace-one",
        public_n: int | None = None,
        rows_per_person: int | None = None,
        coef_norm: float | None = None,
        column_bounds: Any = None,
        centre: Any = None,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
        noise: str = "equipoise",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.mechanism = mechanism
        self.alpha = alpha
        self.row_norm = row_norm
        self.fit_intercept = fit_intercept
        self.classes = classes
        self.loss = loss
        self.smoothing = smoothing
        self.adjacency = adjacency
        self.public_n = public_n
        self.rows_per_person = rows_per_person
        self.coef_norm = coef_norm
        self.column_bounds = column_bounds
        self.centre = centre
        self.ledger = ledger
        self.random_state = random_state
        self.noise = noise

    def _loss(self, classes: int) -> Loss:
        if classes > 2:
            raise MechanismRefused(
                "classes: LinearSVC is a binary classifier, use LogisticRegression for more than 2 classes. "
                f"Only binary classification is supported; the type of the target has {classes} classes"
            )
        smoothing = self._half_width()
        if is_word(self.loss, "squared_hinge") and (smoothing == 0 or self._left_to_us()):
            return SquaredHinge()
        if not is_word(self.loss, "hinge"):
            raise InvalidInput('loss: must be "hinge" or, without smoothing, "squared_hinge"')
        return Hinge() if smoothing == 0 else SmoothedHinge(smoothing)

    def _left_to_us(self) -> bool:
        return is_word(self.smoothing, "auto")

    def _half_width(self) -> float:
        """By how much the corner is rounded.  Left to us, a mechanism that was named has the plain hinge, as it always
        had, if it serves a kink."""
        if self._left_to_us():
            named = MECHANISMS.get(mechanism_and_steps(self.mechanism)[0])  # which names there are, `choose` says
            return USUAL if named is None or named.needs.smooth else 0.0
        if isinstance(self.smoothing, str):
            raise InvalidInput(f'smoothing={shown(self.smoothing)}: must be "auto", or a half-width from 0 to 1')
        smoothing = not_negative(smoothing=self.smoothing)
        if 0 < smoothing < FINEST:
            raise InvalidInput(f"smoothing={shown(self.smoothing)}: must be 0, or at least {FINEST:g}")
        if smoothing > 1:
            raise InvalidInput(f"smoothing={shown(self.smoothing)}: must be at most 1, the distance of the margin")
        return smoothing

    def _plan(self, n: int, d: int, classes: int, bounds: Bounds | None = None) -> Plan:
        """With a word on a corner that nobody asked to be rounded, where a slope is learnt.

        At the ends of what can be planned, as for an epsilon of 1e-9, a rounded corner may be refused where a plain
        hinge is not: a call that leaves the choice to us has the plain one then.
        """
        if not self._left_to_us() or self._half_width() == 0:
            return super()._plan(n, d, classes, bounds)
        try:
            plan = super()._plan(n, d, classes, bounds)
        except EquipoiseError:
            if not is_word(self.mechanism, "auto"):
                raise
            plain = copy(self)
            plain.smoothing = 0.0
            return plain._plan(n, d, classes, bounds)
        loss = plan.facts.loss
        if not isinstance(loss, SmoothedHinge) or plan.mechanism == constant.NAME:
            return plan
        words = f"the hinge's corner is rounded, over margins within {loss.width:g} of 1: it needs less noise"
        return replace(plan, notes=(*plan.notes, words))

    def _model(self, value: Array, plan: Plan, released: Released, classes: tuple[Any, ...] | None) -> LinearModel:
        coef, intercept = self._split(value, plan.facts.bounds)
        return LinearModel(
            kind=plan.facts.loss.traits.task,
            estimator="LinearSVC",
            coef=coef,
            intercept=intercept,
            classes=classes or (0, 1),
            link=plan.facts.loss.traits.link,
            loss=plan.facts.loss,
            guarantee=replace(released.guarantee, notes=(*released.guarantee.notes, *self._label_note())),
            feature_names=self._names(),
            uncertainty=self._uncertainty(plan, released),
            row_bounds=self._row_bounds(plan),
            origin=released.origin,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
