"""Small released models to read, save and describe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equipoise.outside import LinearModel
from equipoise.outside.uncertainty import MINIMISER, Uncertainty
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.losses import Logistic, Softmax, Squared
from equipoise.theory.noise import Law


@pytest.fixture(scope="session")
def guarantee() -> Guarantee:
    return Guarantee(
        epsilon=1.0,
        delta=1e-6,
        delta_numeric=2.0**-41,
        adjacency=Adjacency.REPLACE_ONE,
        mechanism="output",
        theorem="output perturbation, Lemma A",
        sensitivity=0.0123,
        noise_scale=0.0456,
        seeded=False,
        constants={"records": 3000.0, "row norm": 1.5, "alpha": 0.017, "slope bound": 1.0, "solver radius": 1e-9},
        notes=("output chosen: least predicted excess risk",),
    )


@pytest.fixture
def binary(guarantee: Guarantee) -> LinearModel:
    return LinearModel(
        kind="classifier",
        estimator="LogisticRegression",
        coef=np.array([[0.1, -2.0, 1 / 3]]),
        intercept=np.array([0.25]),
        classes=("no", "yes"),
        link="logistic",
        loss=Logistic(),
        guarantee=guarantee,
        feature_names=("age", "height", "weight"),
        why=("alpha=0.017 minimises the predicted excess risk",),
    )


@pytest.fixture
def joint(guarantee: Guarantee) -> LinearModel:
    return LinearModel(
        kind="classifier",
        estimator="LogisticRegression",
        coef=np.arange(6.0).reshape(3, 2),
        intercept=np.array([3.0, 0.0, -1.0]),
        classes=(10, 20, 30),
        link="softmax",
        loss=Softmax(3),
        guarantee=guarantee,
    )


@pytest.fixture
def regressor(guarantee: Guarantee) -> LinearModel:
    return LinearModel(
        kind="regressor",
        estimator="LinearRegression",
        coef=np.array([[1.5, -0.5]]),
        intercept=np.array([5.0]),
        classes=None,
        link="identity",
        loss=Squared(),
        guarantee=guarantee,
    )


@pytest.fixture
def noisy(regressor: LinearModel) -> LinearModel:
    """A regressor that knows its error: half a unit on each coefficient, a quarter on the intercept."""
    known = Uncertainty(np.array([[1.5, -0.5, 5.0]]), np.array([0.25, 0.25, 0.0625]), Law.SPHERICAL, MINIMISER, 0.001)
    return replace(regressor, uncertainty=known)
