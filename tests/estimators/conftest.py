"""The four estimators, one small table that suits them all, and what every refusal must look like."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq

Table = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]
Refused = Callable[[Any, Any, Any], str]

CLASSIFIERS: tuple[Any, ...] = (eq.LogisticRegression, eq.LinearSVC)


class Stated:
    """Makes a regressor whose label bounds are stated, −1 to 1 unless a test says otherwise; equal to its class."""

    def __init__(self, kind: Any) -> None:
        self.kind, self.__name__ = kind, kind.__name__

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self.kind(*given, **{"label_bounds": (-1.0, 1.0)} | named)

    def __eq__(self, other: object) -> bool:
        return other is self or other is self.kind

    def __hash__(self) -> int:
        return hash(self.kind)


REGRESSORS: tuple[Any, ...] = (Stated(eq.LinearRegression), Stated(eq.HuberRegressor))

PLANTED = ("123456.789", "secret-7")
"""Values that tests put into records; no message may repeat them."""


@pytest.fixture(params=[*CLASSIFIERS, *REGRESSORS], ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest) -> Any:
    """Each of the four estimators."""
    return request.param


@pytest.fixture(params=CLASSIFIERS, ids=lambda kind: kind.__name__)
def classifier(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=REGRESSORS, ids=lambda kind: kind.__name__)
def regressor(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(scope="session")
def table() -> Table:
    """Labels 0 and 1: two classes, and numbers within the regressors' usual bounds."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(37, 3)) / 2
    return X, (X[:, 0] > 0).astype(np.int64)


@pytest.fixture
def refused() -> Refused:
    """Fit, expect a refusal, check its manners and return its message."""

    def message_of(estimator: Any, X: Any, y: Any) -> str:
        with pytest.raises(eq.EquipoiseError) as caught:
            estimator.fit(X, y)
        assert not [name for name in vars(estimator) if name.endswith("_")], "a failed fit left something behind"
        return well_mannered(caught.value)

    return message_of


def well_mannered(error: BaseException) -> str:
    """One line, and nothing of the records in it or in anything printed with it."""
    message = str(error)
    shown = "".join(traceback.format_exception(error))
    assert message
    assert "\n" not in message
    assert not [word for word in PLANTED if word in shown]
    return message


@pytest.fixture
def manners() -> Callable[[BaseException], str]:
    return well_mannered
