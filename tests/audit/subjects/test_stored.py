"""A saved model's guarantee against its own constants: honest files hold, edited ones do not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise.audit.subjects import chosen_first
from equipoise.audit.subjects.stored import audit_guarantee, audit_model
from equipoise.errors import InvalidInput
from equipoise.outside.model import LinearModel
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.losses import Logistic, SmoothedHinge

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3)) / 2
y = (X[:, 0] > 0).astype(int)


def model(mechanism: str = "output", delta: float = 0.0, numbers: bool = False) -> LinearModel:
    if numbers:
        fitted = eq.LinearRegression(1.0, delta, mechanism=mechanism, label_bounds=(0, 5)).fit(X, 3 * X[:, 0] + 2)
        return fitted.model_
    return eq.LogisticRegression(1.0, delta, mechanism=mechanism, classes=(0, 1)).fit(X, y).model_


def outcome(audited: LinearModel, name: str) -> bool | None:
    return next(each.held for each in audit_model(audited, "x").attempts if each.name == name)


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("mechanism", ["auto", "output", "objective"])
def test_an_honest_file_is_derived_again_to_the_last_constant(mechanism: str, delta: float, numbers: bool) -> None:
    made = model(mechanism, delta, numbers)
    assert audit_model(made, "x").survived
    assert outcome(made, "constants derived again") is True
    assert outcome(made, "noise against the claim") is True
    if mechanism == "output":
        assert outcome(made, "low bits of the coefficients") is True


@pytest.mark.parametrize("mechanism", ["noisy-gradient", "sufficient-statistics", "functional", "projected-histogram"])
def test_every_other_mechanism_is_derived_again_too(mechanism: str) -> None:
    made = model(mechanism, 1e-6, numbers=True)
    assert outcome(made, "constants derived again") is True
    assert audit_model(made, "x").survived


@pytest.mark.parametrize(
    "make",
    [
        lambda: eq.LinearSVC(1.0, smoothing=0.25, classes=(0, 1)),
        lambda: eq.LinearSVC(1.0, classes=(0, 1), mechanism="output"),
        lambda: eq.LogisticRegression(1.0, classes=(0, 1, 2), slope_cap=1.0),
        lambda: eq.HuberRegressor(1.0, label_bounds=(0, 1), threshold=0.1),
        lambda: eq.HuberRegressor(1.0, label_bounds=(0, 1), threshold=40.0, mechanism="output"),
    ],
    ids=["rounded hinge", "hinge", "softmax", "huber", "huber beyond reach"],
)
def test_the_loss_in_the_file_is_the_one_the_constants_are_derived_for(make: Any) -> None:
    made = make().fit(X, y).model_
    assert outcome(made, "constants derived again") is True
    assert outcome(replace(made, loss=None), "constants derived again") is None


def test_a_file_that_names_another_loss_is_not_called_derived() -> None:
    made = eq.LinearSVC(1.0, smoothing=0.25, classes=(0, 1)).fit(X, y).model_
    assert outcome(replace(made, loss=SmoothedHinge(0.5)), "constants derived again") is not True
    with pytest.raises(InvalidInput, match="does not go with"):
        replace(made, loss=Logistic())


def test_a_centre_is_not_mistaken_for_an_edit() -> None:
    made = eq.LogisticRegression(1.0, mechanism="output", centre=[1, 0, 0, 0], classes=(0, 1)).fit(X, y).model_
    assert audit_model(made, "x").survived
    assert outcome(made, "constants derived again") is None


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_edited_claims_are_broken(delta: float) -> None:
    made = model("output", delta)
    promise = made.guarantee
    edits: dict[str, list[dict[str, Any]]] = {
        "noise against the claim": [{"epsilon": 0.5}, {"noise_scale": promise.noise_scale / 2}, {"noise_scale": 0.0}],
        "constants derived again": [{"sensitivity": promise.sensitivity / 2}, {"constants": {}}],
        "the claim": [{"seeded": True}, {"epsilon": math.inf}],
        "arithmetic": [{"delta_numeric": 1e-9}],
    }
    if delta:
        edits["noise against the claim"].append({"delta": 0.0})
    for name, changes in edits.items():
        for change in changes:
            edited = replace(made, guarantee=replace(promise, **change))
            assert outcome(edited, name) is False, change
            assert not audit_model(edited, "x").survived


def test_coefficients_off_the_grid_are_not_called_fine() -> None:
    made = model("output")
    assert made.uncertainty is not None
    moved = replace(made.uncertainty, estimate=made.uncertainty.estimate + 1e-9 * np.pi)
    assert outcome(replace(made, uncertainty=moved), "low bits of the coefficients") is None


def test_a_density_s_guarantee_is_checked() -> None:
    density = eq.HistogramDensity(1.0, bounds=(0, 1), bins=4).fit(np.linspace(0, 1, 50)[:, None])
    promise = density.guarantee_
    assert audit_guarantee(promise, "x").survived
    assert not audit_guarantee(replace(promise, epsilon=0.25), "x").survived


def test_a_large_delta_is_remarked_on() -> None:
    told = audit_model(model("output", 0.01), "x").attempts[0].told
    assert "not below one in the number of records" in told


def seen_from_a_middle() -> LinearModel:
    rows = RNG.normal(size=(600, 16)) / 4
    model = eq.LogisticRegression(1.0, 1e-2, classes=(0, 1), middle="auto")
    return model.fit(rows, (rows[:, 0] > 0).astype(int)).model_


def test_a_file_with_a_middle_is_derived_again() -> None:
    made = seen_from_a_middle()
    assert made.row_bounds is not None
    assert made.row_bounds.view is not None
    assert outcome(made, "constants derived again") is True
    assert audit_model(made, "x").survived


@pytest.mark.parametrize("name", ["steps' worth of the anchor", "steps' worth of the middle"])
def test_what_is_paid_for_beside_steps_counts_against_the_claim(name: str) -> None:
    made = seen_from_a_middle()
    dearer = replace(made.guarantee, constants={**made.guarantee.constants, name: 144.0})
    attempts = {each.name: each.held for each in audit_guarantee(dearer, "x").attempts}
    assert attempts["noise against the claim"] is False


def in_a_metric() -> LinearModel:
    rows = RNG.normal(size=(60_000, 20)) / 5
    return eq.LogisticRegression(1.0, 1e-6, classes=(0, 1)).fit(rows, (rows[:, 0] > 0).astype(int)).model_


@pytest.mark.parametrize(("kind", "make"), [("middle", seen_from_a_middle), ("metric", in_a_metric)])
def test_what_comes_before_steps_is_held_against_the_claim(kind: str, make: Callable[[], LinearModel]) -> None:
    """Whatever of its own constants is made smaller or left out."""
    made = make()
    name = f"the {kind} against the claim"
    assert outcome(made, name) is True
    assert outcome(made, "constants derived again") is True
    assert audit_model(made, "x").survived
    constants = made.guarantee.constants
    for each in (f"steps' worth of the {kind}", f"{kind}'s sensitivity", f"{kind}'s noise scale"):
        for falsified in (
            {**constants, each: constants[each] / 1000},
            {k: v for k, v in constants.items() if k != each},
        ):
            forged = replace(made, guarantee=replace(made.guarantee, constants=falsified))
            assert outcome(forged, name) is False, each
            assert not audit_model(forged, "x").survived
        for odd in (0.0, -1.0, math.nan):
            attempts = audit_guarantee(replace(made.guarantee, constants={**constants, each: odd}), "x").attempts
            assert [one.held for one in attempts if one.name == name] == [False], (each, odd)
    nobody = audit_guarantee(replace(made.guarantee, constants={**constants, "records": 0.0}), "x").attempts
    assert [one.held for one in nobody if one.name == name] == [False]


def of_three_classes(path: Path) -> LinearModel:
    """Saved and loaded, as whoever audits a file has it."""
    rows = RNG.normal(size=(900, 6)) / 3
    fitted = eq.LogisticRegression(1.0, 1e-4, classes=(0, 1, 2)).fit(rows, np.digitize(rows[:, 0], (-0.1, 0.1)))
    fitted.save(path / "three.json")
    found = eq.load(path / "three.json")
    assert isinstance(found, LinearModel)
    return found


def test_a_file_of_several_classes_is_derived_again(tmp_path: Path) -> None:
    made = of_three_classes(tmp_path)
    assert outcome(made, "constants derived again") is True
    less = replace(made.guarantee, sensitivity=made.guarantee.sensitivity / 2)
    assert outcome(replace(made, guarantee=less), "constants derived again") is False


def test_the_longer_column_beside_the_shorter_ones_noise_is_noticed(tmp_path: Path) -> None:
    """A file whose rows are said to end with half a row norm, and whose noise is that of three tenths."""
    made = of_three_classes(tmp_path)
    assert made.guarantee.constants["intercept column"] == 0.3
    longer = {**made.guarantee.constants, "intercept column": 0.5, "row norm with intercept": 1.25**0.5}
    assert (
        outcome(replace(made, guarantee=replace(made.guarantee, constants=longer)), "constants derived again") is False
    )


@pytest.mark.parametrize("weight", [1e6, 1.0, 2.26])
def test_a_weight_that_no_record_can_have_is_noticed(weight: float, tmp_path: Path) -> None:
    made = of_three_classes(tmp_path)
    heavier = replace(made.guarantee, constants={**made.guarantee.constants, "largest weight of a record": weight})
    assert outcome(replace(made, guarantee=heavier), "constants derived again") is False


def test_records_of_a_loss_that_cannot_be_evened_are_noticed() -> None:
    made = model("output")
    evened = replace(made.guarantee, constants={**made.guarantee.constants, "largest weight of a record": 2.25})
    assert outcome(replace(made, guarantee=evened), "constants derived again") is False


EVENED: dict[str, Callable[[], Any]] = {
    "as it comes": lambda: eq.LogisticRegression(0.5, classes=(0, 1)),
    "a given ridge": lambda: eq.LogisticRegression(0.5, classes=(0, 1), alpha=0.05),
    "slopes as they are": lambda: eq.LogisticRegression(0.2, classes=(0, 1), slope_cap=1),
    "slopes of .8": lambda: eq.LogisticRegression(0.2, classes=(0, 1), slope_cap=0.8),
    "slopes of a half": lambda: eq.LogisticRegression(0.2, classes=(0, 1), slope_cap=0.5),
    "three classes": lambda: eq.LogisticRegression(0.5, classes=(0, 1, 2)),
    "numbers": lambda: eq.LinearRegression(0.1, label_bounds=(0, 2)),
    "a wide Huber loss": lambda: eq.HuberRegressor(0.3, label_bounds=(0, 2), threshold=1.5),
    "support vectors": lambda: eq.LinearSVC(0.1, classes=(0, 1)),
}


@pytest.mark.parametrize("kind", EVENED)
def test_a_file_of_an_evened_minimiser_is_derived_again(kind: str, tmp_path: Path) -> None:
    """As it was saved; not where it says that the number of records was secret, or that its noise was smaller."""
    rows = RNG.normal(size=(2000, 5)) / 3
    labels = (rows[:, 0] > 0).astype(int) + (rows[:, 1] > 0 if "numbers" in kind or "Huber" in kind else 0)
    EVENED[kind]().fit(rows, labels).save(tmp_path / "evened.json")
    made = eq.load(tmp_path / "evened.json")
    assert isinstance(made, LinearModel)
    assert made.guarantee.mechanism in ("objective", "output")
    assert made.guarantee.constants["largest weight of a record"] == 2.25
    assert outcome(made, "constants derived again") is True
    secret = replace(made.guarantee, adjacency=Adjacency.ADD_REMOVE)
    assert outcome(replace(made, guarantee=secret), "constants derived again") is False
    less = replace(made.guarantee, sensitivity=made.guarantee.sensitivity / 2)
    assert outcome(replace(made, guarantee=less), "constants derived again") is False


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("numbers", [False, True])
def test_a_usual_length_in_a_file_is_held_against_public_facts(delta: float, numbers: bool) -> None:
    rows = RNG.normal(size=(3000, 3)) / 20
    labels = 5 * rows[:, 0] + 2
    made = (
        eq.LinearRegression(1.0, delta, label_bounds=(0, 5)).fit(rows, labels).model_
        if numbers
        else eq.LogisticRegression(1.0, delta, classes=(0, 1)).fit(rows, (labels > 2).astype(int)).model_
    )
    name, constants = "the usual length against the claim", made.guarantee.constants
    assert constants["row bound over the usual length"] > 2.5
    assert outcome(made, name) is True
    assert outcome(made, "constants derived again") is True
    assert audit_model(made, "x").survived
    for each in chosen_first.PAID, chosen_first.BEYOND:
        for other in (constants[each] / 3, constants[each] * 3):
            forged = replace(made.guarantee, constants={**constants, each: other})
            assert not audit_guarantee(forged, "x").survived
        left_out = {key: value for key, value in constants.items() if key != each}
        assert not audit_guarantee(replace(made.guarantee, constants=left_out), "x").survived
    few = replace(made.guarantee, constants={**constants, "records": 100.0})
    assert not audit_guarantee(few, "x").survived
