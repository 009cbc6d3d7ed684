"""Record and replay: equal control flow on neighbours, values within what was stated, and twins that must be caught."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

import equipoise as eq
from equipoise import answering, tuning
from equipoise.audit.frozen.replay import passed, replay
from equipoise.audit.frozen.taps import tapped
from equipoise.calibration import brier_score, reliability_curve
from equipoise.errors import InvalidInput
from equipoise.estimators.density.histogram_density import HistogramDensity
from equipoise.gate import door, noise_source
from equipoise.gate.choices import select
from equipoise.gate.models import noisy_gradients, output_perturbation
from equipoise.theory import sensitivity
from equipoise.theory.noise import Law, Noise
from equipoise.theory.plan import Facts, Plan, Sensitivity

Data = tuple[npt.NDArray[np.float64], npt.NDArray[Any]]
Fit = Callable[[Data], object]

SIGNS = (-1, 1)
ACROSS = np.array([[0.0, 1.0]])


def beside_zeros(size: int = 24, columns: int = 2) -> tuple[Data, Data]:
    """One full-length record whose label flips, beside rows of zeros."""
    X = np.zeros((size, columns))
    X[0, 0] = 1.0
    y = np.ones(size, dtype=int)
    other = y.copy()
    other[0] = -1
    return (X, y), (X, other)


def mirrored(size: int = 24) -> tuple[Data, Data]:
    """Common rows push out along one axis, with both labels; the exchanged record is mirrored across it."""
    X = np.tile([0.3, 0.0], (size, 1))
    y = np.where(np.arange(size) % 3 == 0, -1, 1)
    X[0], there = [0.3, 0.954], X.copy()
    there[0] = [0.3, -0.954]
    return (X, y), (there, y)


def turned(size: int = 39) -> tuple[Data, Data]:
    """Random rows, one of them replaced, label and all."""
    rng = np.random.default_rng(3)
    X, y = rng.uniform(-0.7, 0.7, (size, 2)), rng.choice(SIGNS, size)
    there, other = X.copy(), y.copy()
    there[0], other[0] = -X[0], -y[0]
    return (X, y), (there, other)


PAIRS = {"beside zeros": beside_zeros(39), "mirrored": mirrored(39), "turned": turned()}


def classifier(mechanism: str, delta: float = 0.0, kind: Any = eq.LogisticRegression, **given: Any) -> Fit:
    options: dict[str, Any] = {"alpha": 0.1, "classes": SIGNS, "fit_intercept": False} | given
    return lambda data: kind(1.0, delta, mechanism=mechanism, **options).fit(*data)


def regressor(mechanism: str, delta: float = 0.0, kind: Any = eq.LinearRegression, **given: Any) -> Fit:
    options: dict[str, Any] = {"alpha": 0.1, "label_bounds": SIGNS, "fit_intercept": False} | given
    return lambda data: kind(1.0, delta, mechanism=mechanism, **options).fit(*data)


def asked(make: Callable[[], Any], questions: Any = ACROSS) -> Fit:
    return lambda data: make().fit(*data).predict(questions)


def searched(kind: Any) -> Fit:
    def fit(data: Data) -> object:
        inner = eq.LogisticRegression(60.0, 1e-6, mechanism="output", fit_intercept=False, classes=SIGNS)
        return kind(inner, {"alpha": [1.0, 3.0]}).fit(*data)

    return fit


def voting(method: str, delta: float) -> Fit:
    return asked(
        lambda: answering.VotingPredictor(
            DummyClassifier(), 1.0, delta, shards=13, method=method, classes=SIGNS, n_jobs=1
        )
    )


def averaging(noise: str) -> Fit:
    voter: Any
    given: dict[str, Any]
    if noise == "coin":
        voter, given = DummyClassifier(strategy="most_frequent"), {"noise": "coin", "classes": SIGNS}
    else:
        voter, given = DummyRegressor(strategy="median"), {"bounds": SIGNS}
    return asked(lambda: answering.AveragingPredictor(voter, 1.0, shards=13, n_jobs=1, **given))


def calibrated(data: Data) -> object:
    """Of a model made without these rows."""
    (X, y), _ = turned()
    model = eq.LogisticRegression(1.0, alpha=0.1, classes=SIGNS, random_state=0).fit(X, y)
    brier_score(model, *data, epsilon=1.0)
    return reliability_curve(model, *data, bins=4, epsilon=1.0)


BOX = [(-1, 1), (-1, 1)]
EVERYTHING: dict[str, Fit] = {
    "logistic output": classifier("output"),
    "logistic output gaussian": classifier("output", 1e-6),
    "logistic output with an intercept": classifier("output", fit_intercept=True),
    "logistic objective": classifier("objective"),
    "logistic objective gaussian": classifier("objective", 1e-6),
    "logistic objective in a ball": classifier("objective", coef_norm=0.2),
    "logistic noisy-gradient": classifier("noisy-gradient", 1e-6),
    "logistic sgd": classifier("sgd", 1e-6),
    "three classes output": classifier("output", classes=(-1, 1, 2)),
    "three classes objective": classifier("objective", classes=(-1, 1, 2)),
    "svc output": classifier("output", kind=eq.LinearSVC),
    "svc rounded objective": classifier("objective", kind=eq.LinearSVC, smoothing=0.5, alpha=10.0),
    "linear output": regressor("output"),
    "linear output as printed": regressor("output-as-printed"),
    "linear objective": regressor("objective"),
    "linear noisy-gradient": regressor("noisy-gradient", 1e-6),
    "linear sufficient statistics": regressor("sufficient-statistics"),
    "linear sufficient statistics gaussian": regressor("sufficient-statistics", 1e-6),
    "linear functional": regressor("functional"),
    "linear projected histogram": regressor("projected-histogram"),
    "huber output": regressor("output", kind=eq.HuberRegressor),
    "huber objective": regressor("objective", kind=eq.HuberRegressor),
    "stable predictor": asked(lambda: answering.StablePredictor(1.0, alpha=0.1, classes=SIGNS)),
    "sgd predictor": asked(lambda: answering.SGDPredictor(1.0, classes=SIGNS)),
    "soft vote": voting("soft", 0.0),
    "gaussian vote": voting("gaussian", 1e-6),
    "consensus": voting("consensus", 1e-6),
    "average": averaging("auto"),
    "coin": averaging("coin"),
    "data split": searched(tuning.DataSplitSearch),
    "budget split": searched(tuning.BudgetSplitSearch),
    "random search": searched(tuning.RandomSearch),
    "random stop": searched(tuning.RandomStopSearch),
    "stability": searched(tuning.StabilitySearch),
    "grid given": lambda data: HistogramDensity(1.0, bins=4, bounds=BOX).fit(data[0]),
    "grid chosen": lambda data: HistogramDensity(1.0, bounds=BOX).fit(data[0]),
    "calibration": calibrated,
}


@pytest.mark.parametrize("name", EVERYTHING)
def test_everything_does_the_same_on_neighbours_and_stays_within_what_it_states(name: str) -> None:
    for case, pair in PAIRS.items():
        found = replay(EVERYTHING[name], *pair)
        assert found.holds, f"{case}: {found}"


@pytest.mark.parametrize(
    ("name", "case", "reached"),
    [
        ("svc output", "beside zeros", 0.99),
        ("huber output", "beside zeros", 0.99),
        ("svc rounded objective", "beside zeros", 0.99),
        ("logistic noisy-gradient", "beside zeros", 0.99),
        ("linear projected histogram", "beside zeros", 0.99),
        ("linear sufficient statistics", "beside zeros", 0.9),
        ("grid given", "turned", 0.99),
    ],
)
def test_structured_pairs_reach_a_good_share_of_what_is_stated(name: str, case: str, reached: float) -> None:
    assert replay(EVERYTHING[name], *PAIRS[case]).ratio >= reached


def test_the_record_names_every_trip_with_its_law_and_shape() -> None:
    tilted = replay(classifier("objective"), *beside_zeros())
    assert passed(tilted) == (("tilt", Law.SPHERICAL, (2,)), ("noise", Law.SPHERICAL, (2,)))
    walk = replay(classifier("noisy-gradient", 1e-6), *beside_zeros())
    assert set(passed(walk)) == {("noise", Law.GAUSSIAN, (2,))}
    assert len(walk.crossings) >= min(noisy_gradients.STEPS)
    assert replay(EVERYTHING["data split"], *turned()).words >= 39  # the rows are dealt


def test_the_distance_is_that_of_the_exact_minimisers() -> None:
    """Hinge beside zeros: 2/(nα) apart, the whole of the sensitivity."""
    found = replay(classifier("output", kind=eq.LinearSVC), *beside_zeros(24))
    assert found.distance == pytest.approx(2 / (24 * 0.1), rel=1e-3)
    assert found.stated == pytest.approx(2 / (24 * 0.1), rel=5e-3)


def test_equal_tables_are_no_distance_apart() -> None:
    data, _ = turned()
    for name in ("logistic output", "logistic objective", "soft vote", "grid chosen"):
        found = replay(EVERYTHING[name], data, data)
        assert found.holds
        assert found.ratio <= 1e-6


# --- twins that must be caught ----------------------------------------------------------------------------------------


def test_a_sensitivity_halved_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = sensitivity.of_minimiser

    def halved(facts: Facts) -> Sensitivity:
        return replace(honest(facts), l2=honest(facts).l2 / 2)

    monkeypatch.setattr(sensitivity, "of_minimiser", halved)
    found = replay(classifier("output", kind=eq.LinearSVC), *beside_zeros())
    assert not found.holds
    assert found.ratio > 1.9


def test_a_tilt_whose_gradient_change_is_understated_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = sensitivity.of_tilted_gradient
    monkeypatch.setattr(sensitivity, "of_tilted_gradient", lambda facts: honest(facts) / 2)
    assert replay(classifier("objective", kind=eq.LinearSVC, smoothing=0.5, alpha=10.0), *beside_zeros()).ratio > 1.9


def test_noise_set_from_the_data_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scale that follows the minimiser's own norm: each run alone looks private."""
    honest = door.add_noise

    def tempted(value: Any, noise: Noise, *rest: Any) -> Any:
        size = float(np.linalg.norm(value.reveal()))
        return honest(value, replace(noise, scale=noise.scale * (1 + size)), *rest)

    monkeypatch.setattr(output_perturbation, "add_noise", tempted)
    (X, y), _ = beside_zeros()
    there = X.copy()
    there[0] = 0.0
    found = replay(classifier("output"), (X, y), (there, y))
    assert any("other public numbers" in problem for problem in found.problems)


def test_work_that_depends_on_a_record_is_caught() -> None:
    """One more fit if the first label is positive: the number of releases tells it."""

    def nosy(data: Data) -> None:
        classifier("output")(data)
        if data[1][0] > 0:
            classifier("output")(data)

    left, right = beside_zeros()
    assert "passed the gate 1 times, the first 2" in replay(nosy, left, right).problems[0]
    assert "a 2th time" in replay(nosy, right, left).problems[0]


def test_random_words_that_depend_on_a_record_are_caught() -> None:
    def nosy(data: Data) -> None:
        noise_source("equipoise", None).words(3 + int(data[1][0]))
        classifier("output")(data)

    assert "random words" in replay(nosy, *beside_zeros()).problems[0]


def test_an_error_on_one_of_the_tables_is_caught() -> None:
    def picky(data: Data) -> None:
        classifier("output")(data)
        if data[1][0] < 0:
            raise RuntimeError("no")

    assert replay(picky, *beside_zeros()).problems == ("the second run raised RuntimeError, the first did not",)


def test_a_second_look_on_one_payment_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The value leaves twice through noise that was paid for once."""
    honest = door.add_noise

    def twice(*given: Any) -> Any:
        return (honest(*given) + honest(*given)) / 2

    monkeypatch.setattr(output_perturbation, "add_noise", twice)
    assert replay(classifier("output", kind=eq.LinearSVC), *beside_zeros()).ratio > 1.9


# --- on and off -------------------------------------------------------------------------------------------------------


def test_every_tap_is_taken_off_again_even_after_an_error() -> None:
    before = {name: dict(vars(module)) for name, module in sys.modules.items() if name.startswith("equipoise.")}
    secure, seeded = (type(noise_source("equipoise", seed)) for seed in (None, 0))
    words = secure.words, seeded.words

    def broken(_: Data) -> None:
        raise RuntimeError("no")

    with pytest.raises(InvalidInput, match="raised RuntimeError on both tables"):
        replay(broken, *beside_zeros())
    replay(classifier("objective"), *beside_zeros())
    for name, scope in before.items():
        for key, value in scope.items():
            assert vars(sys.modules[name])[key] is value, f"{name}.{key}"
    assert (secure.words, seeded.words) == words


def test_a_tap_that_somebody_kept_does_nothing_once_the_block_is_over() -> None:
    seen: list[str] = []

    def tap(original: Any, *args: Any) -> Any:
        seen.append("seen")
        return original(*args)

    with tapped({select.grid_for: tap}, {}):
        kept = select.grid_for
        kept(1.0)
    kept(1.0)
    select.grid_for(1.0)
    assert seen == ["seen"]


def test_other_threads_are_neither_recorded_nor_given_old_noise() -> None:
    """A fit of somebody else's while a replay runs."""
    (X, y), _ = turned()
    coefficients: list[Any] = []

    def elsewhere() -> None:
        coefficients.append(eq.LogisticRegression(1.0, alpha=0.1, classes=SIGNS, mechanism="output").fit(X, y).coef_)

    def crowded(data: Data) -> None:
        for work in (lambda: None, elsewhere):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        classifier("output")(data)

    found = replay(crowded, *turned())
    assert found.holds
    assert len(found.crossings) == 1
    assert not np.array_equal(*coefficients)


def test_two_replays_at_once_are_refused() -> None:
    def nested(data: Data) -> None:
        replay(classifier("output"), *beside_zeros())

    with pytest.raises(InvalidInput, match="raised InvalidInput on both tables"):
        replay(nested, *beside_zeros())
    with tapped({}, {}), pytest.raises(InvalidInput, match="another one is running"):
        replay(classifier("output"), *beside_zeros())
    assert replay(classifier("output"), *beside_zeros()).holds  # and the lock is free again


def test_strangers_and_fits_that_release_nothing_are_refused() -> None:
    (X, y), _ = turned()
    with pytest.raises(InvalidInput, match="differ in"):
        replay(classifier("output"), (X, y), (-X, y))
    with pytest.raises(InvalidInput, match="nothing passed the gate"):
        replay(lambda data: None, *beside_zeros())


def test_releases_made_while_recording_still_carry_fresh_noise() -> None:
    values: list[Any] = []

    def fit(data: Data) -> None:
        values.append(eq.LogisticRegression(1.0, alpha=0.1, classes=SIGNS, mechanism="output").fit(*data).coef_)

    replay(fit, *beside_zeros())
    replay(fit, *beside_zeros())
    assert np.array_equal(values[0], values[1])  # the second run is shown what the first released
    assert not np.array_equal(values[0], values[2])


def test_the_plan_of_a_replay_is_the_plan_of_the_estimator() -> None:
    plan: Plan = eq.LinearSVC(1.0, mechanism="output", alpha=0.1, fit_intercept=False, classes=SIGNS).plan(24, 2)
    found = replay(classifier("output", kind=eq.LinearSVC), *beside_zeros(24))
    assert found.stated == pytest.approx(plan.noise_scale * plan.budget.epsilon)
