"""What depends on the records' values and is not malformed must fit: an error would say something about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse
from tests.lists.turns import in_turns

import equipoise as eq

Array = npt.NDArray[np.float64]

N = 12
ROWS = np.random.default_rng(3).normal(size=(N, 3))
HALF = np.tile([0, 1], N // 2)

CASES: dict[str, tuple[Array, npt.NDArray[np.int64]]] = {
    "only the second class": (ROWS, np.ones(N, dtype=np.int64)),
    "only the first class": (ROWS, np.zeros(N, dtype=np.int64)),
    "all rows equal": (np.tile(ROWS[:1], (N, 1)), HALF),
    "all rows and labels equal": (np.tile(ROWS[:1], (N, 1)), np.ones(N, dtype=np.int64)),
    "all zero": (np.zeros((N, 3)), HALF),
    "a zero column": (ROWS * [1.0, 0.0, 1.0], HALF),
    "a constant column": (np.column_stack([ROWS, np.full(N, 5.0)]), HALF),
    "all rows clipped": (np.sign(ROWS) * 1e300, HALF),
    "as large as doubles go": (np.sign(ROWS) * np.finfo(np.float64).max, HALF),
    "as small as doubles go": (np.full((N, 3), 5e-324), HALF),
    "columns of very different size": (ROWS * [1e300, 1.0, 1e-300], HALF),
    "more columns than rows": (np.random.default_rng(4).normal(size=(5, 40)), HALF[:5]),
    "two records": (ROWS[:2], HALF[:2]),
    "two equal records": (np.tile(ROWS[:1], (2, 1)), np.ones(2, dtype=np.int64)),
    "separable": (np.repeat([[1.0, 0.0], [-1.0, 0.0]], 6, axis=0), np.repeat([1, 0], 6)),
}


def as_singles(rows: Array) -> npt.NDArray[np.float32]:
    largest = float(np.finfo(np.float32).max)
    return np.clip(rows, -largest, largest).astype(np.float32)


CONTAINERS: dict[str, Callable[[Array], Any]] = {
    "doubles": lambda rows: rows,
    "singles": as_singles,
    "sparse": sparse.csr_array,
}

BUDGETS = [(0.1, 0.0), (30.0, 1e-6)]

RELEASES: list[tuple[Any, dict[str, Any]]] = [
    (eq.LogisticRegression, {"mechanism": "output"}),
    (eq.LogisticRegression, {"mechanism": "objective"}),
    (eq.LogisticRegression, {"mechanism": "noisy-gradient"}),
    (eq.LogisticRegression, {"mechanism": "sgd"}),
    (eq.LinearRegression, {"mechanism": "momentum", "label_bounds": (-1, 1)}),
    (eq.ElasticNetClassifier, {"mechanism": "output"}),
    (eq.ElasticNet, {"mechanism": "output", "label_bounds": (-1, 1)}),
    (eq.BridgeRegressor, {"mechanism": "output", "label_bounds": (-1, 1)}),
    (eq.PairwiseRanker, {"mechanism": "output"}),
    (eq.KernelClassifier, {"mechanism": "output", "frequencies": 3}),
    (eq.KernelClassifier, {"mechanism": "objective", "frequencies": 3, "kernel": "laplace"}),
    (eq.MultiTaskRegressor, {"mechanism": "output", "tasks": (0, 1), "label_bounds": (-1, 1)}),
    (eq.MultiTaskRegressor, {"mechanism": "noisy-gradient", "tasks": (0, 1), "label_bounds": (-1, 1)}),
    (eq.LogisticRegression, {"mechanism": "output", "classes": [0, 1, 2]}),
    (eq.LogisticRegression, {"mechanism": "objective", "classes": [0, 1, 2]}),
    (eq.LogisticRegression, {"mechanism": "noisy-gradient", "classes": [0, 1, 2]}),
    (eq.LinearSVC, {"mechanism": "output"}),
    (eq.LinearSVC, {"mechanism": "objective", "smoothing": 0.5}),
    (eq.LinearSVC, {"mechanism": "noisy-gradient", "smoothing": 0.5}),
    (eq.LinearRegression, {"mechanism": "output", "label_bounds": (-1, 1)}),
    (eq.LinearRegression, {"mechanism": "objective", "label_bounds": (-1, 1)}),
    (eq.LinearRegression, {"mechanism": "noisy-gradient", "label_bounds": (-1, 1)}),
    (eq.LinearRegression, {"mechanism": "output", "coef_norm": 0.5, "label_bounds": (-1, 1)}),
    (eq.HuberRegressor, {"mechanism": "output", "label_bounds": (-1, 1)}),
    (eq.HuberRegressor, {"mechanism": "objective", "label_bounds": (-1, 1)}),
    (eq.HuberRegressor, {"mechanism": "noisy-gradient", "label_bounds": (-1, 1)}),
]


def named(release: tuple[Any, dict[str, Any]]) -> str:
    return " ".join([release[0].__name__, *map(str, release[1].values())])


@pytest.mark.parametrize("release", RELEASES, ids=named)
@pytest.mark.parametrize("case", CASES)
def test_values_never_stop_a_fit(release: tuple[Any, dict[str, Any]], case: str) -> None:
    kind, settings = release
    rows, labels = CASES[case]
    turn = RELEASES.index(release) + list(CASES).index(case)
    met = in_turns(list(enumerate(CONTAINERS.values())), turn, 3)
    for place, convert in met:  # with either budget, in turns: noise knows no container
        epsilon, delta = BUDGETS[(turn // 3 + place) % 2]
        delta = 1e-6 if settings["mechanism"] == "noisy-gradient" else delta
        if kind is eq.PairwiseRanker and convert is sparse.csr_array:
            continue  # refused by its type
        model = kind(epsilon, delta, alpha=0.05, random_state=1, **settings).fit(convert(rows), labels)
        assert np.isfinite(model.coef_).all()
        assert len(model.predict(np.ones((2, rows.shape[1])))) == 2


@pytest.mark.parametrize("case", CASES)
def test_values_never_stop_the_default_fit(kind: Any, case: str) -> None:
    assert not kind().fit(*CASES[case]).guarantee_.seeded


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("epsilon", [1e-3, 100.0, 1e4])
def test_extreme_budgets_fit(kind: Any, epsilon: float, delta: float) -> None:
    model = kind(epsilon, delta).fit(ROWS, HALF)
    assert np.isfinite(model.coef_).all()
    assert model.guarantee_.epsilon <= epsilon
    assert model.guarantee_.delta_numeric <= 2.0**-40


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_a_secret_number_of_rows_never_stops_a_fit(kind: Any, rows: int) -> None:
    model = kind(adjacency="add-remove", public_n=10).fit(ROWS[:rows], HALF[:rows])
    assert model.guarantee_.constants["records"] == 10


def test_more_rows_than_the_public_size_fit_too(kind: Any) -> None:
    many = np.random.default_rng(5).normal(size=(60, 3))
    model = kind(1.0, 1e-6, adjacency="add-remove", public_n=20).fit(many, (many[:, 0] > 0).astype(int))
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble, ">f8", np.int8, np.int64, np.uint8, bool])
def test_numbers_of_every_type_fit(kind: Any, dtype: Any) -> None:
    rows = (np.arange(24).reshape(12, 2) % 5 > 2).astype(dtype)
    assert kind(random_state=0).fit(rows, HALF).predict(rows).shape == (12,)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.longdouble, ">i4", np.int8, np.uint8, bool])
def test_labels_of_every_type_fit(kind: Any, dtype: Any) -> None:
    assert kind(random_state=0).fit(ROWS, HALF.astype(dtype)).predict(ROWS).shape == (N,)


def test_lists_fit(kind: Any) -> None:
    same = kind(random_state=0).fit(ROWS, HALF)
    np.testing.assert_array_equal(kind(random_state=0).fit(ROWS.tolist(), HALF.tolist()).coef_, same.coef_)


def test_labels_outside_the_bounds_are_clipped_and_the_card_says_so(regressor: Any) -> None:
    labels = np.linspace(-50, 50, N)
    wild = regressor(random_state=0, label_bounds=(-2, 3)).fit(ROWS, labels)
    tame = regressor(random_state=0, label_bounds=(-2, 3)).fit(ROWS, np.clip(labels, -2, 3))
    np.testing.assert_array_equal(wild.coef_, tame.coef_)
    assert "clipped" in str(wild.card())
    assert "-2 to 3" in str(wild.card())


def test_rows_longer_than_the_norm_are_clipped(kind: Any) -> None:
    long = ROWS * 1e6
    unit = long / np.linalg.norm(long, axis=1, keepdims=True)
    far = kind(30.0, random_state=0).fit(long, HALF)
    near = kind(30.0, random_state=0).fit(unit, HALF)
    np.testing.assert_allclose(far.coef_, near.coef_, atol=1e-6)
