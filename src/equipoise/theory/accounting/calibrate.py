"""From a budget to the noise that meets it.  Every answer is on the safe side and has been checked.

Proofs: docs/proofs/accounting.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache

from equipoise._checks import fraction, not_negative, positive, shown, whole
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.accounting.convert import delta_concentrated, delta_gaussian
from equipoise.theory.accounting.search import greatest_within, least_within
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.extremes import SMALLEST_DELTA, of_use
from equipoise.theory.guarantees import Budget
from equipoise.theory.rounding import FORMULA, ONE_STEP, down


class ObjectiveLaw(StrEnum):
    """How one record's gradient can move, which decides δ of Gaussian objective perturbation."""

    FIXED_SIGN = "fixed-sign"  # the loss slope never changes sign for a given label: logistic, smoothed hinge
    TWO_SIGNED = "two-signed"  # it does: Huber regression
    SOFTMAX = "softmax"


def smallest_sigma(delta_of_sigma: Callable[[float], float], delta: float) -> float:
    """Smallest σ with `delta_of_sigma(σ) <= delta`, for a δ that falls as σ grows."""
    delta = _some_delta(delta)
    sigma = least_within(delta_of_sigma, delta)
    if not sigma < math.inf:
        raise MechanismRefused(f"delta={shown(delta)}: no noise scale reaches it, raise delta or epsilon")
    return sigma


def gaussian_shift(budget: Budget) -> float:
    """Largest μ such that μ-GDP implies the budget's (ε, δ)."""
    delta = _some_delta(budget.delta)
    epsilon = of_use(budget.epsilon)
    shift = greatest_within(lambda mu: delta_gaussian(epsilon, mu), delta)
    if not shift > 0:
        raise MechanismRefused(f"delta={shown(delta)}: no Gaussian noise reaches it, raise delta or epsilon")
    return down(shift, FORMULA)  # an account reckons ε back from it, and is to find no more than was asked for


def sigma_output(sensitivity: float, epsilon: float, delta: float) -> float:
    """Smallest σ of Gaussian noise on a value that one record can move by `sensitivity` in L2 norm."""
    sensitivity, epsilon = positive(sensitivity=sensitivity), positive(epsilon=epsilon)
    sigma = sensitivity / gaussian_shift(Budget(epsilon, delta))
    return _confirmed(sigma, lambda scale: delta_gaussian(epsilon, sensitivity / scale) <= delta)


def rho_for(epsilon: float, delta: float) -> float:
    """Largest ρ such that ρ-zCDP implies (ε, δ)."""
    epsilon, delta = of_use(positive(epsilon=epsilon)), _some_delta(delta)
    rho = greatest_within(lambda cost: delta_concentrated(cost, epsilon), delta)
    if not rho > 0:
        raise MechanismRefused(f"delta={shown(delta)}: no concentrated budget reaches it, raise delta or epsilon")
    return rho


def objective_delta(epsilon: float, shift: float, law: ObjectiveLaw, adjacency: Adjacency, classes: int = 2) -> float:
    """δ at ε of Gaussian objective perturbation before the Jacobian; `shift` is L·B/σ (softmax: B/σ)."""
    if shift == math.inf:
        return 1.0
    terms = _vertices(law, adjacency, classes)
    return min(1.0, math.fsum(count * delta_gaussian(epsilon, length * shift) for count, length in terms))


def objective_sigma(
    epsilon: float,
    delta: float,
    *,
    gradient: float,
    log_jacobian: float,
    law: ObjectiveLaw,
    adjacency: Adjacency,
    classes: int = 2,
) -> float:
    """Smallest σ of b in Σℓ_i(w) + (Λ/2)‖w‖² + b·w, b ~ N(0, σ²I).

    `gradient` bounds |slope|·‖x‖ of one record (softmax: bounds ‖x‖ alone); `log_jacobian` bounds what the
    change of variables adds to ε, for instance log(1 + curvature·‖x‖²/Λ).
    """
    gradient, left = positive(gradient=gradient), _after_jacobian(epsilon, log_jacobian)

    def delta_of_shift(shift: float) -> float:
        return objective_delta(left, shift, law, adjacency, classes)

    units = smallest_sigma(lambda scale: delta_of_shift(1 / scale), delta)
    return _confirmed(units * gradient, lambda sigma: delta_of_shift(gradient / sigma) <= delta)


def objective_pure_rate(epsilon: float, *, change: float, log_jacobian: float) -> float:
    """Largest rate β of b ∝ exp(−β‖b‖) in the sum form, for ε-DP.

    `change` bounds how far one record moves the gradient sum: twice the Lipschitz constant under replace-one, or
    the diameter of the gradient set; the Lipschitz constant under add-remove.
    """
    change, left = positive(change=change), _after_jacobian(epsilon, log_jacobian)
    return _in_range(down(left / change, FORMULA))


def objective_pure_epsilon_logistic(
    rate: float, row_norm: float, ridge: float, adjacency: Adjacency, cap: float = 1.0
) -> float:
    """Exact ε of pure objective perturbation for the logistic loss with slopes up to `cap`: max over p in [0, cap] of
    rate·B·(cap + p) + log(1 + B²p(1 − p)/ridge); add-remove has p in place of cap + p."""
    pull = positive(rate=rate) * positive(row_norm=row_norm)
    bend = row_norm * row_norm / positive(ridge=ridge)
    worst = 1.0
    if bend > pull:  # otherwise the concave maximand still rises at p = 1 and the Jacobian costs nothing
        root = math.sqrt(pull * pull + 4 + 4 * pull * (pull / bend))
        worst = min(1.0, (2 * pull / bend + 2) / (root + 2 - pull))
    worst = min(worst, cap)  # the maximand is concave in p
    fixed = 0.0 if adjacency == Adjacency.ADD_REMOVE else cap
    return (pull * (fixed + worst) + math.log1p(bend * worst * (1 - worst))) * (1 + FORMULA / 10)


def objective_pure_rate_logistic(
    epsilon: float, row_norm: float, ridge: float, adjacency: Adjacency, cap: float = 1.0
) -> float:
    """Largest rate β for the logistic loss; ε/(2B) (add-remove ε/B) once ridge ≥ 2B²/ε (B²/ε), if it has no cap.

    `ridge` is Λ of the sum form, n·λ of the mean form.
    """
    epsilon = positive(epsilon=epsilon)

    def spent(rate: float) -> float:
        return objective_pure_epsilon_logistic(rate, row_norm, ridge, adjacency, cap)

    rate = greatest_within(spent, epsilon, start=epsilon / positive(row_norm=row_norm))
    if not rate > 0:
        raise _jacobian_too_large(epsilon)
    return rate


@lru_cache(maxsize=256, typed=True)  # asked for at every step of a search
def _vertices(law: ObjectiveLaw, adjacency: Adjacency, classes: int) -> list[tuple[int, float]]:
    """How many extreme gradient changes there are, and how long each is at most, in units of `gradient`."""
    others = whole(classes=classes) - 1
    if others < 1:
        raise InvalidInput(f"classes={shown(classes)}: must be at least 2")
    match law, adjacency:
        case ObjectiveLaw.FIXED_SIGN, Adjacency.REPLACE_ONE:
            return [(1, 2.0), (2, 1.0)]
        case ObjectiveLaw.FIXED_SIGN, Adjacency.ADD_REMOVE:
            return [(1, 1.0)]
        case ObjectiveLaw.TWO_SIGNED, Adjacency.REPLACE_ONE:
            return [(2, 2.0), (2, math.sqrt(2))]
        case ObjectiveLaw.TWO_SIGNED, Adjacency.ADD_REMOVE:
            return [(2, 1.0)]
        case ObjectiveLaw.SOFTMAX, Adjacency.REPLACE_ONE:
            return [(others, math.sqrt(8)), (others * (others - 1), math.sqrt(6)), (2 * others, math.sqrt(2))]
        case ObjectiveLaw.SOFTMAX, Adjacency.ADD_REMOVE:
            return [(others, math.sqrt(2))]
    raise InvalidInput(f"law={law}, adjacency={adjacency}: no theorem for this pair")


def _after_jacobian(epsilon: float, log_jacobian: float) -> float:
    """ε′ = ε − log J, rounded down."""
    epsilon, log_jacobian = positive(epsilon=epsilon), not_negative(log_jacobian=log_jacobian)
    left = epsilon - log_jacobian - ONE_STEP * (epsilon + log_jacobian)
    if left <= 0:
        raise _jacobian_too_large(epsilon)
    return left


def _jacobian_too_large(epsilon: float) -> MechanismRefused:
    return MechanismRefused(f"epsilon={shown(epsilon)}: the change of variables costs more, raise alpha or epsilon")


def _confirmed(sigma: float, holds: Callable[[float], bool]) -> float:
    """σ after a change of units, stepped up until the check that was made before it holds again."""
    step = FORMULA
    while not holds(_in_range(sigma)):
        sigma, step = sigma * (1 + step), step * 2
    return sigma


def _in_range(scale: float) -> float:
    if not 1e-300 < scale < 1e300:
        raise MechanismRefused(f"noise scale={shown(scale)}: out of the range of floating point, rescale the data")
    return scale


def _some_delta(delta: float) -> float:
    """Underflow would meet δ = 0, so a δ near it is refused."""
    if fraction(delta=delta) < SMALLEST_DELTA:
        raise MechanismRefused(f"delta={shown(delta)}: this noise needs delta >= 1e-300, use a pure mechanism")
    return float(delta)
