"""How many rows for error α at ε, and what error at n rows and ε: the theorems of Dwork and Feldman 2018, corrected.

Every theorem has a pair of functions, `rows_for_…` and `error_of_…`; the second is the inverse of the first, the least
α for which n rows are enough.  They are worst-case promises about one answer at price ε: a real table usually does much
better.  For k answers give the ε of one of them.  Statements with their proofs: docs/reference/calculators.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.optimize import minimize_scalar

from equipoise._checks import not_negative, number, positive, shown, whole
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.prediction.shards import voters_for, walk_reach
from equipoise.theory.rounding import FORMULA, ONE_STEP, WELL_CLEAR, down, up

RowsFor = Callable[[float], float]
"""Rows a learner without privacy needs for an expected error of at most its argument."""

RowsWithin = Callable[[float, float], float]
"""Rows it needs for an excess of at most the first argument, but for a chance of the second."""

MOST_ROWS = 2**62
SMALLEST_ERROR = 1e-9


def one_inclusion(vc_dimension: int) -> RowsFor:
    """Some learner errs at most d/(m + 1) in expectation after m rows that a class of VC dimension d fits exactly
    (Haussler, Littlestone, Warmuth 1994)."""
    dimension = whole(vc_dimension=vc_dimension)
    return lambda error: max(1, math.ceil(dimension / error) - 1)


def finite_class(size: int) -> RowsWithin:
    """The best of `size` predictors on m rows is within √(2·ln(2·size/β)/m) of the best of all, losses in [0, 1]
    (Hoeffding's bound on both sides of every mean)."""
    count = whole(size=size)
    return lambda excess, failure: math.ceil(2 * math.log(2 * count / failure) / excess**2)


def vote_error(base_error: float, voters: int, epsilon: float) -> float:
    """The largest expected error of a soft vote of two classes among `voters` that err `base_error` on average.

    The maximum over all laws of the share q of voters that are wrong, with mean `base_error`: a query is then answered
    wrongly with probability 1/(1 + e^{εr(½ − q)}).  Theorem 4.1 bounds it by 3·base_error + e^{−εr/6}.
    """
    mean, steep = _share(base_error=base_error), positive(epsilon=epsilon) * whole(voters=voters)

    def wrong(share: float) -> float:
        return 1 / (1 + math.exp(min(steep * (0.5 - share), 700.0)))

    # Convex up to ½ and concave from there: the worst law mixes no wrong voter with one share above ½.
    turn = minimize_scalar(lambda q: -(wrong(q) - wrong(0.0)) / q, bounds=(0.5, 1.0), method="bounded").x
    if mean >= turn:
        return wrong(mean)
    steepest = max((wrong(q) - wrong(0.0)) / q for q in (0.5, float(turn), 1.0))
    return min(1.0, up(wrong(0.0) + mean * steepest, WELL_CLEAR))


def rows_for_vote(alpha: float, epsilon: float, rows_for: RowsFor) -> int:
    """Theorem 4.1, data that some hypothesis fits: r = ⌈6 ln(4/α)/ε⌉ shards of `rows_for(α/4)` rows err at most α."""
    alpha = _share(alpha=alpha)
    return _rows(voters_for(epsilon, alpha) * rows_for(alpha / 4))


def error_of_vote(n: int, epsilon: float, rows_for: RowsFor) -> float:
    """The least α that Theorem 4.1 promises with n rows; 1 where it promises nothing."""
    return _least_error(lambda alpha: rows_for_vote(alpha, epsilon, rows_for), n)


def rows_for_average(
    alpha: float, epsilon: float, rows_within: RowsWithin, *, failure: float = 0.05, lipschitz: float = 1.0
) -> int:
    """Corollary 4.7, any data, convex loss: r = ⌈2L/(αε)⌉ shards of `rows_within(α/2, failure/r)` rows, averaged.

    Predictions lie in [0, 1], the loss is L-Lipschitz in them, and Laplace noise of scale 1/(rε) is added.  The excess
    is at most α but for a chance `failure` over the rows.  (Printed with 2βαε for a shard's chance; r of them need
    βαε/2.)
    """
    alpha, slope = _share(alpha=alpha), positive(lipschitz=lipschitz)
    shards = math.ceil(2 * slope / (alpha * positive(epsilon=epsilon)))
    return _rows(shards * rows_within(alpha / 2, _share(failure=failure) / shards))


def error_of_average(
    n: int, epsilon: float, rows_within: RowsWithin, *, failure: float = 0.05, lipschitz: float = 1.0
) -> float:
    """The least excess that Corollary 4.7 promises with n rows; 1 where it promises nothing."""
    return _least_error(
        lambda alpha: rows_for_average(alpha, epsilon, rows_within, failure=failure, lipschitz=lipschitz), n
    )


def rows_for_stable(alpha: float, epsilon: float, *, coef_norm: float = 1.0, lipschitz: float = 1.0) -> int:
    """Corollary 4.11, corrected: ⌈4R²L²(1 + ε)/(εα²)⌉ rows for expected excess α over the best ‖w‖ ≤ R = `coef_norm`.

    `lipschitz` is L, of the loss in w: row norm times slope.  The ridge is `StablePredictor(alpha="corollary")`'s.
    """
    scale = (2 * positive(coef_norm=coef_norm) * positive(lipschitz=lipschitz) / positive(alpha=alpha)) ** 2
    return _rows(math.ceil(down(scale * (1 + positive(epsilon=epsilon)) / epsilon, FORMULA)))


def error_of_stable(n: int, epsilon: float, *, coef_norm: float = 1.0, lipschitz: float = 1.0) -> float:
    """2RL√((1 + ε)/(nε)) (printed with 4)."""
    scale = 2 * positive(coef_norm=coef_norm) * positive(lipschitz=lipschitz)
    return scale * math.sqrt((1 + positive(epsilon=epsilon)) / (whole(n=n) * epsilon))


@dataclass(frozen=True, slots=True)
class OnePass:
    """What Theorem 4.12 asks of the loss: slope and curvature in the score, row norm, and the ball's radius."""

    coef_norm: float = 1.0
    row_norm: float = 1.0
    slope: float = 1.0
    curvature: float = 0.25

    def __post_init__(self) -> None:
        positive(coef_norm=self.coef_norm)
        positive(row_norm=self.row_norm)
        positive(slope=self.slope)
        positive(curvature=self.curvature)

    @property
    def regret(self) -> float:
        """R·L, over √n."""
        return self.coef_norm * self.row_norm * self.slope

    @property
    def fewest(self) -> int:
        """From here on the step R/(L√n) is within 2/(curvature·B²)."""
        return max(1, math.ceil((self.coef_norm * self.row_norm * self.curvature / (2 * self.slope)) ** 2))

    def noise(self, epsilon: float) -> float:
        """4σR²B²/ε², over n."""
        return 4 * self.curvature * (self.coef_norm * self.row_norm / positive(epsilon=epsilon)) ** 2


def rows_for_one_pass(alpha: float, epsilon: float, problem: OnePass) -> int:
    """Corollary 4.13, its noise term times four: least n with RL/√n + 4σR²B²/(nε²) ≤ α and an allowed step."""
    noise, regret, alpha = problem.noise(epsilon), problem.regret, positive(alpha=alpha)
    root = (regret + math.sqrt(regret**2 + 4 * noise * alpha)) / (2 * alpha)
    return _rows(max(problem.fewest, math.ceil(down(root**2, FORMULA))))


def error_of_one_pass(n: int, epsilon: float, problem: OnePass) -> float:
    """RL/√n + 4σR²B²/(nε²); infinite where the step would be too long."""
    if whole(n=n) < problem.fewest:
        return math.inf
    return problem.regret / math.sqrt(n) + problem.noise(epsilon) / n


@dataclass(frozen=True, slots=True)
class WalkSetting:
    """What to give `ThresholdPredictor`: a price, never above the one allowed, and an accuracy at the stops."""

    epsilon: float
    accuracy: float


def walk_bound(n: int, setting: WalkSetting, intervals: int = 1, best_error: float = 0.0) -> float:
    """Theorem 5.3 for any data: expected error at a new row at most
    (1 + ½·tanh(ε/4))·`best_error` + accuracy/2 + (2k(T + ½) + T/2)/(n + 1).

    `best_error` is that of the best union of k = `intervals` intervals; T = ⌈2 ln(2/accuracy)/ε⌉.
    """
    reach = walk_reach(setting.epsilon, setting.accuracy)
    turning = 2 * whole(intervals=intervals) * (reach + 0.5) + reach / 2
    missed = (1 + math.tanh(setting.epsilon / 4) / 2) * _error(best_error)
    return min(1.0, missed + setting.accuracy / 2 + turning / (whole(n=n) + 1))


def walk_setting(alpha: float, epsilon: float, best_error: float = 0.0) -> WalkSetting:
    """For excess α: where intervals fit exactly, half for the stops; else a quarter, and a quarter for the drift.

    On data that no intervals fit, a slower walk (a smaller ε, hence more privacy) follows the noise in labels less.
    """
    alpha, epsilon, missed = _share(alpha=alpha), positive(epsilon=epsilon), _error(best_error)
    if missed == 0:
        return WalkSetting(epsilon, alpha)
    drift = alpha / (2 * missed)  # ½·tanh(ε/4)·missed ≤ α/4
    return WalkSetting(min(epsilon, 4 * math.atanh(drift)) if drift < 1 else epsilon, alpha / 2)


def rows_for_walk(alpha: float, epsilon: float, intervals: int = 1, best_error: float = 0.0) -> int:
    """Theorem 5.3, with the ceiling of T: rows for expected error at most `best_error` + α by `walk_setting`."""
    setting = walk_setting(alpha, epsilon, best_error)
    reach = walk_reach(setting.epsilon, setting.accuracy)
    turning = 2 * whole(intervals=intervals) * (reach + 0.5) + reach / 2
    return _rows(max(1, math.ceil(up(2 * turning / alpha, ONE_STEP)) - 1))


def error_of_walk(n: int, epsilon: float, intervals: int = 1, best_error: float = 0.0) -> float:
    """The least excess that Theorem 5.3 promises with n rows; 1 where it promises nothing."""
    return _least_error(lambda alpha: rows_for_walk(alpha, epsilon, intervals, best_error), n)


def _least_error(rows: Callable[[float], int], n: int) -> float:
    """The least α for which n rows do.  `rows` falls as α grows."""

    def enough(alpha: float) -> bool:
        try:
            return rows(alpha) <= n
        except (InvalidInput, MechanismRefused):  # more rows, or shards, than can be counted
            return False

    n, low, high = whole(n=n), SMALLEST_ERROR, 1 - 1e-12
    if rows(high) > n:  # not caught: a parameter that is refused here is refused everywhere
        return 1.0
    for _ in range(64):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _rows(count: float) -> int:
    if not count < MOST_ROWS:
        raise InvalidInput("alpha: so small that no table has rows enough, raise it or epsilon")
    return max(1, math.ceil(count))


def _share(**named: float) -> float:
    ((name, value),) = named.items()
    if not 0 < number(**named) < 1:
        raise InvalidInput(f"{name}={shown(value)}: must be above 0 and below 1")
    return float(value)


def _error(best_error: float) -> float:
    if not_negative(best_error=best_error) > 1:
        raise InvalidInput(f"best_error={shown(best_error)}: must be in [0, 1]")
    return float(best_error)
