from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.cohort import FEATURES, simulated_clinic
from equipoise.errors import InvalidInput
from equipoise.studies import Risk, clinical_risk
from equipoise.studies.warfarin.clinical_risk import EXTRACRANIAL, INTRACRANIAL, RANGE, STROKE, Steps
from equipoise.studies.warfarin.response import (
    CLEARANCE_LOST,
    EXCHANGE,
    HALF_EFFECT,
    OUTER_VOLUME,
    VOLUME,
    Patients,
    _leftover,
    clearance,
    half_effect_for,
    simulate_inr,
    steady_inr,
)

Array = npt.NDArray[np.float64]

COUNT = 40
FACTORS = [0.0, 0.25, 0.5, 0.7, 0.9, 1.0, 1.1, 1.3, 1.6, 2.0, 3.0, 5.0]


def everybody() -> tuple[Array, Patients]:
    """All pairs of genotypes at four ages, on 30 mg a week."""
    pairs = [(c, v, a) for c in CLEARANCE_LOST for v in HALF_EFFECT for a in (25.0, 50.0, 71.0, 90.0)]
    cleared = clearance(np.array([c for c, _, _ in pairs]), np.array([a for _, _, a in pairs]))
    return np.full(len(pairs), 30.0), Patients(cleared, np.array([HALF_EFFECT[v] for _, v, _ in pairs]))


def risk(factor: float | Array, **changes: Any) -> Risk:
    stable = np.linspace(15, 60, COUNT)
    settings: dict[str, Any] = {"cyp2c9": ["*1/*1"] * COUNT, "vkorc1": ["unknown"] * COUNT, "age": np.full(COUNT, 65.0)}
    settings |= {"predicted_mg_week": factor * stable, "stable_mg_week": stable}
    return clinical_risk(**(settings | changes))


def test_a_long_simulation_ends_at_the_steady_state() -> None:
    dose, patients = everybody()
    assert simulate_inr(dose, patients, days=400)[-1] == pytest.approx(steady_inr(dose, patients), rel=1e-6)


def test_a_change_of_dose_ends_at_the_new_steady_state() -> None:
    dose, patients = everybody()
    after = simulate_inr(dose, patients, days=400, before_mg_week=3 * dose)[-1]
    assert after == pytest.approx(steady_inr(dose, patients), rel=1e-6)


def test_an_unchanged_dose_changes_nothing() -> None:
    dose, patients = everybody()
    kept = simulate_inr(dose, patients, days=5, before_mg_week=dose)
    assert kept == pytest.approx(np.tile(steady_inr(dose, patients), (5, 1)), rel=1e-9)


def test_the_blood_follows_its_two_compartments() -> None:
    """Against the differential equations in small steps: blood clears and exchanges with an outer compartment."""
    cleared, step = 0.2, 0.001
    blood = outer = 1.0  # what is left of an old dose once it stops
    for _ in range(round(30 / step)):
        flow = EXCHANGE * (outer - blood)
        blood, outer = blood + step * (flow - cleared * blood) / VOLUME, outer - step * flow / OUTER_VOLUME
    assert float(_leftover(np.array([cleared]))(np.array([30]))[0]) == pytest.approx(blood, rel=1e-4)


def test_the_published_typical_patient_gets_a_published_dose() -> None:
    """INR 2.5 at 71 years takes about 8, 5 and 4 mg a day for G/G, A/G and A/A, and far less for CYP2C9 *3/*3."""
    doses = np.linspace(1, 80, 800)
    found = {}
    for cyp in ("*1/*1", "*3/*3"):
        cleared = clearance(np.full(800, cyp), np.full(800, 71.0))
        for gene in ("G/G", "A/G", "A/A"):
            inr = steady_inr(doses, Patients(cleared, np.full(800, HALF_EFFECT[gene])))
            found[cyp, gene] = float(np.interp(2.5, inr, doses))
    assert 45 < found["*1/*1", "G/G"] < 60
    assert 30 < found["*1/*1", "A/G"] < 40
    assert 20 < found["*1/*1", "A/A"] < 30
    assert found["*3/*3", "G/G"] == pytest.approx(0.148 * found["*1/*1", "G/G"], rel=1e-3)


def test_sensitivity_is_the_inverse_of_the_steady_state() -> None:
    dose, patients = everybody()
    own = Patients(patients.clearance, half_effect_for(2.7, dose, patients.clearance))
    assert steady_inr(dose, own) == pytest.approx(np.full(len(dose), 2.7))


def test_more_warfarin_means_a_higher_inr_every_day() -> None:
    dose, patients = everybody()
    runs = [simulate_inr(factor * dose, patients, days=40) for factor in (0.5, 1.0, 2.0)]
    assert (runs[0] < runs[1]).all()
    assert (runs[1] < runs[2]).all()


def test_genotypes_and_age_order_the_response() -> None:
    def inr(cyp: str, gene: str, age: float = 71.0) -> float:
        patient = Patients(clearance(np.array([cyp]), np.array([age])), np.array([HALF_EFFECT[gene]]))
        return float(steady_inr(np.array([30.0]), patient)[0])

    assert inr("*1/*1", "G/G") < inr("*1/*1", "A/G") < inr("*1/*1", "A/A")
    assert inr("*1/*1", "A/G") < inr("*1/*2", "A/G") < inr("*1/*3", "A/G") < inr("*2/*2", "A/G") < inr("*3/*3", "A/G")
    assert inr("*1/*1", "A/G", 40) < inr("*1/*1", "A/G", 80)


@pytest.mark.parametrize("start", ["stable", "untreated"])
def test_more_than_needed_bleeds_and_less_has_strokes(start: str) -> None:
    found = [risk(factor, start=start, days=60) for factor in FACTORS]
    bleeding, stroke = [each.bleeding.ratio for each in found], [each.stroke.ratio for each in found]
    inr = [each.mean_inr for each in found]
    assert bleeding == sorted(bleeding)
    assert stroke == sorted(stroke, reverse=True)
    assert inr == sorted(inr)
    assert bleeding[-1] > 5
    assert stroke[0] > 5


def test_the_right_dose_has_the_least_risk() -> None:
    found = {factor: risk(factor) for factor in FACTORS}
    totals = {f: r.stroke.per_100_years + r.bleeding.per_100_years for f, r in found.items()}
    assert totals[1.0] == min(totals.values())
    assert found[1.0].death.ratio == min(r.death.ratio for r in found.values())
    assert all(totals[factor] > totals[1.0] for factor in (0.25, 0.5, 1.6, 2.0, 3.0))


def test_the_right_dose_has_relative_risk_one_and_no_error() -> None:
    for start in ("stable", "untreated"):
        found = risk(1.0, start=start)
        assert [found.stroke.ratio, found.bleeding.ratio, found.death.ratio] == [1.0, 1.0, 1.0]
        assert found.stroke.error == found.bleeding.error == found.death.error == 0.0
        assert found.time_in_range == found.stable_time_in_range
    assert risk(1.0).time_in_range == 1.0
    assert 0.8 < risk(1.0, start="untreated").time_in_range < 1.0


def test_only_patients_who_disagree_with_the_published_values_are_individualised() -> None:
    doses = np.array([35.0, 35.0, 5.0, 90.0])
    genes = ["A/G", "unknown", "A/G", "A/G"]
    found = clinical_risk(doses, doses, ["*1/*1"] * 4, genes, [65.0] * 4)
    assert found.individualised == 0.75
    assert found.stable_time_in_range == 1.0


def test_the_standard_error_is_that_of_repeated_samples() -> None:
    draw = np.random.default_rng(2)
    ratios, errors = [], []
    for _ in range(50):
        found = risk(np.exp(0.5 * draw.standard_normal(COUNT)), days=15, stable_mg_week=np.full(COUNT, 35.0))
        ratios.append(found.bleeding.ratio)
        errors.append(found.bleeding.error)
    assert 0.6 < float(np.std(ratios)) / float(np.mean(errors)) < 1.6


def test_a_model_that_sees_patients_beats_one_dose_for_all() -> None:
    clinic = simulated_clinic(500, seed=1)
    rows = np.column_stack([np.ones(500), clinic.X])
    coef, *_ = np.linalg.lstsq(rows, clinic.root_dose, rcond=None)

    def label(gene: str, default: str) -> npt.NDArray[np.str_]:
        labels = np.full(500, default, dtype="<U7")
        for column, name in enumerate(FEATURES):
            if name.startswith(gene):
                labels[clinic.X[:, column] == 1] = name.removeprefix(f"{gene} ")
        return labels

    facts = (clinic.dose, label("CYP2C9", "*1/*1"), label("VKORC1", "G/G"), 10 * clinic.X[:, 0] + 5)
    model, usual = (clinical_risk(dose, *facts, days=60) for dose in ((rows @ coef) ** 2, np.full(500, 35.0)))
    assert model.death.ratio + 3 * model.death.error < usual.death.ratio
    assert model.time_in_range > usual.time_in_range
    assert model.patients == 500
    assert model.days == 60


def test_rates_change_exactly_at_their_levels() -> None:
    steps = Steps((1.0, 2.0), (5.0, 6.0, 7.0))
    assert steps.at(np.array([0.9, 1.0, 1.5, 2.0, 9.0])).tolist() == [5.0, 6.0, 6.0, 7.0, 7.0]


def test_published_rates_are_lowest_in_the_target_range() -> None:
    inr = np.linspace(1, 12, 500)
    total = STROKE.at(inr) + INTRACRANIAL.at(inr) + EXTRACRANIAL.at(inr)
    inside = (inr >= RANGE[0]) & (inr < RANGE[1])
    assert total[inside].max() < total[~inside].min()


def test_the_report_can_be_read() -> None:
    text = str(risk(1.6))
    assert "stroke" in text
    assert "100 patient-years" in text
    assert "time with INR in 2 to 3" in text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"predicted_mg_week": np.full(COUNT, -1.0)}, "predicted_mg_week: must be one finite number >= 0"),
        ({"predicted_mg_week": np.full(COUNT, np.nan)}, "predicted_mg_week: must be one finite number >= 0"),
        ({"predicted_mg_week": ["much"] * COUNT}, "predicted_mg_week: must be numbers"),
        ({"stable_mg_week": np.zeros(COUNT)}, "stable_mg_week: must be > 0"),
        ({"age": np.full(COUNT, 6.5)}, "age: must be years from 10 to 110"),
        ({"age": ["old"] * COUNT}, "age: must be numbers"),
        ({"age": np.full(COUNT - 1, 60.0)}, "patients: all five arguments must have the same length"),
        ({"cyp2c9": ["*1/*9"] * COUNT}, "cyp2c9: must be one of"),
        ({"vkorc1": ["T/T"] * COUNT}, "vkorc1: must be one of G/G, A/G, G/A, A/A, unknown"),
        ({"days": 0}, "days=0: must be a whole number >= 1"),
        ({"target_inr": 4.0}, "target_inr=4.0: must be in 2 to 3"),
        ({"start": "later"}, "start='later': must be one of untreated, stable"),
    ],
)
def test_bad_input_is_refused_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        risk(1.0, **changes)
    assert "\n" not in str(caught.value)
