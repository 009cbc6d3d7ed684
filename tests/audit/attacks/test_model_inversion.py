from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.audit import Inversion, model_inversion
from equipoise.cohort import FEATURES, Cohort, simulated_clinic
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]
Predict = Callable[[Array], Array]

VKORC1 = [FEATURES.index("VKORC1 A/G"), FEATURES.index("VKORC1 A/A"), FEATURES.index("VKORC1 unknown")]
GENOTYPES = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
NAMES = ["G/G", "A/G", "A/A"]
ROOT = Path(__file__).parents[3]

FALSE_ALARMS = 1e-6
"""Chance that a covering interval misses, in the test that counts misses."""


def load_tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("equipoise_tables_for_audit", ROOT / "benchmarks" / "tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


TABLES = load_tables()
needs_data = pytest.mark.skipif(not TABLES.FOLDER.is_dir(), reason="no folder of real tables: set EQUIPOISE_DATA")


def least_squares(X: Array, y: Array) -> Predict:
    coef, *_ = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), y, rcond=None)
    return lambda rows: np.asarray(np.column_stack([np.ones(len(rows)), rows]) @ coef)


@pytest.fixture(scope="module")
def clinic() -> Cohort:
    """Patients whose VKORC1 is known."""
    found = simulated_clinic(6000, seed=3)
    known = found.X[:, VKORC1[2]] == 0
    return Cohort(X=found.X[known], dose=found.dose[known])


def prior_of(X: Array, columns: list[int], values: Any) -> Array:
    same = (X[:, None, columns] == np.asarray(values)[None]).all(axis=2)
    return np.asarray(same.mean(axis=0))


def attack(clinic: Cohort, predict: Predict, **changes: Any) -> Inversion:
    settings: dict[str, Any] = {"columns": VKORC1, "values": GENOTYPES, "names": NAMES}
    settings["prior"] = prior_of(clinic.X, VKORC1, GENOTYPES)
    return model_inversion(predict, clinic.X, clinic.root_dose, **(settings | changes))


@pytest.mark.parametrize("errors", ["gaussian", "laplace"])
def test_least_squares_gives_genotypes_away(clinic: Cohort, errors: str) -> None:
    found = attack(clinic, least_squares(clinic.X, clinic.root_dose), errors=errors, confidence=0.999)
    assert found.advantage_interval[0] > 0.05
    assert found.accuracy_interval[0] > found.best_guess_interval[1]
    assert found.targets == len(clinic.X) == sum(found.class_targets)


def test_a_constant_model_tells_no_more_than_the_best_guess(clinic: Cohort) -> None:
    found = attack(clinic, lambda rows: np.full(len(rows), 5.5))
    assert found.accuracy == found.best_guess
    assert found.advantage == 0
    low, high = found.advantage_interval
    assert low < 0 < high


def test_the_best_guess_is_the_majority_of_the_prior(clinic: Cohort) -> None:
    share = prior_of(clinic.X, VKORC1, GENOTYPES)
    found = attack(clinic, lambda rows: np.zeros(len(rows)))
    assert found.best_guess == pytest.approx(share.max())
    assert found.class_accuracy == tuple(float(index == np.argmax(share)) for index in range(3))


def test_the_spread_is_found_without_being_told(clinic: Cohort) -> None:
    predict = least_squares(clinic.X, clinic.root_dose)
    truth = float(np.std(clinic.root_dose - predict(clinic.X)))
    found = attack(clinic, predict)
    assert found.residual_sd == pytest.approx(truth, rel=0.1)
    assert attack(clinic, predict, residual_sd=truth).accuracy == pytest.approx(found.accuracy, abs=0.02)


def test_a_perfect_model_gives_everything_away(clinic: Cohort) -> None:
    weights = np.arange(1.0, 1.0 + clinic.X.shape[1])
    exact = Cohort(X=clinic.X, dose=(clinic.X @ weights) ** 2)
    found = attack(exact, lambda rows: rows @ weights)
    assert found.accuracy == 1.0
    assert found.accuracy_interval[1] == 1.0
    assert found.residual_sd < 1e-3


def test_the_attack_agrees_with_bayes_rule_by_hand() -> None:
    """Two values, prior 0.8 and 0.2, predictions 0 and 1, sd 1: the second wins above 1/2 + ln 4."""
    border = 0.5 + math.log(4)
    X = np.array([[0.0], [1.0], [0.0], [1.0]])
    outcome = np.array([border - 0.01, border + 0.01, border + 0.01, border - 0.01])
    found = model_inversion(lambda rows: rows[:, 0], X, outcome, columns=[0], values=[[0], [1]],
                            prior=[0.8, 0.2], residual_sd=1.0)  # fmt: skip
    assert found.accuracy == 0.5
    assert found.class_accuracy == (0.5, 0.5)


def test_one_prior_for_each_target_is_used() -> None:
    X = np.array([[0.0], [1.0]])
    prior = np.array([[0.9, 0.1], [0.1, 0.9]])
    found = model_inversion(lambda rows: np.zeros(len(rows)), X, [0.0, 0.0], columns=[0], values=[[0], [1]],
                            prior=prior, residual_sd=1.0)  # fmt: skip
    assert found.accuracy == found.best_guess == 1.0


def test_the_model_is_asked_once_for_each_value_and_never_shown_the_truth(clinic: Cohort) -> None:
    asked: list[Array] = []

    def predict(rows: Array) -> Array:
        asked.append(rows)
        return np.zeros(len(rows))

    attack(clinic, predict)
    assert len(asked) == len(GENOTYPES)
    for rows, value in zip(asked, GENOTYPES, strict=True):
        assert (rows[:, VKORC1] == value).all()


def test_many_classes_are_told_apart() -> None:
    draw = np.random.default_rng(0)
    kind = draw.integers(7, size=3000)
    X = np.column_stack([np.eye(7)[kind], draw.standard_normal(3000)])
    y = X[:, :7] @ np.arange(7.0) + X[:, 7] + 0.5 * draw.standard_normal(3000)
    found = model_inversion(
        least_squares(X, y), X, y, columns=list(range(7)), values=np.eye(7), prior=np.full(7, 1 / 7)
    )
    assert found.accuracy > 0.6
    assert len(found.class_accuracy) == 7
    assert min(found.class_accuracy) > 0.5


def test_a_value_that_nobody_has_is_reported_as_such(clinic: Cohort) -> None:
    with_unknown = [*GENOTYPES, [0.0, 0.0, 1.0]]
    found = attack(clinic, lambda rows: np.zeros(len(rows)), values=with_unknown, names=[*NAMES, "unknown"],
                   prior=[0.3, 0.3, 0.35, 0.05])  # fmt: skip
    assert found.class_targets[3] == 0
    assert math.isnan(found.class_accuracy[3])
    assert found.class_intervals[3] == (0.0, 1.0)


def test_intervals_cover_the_true_accuracy() -> None:
    """A coin model is right with probability 0.7, and 40 intervals of 1 − FALSE_ALARMS/40 all hold it."""
    draw = np.random.default_rng(5)
    for _ in range(40):
        truth = draw.integers(2, size=200)
        seen = np.where(draw.random(200) < 0.7, truth, 1 - truth).astype(float)
        found = model_inversion(lambda rows: rows[:, 0], truth[:, None], seen, columns=[0], values=[[0], [1]],
                                prior=[0.5, 0.5], residual_sd=0.1, confidence=1 - FALSE_ALARMS / 40)  # fmt: skip
        low, high = found.accuracy_interval
        assert low <= 0.7 <= high
        assert found.advantage_interval[0] <= 0.2 <= found.advantage_interval[1]


def test_intervals_are_not_idle() -> None:
    """At 50% confidence about half of them, and surely not all of them, hold the truth."""
    draw = np.random.default_rng(6)
    held = 0
    for _ in range(60):
        truth = draw.integers(2, size=400)
        seen = np.where(draw.random(400) < 0.7, truth, 1 - truth).astype(float)
        found = model_inversion(lambda rows: rows[:, 0], truth[:, None], seen, columns=[0], values=[[0], [1]],
                                prior=[0.5, 0.5], residual_sd=0.1, confidence=0.5)  # fmt: skip
        held += found.accuracy_interval[0] <= 0.7 <= found.accuracy_interval[1]
    assert 20 <= held <= 48


def test_the_report_can_be_read(clinic: Cohort) -> None:
    text = str(attack(clinic, least_squares(clinic.X, clinic.root_dose)))
    assert "with the model" in text
    assert "best guess without" in text
    assert "with A/A: " in text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": []}, "columns: must be different column numbers"),
        ({"columns": [0, 0, 1]}, "columns: must be different column numbers"),
        ({"columns": [0, 1, 99]}, "columns: must be different column numbers"),
        ({"values": [[0, 0, 0]]}, "values: must be two or more different rows"),
        ({"values": [[0, 0], [1, 0]]}, "values: must be two or more different rows"),
        ({"values": [[0, 0, 0], [0, 0, 0]]}, "values: must be two or more different rows"),
        ({"values": GENOTYPES[:2], "prior": [0.5, 0.5], "names": None}, "X: some rows hold none of `values`"),
        ({"prior": [0.5, 0.5]}, "prior: has shape"),
        ({"prior": [0.5, 0.6, 0.7]}, "prior: must be >= 0 and sum to 1"),
        ({"prior": [1.5, -0.5, 0.0]}, "prior: must be >= 0 and sum to 1"),
        ({"residual_sd": 0.0}, "residual_sd=0.0: must be > 0"),
        ({"errors": "cauchy"}, "errors='cauchy': must be one of gaussian, laplace"),
        ({"names": ["one"]}, "names: has 1 entries"),
        ({"confidence": 1.0}, r"confidence=1.0: must be in \(0, 1\)"),
    ],
)
def test_bad_settings_are_refused_in_one_line(clinic: Cohort, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        attack(clinic, lambda rows: np.zeros(len(rows)), **changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("X", "outcome", "message"),
    [
        ([1.0, 2.0], [1.0, 2.0], "X: has shape"),
        (np.zeros((0, 1)), [], "X: has shape"),
        ([[0.0], [1.0]], [1.0], "outcome: has shape"),
        ([[0.0], [math.nan]], [1.0, 2.0], "X: must be finite"),
        ([[0.0], [1.0]], ["high", "low"], "outcome: must be an array of numbers"),
    ],
)
def test_bad_targets_are_refused(X: Any, outcome: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        model_inversion(lambda rows: rows[:, 0], X, outcome, columns=[0], values=[[0], [1]], prior=[0.5, 0.5])


def test_a_model_that_answers_in_the_wrong_shape_is_refused(clinic: Cohort) -> None:
    with pytest.raises(InvalidInput, match="predict: gave shape"):
        attack(clinic, lambda rows: np.zeros((len(rows), 2)))


@needs_data
def test_the_real_dosing_model_gives_vkorc1_away() -> None:
    table = TABLES.warfarin()
    values = np.array([[0, 0, 0], [0, 0.5, 0], [0.5, 0, 0]])  # G/G, A/G, A/A; the third column marks the untested
    X, dose = table.X[table.X[:, 5] == 0], table.y[table.X[:, 5] == 0]
    train, test = np.split(np.random.default_rng(0).permutation(len(X)), 2)
    found = model_inversion(least_squares(X[train], dose[train]), X[test], dose[test], columns=[3, 4, 5],
                            values=values[:, [0, 1, 2]], prior=prior_of(X[train], [3, 4, 5], values),
                            names=NAMES, confidence=0.999)  # fmt: skip
    assert found.targets > 1000
    assert found.advantage_interval[0] > 0.05
