"""Validate and tune: exact selection laws on neighbours, the protocol's refusals, and twins that must be caught."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from numpy.polynomial import Polynomial
from scipy import stats

from equipoise.audit.frozen.statements import check_statement
from equipoise.errors import BudgetExhausted, InvalidInput, LedgerFailure, MechanismRefused
from equipoise.gate import bits_from
from equipoise.gate.choices.procedures import LipschitzScore, Procedure, Rows, StatedScore, betas_for
from equipoise.gate.choices.validate import Comparison, choose_best, coins_between, tune, validate
from equipoise.gate.noise import Bits
from equipoise.gate.noise.choice import Coins, random_order
from equipoise.inside import Private
from equipoise.ledger import Ledger
from equipoise.theory.events import ApproximateRelease, Composed, Event, GaussianRelease, PureRelease

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected.  Seeded, so it does not flicker."""

Array = npt.NDArray[np.float64]
Mean = Procedure[Array, float, Array, Array]
HOW = [Comparison(), Comparison(weights=(0.0, -1.0, -0.3)), Comparison(True), Comparison(True, (0.0, -1.0, -0.3))]
HOW_NAMES = ["plain", "weighted", "graded", "graded and weighted"]


def law(coins: Coins) -> list[float]:
    """Permute-and-flip: p_i·∫₀¹ Π(1 − t·p_j) dt over the others."""
    chance, found = [math.exp(-float(exponent)) for exponent in coins.exponents], []
    for place, own in enumerate(chance):
        product = Polynomial([1.0])
        for other in chance[:place] + chance[place + 1 :]:
            product = product * Polynomial([1.0, -other])
        found.append(own * float(product.integ()(1.0)))
    return found


def worst_ratio(betas: Sequence[float], how: Comparison, stated: float = 1.0) -> float:
    """Largest log-ratio at ε = 1 over scores that each move by all of their β; `stated` < 1 is a twin's share of it."""
    worst = 0.0
    told = [stated * beta for beta in betas]
    for start in itertools.product((0.0, 1.0, -12.0), repeat=3):
        left = np.array(start) * max(betas)
        before = law(coins_between(left, told, 1.0, how))
        for signs in itertools.product((-1.0, 1.0), repeat=3):
            after = law(coins_between(left + np.array(signs) * betas, told, 1.0, how))
            worst = max(worst, *(abs(math.log(p / q)) for p, q in zip(before, after, strict=True)))
    return worst


@pytest.mark.parametrize("how", HOW, ids=HOW_NAMES)
@pytest.mark.parametrize("betas", [(0.01, 0.01, 0.01), (0.001, 0.01, 0.2)], ids=str)
def test_neighbours_come_near_epsilon_but_not_past_it_and_half_of_beta_is_caught(
    betas: tuple[float, ...], how: Comparison
) -> None:
    equal = betas[0] == betas[1]
    assert (0.95 if equal and not how.graded else 0.45) <= worst_ratio(betas, how) <= 1 + 1e-9
    assert worst_ratio(betas, how, stated=0.5 if equal and not how.graded else 0.25) > 1.5


def test_choices_follow_the_exact_law() -> None:
    scores, betas = np.array([0.0, 0.02, 0.03]), [0.01, 0.01, 0.05]
    for how in HOW:
        expected = np.array(law(coins_between(scores, betas, 1.0, how)))
        bits = bits_from(5)
        with Ledger().reserve(PureRelease(1.0)) as entry:
            chosen = [choose_best(Private(scores), betas, 1.0, entry, bits, how) for _ in range(1000)]
        assert stats.chisquare(np.bincount(chosen, minlength=3), expected * 1000).pvalue > FALSE_ALARM


def test_weights_decide_among_equals_and_lose_to_evidence() -> None:
    weights = (0.0, math.log(1 / 3), math.log(1 / 9))
    for graded in (False, True):
        how = Comparison(graded, weights)
        tied = law(coins_between(np.zeros(3), [0.01] * 3, 1.0, how))
        assert tied[0] > 2 * tied[1] > 4 * tied[2]
        clear = law(coins_between(np.array([0.0, 0.0, 1.0]), [0.01] * 3, 1.0, how))
        assert clear[2] > 0.999


def test_grading_tells_steady_candidates_apart_where_one_scale_cannot() -> None:
    scores, betas = np.array([0.1, 0.0, 0.05]), [0.001, 0.001, 1.0]
    weights = (0.0, 0.0, -5.0)
    plain, graded = (law(coins_between(scores, betas, 1.0, Comparison(each, weights))) for each in (False, True))
    assert plain[0] < 0.6
    assert graded[0] > 0.9


# --- a whole validation, on a problem small enough to enumerate -------------------------------------------------------

ROWS = Rows(4, 4)


def clipped_mean(data: Array, setting: float, noise: Array) -> Array:
    return np.asarray(setting * (np.clip(data, -1, 1).mean() + noise))


def mean_procedure(stated: Callable[[float], float] | None = lambda setting: abs(setting) * 2 / 4) -> Mean:
    """A noisy mean: fixed noise, so it moves by 2/n."""
    return Procedure("mean", lambda bits: np.array([0.4 * random_order(2, bits)[0] - 0.5]), clipped_mean, stated)


def closeness(model: Array, held: Array) -> float:
    return -float(np.mean(np.minimum(np.abs(model[0] - held), 2.0)))


CLOSE: LipschitzScore[Array, Array] = LipschitzScore("closeness", closeness, lipschitz=1.0, cap=2.0)


SETTINGS = (-1.0, 1.0)
NOISES = [np.array([-0.5]), np.array([-0.1])]


def chances(training: Array, held: Array, noises: Sequence[Array], betas: Sequence[float]) -> Array:
    """The exact law of Validate: every draw of the noise, equally likely, and permute-and-flip given each."""
    laws = []
    for noise in noises:
        models = [clipped_mean(training, setting, noise) for setting in SETTINGS]
        scores = np.array([closeness(model, held) for model in models])
        laws.append(law(coins_between(scores, betas, 1.0, Comparison())))
    return np.asarray(np.mean(laws, axis=0))


def worst_of_neighbours(stated: float, redrawn: bool = False) -> float:
    """Over single replaced rows of either part; `redrawn` is a twin whose noise depends on its data."""
    betas = [stated * beta for beta in betas_for(mean_procedure(), SETTINGS, CLOSE, ROWS)]
    worst = 0.0
    for rest, seen in itertools.product((-1.0, 0.0, 1.0), (-1.0, 0.0, 1.0)):
        tables = [np.array([first, 1.0, -1.0, rest]) for first in (-1.0, 1.0)]
        helds = [np.array([first, 1.0, 1.0, seen]) for first in (-1.0, 1.0)]
        for one, other in (((0, 1), (1, 1)), ((0, 0), (0, 1))):
            pair = [
                chances(tables[t], helds[h], NOISES[t : t + 1] if redrawn else NOISES, betas) for t, h in (one, other)
            ]
            worst = max(worst, float(np.abs(np.log(pair[0] / pair[1])).max()))
    return worst


def test_validate_is_epsilon_private_on_every_neighbour_tried_and_twins_are_not() -> None:
    assert 0.9 <= worst_of_neighbours(1.0) <= 1.0
    assert worst_of_neighbours(0.5) > 1.4, "half of beta goes unnoticed"
    assert worst_of_neighbours(1.0, redrawn=True) > 1.4, "noise that is drawn again for each table goes unnoticed"


def test_validate_itself_has_that_law() -> None:
    training, held = np.array([1.0, -1.0, 1.0, 1.0]), np.array([1.0, 1.0, 0.0, 1.0])
    procedure = mean_procedure()
    expected = chances(training, held, NOISES, betas_for(procedure, SETTINGS, CLOSE, ROWS))
    bits, parts = bits_from(2), (Private(training), Private(held))
    with Ledger().reserve(PureRelease(1.0)) as entry:
        chosen = [validate(procedure, SETTINGS, CLOSE, *parts, ROWS, 1.0, entry, bits) for _ in range(1500)]
    assert stats.chisquare(np.bincount(chosen, minlength=2), expected * 1500).pvalue > FALSE_ALARM


# --- the protocol -----------------------------------------------------------------------------------------------------


def hidden_flip(data: Array, setting: float, noise: Array) -> Array:
    """±1 by a fair coin, turned over if the first record is positive: its law is the same for all data."""
    return np.asarray(np.where(noise > 0, 1.0, -1.0) * (-1.0 if data[0] > 0 else 1.0))


def flipping(stated: Callable[[float], float] | None) -> Mean:
    return Procedure("hidden flip", lambda bits: np.array([random_order(2, bits)[0] - 0.5]), hidden_flip, stated)


NEIGHBOURS = [(np.array([1.0, 0.0, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0, 0.0]))]


def test_perfectly_private_training_that_is_not_steady_is_refused_and_a_false_statement_caught() -> None:
    """It tells nothing about the data by itself, but its score on held-out rows would."""
    laws = [sorted(hidden_flip(data, 1.0, np.array([noise]))[0] for noise in (-0.5, 0.5)) for data in NEIGHBOURS[0]]
    assert laws[0] == laws[1], "the example should be private"
    with pytest.raises(MechanismRefused, match="'hidden flip': states no training stability"):
        betas_for(flipping(None), [1.0], CLOSE, ROWS)
    with pytest.raises(MechanismRefused, match="'hidden flip': states no training stability"):
        check_statement(flipping(None), 1.0, NEIGHBOURS, bits_from(0))
    with pytest.raises(MechanismRefused, match="moved 4 times as far"):
        check_statement(flipping(lambda setting: 0.5), 1.0, NEIGHBOURS, bits_from(0))
    assert check_statement(flipping(lambda setting: 2.0), 1.0, NEIGHBOURS, bits_from(0)) == 1.0


def test_training_that_draws_noise_behind_the_protocols_back_is_caught() -> None:
    hidden = bits_from(3)

    def fit(data: Array, setting: float, noise: Array) -> Array:
        return clipped_mean(data, setting, np.array([random_order(9, hidden)[0] - 4.0]))

    twin: Mean = Procedure("redrawn", lambda bits: np.zeros(1), fit, lambda setting: 0.5)
    with pytest.raises(MechanismRefused, match="redrawn"):
        check_statement(twin, 1.0, NEIGHBOURS, bits_from(0))
    assert check_statement(mean_procedure(), 1.0, NEIGHBOURS, bits_from(0)) == pytest.approx(1.0)


def test_a_score_may_state_both_betas_outright() -> None:
    score: StatedScore[Array, Array] = StatedScore("closeness", closeness, beta1=2.0, beta2=4.0)
    assert betas_for(mean_procedure(None), [1.0], score, Rows(4, 16)) == [0.5]
    assert betas_for(mean_procedure(None), [1.0], score, Rows(400, 16)) == [0.25]


def test_bad_statements_and_empty_lists_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no candidate"):
        betas_for(mean_procedure(), [], CLOSE, ROWS)
    for wrong in (-1.0, math.nan, 0.0):
        with pytest.raises(InvalidInput, match="stability"):
            betas_for(mean_procedure(lambda setting, wrong=wrong: wrong), [1.0], CLOSE, ROWS)  # type: ignore[misc]
        with pytest.raises(InvalidInput):
            betas_for(mean_procedure(), [1.0], replace(CLOSE, lipschitz=wrong), ROWS)
    with pytest.raises(InvalidInput):
        Rows(0, 3)
    with Ledger().reserve(PureRelease(1.0)) as entry, pytest.raises(InvalidInput, match="one number for each"):
        choose_best(Private(np.zeros((2, 2))), [1.0, 1.0], 1.0, entry, bits_from(0))


def test_no_choice_without_an_open_entry_that_pays_for_it() -> None:
    with Ledger().reserve(PureRelease(1.0)) as closed:
        pass
    parts = Private(np.ones(4)), Private(np.ones(4))
    with pytest.raises(LedgerFailure):
        validate(mean_procedure(), [1.0], CLOSE, *parts, ROWS, 1.0, closed, bits_from(0))
    too_little: list[Event] = [
        PureRelease(0.5),
        GaussianRelease(9.0),
        Composed((PureRelease(0.5), GaussianRelease(9.0))),
    ]
    for event in too_little:
        with Ledger().reserve(event) as entry, pytest.raises(LedgerFailure):
            validate(mean_procedure(), [1.0], CLOSE, *parts, ROWS, 1.0, entry, bits_from(0))
    enough: list[Event] = [ApproximateRelease(1.0, 1e-6), Composed((PureRelease(1.0), GaussianRelease(0.1)))]
    for event in enough:
        with Ledger().reserve(event) as entry:
            assert validate(mean_procedure(), [1.0], CLOSE, *parts, ROWS, 1.0, entry, bits_from(0)) == 0


def test_stability_that_may_fail_is_paid_for_with_delta() -> None:
    shaky = replace(mean_procedure(), delta=1e-3)
    ledger = Ledger()
    tuned(shaky, ledger)
    assert [record.event for record in ledger.entries()] == [
        Composed((ApproximateRelease(20.0, 1e-3), PureRelease(3.0)))
    ]
    parts = Private(np.ones(4)), Private(np.ones(4))
    too_little: list[Event] = [PureRelease(1.0), ApproximateRelease(1.0, 1e-4)]
    for event in too_little:
        with Ledger().reserve(event) as entry, pytest.raises(LedgerFailure):
            validate(shaky, [1.0], CLOSE, *parts, ROWS, 1.0, entry, bits_from(0))
    with pytest.raises(InvalidInput, match="delta"):
        replace(shaky, delta=1.0)


# --- from the choice to the release -----------------------------------------------------------------------------------


def tuned(procedure: Mean, ledger: Ledger | None = None, seed: int = 1, epsilon: float = 20.0) -> tuple[int, Array]:
    data = np.array([1.0, 1.0, 1.0, 0.9])
    return tune(
        procedure,
        [-1.0, 0.0001, 1.0],
        CLOSE,
        data,
        np.ones(4),
        np.concatenate([data, np.ones(4)]),
        ROWS,
        epsilon=epsilon,
        fit_event=PureRelease(3.0),
        ledger=ledger,
        random_state=seed,
    )


def watched(seen: list[Array], reuse: bool = False) -> Mean:
    """Remembers what was drawn; `reuse` is a twin that hands the first draw out again."""

    def draw(bits: Bits) -> Array:
        fresh = np.array([float(bits.words(1)[0]) / 2**64])
        seen.append(seen[0] if reuse and len(seen) % 2 else fresh)
        return seen[-1]

    return Procedure("mean", draw, clipped_mean, lambda setting: abs(setting) * 2 / 4)


def test_a_strangers_procedure_is_tuned_under_one_reservation() -> None:
    ledger = Ledger(30.0)
    best, model = tuned(mean_procedure(), ledger)
    assert best in (1, 2)
    assert model.shape == (1,)
    (record,) = ledger.entries()
    assert (record.state, record.event) == ("committed", Composed((PureRelease(20.0), PureRelease(3.0))))
    with pytest.raises(BudgetExhausted):
        tuned(mean_procedure(), ledger)
    fresh = Ledger()
    with pytest.raises(MechanismRefused):
        tuned(mean_procedure(None), fresh)
    assert not fresh.entries()


def correlation(reuse: bool) -> float:
    pairs = []
    for seed in range(60):
        seen: list[Array] = []
        best, model = tuned(watched(seen, reuse), seed=seed)
        assert len(seen) == 2, "candidates and the fit that leaves draw randomness of their own"
        tried, _ = seen
        pairs.append((tried[0], model[0] / (-1.0, 0.0001, 1.0)[best]))
    return float(np.corrcoef(np.array(pairs).T)[0, 1])


def test_the_released_fit_has_noise_that_the_choice_has_not_seen_and_a_twin_that_reuses_it_is_caught() -> None:
    """The choice says something about the noise it saw: the same noise, released, would cost more than was paid."""
    assert abs(correlation(reuse=False)) < 0.6, "5 standard errors of 60 pairs"
    assert correlation(reuse=True) > 0.99
