"""What the audit finds in diffprivlib's LogisticRegression, and in Equipoise's on the same two data sets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from law import TiltedLaw, log_ratio, spread
from pairs import Array, Data, Pair, audit, pair_of
from peer import Door
from row import OUR_DRAWS, Row, rates

import equipoise as eq
from equipoise.gate.models.objective_perturbation import BLUR

LEAST_P_VALUE = 1e-6
"""Below it the closed form is not the law of the outputs, and its figure must not be printed."""


def peer_law(data: Data, epsilon: float, C: float, norm: float, intercept: bool) -> TiltedLaw:
    """diffprivlib 0.6.6: noise and ridge as its `Vector` mechanism sets them; no ridge on the intercept but that."""
    X, y = data
    reach = math.hypot(norm, 1.0) if intercept else norm
    left, extra = epsilon - 2 * math.log1p(0.25 * reach * C), 0.0
    if left <= 0:
        left, extra = epsilon / 2, 0.25 * reach / math.expm1(epsilon / 4) - 1 / C
    rows = np.column_stack([X, np.ones(len(X))]) if intercept else X
    ridge = np.array([1 / C] * X.shape[1] + [0.0] * intercept) + extra
    return TiltedLaw(rows, np.where(y > 0, 1.0, -1.0), ridge, 2 * reach / left)


def our_law(model: Any, data: Data) -> tuple[TiltedLaw, float]:
    """Equipoise's constants are in its plan; the share of ε that its second noise may use comes beside."""
    X, y = data
    plan = model.plan(n=len(X), d=X.shape[1])
    constant = plan.facts.bounds.intercept
    rows = np.column_stack([X, np.full(len(X), constant)]) if constant > 0 else X
    ridge = np.full(rows.shape[1], len(X) * plan.facts.penalty.strong_convexity)
    scale = plan.constants()["tilt noise scale"]
    return TiltedLaw(rows, np.where(y > 0, 1.0, -1.0), ridge, scale), plan.budget.epsilon * BLUR


def our_weights(model: Any, data: Data) -> Array:
    """The released point in the coordinates of `our_law`."""
    fitted = model.fit(*data)
    constant = model.plan(n=len(data[0]), d=data[0].shape[1]).facts.bounds.intercept
    tail = [fitted.intercept_[0] / constant] if constant > 0 else []
    return np.array([*fitted.coef_[0], *tail])


def ours_on(pair: Pair, draws: int, points: Array, **settings: Any) -> tuple[float, float]:
    """The largest log-ratio of Equipoise's densities on these points (plus its second noise's share), and a bound."""
    model = eq.LogisticRegression(mechanism="objective", classes=[0, 1], **settings)
    (left, share), (right, _) = our_law(model, pair[0]), our_law(model, pair[1])

    def release(data: Data) -> float:
        return float(log_ratio(left, right, our_weights(model, data)[None, :])[0])

    found = audit(release, pair, settings["epsilon"], min(draws, OUR_DRAWS))
    return float(np.abs(log_ratio(left, right, points)).max()) + share, found.epsilon


def norm(door: Door, draws: int) -> Row:
    """A row of length 100 or 0: curvature grows with the square of the length, the noise was set by the length."""
    epsilon, length = 1.0, 100.0
    pair = pair_of([length, 0.0], [0.0, 0.0], [1, 0])
    left, right = (peer_law(data, epsilon, 1.0, length, False) for data in pair)
    settings = {"epsilon": epsilon, "data_norm": length, "fit_intercept": False}
    seen: list[tuple[bool, list[float]]] = []

    def release(data: Data) -> float:
        point = door.fit("weights", "LogisticRegression", settings, data)
        seen.append((data is pair[0], point))
        return float(log_ratio(left, right, np.array([point]))[0])

    found = audit(release, pair, epsilon, draws)
    checks = [
        law.fits(np.array([p for side, p in seen if side is first])) for law, first in ((left, True), (right, False))
    ]
    exact = float(np.abs(log_ratio(left, right, spread(10.0)[:, None])).max())
    ours = ours_on(pair, draws, spread(10.0)[:, None], epsilon=epsilon, row_norm=length, fit_intercept=False)
    return Row(
        "logistic-norm",
        "diffprivlib",
        "LogisticRegression, data_norm=100, no intercept: R where the Hessian needs R²",
        "cf. diffprivlib#10",
        epsilon,
        exact=exact if min(checks) > LEAST_P_VALUE else math.nan,
        measured=found.epsilon,
        draws=draws,
        equipoise_claimed=epsilon,
        equipoise_exact=ours[0],
        equipoise_measured=ours[1],
        equipoise_draws=min(draws, OUR_DRAWS),
        how=f"Kolmogorov-Smirnov test of the closed form on these draws (p = {checks[0]:.2g}, {checks[1]:.2g}); "
        f"{rates(found)}",
    )


def intercept(door: Door, draws: int) -> Row:
    """A row of 0 or 1 beside a row of 0: far out along w = −intercept only the row of 1 still bends the objective."""
    epsilon, C, far = 2.0, 2.0, 20.0
    pair = pair_of([0.0, 1.0], [0.0, 0.0], [0, 1])
    left, right = (peer_law(data, epsilon, C, 1.0, True) for data in pair)
    settings = {"epsilon": epsilon, "data_norm": 1.0, "C": C}

    def release(data: Data) -> float:
        point = door.fit("weights", "LogisticRegression", settings, data)
        return float(log_ratio(left, right, np.array([point]))[0])

    found = audit(release, pair, epsilon, draws)
    axis = spread(far, 100)
    grid = np.array([[w, c] for w in axis for c in axis] + [[-c, c] for c in axis])
    ours = ours_on(pair, draws, grid, epsilon=epsilon, row_norm=1.0, alpha=1 / (C * 2))
    return Row(
        "logistic-intercept",
        "diffprivlib",
        "LogisticRegression, data_norm=1, C=2: the intercept has no ridge",
        "not reported as far as we know",
        epsilon,
        exact=float(np.abs(log_ratio(left, right, grid)).max()),
        measured=found.epsilon,
        draws=draws,
        equipoise_claimed=epsilon,
        equipoise_exact=ours[0],
        equipoise_measured=ours[1],
        equipoise_draws=min(draws, OUR_DRAWS),
        how=f"exact: log-ratio of densities where |w| and |intercept| ≤ {far:g}, it grows with them (constants read in "
        f"the source; the bound needs none); {rates(found)}",
    )


def one_class(door: Door, draws: int) -> Row:
    """The class list is read off the data: with one class only, fit raises."""
    X, epsilon = np.zeros((2, 1)), 1.0
    pair = (X, np.array([0, 1])), (X, np.array([0, 0]))
    settings = {"epsilon": epsilon, "data_norm": 1.0}
    draws = min(draws, 1000)
    found = audit(lambda data: door.fit("weights", "LogisticRegression", settings, data), pair, epsilon, draws)
    model = eq.LogisticRegression(epsilon=epsilon, classes=[0, 1])
    ours = audit(lambda data: np.append(model.fit(*data).coef_, model.intercept_), pair, epsilon, draws)
    return Row(
        "logistic-one-class",
        "diffprivlib",
        "LogisticRegression: labels (0, 1) or (0, 0), the second is refused with an error",
        "not reported as far as we know",
        epsilon,
        exact=math.inf if (found.left_raised, found.right_raised) == (0, draws) else math.nan,
        measured=found.epsilon,
        draws=draws,
        equipoise_claimed=epsilon,
        equipoise_measured=ours.epsilon,
        equipoise_draws=min(draws, OUR_DRAWS),
        how=f"an error is an output; {rates(found)}",
    )


CASES = {"logistic-norm": norm, "logistic-intercept": intercept, "logistic-one-class": one_class}
