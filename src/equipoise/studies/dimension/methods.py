"""The methods of the dimension study, each through a public estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from equipoise.errors import EquipoiseError
from equipoise.estimators import LogisticRegression, SimplexClassifier
from equipoise.studies.dimension.without_privacy import Open, OpenBall
from equipoise.theory.dimension_free import RULE

DELTA = 1e-3
"""The paper's."""

RADIUS = 2.0
"""L1 norm of drawn models, the estimators' own default; entries of rows are within one."""


@dataclass(frozen=True, slots=True)
class Method:
    """How one line is fitted: `make(epsilon, rows, seed)` gives something with fit and predict."""

    key: str
    label: str
    make: Callable[[float, int, int], Any]
    knows_epsilon: bool = True
    only_widened: bool = False
    """Whether it is run against the width alone, as in the paper."""


def ridge(epsilon: float, rows: int) -> float:
    """One for the four perturbations: the paper's with our constants, from ε, δ and the rows, not from the columns."""
    planned = LogisticRegression(epsilon, DELTA, mechanism="output", alpha=RULE).plan(rows, 1)
    return float(planned.facts.penalty.strong_convexity)


def perturbed(mechanism: str, delta: float) -> Callable[[float, int, int], Any]:
    """Logistic regression with given mechanism; δ = 0 asks for spherical ("Gamma") noise."""
    return lambda epsilon, rows, seed: LogisticRegression(
        epsilon, delta, mechanism=mechanism, alpha=ridge(epsilon, rows), classes=[0, 1], random_state=seed
    )


def drawn(mechanism: str) -> Callable[[float, int, int], Any]:
    """Few columns, within an L1 ball of a public radius."""
    return lambda epsilon, rows, seed: SimplexClassifier(
        epsilon, DELTA, mechanism=mechanism, coef_norm=RADIUS, classes=[0, 1], random_state=seed
    )


METHODS = (
    Method("output-gauss", "output, Gaussian", perturbed("output", DELTA)),
    Method("output-gamma", "output, Gamma", perturbed("output", 0.0)),
    Method("objective-gauss", "objective, Gaussian", perturbed("objective", DELTA)),
    Method("objective-gamma", "objective, Gamma", perturbed("objective", 0.0)),
    Method("sample", "drawn from the simplex", drawn("sample"), only_widened=True),
    Method("frank-wolfe", "Frank-Wolfe", drawn("frank-wolfe"), only_widened=True),
    Method("ball", "no privacy, same L1 ball", lambda *_: OpenBall(RADIUS), knows_epsilon=False, only_widened=True),
    Method("open", "no privacy", lambda *_: Open(), knows_epsilon=False),
)
BY_KEY = {method.key: method for method in METHODS}


def accuracy(method: Method, epsilon: float, train: Any, test: Any, seed: int) -> float | str:
    """Per cent of the test rows that are told right, or why it refused."""
    model = method.make(epsilon, len(train[1]), seed)
    try:
        model.fit(*train)
    except EquipoiseError as problem:
        return str(problem)
    return 100 * float(np.mean(model.predict(test[0]) == test[1]))
