"""Reliability curve and Brier score: exact on public rows, charged once on private ones."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy import sparse
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss

import equipoise as eq
from equipoise.answering import StablePredictor
from equipoise.errors import BudgetExhausted, InvalidInput
from equipoise.estimators.calibration import brier_score, reliability_curve
from equipoise.theory.events import PureRelease

Array = npt.NDArray[np.float64]
Table = tuple[Array, npt.NDArray[Any]]


def table(n: int = 4000, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) / 2
    return X, (rng.random(n) < 1 / (1 + np.exp(-4 * X[:, 0]))).astype(int)


@pytest.fixture(scope="module")
def model() -> eq.LogisticRegression:
    return eq.LogisticRegression(5.0, random_state=0).fit(*table())


def test_on_public_rows_it_is_what_scikit_learn_gives(model: eq.LogisticRegression) -> None:
    X, y = table(seed=1)
    found = reliability_curve(model, X, y)
    chance = model.predict_proba(X)[:, 1]
    observed, predicted = calibration_curve(y, chance, n_bins=10)
    assert found.observed == pytest.approx(observed)
    assert found.mean_predicted == pytest.approx(predicted)
    assert found.counts.sum() == len(y)
    assert float(found.brier) == pytest.approx(brier_score_loss(y, chance))
    assert float(brier_score(model, X, y)) == pytest.approx(float(found.brier))
    assert found.guarantee is None
    assert np.all((found.low <= found.observed) & (found.observed <= found.high))


def test_on_private_rows_it_comes_near_for_one_debit(model: eq.LogisticRegression) -> None:
    X, y = table(seed=1)
    ledger = eq.Ledger()
    noisy = reliability_curve(model.model_, X, y, epsilon=1.0, ledger=ledger, random_state=1)
    exact = reliability_curve(model, X, y)
    assert [record.event for record in ledger.entries()] == [PureRelease(1.0)]
    assert noisy.guarantee is not None
    assert noisy.guarantee.epsilon == 1.0
    assert not noisy.guarantee.private, "a seed hides nothing"
    secure = brier_score(model, X, y, epsilon=1.0).guarantee
    assert secure is not None
    assert secure.private
    filled = exact.counts > 200
    assert noisy.observed[filled] == pytest.approx(exact.observed[filled], abs=0.2)
    assert float(noisy.brier) == pytest.approx(float(exact.brier), abs=0.05)
    assert np.mean((noisy.low <= exact.observed) & (exact.observed <= noisy.high)) >= 0.7
    assert np.any(noisy.counts != exact.counts)


def test_the_brier_score_alone_gets_all_of_epsilon(model: eq.LogisticRegression) -> None:
    X, y = table(400)
    alone = [float(brier_score(model, X, y, epsilon=0.2, random_state=s)) for s in range(60)]
    beside = [float(reliability_curve(model, X, y, epsilon=0.2, random_state=s).brier) for s in range(60)]
    exact = float(brier_score(model, X, y))
    assert 2 < np.std(np.array(beside) - exact) / np.std(np.array(alone) - exact) < 8
    score = brier_score(model, X, y, epsilon=0.2, random_state=0)
    assert score.guarantee is not None
    assert score.guarantee.seeded
    assert 0 <= score.low <= score.value <= score.high <= 1


def test_a_private_value_is_no_error_and_a_public_one_may_be(model: eq.LogisticRegression) -> None:
    X, y = table(50)
    broken, strange = X.copy(), y.copy()
    broken[3, 1], strange[0] = math.nan, 9
    settled, first = X.copy(), y.copy()
    settled[3, 1], first[0] = 0.0, 0
    for rows, labels, same in ((broken, y, (settled, y)), (X, strange, (X, first))):
        ledger = eq.Ledger()
        found = reliability_curve(model, rows, labels, epsilon=1.0, ledger=ledger, random_state=3)
        assert [record.state for record in ledger.entries()] == ["committed"]
        assert np.array_equal(found.counts, reliability_curve(model, *same, epsilon=1.0, random_state=3).counts)
    assert np.array_equal(reliability_curve(model, broken, y).counts, reliability_curve(model, settled, y).counts)
    with pytest.raises(InvalidInput, match="classes"):
        reliability_curve(model, X, strange)
    with pytest.raises(BudgetExhausted):
        reliability_curve(model, broken, y, epsilon=1.0, ledger=eq.Ledger(epsilon=0.5))


class Wrapped:
    """Somebody's classifier that asks a predictor."""

    def __init__(self, inner: Any) -> None:
        self.classes_, self.n_features_in_ = inner.classes_, inner.n_features_in_
        self.ask: Callable[[Any], Any] = lambda X: inner.predict_proba(X)

    def predict_proba(self, X: Any) -> Any:
        return self.ask(X)


WRAPS: list[Callable[[Any], Any]] = [lambda asked: asked, Wrapped, lambda asked: Wrapped(Wrapped(asked))]


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("epsilon", [None, 1.0])
@pytest.mark.parametrize("measure", [reliability_curve, brier_score])
def test_a_predictor_that_answers_is_refused_before_anything_is_asked(measure: Any, epsilon: Any, wrap: Any) -> None:
    """Its ledger would tell how many of the private rows are different."""
    X, y = table(100)
    paid, ledger = eq.Ledger(), eq.Ledger()
    asked = wrap(StablePredictor(0.5, ledger=paid).fit(*table(200)))
    with pytest.raises(InvalidInput, match="give a released classifier"):
        measure(asked, X, y, epsilon=epsilon, ledger=ledger if epsilon else None)
    assert paid.entries() == ledger.entries() == ()


class Touchy:
    """A stranger that says a lot about rows it does not like, and looks at its batch."""

    classes_, n_features_in_ = np.array([0, 1]), 3

    def predict_proba(self, X: Any) -> Any:
        cells = np.asarray(X, dtype=object)
        if any(isinstance(cell, str) for cell in cells.ravel()):
            warnings.warn("could not convert string to float: 'Alice'", stacklevel=2)
            raise SystemExit("Alice") if cells[0, 0] == "quit" else ValueError("could not convert 'Alice'")
        chance = np.full(len(cells), 0.9 if len(cells) == 1 else 0.2)
        return np.column_stack([1 - chance, chance])


@pytest.mark.parametrize("word", ["Alice", "quit"])
def test_a_strangers_error_stays_inside_and_spoils_no_other_row(word: str) -> None:
    X, y = table(40)
    rows = X.astype(object)
    rows[7, 0] = word
    ledger = eq.Ledger()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = reliability_curve(Touchy(), rows, y, epsilon=1e6, ledger=ledger, random_state=0)
        except Exception as error:  # noqa: BLE001 - whatever is heard is too much
            pytest.fail(f"{type(error).__name__} was heard of a private row")
    assert [record.state for record in ledger.entries()] == ["committed"]
    assert np.rint(found.counts).tolist() == [0, 0, 0, 0, 0, 1, 0, 0, 0, 39]
    with pytest.raises(InvalidInput, match="model of type Touchy") as caught, pytest.warns(UserWarning, match="Alice"):
        reliability_curve(Touchy(), rows if word == "Alice" else rows[6:8], y if word == "Alice" else y[6:8])
    assert "Alice" not in str(caught.value)


def test_a_stranger_that_forecasts_nothing_is_refused_before_the_debit() -> None:
    class Useless(Touchy):
        def predict_proba(self, X: Any) -> Any:
            return np.zeros((len(X), 3))

    ledger = eq.Ledger()
    with pytest.raises(InvalidInput, match="a row of zeros"):
        reliability_curve(Useless(), *table(20), epsilon=1.0, ledger=ledger)
    assert ledger.entries() == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"X": np.zeros((4, 2))}, "columns"),
        ({"X": np.zeros(4)}, "columns"),
        ({"y": [0, 1, 0]}, "one label for each row"),
        ({"X": np.zeros((0, 3)), "y": []}, "at least one"),
        ({"bins": 0}, "bins"),
        ({"bins": 5000}, "bins"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": 1.0, "delta": 1.0}, "delta"),
        ({"level": 1.0}, "level"),
        ({"level": 0.0}, "level"),
        ({"ledger": "privacy.db", "epsilon": 1.0}, "ledger"),
        ({"model": 3}, "model of type int"),
    ],
)
def test_bad_input_is_one_line_and_free(model: eq.LogisticRegression, changes: dict[str, Any], said: str) -> None:
    ledger = eq.Ledger()
    given: dict[str, Any] = {"model": model, "X": np.zeros((4, 3)), "y": [0, 1, 0, 1], "ledger": ledger, "epsilon": 1.0}
    with pytest.raises(InvalidInput, match=said) as caught:
        reliability_curve(**(given | changes))
    assert "\n" not in str(caught.value)
    assert not ledger.entries()


def test_a_ledger_without_epsilon_is_a_slip_that_is_named(model: eq.LogisticRegression) -> None:
    with pytest.raises(InvalidInput, match="give epsilon"):
        brier_score(model, *table(10), ledger=eq.Ledger())


def test_classifiers_without_probabilities_or_with_more_classes_are_refused() -> None:
    X, y = table(200)
    many = eq.LogisticRegression(5.0, classes=[0, 1, 2]).fit(X, y)
    for wrong in (eq.LinearSVC(5.0).fit(X, y), many, eq.LinearRegression(5.0, label_bounds=(-1, 1)).fit(X, y / 2)):
        with pytest.raises(InvalidInput, match="two classes"):
            reliability_curve(wrong, X, y)


def test_frames_sparse_rows_and_a_strangers_classifier_will_do(model: eq.LogisticRegression) -> None:
    X, y = table(300)
    expected = float(brier_score(model, X, y))
    assert float(brier_score(model, sparse.csr_array(X), pd.Series(y))) == pytest.approx(expected)
    named = np.where(y == 1, "yes", "no")
    stranger = LogisticRegression().fit(pd.DataFrame(X, columns=list("abc")), named)
    found = reliability_curve(stranger, pd.DataFrame(X, columns=list("abc")), named, epsilon=2.0, random_state=1)
    assert 0 < float(found.brier) < 0.5


def test_the_picture_shows_the_curve_and_the_diagonal_and_the_text_a_line_for_each_bin(
    model: eq.LogisticRegression,
) -> None:
    found = reliability_curve(model, *table(300), bins=6, epsilon=1.0, random_state=2)
    axes = found.plot()
    assert list(axes.lines[0].get_xdata()) == list(axes.lines[0].get_ydata()) == [0, 1]
    shown = np.isfinite(found.observed)
    assert np.array_equal(np.asarray(axes.lines[1].get_ydata()), found.observed[shown])
    plt.close("all")
    assert len(str(found).splitlines()) == 8
    assert "epsilon 1" in str(found)
    assert "public rows" in str(reliability_curve(model, *table(300)))


def test_an_empty_bin_says_that_nothing_is_known(model: eq.LogisticRegression) -> None:
    found = reliability_curve(model, *table(5), bins=50)
    empty = found.counts == 0
    assert empty.any()
    assert np.isnan(found.observed[empty]).all()
    assert found.low[empty].tolist() == [0.0] * int(empty.sum())
    assert found.high[empty].tolist() == [1.0] * int(empty.sum())


class Secretive:
    """A cell with ideas of its own."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        raise RuntimeError("secret-7")


@pytest.mark.parametrize("stranger", [False, True])
@pytest.mark.parametrize("cell", [0.5, None, "secret-7", [1.0], np.array([[1.0]]), np.ma.masked, Secretive()])
def test_no_cell_of_a_list_of_private_rows_is_heard_of(
    model: eq.LogisticRegression, cell: Any, stranger: bool, recwarn: pytest.WarningsRecorder
) -> None:
    X, y = table(20)
    asked = LogisticRegression().fit(X, y) if stranger else model
    rows: list[list[Any]] = X.tolist()
    rows[3][1] = cell
    found = reliability_curve(asked, rows, y.tolist(), epsilon=1.0)
    assert found.guarantee is not None
    assert not recwarn.list
