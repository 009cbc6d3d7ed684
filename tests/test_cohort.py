from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.cohort import (
    AGES,
    ASIAN,
    BLACK,
    COEF_NORM,
    EFFECTS,
    FEATURES,
    HEIGHTS,
    INTERCEPT,
    LABEL_BOUNDS,
    SPREAD,
    UNTESTED,
    WEIGHTS,
    WHITE,
    Cohort,
    Group,
    encode,
    simulated_clinic,
)
from equipoise.errors import InvalidInput

COEFFICIENTS = np.array(list(EFFECTS.values()))


@pytest.fixture(scope="module")
def clinic() -> Cohort:
    return simulated_clinic(patients=60_000, seed=7)


def column(clinic: Cohort, name: str) -> npt.NDArray[np.float64]:
    return clinic.X[:, FEATURES.index(name)]


def members(clinic: Cohort, race: str) -> npt.NDArray[np.bool_]:
    marks = [column(clinic, name) for name in ("Asian", "Black", "race unknown")]
    return np.equal(np.sum(marks, axis=0), 0) if race == "White" else np.equal(column(clinic, race), 1)


def test_same_seed_gives_the_same_clinic() -> None:
    first, again, other = simulated_clinic(50, seed=3), simulated_clinic(50, seed=3), simulated_clinic(50, seed=4)
    assert first.X.tobytes() == again.X.tobytes()
    assert first.dose.tobytes() == again.dose.tobytes()
    assert first.dose.tobytes() != other.dose.tobytes()


def test_dose_follows_the_published_equation(clinic: Cohort) -> None:
    residual = clinic.root_dose - INTERCEPT - clinic.X @ COEFFICIENTS
    assert abs(residual.mean()) < 0.02
    assert residual.std() == pytest.approx(1.0, abs=0.02)
    inverse = np.linalg.inv(clinic.X.T @ clinic.X)
    left_over = inverse @ (clinic.X.T @ residual) / np.sqrt(np.diag(inverse))
    assert np.abs(left_over).max() < 5  # standard errors, with a fixed seed
    explained = 1 - residual.var() / clinic.root_dose.var()
    assert 0.42 < explained < 0.52


@pytest.mark.parametrize(("race", "published"), [("Asian", 24.0), ("Black", 40.1), ("White", 32.7)])
def test_mean_predicted_dose_of_each_group_is_near_the_published_one(
    clinic: Cohort, race: str, published: float
) -> None:
    predicted = (INTERCEPT + clinic.X[members(clinic, race)] @ COEFFICIENTS) ** 2
    assert predicted.mean() == pytest.approx(published, abs=2.5)


@pytest.mark.parametrize(("race", "group"), [("Asian", ASIAN), ("Black", BLACK), ("White", WHITE)])
def test_genotypes_have_the_published_frequencies(clinic: Cohort, race: str, group: Group) -> None:
    rows = members(clinic, race)
    tested = rows & (column(clinic, "VKORC1 unknown") == 0)
    copies = column(clinic, "VKORC1 A/G")[tested] + 2 * column(clinic, "VKORC1 A/A")[tested]
    assert copies.mean() / 2 == pytest.approx(group.vkorc1_a, abs=0.015)
    tested = rows & (column(clinic, "CYP2C9 unknown") == 0)
    carriers = sum(column(clinic, f"CYP2C9 {kind}")[tested] for kind in ("*1/*3", "*2/*3", "*3/*3"))
    assert np.mean(carriers) == pytest.approx(1 - (1 - group.cyp2c9_3) ** 2, abs=0.01)


@pytest.mark.parametrize("gene", ["VKORC1", "CYP2C9"])
def test_a_patient_has_one_genotype_at_most(clinic: Cohort, gene: str) -> None:
    columns = [column(clinic, name) for name in FEATURES if name.startswith(gene)]
    assert np.sum(columns, axis=0).max() == 1
    assert column(clinic, f"{gene} unknown").mean() == pytest.approx(UNTESTED, abs=0.005)


def test_encoded_rows_have_norm_at_most_one_and_most_are_not_short(clinic: Cohort) -> None:
    lengths = np.linalg.norm(encode(clinic.X), axis=1)
    assert lengths.max() <= 1 + 1e-12
    assert np.mean(lengths > 1 - 1e-9) < 0.1
    assert np.median(lengths) > 0.75


def test_encoding_looks_at_each_row_alone(clinic: Cohort) -> None:
    np.testing.assert_array_equal(encode(clinic.X)[:5], encode(clinic.X[:5]))


def test_published_equation_fits_the_public_coefficient_bound() -> None:
    encoded = COEFFICIENTS * SPREAD
    ranges = [(AGES[0] / 10, AGES[1] / 10), HEIGHTS, WEIGHTS]
    encoded[:3] *= [(high - low) / 2 for low, high in ranges]
    assert 0.9 * COEF_NORM < np.linalg.norm(encoded) < COEF_NORM


def test_label_bounds_clip_rarely(clinic: Cohort) -> None:
    low, high = LABEL_BOUNDS
    assert np.mean((clinic.root_dose < low) | (clinic.root_dose > high)) < 0.015


def test_high_dose_marks_those_above_the_usual_one(clinic: Cohort) -> None:
    assert set(np.unique(clinic.high_dose)) == {0, 1}
    assert clinic.dose[clinic.high_dose == 1].min() > 35.0
    assert clinic.dose[clinic.high_dose == 0].max() <= 35.0


@pytest.mark.parametrize("patients", [0, -1, 2.5, True])
def test_number_of_patients_must_be_whole(patients: int) -> None:
    with pytest.raises(InvalidInput, match="patients"):
        simulated_clinic(patients=patients)


def test_encoding_needs_the_published_columns() -> None:
    with pytest.raises(InvalidInput, match="17 columns"):
        encode(np.zeros((2, 3)))
