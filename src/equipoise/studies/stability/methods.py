"""What is fitted: one logistic regression with a ridge, and one elastic net to choose features by."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression as OpenRegression

from equipoise import stability
from equipoise.errors import EquipoiseError
from equipoise.estimators import ElasticNetClassifier, FeatureSelector, LogisticRegression
from equipoise.studies.stability.data import ADULT, PLANTED, Table, planted
from equipoise.studies.stability.narrowing import AS_IT_IS, Parts, narrowed

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

WEIGHTS = stability.Kind.WEIGHTS_L2
PRIVATE, OPEN = "private", "open"
DYNAMIC, STATIC, PRINTED = "dynamic", "static", "dynamic, printed constant"
CHOOSING = (DYNAMIC, STATIC, PRINTED)
"""How features are chosen.  The last has the noise that the paper's constant for elastic nets asks for."""

STATIC_THRESHOLD, L1_RATIO = 0.1, 0.5
REFERENCE_EPSILON, REFERENCE_ALPHA = 1.0, 0.01
"""Where the fixed noise comes from: it is what this ε asks for at this ridge."""

TRUTH_C = 0.1
"""Of scikit-learn's L1 penalty, whose columns count as those that matter in Adult."""

MOST_EPSILON = 20.0
"""No point is made beyond it: e^20 protects nobody."""


def fitted(alpha: float, epsilon: float, seed: int) -> LogisticRegression:
    """Noise on the certified minimiser, by its stability; δ = 0, as in the paper."""
    return LogisticRegression(
        epsilon, mechanism="output", alpha=alpha, slope_cap=1.0, classes=[0, 1], random_state=seed
    )


def constant(parts: Parts) -> float:
    """Per cent of the test rows that are told right by telling everybody the more frequent class."""
    return 100 * float(np.mean(parts.test[1] == (np.mean(parts.train[1]) > 0.5)))


def accuracy(method: str, parts: Parts, alpha: float, epsilon: float, seed: int) -> float | str:
    """Per cent of the test rows that are told right, or why it refused."""
    X, y = parts.train
    if method == OPEN:
        model: Any = OpenRegression(C=1 / alpha / len(y), max_iter=1000)
    else:
        model = fitted(alpha, epsilon, seed)
    try:
        model.fit(X, y)
    except EquipoiseError as problem:
        return str(problem)
    return 100 * float(np.mean(model.predict(parts.test[0]) == parts.test[1]))


def epsilon_of_fixed_noise(alpha: float, n: int, d: int) -> float:
    """Corollary 13: what the reference's noise is worth where one record moves the model less, or more."""
    old, new = (
        stability.StabilityBound(fitted(ridge, 1.0, 0).plan(n, d).sensitivity.l2, WEIGHTS, (), "the plan's")
        for ridge in (REFERENCE_ALPHA, alpha)
    )
    return stability.amplified_epsilon(old, new, REFERENCE_EPSILON)


def sparse_net(alpha: float, epsilon: float, seed: int) -> ElasticNetClassifier:
    """Noise on the certified minimiser of an elastic net; δ = 0."""
    return ElasticNetClassifier(
        epsilon, mechanism="output", alpha=alpha, l1_ratio=L1_RATIO, classes=[0, 1], random_state=seed
    )


def epsilon_as_printed(alpha: float, epsilon: float, n: int, d: int) -> float:
    """Corollary 13 again: what the noise of the printed constant at `epsilon` is worth by the direct one."""
    plan = sparse_net(alpha, 1.0, 0).plan(n, d)
    printed = stability.elastic_net_as_printed(1.0, plan.facts.bounds.norm, alpha, n)
    return stability.amplified_epsilon(
        printed, stability.StabilityBound(plan.sensitivity.l2, WEIGHTS, (), "the plan's"), epsilon
    )


def chosen(method: str, X: Array, y: Any, alpha: float, epsilon: float, seed: int) -> Mask | str:
    """The features that are kept."""
    worth = epsilon_as_printed(alpha, epsilon, *X.shape) if method == PRINTED else epsilon
    threshold = STATIC_THRESHOLD if method == STATIC else "dynamic"
    selector = FeatureSelector(sparse_net(alpha, worth, seed), threshold=threshold)
    try:
        return np.asarray(selector.fit(X, y).get_support())
    except EquipoiseError as problem:
        return str(problem)


def judged(kept: Mask, matter: Mask) -> dict[str, float]:
    """Precision, recall and F1; nothing kept is an F1 of 0."""
    both = float(np.sum(kept & matter))
    precision = both / max(1.0, float(kept.sum()))
    recall = both / max(1.0, float(matter.sum()))
    f1 = 2 * both / max(1.0, float(kept.sum() + matter.sum()))
    return {"f1": f1, "precision": precision, "recall": recall}


@lru_cache(maxsize=2)
def selection_rows(name: str, adult: Table, repeat: int) -> tuple[Array, Any, Mask]:
    """Rows, labels, and the features that matter: planted ones, or those a sparse model without privacy keeps."""
    if name == PLANTED:
        return planted(repeat)
    X, y = narrowed(adult, AS_IT_IS, repeat).train
    truth = OpenRegression(l1_ratio=1.0, C=TRUTH_C, solver="liblinear").fit(X, y)
    return X, y, np.abs(truth.coef_.reshape(-1)) > 0


SELECTED = (PLANTED, ADULT)
