"""The audit's own audit: it comes near the truth where the truth is known, and does not pass it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.stats import binom

from equipoise.audit import Claim, LowerBound, lower_bound, plot, samples_needed
from equipoise.audit.bounds import lower_bounds
from equipoise.audit.bounds.intervals import refutes, share_above, share_below
from equipoise.audit.bounds.methods import GRID
from equipoise.errors import BudgetExhausted, InvalidInput
from equipoise.theory.accounting.convert import epsilon_of, renyi_curve
from equipoise.theory.guarantees import Gaussian, Pure

Array = npt.NDArray[np.float64]
Batch = Callable[[Any, int], Any]

FALSE_ALARM = 1e-6
"""Chance that a test which counts wrong bounds fails although every bound is valid."""

MANY = 100_000


def laplace(seed: int, epsilon: float = 1.0) -> Batch:
    draw = np.random.default_rng(seed)
    return lambda data, count: data + draw.laplace(scale=1 / epsilon, size=count)


def gaussian(seed: int, mu: float = 1.0) -> Batch:
    draw = np.random.default_rng(seed)
    return lambda data, count: data + draw.normal(scale=1 / mu, size=count)


def response(seed: int, epsilon: float = 1.0) -> Batch:
    draw = np.random.default_rng(seed)
    honest = 1 / (1 + math.exp(-epsilon))
    return lambda data, count: np.where(draw.random(count) < honest, data, 1 - data)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("release", [laplace, response])
def test_pure_releases_are_measured_to_85_per_cent(
    release: Callable[[int, float], Batch], epsilon: float, seed: int
) -> None:
    found = lower_bound(release(seed, epsilon), 0, 1, samples=MANY, batch=True)
    assert 0.85 * epsilon <= found.epsilon <= epsilon


@pytest.mark.parametrize("method", ["threshold", "hockey-stick", "renyi"])
def test_every_method_for_pure_privacy_comes_near(method: str) -> None:
    for release in (laplace(5), response(5)):
        found = lower_bound(release, 0, 1, samples=MANY, batch=True, method=method)
        assert found.method == method
        assert 0.85 <= found.epsilon <= 1.0


@pytest.mark.parametrize("delta", [0.02, 0.1])
def test_a_gaussian_is_measured_to_85_per_cent(delta: float) -> None:
    truth = epsilon_of(Gaussian(1.0), delta)
    found = lower_bound(gaussian(0), 0, 1, delta=delta, samples=MANY, batch=True)
    assert 0.85 * truth <= found.epsilon <= truth


def test_the_gaussian_fit_reaches_tiny_deltas_and_says_what_it_assumes() -> None:
    found = lower_bound(gaussian(0), 0, 1, delta=1e-5, samples=MANY, batch=True, method="gaussian")
    assert found.mu is not None
    assert 0.85 <= found.mu <= 1.0
    assert 0.85 * epsilon_of(Gaussian(1.0), 1e-5) <= found.epsilon <= epsilon_of(Gaussian(1.0), 1e-5)
    assert "Gaussian" in found.assumes
    assert found.assumes in str(found)
    assert lower_bound(gaussian(0), 0, 1, delta=1e-5, samples=2000, batch=True).assumes == ""


@pytest.mark.parametrize("release", [laplace, response])
def test_a_release_with_half_the_noise_it_claims_is_caught(release: Callable[[int, float], Batch]) -> None:
    found = lower_bound(release(0, 2.0), 0, 1, samples=3000, batch=True, claim=1.0, confidence=1 - FALSE_ALARM)
    assert 1.0 < found.epsilon <= 2.0


def wrong_bounds(release: Callable[[int], Batch], truth: float, repeats: int, **settings: Any) -> int:
    found = [lower_bound(release(seed), 0, 1, batch=True, **settings).epsilon for seed in range(100, 100 + repeats)]
    return sum(epsilon > truth for epsilon in found)


@pytest.mark.parametrize("method", ["best", "threshold", "hockey-stick", "renyi"])
def test_the_truth_is_above_the_bound_as_often_as_stated(method: str) -> None:
    for release in (laplace, response):
        wrong = wrong_bounds(release, 1.0, 40, samples=1500, confidence=0.8, method=method)
        assert wrong <= binom.isf(FALSE_ALARM, 40, 0.2)


@pytest.mark.parametrize("method", ["best", "threshold", "hockey-stick", "gaussian"])
def test_the_truth_is_above_the_bound_at_positive_delta_too(method: str) -> None:
    truth = epsilon_of(Gaussian(1.0), 0.05)
    wrong = wrong_bounds(gaussian, truth, 40, samples=1500, confidence=0.8, method=method, delta=0.05)
    assert wrong <= binom.isf(FALSE_ALARM, 40, 0.2)


def nothing(seed: int) -> Batch:
    """Three numbers that know nothing of the data: the true ε is 0."""
    draw = np.random.default_rng(seed)
    return lambda data, count: draw.normal(size=(count, 3))


def test_an_audit_tested_on_the_draws_it_was_tuned_on_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = binom.isf(FALSE_ALARM, 40, 0.2)
    settings: dict[str, Any] = {"samples": 600, "confidence": 0.8, "method": "threshold"}
    assert wrong_bounds(nothing, 0.0, 40, **settings) <= limit
    honest = lower_bounds._split

    def peeking(both: Any, learn: float, pick: float) -> Any:
        parts = honest(both, learn, pick)
        return parts[2], parts[2], parts[2]

    monkeypatch.setattr(lower_bounds, "_split", peeking)
    assert wrong_bounds(nothing, 0.0, 40, **settings) > limit


def exact_chance(p: float, q: float, count: int, epsilon: float, delta: float, risk: float) -> float:
    """How often the hockey-stick test rejects, summed over all counts."""
    hits, misses = (part.ravel().astype(float) for part in np.meshgrid(np.arange(count + 1), np.arange(count + 1)))
    rejects = refutes(hits, misses, count, np.full(len(hits), epsilon), delta, risk)
    return float(np.sum(binom.pmf(hits, count, p) * binom.pmf(misses, count, q) * rejects))


@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 0.0), (1.0, 0.0), (1.0, 0.05), (2.0, 0.01)])
def test_the_hockey_stick_test_keeps_its_risk_exactly(epsilon: float, delta: float) -> None:
    """Not by simulation: the whole law of both counts, at claims that only just hold."""
    worst = 0.0
    for q in np.linspace(0.0, (1 - delta) * math.exp(-epsilon), 12):
        chance = exact_chance(min(1.0, math.exp(epsilon) * q + delta), float(q), 60, epsilon, delta, 0.1)
        worst = max(worst, chance)
    assert 0.002 < worst <= 0.1


def test_the_hockey_stick_test_without_the_worst_case_would_break_its_risk() -> None:
    """The twin takes δ for granted twice: its true risk is above what it states."""
    epsilon, delta = 1.0, 0.2
    chances = []
    for q in np.linspace(0.0, (1 - delta) * math.exp(-epsilon), 12):
        p = min(1.0, math.exp(epsilon) * q + delta)
        hits, misses = (part.ravel().astype(float) for part in np.meshgrid(np.arange(41), np.arange(41)))
        rejects = refutes(hits, misses, 40, np.full(len(hits), epsilon), 0.0, 0.1)
        chances.append(float(np.sum(binom.pmf(hits, 40, p) * binom.pmf(misses, 40, q) * rejects)))
    assert max(chances) > 0.1


@pytest.mark.parametrize("share", [0.0, 0.03, 0.5, 0.97])
def test_shares_are_bounded_at_the_stated_risk_exactly(share: float) -> None:
    count, risk = 60, 0.05
    law = binom.pmf(np.arange(count + 1), count, share)
    above = sum(law[hits] for hits in range(count + 1) if share_above(hits, count, risk) > share)
    below = sum(law[hits] for hits in range(count + 1) if share_below(hits, count, risk) < share)
    assert above <= risk
    assert below <= risk


def test_the_renyi_divergence_is_a_lower_bound_that_comes_near() -> None:
    found = lower_bound(response(3), 0, 1, samples=MANY, batch=True, method="renyi")
    assert found.order is not None
    assert found.divergence is not None
    truth = float(renyi_curve(Pure(1.0), np.array([found.order - 1]))[0])
    assert 0.9 * truth <= found.divergence <= truth


@pytest.mark.parametrize("samples", [40, 200, 3000])
def test_equal_laws_are_hardly_ever_told_apart(samples: int) -> None:
    found = [lower_bound(nothing(seed), 0, 1, samples=samples, batch=True, confidence=1 - 1e-7) for seed in range(5)]
    assert [bound.epsilon for bound in found] == [0.0] * 5


def test_a_vector_is_looked_at_from_the_right_side() -> None:
    draw = np.random.default_rng(0)
    away = np.linspace(0.0, 1.0, 12)
    size = float(np.linalg.norm(away))
    truth = epsilon_of(Gaussian(size), 0.05)
    found = lower_bound(
        lambda data, count: data * away + draw.normal(size=(count, 12)), 0, 1, delta=0.05, samples=20_000, batch=True
    )
    assert 0.75 * truth <= found.epsilon <= truth


def test_a_spread_that_depends_on_the_data_is_noticed() -> None:
    draw = np.random.default_rng(0)
    found = lower_bound(
        lambda data, count: draw.normal(scale=1.0 + 2 * data, size=count), 0, 1, samples=5000, batch=True
    )
    assert found.epsilon > 1.0


def test_labels_and_mixed_outputs_are_told_apart() -> None:
    draw = np.random.default_rng(0)

    def label(data: int) -> str:
        return "yes" if draw.random() < (0.8 if data else 0.2) else str(draw.choice(["no", "maybe"]))

    def mixed(data: int) -> dict[str, Any]:
        return {"answer": label(data), "noise": draw.normal(), "more": (None, [1.5, draw.normal()])}

    for release in (label, mixed):
        found = lower_bound(release, 0, 1, samples=4000)
        assert 0.7 * math.log(4) <= found.epsilon <= math.log(4)
    assert "yes" in lower_bound(label, 0, 1, samples=2000, method="threshold").event


def test_numbers_that_are_not_finite_are_events_of_their_own() -> None:
    draw = np.random.default_rng(0)

    def release(data: int) -> Array:
        values = draw.normal(size=2)
        values[0] = math.nan if draw.random() < 0.4 * data else values[0]
        return values

    found = lower_bound(release, 0, 1, samples=1000)
    assert found.epsilon > 3
    assert "nan" in found.event


def test_one_odd_output_does_not_make_all_the_others_look_different() -> None:
    """The same law with one missing number on one side: shapes must be described alike on both."""
    draw = np.random.default_rng(0)
    calls = iter(range(10**6))

    def release(data: int) -> Array:
        return np.full(3, math.nan) if data == 1 and next(calls) == 5 else draw.normal(size=3)

    assert lower_bound(release, 0, 1, samples=1000, confidence=1 - 1e-7).epsilon == 0.0


def test_raising_on_one_input_is_an_event_and_is_reported() -> None:
    def release(data: list[float]) -> float:
        return 1.0 / min(data)

    found = lower_bound(release, [1.0, 2.0], [1.0, 0.0], samples=1000)
    assert found.epsilon > 4
    assert (found.left_raised, found.right_raised) == (0, 1000)
    assert "raised ZeroDivisionError" in found.event
    assert "1000 on right" in str(found)


def test_a_release_that_always_raises_is_a_mistake_not_a_result() -> None:
    with pytest.raises(InvalidInput, match="release: raised KeyError at every draw"):
        lower_bound(lambda data: dict[str, float]()["missing"], 0, 1, samples=50)


def test_an_exhausted_budget_stops_the_audit() -> None:
    def release(data: int) -> float:
        raise BudgetExhausted("epsilon: all spent")

    with pytest.raises(BudgetExhausted):
        lower_bound(release, 0, 1, samples=50)


def test_raising_in_a_batch_cannot_be_counted() -> None:
    with pytest.raises(InvalidInput, match="raised ZeroDivisionError in a batch, use batch=False"):
        lower_bound(lambda data, count: 1 / data, 0, 1, samples=50, batch=True)
    with pytest.raises(InvalidInput, match="gave 7 outputs"):
        lower_bound(lambda data, count: np.zeros(7), 0, 1, samples=200, batch=True)


def test_a_constant_release_gives_nothing_away() -> None:
    found = lower_bound(lambda data: "same", 0, 1, samples=50)
    assert found.epsilon == 0.0
    assert found.event == "none told the two apart"


def test_an_output_that_cannot_be_compared_is_refused() -> None:
    with pytest.raises(InvalidInput, match="release: gave an output of type object"):
        lower_bound(lambda data: object(), 0, 1, samples=50)


def test_a_given_event_is_the_one_that_is_measured() -> None:
    release = laplace(0)
    found = lower_bound(
        lambda data: float(release(data, 1)[0]), 0, 1, samples=20_000, event=lambda output: bool(output > 1.0)
    )
    assert 0.85 <= found.epsilon <= 1.0
    assert found.event.startswith("given event")
    assert found.right_rate == pytest.approx(0.5, abs=0.02)
    assert found.left_rate == pytest.approx(0.5 * math.exp(-1), abs=0.02)
    blind = lower_bound(release, 0, 1, samples=5000, batch=True, event=lambda output: True)
    assert blind.epsilon == 0.0


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (np.zeros((5, 2)), np.ones((5, 2))),
        ((np.zeros((5, 2)), np.zeros(5)), (np.zeros((5, 2)), np.array([1, 1, 0, 0, 0]))),
        ((np.eye(5), np.zeros(5)), (np.eye(5) + np.eye(5)[:, ::-1], np.zeros(5))),
        ([1, 2, 3], [1, 2, 3, 4, 5]),
        ([1, 2, 3], [2, 1, 3, 4]),
        (["a", "b"], ["b", "a"]),
        (csr_array(np.eye(3)), csr_array(2 * np.eye(3))),
        (pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), pd.DataFrame({"a": [2, 2], "b": ["x", "z"]})),
        (np.zeros((5, 2)), np.zeros((5, 3))),
        ((np.zeros((5, 2)), np.zeros(5)), np.zeros((5, 2))),
    ],
    ids=str,
)
def test_data_sets_that_are_no_neighbours_are_refused(left: Any, right: Any) -> None:
    with pytest.raises(InvalidInput, match="left, right: ") as caught:
        lower_bound(lambda data: 0.0, left, right, samples=50)
    assert "\n" not in str(caught.value)
    assert lower_bound(lambda data: 0.0, left, right, samples=50, neighbours=False).epsilon == 0.0


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((np.zeros((5, 2)), np.zeros(5)), (np.vstack([np.ones(2), np.zeros((4, 2))]), np.array([1, 0, 0, 0, 0]))),
        ([1, 2, 3], [1, 2, 7, 3]),
        ([1, 2, 3], [2, 3]),
        ([math.nan, 2.0], [math.nan, 3.0]),
        ((np.zeros((5, 2)), np.zeros(5)), (np.zeros((4, 2)), np.zeros(4))),
        ("anything", 7),
        ({"rows": [1, 2]}, {"rows": [3, 4]}),
    ],
    ids=str,
)
def test_neighbours_and_data_we_cannot_compare_are_let_through(left: Any, right: Any) -> None:
    assert lower_bound(lambda data: 0.0, left, right, samples=50).epsilon == 0.0


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (1.0, 1e-5), (4.0, 0.01)])
def test_the_number_of_samples_needed_is_enough_and_one_less_is_refused(epsilon: float, delta: float) -> None:
    needed = samples_needed(epsilon, delta, 0.99)
    settings: dict[str, Any] = {"delta": delta, "confidence": 0.99, "claim": epsilon, "method": "threshold"}
    assert lower_bound(lambda data: data, 0, 1, samples=needed, **settings).epsilon > epsilon
    with pytest.raises(InvalidInput, match=f"too few to refute epsilon={epsilon:g}, draw at least {needed}"):
        lower_bound(lambda data: data, 0, 1, samples=needed // 2, **settings)


def test_more_is_needed_for_more() -> None:
    counts = [samples_needed(epsilon) for epsilon in (0.0, 1.0, 3.0, 6.0)]
    assert counts == sorted(counts)
    assert counts[3] > 1000
    assert samples_needed(1.0, confidence=0.999) > samples_needed(1.0, confidence=0.9)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"samples": 0}, "samples=0: must be a whole number"),
        ({"samples": 10}, "samples=10: too few"),
        ({"confidence": 1.0}, r"confidence=1.0: must be in \(0, 1\)"),
        ({"delta": 1.0}, r"delta=1.0: must be in \[0, 1\)"),
        ({"method": "magic"}, "method='magic': must be one of best"),
        ({"method": "renyi", "delta": 0.1}, 'delta=0.1: method="renyi"'),
        ({"method": "gaussian"}, "delta=0: "),
        ({"jobs": 0}, "jobs=0: must be"),
        ({"backend": "cloud"}, "backend='cloud': must be one of threads, processes"),
        ({"claim": -1.0}, "epsilon=-1.0: must be >= 0"),
    ],
)
def test_bad_settings_are_refused_in_one_line(changes: dict[str, Any], message: str) -> None:
    settings: dict[str, Any] = {"samples": 50} | changes
    with pytest.raises(InvalidInput, match=message):
        lower_bound(lambda data: 0.0, 0, 1, **settings)


def test_progress_is_told_and_reaches_the_end() -> None:
    seen: list[tuple[int, int]] = []
    lower_bound(lambda data: 0.0, 0, 1, samples=101, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (202, 202)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_threads_find_what_one_thread_finds() -> None:
    found = lower_bound(response(0), 0, 1, samples=20_000, batch=True, jobs=2)
    assert 0.85 <= found.epsilon <= 1.0


@pytest.mark.usefixtures("lasting_workers")
def test_processes_that_repeat_each_other_are_refused_and_fresh_ones_are_not() -> None:
    draw = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="repeated each other's draws"):
        lower_bound(lambda data: data + draw.laplace(), 0, 1, samples=2000, jobs=2, backend="processes")

    def fresh(data: int, count: int) -> Array:
        return data + np.random.default_rng().laplace(size=count)

    found = lower_bound(fresh, 0, 1, samples=4000, jobs=2, backend="processes", batch=True, confidence=1 - FALSE_ALARM)
    assert 0.3 <= found.epsilon <= 1.0


def test_every_epsilon_the_hockey_stick_can_state_is_on_a_fixed_grid() -> None:
    found = lower_bound(laplace(0), 0, 1, samples=2000, batch=True, method="hockey-stick")
    assert found.epsilon in GRID


def test_claims_and_measurements_are_drawn() -> None:
    figure = plot([Claim("laplace", 1.0, 0.95), Claim("broken", 1.0, 2.5)])
    axes = figure.axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["laplace", "broken: REFUTED"]
    assert [bar.get_width() for bar in axes.containers[0]] == [0.95, 2.5]
    with pytest.raises(InvalidInput, match="claims: give at least one"):
        plot([])
    with pytest.raises(InvalidInput, match=r"measured=-1.0: must be >= 0"):
        plot([Claim("odd", 1.0, -1.0)])


def test_a_release_that_never_varies_is_asked_about() -> None:
    found = lower_bound(lambda data: np.random.default_rng(0).normal() + data, 0, 1, samples=200)
    assert found.epsilon > 2
    assert "a fixed seed, or a cache?" in str(found)
    assert "a fixed seed" not in str(lower_bound(laplace(0), 0, 1, samples=200, batch=True))


def test_the_examples_of_the_guide_run(capsys: pytest.CaptureFixture[str]) -> None:
    guide = Path(__file__).parents[3] / "docs" / "how-to" / "audit.md"
    blocks = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), flags=re.S)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "audit.md", "exec"), {})
    assert capsys.readouterr().out.count("epsilon >= ") == 2


def test_a_bound_can_be_made_by_hand_as_before() -> None:
    assert LowerBound(1.0, 0.0, 0.99, 2000).epsilon == 1.0
