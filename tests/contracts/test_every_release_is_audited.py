"""Whoever adds a mechanism, a predictor, a search or an estimator adds its row to the audit table, or says why not."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from sklearn.base import BaseEstimator

import equipoise
from equipoise import answering, calibration, estimators, tuning
from equipoise.audit.subjects.library import library
from equipoise.audit.table import NOT_RELEASES
from equipoise.errors import EquipoiseError
from equipoise.gate import MECHANISMS

ROWS = library()
SPOKEN = {name for target in ROWS for name in target.speaks_of}
PUBLIC = [
    *MECHANISMS,
    *answering.__all__,
    *tuning.__all__,
    *estimators.__all__,
    *(name for name in calibration.__all__ if inspect.isfunction(getattr(calibration, name))),
    "fit",
    "evaluate",
]
MODULES = (equipoise, answering, tuning, estimators)
CLASSES = {name: getattr(module, name) for module in MODULES for name in module.__all__}
ESTIMATORS = {
    name: found for name, found in CLASSES.items() if inspect.isclass(found) and issubclass(found, BaseEstimator)
}
LINEAR = [name for name, found in ESTIMATORS.items() if "mechanism" in inspect.signature(found).parameters]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_name_is_audited_or_said_to_release_nothing_but_not_both(name: str) -> None:
    assert (name in SPOKEN) != (name in NOT_RELEASES)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_whatever_fits_is_audited(name: str) -> None:
    """Found by its class and not by a list; one that is abstract, learns nothing or claims nothing is excused."""
    excused = {found for found in NOT_RELEASES if found in ESTIMATORS}
    assert excused <= {"Encoder", "PrivatePredictor", "OracleSearch"}
    assert name in SPOKEN | excused


def test_rows_and_excuses_speak_of_public_names_alone() -> None:
    """A row for a name that is gone would go unnoticed, and so would an excuse."""
    assert set(PUBLIC) >= SPOKEN
    assert set(PUBLIC) >= set(NOT_RELEASES)
    assert len(LINEAR) >= 4
    assert len(ESTIMATORS) >= 15


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("name", LINEAR)
def test_a_linear_estimator_has_a_row_for_each_mechanism_that_serves_it(name: str, mechanism: str) -> None:
    audited = {target.delta > 0 for target in ROWS if target.speaks_of == (mechanism, name)}
    served = {delta > 0 for delta in (0.0, 1e-3) if serves(ESTIMATORS[name], mechanism, delta)}
    assert bool(audited) == bool(served)
    assert audited <= served


def serves(make: Any, mechanism: str, delta: float) -> bool:
    """Whether there is a plan, with a ball, a rounded kink or bounds where those help."""
    known = inspect.signature(make).parameters
    needed: dict[str, Any] = {"label_bounds": (-1, 1)} if "label_bounds" in known else {}
    needed |= {"fit_intercept": False} if "fit_intercept" in known else {}
    needed |= {"tasks": (0, 1)} if "tasks" in known else {}
    columns = 2 if "tasks" in known else 1
    for helped in ({}, {"coef_norm": 1.0}, {"smoothing": 0.5}, {"column_bounds": (-1.0, 1.0)}):
        if known.keys() >= helped.keys():
            try:
                one = make(1.0, delta, mechanism=mechanism, alpha=1.0, **needed, **helped)
                one.plan(8, columns)
            except EquipoiseError:
                continue
            return True
    return False
