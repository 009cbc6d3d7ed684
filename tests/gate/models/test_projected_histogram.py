"""The projected histogram: its two sensitivities by search, the law of its counts, its split, its fit."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse, stats

from equipoise.audit import lower_bound
from equipoise.errors import LedgerFailure, MechanismRefused
from equipoise.gate import Bits, bits_from
from equipoise.gate.choices.select import permute_and_flip
from equipoise.gate.door import add_noise
from equipoise.gate.models import projected_histogram as histogram
from equipoise.inside import Private, Records, enter
from equipoise.inside.tables.histogram import Cells, cell_counts, column_scores
from equipoise.ledger import Entry, Ledger
from equipoise.theory import sensitivity
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Hinge, Huber, Logistic, Loss, Squared
from equipoise.theory.plan import Facts, StatisticsPlan
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected.  All draws are seeded, so nothing flickers."""

BOUNDS = Bounds(1.0, 0.5, label_range=(-1.0, 1.0), coef_norm=1.5)
CELLS = Cells(kept=2, reach=1, spacing=0.5, labels=3)


def facts_of(n: int = 2000, columns: int = 6, alpha: float = 0.001, loss: Loss | None = None) -> Facts:
    return Facts(loss or Squared(), L2(alpha), BOUNDS, n, columns + 1)


def table(n: int = 2000, columns: int = 6, seed: int = 0) -> tuple[Array, Array]:
    """One-hot columns of a half; the label follows the fourth and, less, the last."""
    rng = np.random.default_rng(seed)
    X: Array = np.where(rng.random((n, columns)) < 0.3, 0.5, 0.0)
    return X, np.clip(1.4 * X[:, min(3, columns - 1)] - 0.8 * X[:, -1] - 0.4 + 0.1 * rng.standard_normal(n), -1, 1)


def released(plan: StatisticsPlan, records: Private[Records], seed: int = 1) -> Array:
    with Ledger().reserve(plan.event) as entry:
        return histogram.release(records, plan, entry, bits_from(seed)).value


def one_record(x: tuple[float, ...], label: float, rest: tuple[Array, Array]) -> Private[Records]:
    return enter(np.vstack([[x], rest[0]]), np.append(label, rest[1]), BOUNDS)


# --- sensitivities ----------------------------------------------------------------------------------------------------


def corners() -> list[tuple[tuple[float, float], float]]:
    levels = (-0.7, 0.0, 0.7)
    return [((a, b), label) for a, b, label in itertools.product(levels, levels, (-1.0, 0.0, 1.0))]


def test_one_record_moves_the_counts_by_exactly_two_or_one() -> None:
    X, y = table(30, 2)
    counts = [cell_counts(one_record(*who, (X, y)), CELLS, (0, 1)).reveal() for who in corners()]
    moved = max(float(np.abs(a - b).sum()) for a, b in itertools.combinations(counts, 2))
    assert moved == 2 == sensitivity.of_counts(Adjacency.REPLACE_ONE)
    without = cell_counts(enter(X, y, BOUNDS), CELLS, (0, 1)).reveal()
    assert {float(np.abs(with_one - without).sum()) for with_one in counts} == {1.0}
    assert sensitivity.of_counts(Adjacency.ADD_REMOVE) == 1


def test_one_record_moves_a_score_by_nearly_the_bound_and_never_more() -> None:
    """The worst rest sits in one corner, so that the record in the opposite one is as far from the mean as can be."""
    cells = Cells(kept=1, reach=4, spacing=0.25, labels=9)
    bound = histogram.score_sensitivity(cells)
    ends = [((x,), label) for x, label in itertools.product((-1.0, 0.0, 1.0), (-1.0, 0.0, 1.0))]
    worst, added = 0.0, 0.0
    for x, label in ends:
        rest = np.tile(x, (60, 1)), np.full(60, label)
        scores = [float(column_scores(one_record(*who, rest), cells, 1).reveal()[0]) for who in ends]
        without = float(column_scores(enter(*rest, BOUNDS), cells, 1).reveal()[0])
        worst = max(worst, max(scores) - min(scores))
        added = max(added, *(abs(score - without) for score in scores))
    assert 0.9 * bound <= worst <= bound
    assert 0.9 * bound <= added <= bound


def test_scores_of_random_neighbours_stay_within_the_bound() -> None:
    bound = histogram.score_sensitivity(CELLS)
    for seed in range(40):
        X, y = table(12, 2, seed)
        scores = np.array([column_scores(one_record(*who, (X, y)), CELLS, 2).reveal() for who in corners()])
        assert np.ptp(scores, axis=0).max() <= bound


def test_counts_and_scores_are_whole_and_complete() -> None:
    records = enter(*table(), BOUNDS)
    counts, scores = cell_counts(records, CELLS, (3, 5)).reveal(), column_scores(records, CELLS, 6).reveal()
    assert counts.shape == (27,)
    assert counts.sum() == 2000
    assert np.array_equal(counts, np.rint(counts))
    assert np.array_equal(scores, np.rint(scores))
    assert list(np.argsort(-scores)[:2]) == [3, 5]


def test_sparse_and_dense_records_are_counted_alike() -> None:
    X, y = table(300)
    dense, thin = enter(X, y, BOUNDS), enter(sparse.csr_array(X), y, BOUNDS)
    counts = [cell_counts(records, CELLS, (0, 4)).reveal() for records in (dense, thin)]
    scores = [column_scores(records, CELLS, 6).reveal() for records in (dense, thin)]
    assert np.array_equal(counts[0], counts[1])
    assert np.array_equal(scores[0], scores[1])


@pytest.mark.parametrize("reach", histogram.REACHES)
def test_a_scaled_one_hot_column_has_levels_of_its_own(reach: int) -> None:
    cells = Cells(1, reach, 1.0 / max(2, reach), 3)
    X = np.array([[0.0], [0.5]])
    filled = np.flatnonzero(cell_counts(enter(X, np.zeros(2), BOUNDS), cells, (0,)).reveal())
    points, labels = cells.centres(filled)
    assert points[:, 0].tolist() == [0.0, 0.5]
    assert labels.tolist() == [0.0, 0.0]


# --- plan -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 0.3, 1.0, 7.7, 1e3, 1e6])
@pytest.mark.parametrize("n", [1, 60, 2800, 10**7])
def test_the_split_never_exceeds_the_budget(n: int, epsilon: float, adjacency: Adjacency) -> None:
    """In exact fractions, with the noise as it is really drawn: whole steps of the grid."""
    facts = replace(facts_of(n, 15), adjacency=adjacency)
    plan, made = histogram.plan(facts, Budget(epsilon)), histogram.layout(facts, epsilon)
    drawn = math.ceil(plan.noise.scale / plan.noise.step) * Fraction(plan.noise.step)
    counts = sensitivity.of_counts(adjacency) / drawn
    spent = made.cells.kept * Fraction(made.choice) + counts
    assert Fraction(0.998) * Fraction(epsilon) <= spent <= Fraction(epsilon)
    assert plan.event == PureRelease(epsilon)
    assert plan.noise.dim == made.cells.count <= histogram.MOST_CELLS
    assert plan.noise.step <= 1


def test_plan_is_pure_and_the_cells_grow_with_the_budget() -> None:
    assert histogram.plan(facts_of(), Budget(1.0)) == histogram.plan(facts_of(), Budget(1.0))
    made = [histogram.layout(facts_of(2800, 15), epsilon).cells for epsilon in (0.01, 0.1, 1.0, 10.0)]
    assert [cells.kept for cells in made] == sorted({cells.kept for cells in made})
    assert made[0].kept == 0


def test_columns_are_chosen_privately_only_when_there_is_a_choice() -> None:
    assert histogram.layout(facts_of(2800, 15), 1.0).choice > 0
    assert histogram.layout(facts_of(2800, 1), 1.0).choice == 0
    assert histogram.layout(facts_of(2800, 15), 0.01).choice == 0


def test_delta_is_not_used_and_the_notes_say_so() -> None:
    plan = histogram.plan(facts_of(), Budget(1.0, 1e-6))
    assert plan.event == PureRelease(1.0)
    assert plan.event.delta_numeric == 0
    assert any("delta=0" in note for note in plan.notes)
    assert plan.guarantee(seeded=False).delta == 1e-6


@pytest.mark.parametrize("loss", [Logistic(), Hinge(), Huber(0.5)], ids=str)
def test_other_losses_are_refused_by_name(loss: Loss) -> None:
    with pytest.raises(MechanismRefused, match=f'mechanism="projected-histogram".*{loss.name}'):
        histogram.plan(facts_of(loss=loss), Budget(1.0))


def test_too_many_columns_and_too_small_an_epsilon_are_refused() -> None:
    with pytest.raises(MechanismRefused, match="1000 columns"):
        histogram.plan(facts_of(columns=1001), Budget(1.0))
    with pytest.raises(MechanismRefused, match="epsilon"):
        histogram.plan(facts_of(), Budget(1e-14))


def test_predicted_risk_falls_with_the_budget() -> None:
    risks = [histogram.predict_risk(histogram.plan(facts_of(alpha=0.05), Budget(e))) for e in (0.1, 1.0, 10.0)]
    assert risks[0] > risks[1] > risks[2] > 0


# --- release ----------------------------------------------------------------------------------------------------------


def test_no_release_without_an_open_entry_for_this_plan() -> None:
    plan, records = histogram.plan(facts_of(), Budget(1.0)), enter(*table(), BOUNDS)
    with Ledger().reserve(plan.event) as closed:
        pass
    with Ledger().reserve(PureRelease(0.5)) as foreign:
        for entry in (closed, foreign):
            with pytest.raises(LedgerFailure):
                histogram.release(records, plan, entry, bits_from(1))


def noisy_counts(monkeypatch: pytest.MonkeyPatch, plan: StatisticsPlan, records: Private[Records], times: int) -> Array:
    """What goes through the door in many releases."""
    seen: list[Array] = []

    def watched(*given: Any) -> Array:
        seen.append(add_noise(*given))
        return seen[-1]

    monkeypatch.setattr(histogram, "add_noise", watched)
    bits = bits_from(4)
    for _ in range(times):
        with Ledger().reserve(plan.event) as entry:
            histogram.release(records, plan, entry, bits)
    monkeypatch.undo()
    return np.array(seen)


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_the_counts_have_the_planned_law(monkeypatch: pytest.MonkeyPatch, adjacency: Adjacency) -> None:
    """Two columns, both kept: the true counts are known, whatever the choice."""
    facts = replace(facts_of(columns=2), adjacency=adjacency)
    plan, made = histogram.plan(facts, Budget(1.0)), histogram.layout(facts, 1.0)
    assert made.choice == 0
    records = enter(*table(columns=2), BOUNDS)
    exact = cell_counts(records, made.cells, (0, 1)).reveal()
    noise = (noisy_counts(monkeypatch, plan, records, 60) - exact).ravel()
    claimed = sensitivity.of_counts(adjacency) / 1.0
    p_values = [float(stats.kstest(noise / (claimed * off), "laplace").pvalue) for off in (1.0, 1.3, 1 / 1.3)]
    assert p_values[0] > FALSE_ALARM
    assert max(p_values[1:]) < FALSE_ALARM


def test_an_attack_on_the_counts_comes_near_the_claim_and_catches_a_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Adding a record to an empty cell: there the noise's tail gives away all of ε."""
    facts = replace(facts_of(60, 1), adjacency=Adjacency.ADD_REMOVE)
    plan = histogram.plan(facts, Budget(1.5))
    sides = [enter(np.zeros((60 + more, 1)), np.append(np.zeros(60), np.ones(more)), BOUNDS) for more in (0, 1)]

    def attacked(shrink: float) -> float:
        twin = replace(plan, noise=replace(plan.noise, scale=plan.noise.scale * shrink))
        draws = [iter(noisy_counts(monkeypatch, twin, records, 1000)) for records in sides]
        found = lower_bound(lambda side: next(draws[side]), 0, 1, samples=1000, confidence=1 - FALSE_ALARM)
        return found.epsilon

    assert 0.2 * 1.5 <= attacked(1.0) <= 1.5
    assert attacked(0.25) > 1.5


def test_each_column_is_chosen_at_its_share_of_epsilon_and_never_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = histogram.plan(facts_of(), Budget(1.0))
    made, asked = histogram.layout(plan.facts, 1.0), []

    def watched(scores: Private[Array], sensitivity: float, epsilon: float, entry: Entry, bits: Bits) -> int:
        asked.append((len(scores.reveal()), sensitivity, epsilon))
        return permute_and_flip(scores, sensitivity, epsilon, entry, bits)

    monkeypatch.setattr(histogram, "permute_and_flip", watched)
    released(plan, enter(*table(), BOUNDS))
    moved = histogram.score_sensitivity(made.cells)
    assert made.cells.kept >= 2
    assert asked == [(6 - done, moved, made.choice) for done in range(made.cells.kept)]


def test_what_comes_out_depends_on_the_codes_alone() -> None:
    """Moving values within their cells changes nothing, given the same noise: the fit sees only counts."""
    X, y = table()
    rng = np.random.default_rng(5)
    moved = X + rng.uniform(-0.05, 0.05, X.shape)
    plan = histogram.plan(facts_of(), Budget(1.0))
    assert histogram.layout(plan.facts, 1.0).cells.reach == 1
    short = np.linalg.norm(X, axis=1) < 0.8  # not clipped, so that codes stay
    a, b = (enter(version[short], y[short], BOUNDS) for version in (X, moved))
    assert np.array_equal(released(plan, a), released(plan, b))


def test_with_next_to_no_privacy_the_fit_is_sensible_and_dropped_columns_are_zero() -> None:
    X, y = table(4000, 12)
    plan = histogram.plan(facts_of(4000, 12), Budget(20.0))
    kept = histogram.layout(plan.facts, 20.0).cells.kept
    value = released(plan, enter(X, y, BOUNDS))
    predicted = X @ value[:-1] + 0.5 * value[-1]
    assert 1 - np.mean((y - predicted) ** 2) / np.var(y) > 0.5
    assert value[3] > 0.3 > 0 > value[11]
    assert np.sum(value[:-1] == 0) == 12 - kept > 0


def test_at_epsilon_one_the_strongest_column_is_found() -> None:
    plan, records = histogram.plan(facts_of(), Budget(1.0)), enter(*table(), BOUNDS)
    values = np.array([released(plan, records, seed) for seed in range(20)])
    assert np.mean(values[:, 3] > 0.2) >= 0.95


@pytest.mark.parametrize("n", [1, 5, 300])
@pytest.mark.parametrize("epsilon", [1e-6, 1e-2, 30.0])
def test_tiny_budgets_and_tables_give_finite_coefficients_in_the_ball(n: int, epsilon: float) -> None:
    plan, records = histogram.plan(facts_of(n, alpha=1e-6), Budget(epsilon)), enter(*table(n), BOUNDS)
    for seed in range(5):
        value = released(plan, records, seed)
        assert np.all(np.isfinite(value))
        assert np.linalg.norm(value) <= 1.5 * (1 + 1e-12)


def test_an_empty_histogram_releases_the_published_centre() -> None:
    centre = (0.1, 0.2, 0.0, 0.0, 0.0, 0.0, -0.3)
    facts = replace(facts_of(), penalty=L2(0.1, centre))
    cells = histogram.layout(facts, 1.0).cells
    assert tuple(histogram._fit(np.zeros(cells.count), facts, cells, [0, 1][: cells.kept])) == centre


def test_without_intercept_and_with_a_single_column_the_slope_comes_out() -> None:
    x = np.linspace(-1, 1, 3000)[:, None]
    bounds = replace(BOUNDS, intercept=0.0)
    facts = Facts(Squared(), L2(1e-6), bounds, 3000, 1)
    value = released(histogram.plan(facts, Budget(10.0)), enter(x, 0.8 * x[:, 0], bounds))
    assert value[0] == pytest.approx(0.8, abs=0.1)


def test_add_remove_accepts_an_empty_table() -> None:
    facts = replace(facts_of(), adjacency=Adjacency.ADD_REMOVE)
    value = released(histogram.plan(facts, Budget(1.0)), enter(np.zeros((0, 6)), np.zeros(0), BOUNDS))
    assert np.all(np.isfinite(value))
