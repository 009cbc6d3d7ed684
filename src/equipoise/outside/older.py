"""Files of schema 1 and 2 do not name their loss.  Four estimators wrote them, each with one that its constants tell.

Where they do not tell it, the model has none: it predicts as before, and an audit says that it cannot derive the
constants again.  Nothing is guessed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from equipoise.theory.guarantees import Guarantee
from equipoise.theory.losses import Hinge, Huber, Logistic, Loss, SmoothedHinge, Softmax, Squared
from equipoise.theory.rounding import LONG_SUM, down

Fields = dict[str, Any]


def loss_of_older(fields: Fields) -> Loss | None:
    """The loss of a model read from a file of schema 1 or 2."""
    return _WRITERS[fields["estimator"]](fields) if fields["estimator"] in _WRITERS else None


def _logistic(fields: Fields) -> Loss:
    return Logistic() if fields["link"] == "logistic" else Softmax(len(fields["classes"] or ()))


def _hinge(fields: Fields) -> Loss | None:
    """The hinge's curvature has no bound and was not written; a rounded one's is one over twice its width."""
    guarantee: Guarantee = fields["guarantee"]
    if "slope bound" not in guarantee.constants:
        return None
    bend = guarantee.constants.get("curvature bound", 0.0)
    return SmoothedHinge(1 / (2 * bend)) if bend >= 0.5 else Hinge()


def _huber(fields: Fields) -> Loss | None:
    """The slope is bounded by the threshold, or by the reach of the scores where that is less."""
    known = fields["guarantee"].constants
    if not {"slope bound", "row norm with intercept"} <= known.keys():
        return None
    steepest, reach = known["slope bound"], known["row norm with intercept"] * known.get("coefficient norm", math.inf)
    return Huber(steepest) if 0 < steepest < down(1 + reach, LONG_SUM) else None


_WRITERS: dict[str, Callable[[Fields], Loss | None]] = {
    "LogisticRegression": _logistic,
    "LinearSVC": _hinge,
    "LinearRegression": lambda _fields: Squared(),
    "HuberRegressor": _huber,
}
