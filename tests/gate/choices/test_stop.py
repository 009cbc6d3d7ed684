"""The best of a random number of runs: the law of their number, exact laws of the best, and twins that are caught."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

import equipoise as eq
from equipoise.gate import bits_from
from equipoise.gate.choices.select import grid_for, steps_moved
from equipoise.gate.choices.stop import UNIT, RunLaw, ScoreNoise, StopPlan, best_of, run_law
from equipoise.inside import Private
from equipoise.theory.accounting.selection import PoissonStop, Stop, TruncatedNegativeBinomial, random_stop
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Gaussian, Pure, Renyi

Array = npt.NDArray[np.float64]
FALSE_ALARM = 1e-6
STOPS: list[Stop] = [
    TruncatedNegativeBinomial(1.0, 0.1),
    TruncatedNegativeBinomial(0.0, 0.03),
    TruncatedNegativeBinomial(-0.5, 0.02),
    TruncatedNegativeBinomial(2.5, 0.4),
    PoissonStop(6.0),
]


def chances(law: RunLaw) -> dict[int, Fraction]:
    """The drawn law, exactly; what is left over goes to the smallest number."""
    starts = (0, *law.ends[:-1])
    found = {
        law.fewest + at: Fraction(end - start, UNIT)
        for at, (start, end) in enumerate(zip(starts, law.ends, strict=True))
    }
    found[law.fewest] += Fraction(UNIT - law.ends[-1], UNIT)
    return found


# --- how many runs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", STOPS, ids=repr)
def test_the_number_of_runs_has_the_law_asked_for(stop: Stop) -> None:
    law = run_law(stop)
    found = chances(law)
    assert sum(found.values()) == 1
    assert law.distance <= 2.0**-150
    for runs in range(law.fewest, 40):
        assert float(found[runs]) == pytest.approx(stop.pmf(runs), rel=1e-9)
    assert float(sum(runs * chance for runs, chance in found.items())) == pytest.approx(stop.mean, rel=1e-9)


def test_the_geometric_table_is_the_exact_law_rounded_down() -> None:
    law = run_law(TruncatedNegativeBinomial(1.0, 0.4))
    gamma, found, far = Fraction(0.4), chances(law), Fraction(0)
    for runs in range(1, law.most + 1):
        exact = gamma * (1 - gamma) ** (runs - 1)
        far += abs(found[runs] - exact)
    far += (1 - gamma) ** law.most
    assert far / 2 <= Fraction(law.distance)


@pytest.mark.parametrize("stop", STOPS, ids=repr)
def test_draws_follow_the_table(stop: Stop) -> None:
    law, bits, tries = run_law(stop), bits_from(11), 4000
    seen = Counter(min(law.draw(bits), 12) for _ in range(tries))
    expected = [float(chances(law)[runs]) for runs in range(law.fewest, 12)]
    expected.append(1 - sum(expected))
    observed = [seen[runs] for runs in range(law.fewest, 13)]
    kept = [at for at, chance in enumerate(expected) if chance * tries > 5]
    rest = (tries - sum(observed[at] for at in kept), 1 - sum(expected[at] for at in kept))
    counts, shares = [observed[at] for at in kept] + [rest[0]], [expected[at] for at in kept] + [rest[1]]
    if shares[-1] * tries < 1e-6:
        counts, shares = counts[:-1], shares[:-1]
    assert stats.chisquare(counts, np.array(shares) / sum(shares) * sum(counts)).pvalue > FALSE_ALARM


def test_laws_that_never_end_are_refused() -> None:
    for stop in (TruncatedNegativeBinomial(1.0, 1e-5), TruncatedNegativeBinomial(1e-12, 0.1)):
        with pytest.raises(eq.InvalidInput, match="stop"):
            run_law(stop)


# --- the best of them, exactly ----------------------------------------------------------------------------------------


def best_law(run: Array, numbers: dict[int, Fraction]) -> Array:
    """Chances that each output, in rising order of score, is the best: G(F) differences, G the generating function."""
    counts = np.array(list(numbers), dtype=float)
    weights = np.array([float(chance) for chance in numbers.values()])
    reached = np.array([float(weights @ np.minimum(1.0, below) ** counts) for below in np.cumsum(run)])
    return np.diff(reached, prepend=float(weights[0]) if 0 in numbers else 0.0)


def furthest(left: Array, right: Array) -> float:
    return float(np.max(np.abs(np.log(left / right))))


def three_outputs(epsilon: float) -> tuple[Array, Array]:
    """A pure ε run that makes the most of stopping: one output falls while everything better rises."""
    middle, top = 1e-4, 0.2 / math.exp(epsilon)
    here = np.array([1 - middle - top, middle, top])
    there = np.array([0.0, middle * math.exp(-epsilon), top * math.exp(epsilon)])
    there[0] = 1 - there[1:].sum()
    return here, there


@pytest.mark.parametrize("eta", [1.0, 0.0])
def test_an_attack_reaches_nine_tenths_of_the_pure_bound_and_never_passes_it(eta: float) -> None:
    epsilon = 0.3
    stop = TruncatedNegativeBinomial(eta, 0.002)
    here, there = three_outputs(epsilon)
    assert furthest(here, there) == pytest.approx(epsilon)
    numbers = chances(run_law(stop))
    bound = random_stop(Pure(epsilon), stop)
    assert bound == Pure((2 + eta) * epsilon)
    assert 0.9 * bound.epsilon <= furthest(best_law(here, numbers), best_law(there, numbers)) <= bound.epsilon


def test_a_fixed_number_of_runs_claimed_as_random_is_caught() -> None:
    epsilon = 0.2
    truth = 1 / (1 + math.exp(-epsilon))
    here, there = np.array([truth, 1 - truth]), np.array([1 - truth, truth])
    stop = TruncatedNegativeBinomial(1.0, 1 / 20)
    honest = chances(run_law(stop))
    claim = random_stop(Pure(epsilon), stop)
    assert isinstance(claim, Pure)
    assert furthest(best_law(here, honest), best_law(there, honest)) <= claim.epsilon
    twin = {20: Fraction(1)}
    assert furthest(best_law(here, twin), best_law(there, twin)) > 6 * claim.epsilon


@pytest.mark.parametrize("stop", STOPS, ids=repr)
def test_no_random_small_run_passes_the_bounds_it_was_sold_under(stop: Stop) -> None:
    """Pure and Rényi, by enumeration with the very table that is drawn from."""
    rng, numbers = np.random.default_rng(4), chances(run_law(stop))
    for epsilon in (0.05, 0.5, 2.0):
        pure, curve = random_stop(Pure(epsilon), stop), random_stop(Pure(epsilon), stop, 1e-6)
        orders = np.array(curve.orders if isinstance(curve, Renyi) else (1.5, 2.0, 8.0, 64.0))
        allowed = np.array(curve.epsilons) if isinstance(curve, Renyi) else np.full(4, curve.epsilon)
        for _ in range(30):
            here = rng.dirichlet(np.full(4, 0.4)) + 1e-9
            there = here * np.exp(rng.choice([-0.5, 0.5], size=4) * epsilon)
            here, there = here / here.sum(), there / there.sum()
            assert furthest(here, there) <= epsilon * (1 + 1e-9)
            left, right = best_law(here, numbers), best_law(there, numbers)
            assert isinstance(pure, Pure)
            assert furthest(left, right) <= pure.epsilon * (1 + 1e-9)
            for order, most in zip(orders[::20], allowed[::20], strict=True):
                powers = order * np.log(left) + (1 - order) * np.log(right)
                divergence = float(np.logaddexp.reduce(powers)) / (order - 1)
                assert divergence <= most + 1e-9


# --- scores -----------------------------------------------------------------------------------------------------------


def test_score_noise_hides_a_record_exactly_and_half_of_it_would_not() -> None:
    for epsilon in (0.05, 1.0, 7.0):
        noise = ScoreNoise(1 / 50, Pure(epsilon))
        moved = steps_moved(noise.sensitivity, grid_for(noise.sensitivity))
        scale = math.ceil(moved / Fraction(epsilon))
        assert 0.999 * epsilon <= Fraction(moved, scale) <= epsilon
        assert noise.scale == pytest.approx(1 / 50 / epsilon, rel=1e-5)
        assert Fraction(moved, scale // 2) > epsilon
        assert noise.slack.epsilon == noise.slack.tail == 0


@pytest.mark.parametrize("hides", [Pure(0.5), Gaussian(0.5)], ids=repr)
def test_score_noise_has_the_spread_it_states(hides: Any) -> None:
    noise, bits = ScoreNoise(0.01, hides), bits_from(3)
    step = grid_for(0.01).step
    drawn = np.array([noise.draw(bits) for _ in range(2000)]) * step
    spread = noise.scale * (math.sqrt(2) if isinstance(hides, Pure) else 1.0)
    assert np.std(drawn) == pytest.approx(spread, rel=0.15)  # five standard errors and more, at a fixed seed
    law = stats.laplace(scale=noise.scale) if isinstance(hides, Pure) else stats.norm(scale=noise.scale)
    assert stats.kstest(drawn, law.cdf).pvalue > FALSE_ALARM


# --- the door ---------------------------------------------------------------------------------------------------------

EVENT = PureRelease(1.0)
PLAN = StopPlan(TruncatedNegativeBinomial(1.0, 0.2), ScoreNoise(0.1, Pure(0.3)), EVENT)


def test_only_the_best_model_comes_out_and_public_scores_need_no_noise() -> None:
    made: list[int] = []

    def run() -> tuple[int, float]:
        made.append(len(made))
        return made[-1], float(-abs(made[-1] - 2))

    for seed in range(6):
        made.clear()
        with eq.Ledger().reserve(EVENT) as entry:
            assert best_of(PLAN, run, entry, bits_from(seed)) == min(2, len(made) - 1)


def test_of_equal_scores_the_first_is_kept() -> None:
    made = iter(range(1000))
    with eq.Ledger().reserve(EVENT) as entry:
        assert best_of(PLAN, lambda: (next(made), 1.0), entry, bits_from(0)) == 0


def test_no_run_gives_no_model() -> None:
    plan = StopPlan(PoissonStop(1e-6), None, EVENT)
    with eq.Ledger().reserve(EVENT) as entry:
        assert best_of(plan, lambda: ("model", 1.0), entry, bits_from(0)) is None


def test_nothing_runs_unless_this_very_search_was_paid_for() -> None:
    def run() -> Any:
        raise AssertionError("a run was made")

    ledger = eq.Ledger()
    with ledger.reserve(PureRelease(2.0)) as entry, pytest.raises(eq.LedgerFailure, match="something else"):
        best_of(PLAN, run, entry, bits_from(0))
    with ledger.reserve(EVENT) as entry:
        entry.commit()
        with pytest.raises(eq.LedgerFailure, match="closed"):
            best_of(PLAN, run, entry, bits_from(0))


def test_a_private_score_is_never_opened_without_noise() -> None:
    plan = StopPlan(PLAN.stop, None, EVENT)
    with eq.Ledger().reserve(EVENT) as entry, pytest.raises(eq.LedgerFailure, match="needs noise"):
        best_of(plan, lambda: ("model", Private(np.array([0.5]))), entry, bits_from(0))


@pytest.mark.parametrize(
    "wrong", [(0.0, Pure(1.0)), (-1.0, Pure(1.0)), (0.1, Pure(0.0)), (0.1, Gaussian(0.0))], ids=repr
)
def test_noise_that_hides_nothing_is_refused(wrong: Any) -> None:
    with pytest.raises(eq.InvalidInput):
        ScoreNoise(*wrong)
