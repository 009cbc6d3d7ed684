"""Somebody's estimator with a stated stability: what is released, what is refused, and what a caller sees of a fit."""

from __future__ import annotations

import doctest
import math
import re
import textwrap
import warnings
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_classifier, is_regressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeRegressor

import equipoise as eq
from equipoise.audit.subjects.strangers import MeanProduct
from equipoise.gate.models import stated_stability
from equipoise.inside.stated import coefficients
from equipoise.stability import Kind, StabilityBound, on_average, regularised_erm
from equipoise.theory.guarantees import Budget

Array = npt.NDArray[np.float64]
DOCS = Path(__file__).parents[3] / "docs"
N, LABELS = 40, (-1.0, 1.0)


def lemma(n: int) -> StabilityBound:
    return regularised_erm(1.0, 1.0, n)


def table(first: float = 1.0) -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    X = rng.uniform(-0.7, 0.7, size=(N, 2))
    y = np.sign(X[:, 0])
    X[0], y[0] = (1.0, 0.0), first
    return X, y


def made(estimator: Any = None, claim: Any = lemma, **settings: Any) -> Any:
    inner = MeanProduct() if estimator is None else estimator
    return eq.OutputPerturbed(inner, claim, label_bounds=LABELS, random_state=7, **settings)


def test_with_frozen_noise_neighbours_differ_as_their_fits_do_and_the_noise_is_for_that_difference() -> None:
    """The stranger attains its bound: one record turned round moves it by 2/n."""
    models = [made().fit(*table(first)) for first in LABELS]
    moved = float(np.linalg.norm(models[0].coef_ - models[1].coef_))
    claimed = lemma(N).value
    assert moved == pytest.approx(claimed, rel=1e-5)
    assert models[0].guarantee_.sensitivity >= claimed
    assert models[0].guarantee_.noise_scale >= claimed / 1.0
    assert models[0].guarantee_.noise_scale <= 1.001 * claimed


def test_noise_is_as_much_as_the_budget_asks_for_and_the_smaller_law_is_taken() -> None:
    for epsilon in (0.1, 1.0, 5.0):
        assert made(epsilon=epsilon).plan(N, 2).added.noise.scale == pytest.approx(lemma(N).value / epsilon, rel=1e-3)
    few, many = made(delta=1e-6).plan(N, 2), made(delta=1e-6).plan(N, 400)
    assert (few.added.noise.law.value, many.added.noise.law.value) == ("spherical", "gaussian")
    assert any("delta=0" in note for note in few.guarantee(False).notes)
    assert many.added.noise.rms < made().plan(N, 400).added.noise.rms


def test_an_account_is_debited_before_the_stranger_sees_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    empty, full = eq.Ledger(0.5), eq.Ledger(5.0)
    with pytest.raises(eq.BudgetExhausted):
        made(ledger=empty).fit(*table())
    assert empty.entries() == ()

    def crash(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("equipoise.estimators.stated.output_perturbed.fit_stranger", crash)
    with pytest.raises(ZeroDivisionError):
        made(ledger=full).fit(*table())
    assert [record.state for record in full.entries()] == ["reserved"]


def test_persons_pay_for_every_row() -> None:
    X, y = table()
    groups = np.repeat(np.arange(N // 4), 4)
    one, three = made().fit(X, y), made(rows_per_person=3).fit(X, y, groups=groups)
    assert three.guarantee_.sensitivity == pytest.approx(3 * lemma(30).value)
    assert three.guarantee_.unit == "one person with at most 3 rows"
    assert three.guarantee_.noise_scale > 3.9 * one.guarantee_.noise_scale
    with pytest.raises(eq.BoundsRequired, match="rows_per_person"):
        made().fit(X, y, groups=groups)


def test_the_card_names_the_caller_as_the_source() -> None:
    claim = StabilityBound(2 / N, Kind.WEIGHTS_L2, ("rows within one",), "our thesis, page 12")
    text = " ".join(made(claim=claim).fit(*table()).card().text().split())
    assert "THE CALLER STATES" in text
    assert "our thesis, page 12" in text
    assert "rows within one" in text
    assert "stated-stability" in text


@pytest.mark.parametrize(
    ("claim", "error", "words"),
    [
        (None, eq.BoundsRequired, "nobody stated"),
        (0.05, eq.InvalidInput, "must be a StabilityBound"),
        (lambda n: 2 / n, eq.InvalidInput, "must be a StabilityBound"),
        (on_average(0.05, "weights, on average", "a theorem"), eq.MechanismRefused, "average"),
        (on_average(0.05, "loss, on average", "a theorem"), eq.MechanismRefused, "average"),
        (StabilityBound(0.05, Kind.LOSS, (), "a theorem"), eq.MechanismRefused, "from_uniform_stability"),
        (StabilityBound(0.05, Kind.PREDICTION, (), "a theorem"), eq.MechanismRefused, "from_uniform_stability"),
        (StabilityBound(0.049, Kind.WEIGHTS_L2, (), "a slip"), eq.MechanismRefused, "made-up row moved"),
    ],
)
def test_a_claim_that_cannot_carry_noise_is_refused_and_costs_nothing(claim: Any, error: Any, words: str) -> None:
    ledger = eq.Ledger(5.0)
    with pytest.raises(error, match=words) as told:
        made(claim=claim, ledger=ledger).fit(*table())
    assert str(told.value).endswith("nothing was spent")
    assert ledger.entries() == ()


def test_a_false_claim_is_refused_alike_whatever_the_records() -> None:
    """Least squares without a ridge, claimed to be as steady as with one."""
    told = []
    for X, y in (table(), (np.zeros((N, 2)), np.zeros(N))):
        with pytest.raises(eq.MechanismRefused) as refusal:
            made(LinearRegression(), lemma).fit(X, y)
        told.append(str(refusal.value))
    assert told[0] == told[1]


@pytest.mark.parametrize("estimator", [DecisionTreeRegressor(), None, "ridge", FunctionTransformer()])
def test_what_has_no_coefficients_is_refused_before_the_debit(estimator: Any) -> None:
    with pytest.raises(eq.InvalidInput, match="estimator of type"):
        eq.OutputPerturbed(estimator, lemma, label_bounds=LABELS).fit(*table())


def logistic_claim(n: int) -> StabilityBound:
    """C = 2: ½‖w‖² + 2Σℓ, slopes within one, rows within one: 2ρC, and room for the solver's tolerance."""
    return StabilityBound(4.1, Kind.WEIGHTS_L2, ("tol=1e-8",), "Lemma A in sum form: 2ρC")


def classified(**settings: Any) -> Any:
    inner = LogisticRegression(C=2.0, fit_intercept=False, tol=1e-8)
    return eq.OutputPerturbed(inner, logistic_claim, random_state=7, **settings)


def test_a_class_that_no_record_has_is_no_failure() -> None:
    """Public rows of zeros stand for each class: with frozen noise neighbours stay as near as claimed."""
    X = np.full((N, 2), 0.5)
    models = [classified().fit(X, labels) for labels in (np.ones(N, int), np.r_[0, np.ones(N - 1, int)])]
    assert float(np.linalg.norm(models[0].coef_ - models[1].coef_)) <= 4.1
    noise = classified().fit(np.zeros((N, 2)), np.ones(N, int)).coef_
    assert float(np.linalg.norm(models[0].coef_ - noise)) > 3, "the fit of one class is the minimiser's, not zeros"


@pytest.mark.parametrize("classes", [None, ["no", "yes"], ["a", "b", "c"]])
def test_classifiers_predict_the_classes_listed(classes: Any) -> None:
    X, _ = table()
    names = classes or [0, 1]
    y = np.array(names)[np.arange(N) % len(names)]
    model = classified(classes=classes).fit(X, y)
    assert is_classifier(model)
    assert not is_regressor(model)
    assert model.coef_.shape == (1 if len(names) == 2 else len(names), 2)
    assert set(model.predict(X)) <= set(model.classes_.tolist())
    assert model.decision_function(X).shape == ((N,) if len(names) == 2 else (N, len(names)))


class Marked(MeanProduct):
    """Fails in some way where it meets one record."""

    def __init__(self, fit_intercept: bool = False, deed: str = "raises") -> None:
        super().__init__(fit_intercept)
        self.deed = deed

    def fit(self, X: Any, y: Any) -> Self:
        super().fit(X, y)
        if np.asarray(X)[0, 1] == 0.25:
            self._misbehave()
        return self

    def _misbehave(self) -> None:
        if self.deed == "raises":
            raise ValueError("record 0.25")
        if self.deed == "exits":
            raise SystemExit(0.25)
        if self.deed == "warns":
            warnings.warn("record 0.25", UserWarning, stacklevel=1)
        if self.deed == "prints":
            print("record 0.25")
        if self.deed == "no number":
            self.coef_ = self.coef_ * math.nan
        if self.deed == "another shape":
            self.coef_ = np.ones(3)
        if self.deed == "infinite":
            self.coef_ = self.coef_ * math.inf


def marked() -> tuple[Array, Array]:
    X, y = table()
    X[0] = (0.5, 0.25)
    return X, y


@pytest.mark.parametrize("deed", ["raises", "exits", "no number", "another shape", "infinite"])
def test_a_failed_fit_is_zeros_with_noise_and_nothing_is_told(deed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        failed = made(Marked(deed=deed)).fit(*marked())
        zeros = made().fit(np.zeros((N, 2)), np.zeros(N))
    assert np.array_equal(failed.coef_, zeros.coef_)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("deed", ["warns", "prints"])
def test_what_a_fit_says_of_a_record_is_not_heard(deed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loud, quiet = made(Marked(deed=deed)).fit(*marked()), made().fit(*marked())
    assert np.array_equal(loud.coef_, quiet.coef_)
    assert capsys.readouterr() == ("", "")


class Hoarder(MeanProduct):
    """Keeps its rows."""

    def fit(self, X: Any, y: Any) -> Self:
        self.kept_ = X, y
        return super().fit(X, y)


def test_the_strangers_own_model_stays_inside() -> None:
    inner = Hoarder()
    model = made(inner).fit(*table())
    assert not hasattr(inner, "kept_")
    held = [value for value in vars(model).values() if isinstance(value, BaseEstimator)]
    assert held == [inner]


def test_rows_and_labels_beyond_their_bounds_are_brought_within() -> None:
    """In the fit and in a prediction; a missing label counts as the middle, a missing cell as zero."""
    X, y = table()
    long, wild = X.copy(), y.copy()
    long[0], wild[0] = (50.0, 0.0), 9.0
    assert np.allclose(made().fit(long, wild).coef_, made().fit(X, y).coef_, atol=1e-9)
    model = made().fit(X, y)
    assert model.predict([[50.0, 0.0]]) == pytest.approx(model.predict([[1.0, 0.0]]), rel=1e-9)
    gaps = X.copy()
    gaps[0], wild[0] = np.nan, np.nan
    assert np.isfinite(made().fit(gaps, wild).coef_).all()


def test_sparse_rows_give_the_same_coefficients() -> None:
    from scipy import sparse

    X, y = table()
    inner = Ridge(alpha=20.0, fit_intercept=False, solver="sparse_cg", tol=1e-10)
    claim = StabilityBound(0.2, Kind.WEIGHTS_L2, (), "2·2(√2 + 1)/(2·20) and a little more")
    dense, thin = made(inner, claim).fit(X, y), made(inner, claim).fit(sparse.csr_array(X), y)
    assert np.allclose(dense.coef_, thin.coef_, atol=1e-6)


def test_it_is_cloned_saved_loaded_and_piped(tmp_path: Any) -> None:
    X, y = table()
    model = clone(made()).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = eq.load(tmp_path / "model.json")
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert loaded.guarantee_ == model.guarantee_
    piped = make_pipeline(FunctionTransformer(), made()).fit(X, y)
    assert piped.predict(X).shape == (N,)


def test_labels_need_their_bounds() -> None:
    with pytest.raises(eq.BoundsRequired, match="label_bounds"):
        eq.OutputPerturbed(MeanProduct(), lemma).fit(*table())
    with pytest.raises(eq.BoundsRequired, match="classes"):
        classified().fit(table()[0], np.array(["a", "b"] * (N // 2)))


class Drawing(MeanProduct):
    """Adds a number of its own, which its seed decides."""

    def __init__(self, fit_intercept: bool = False, random_state: Any = None) -> None:
        super().__init__(fit_intercept)
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        super().fit(X, y)
        self.coef_ = self.coef_ + np.random.default_rng(self.random_state).normal()
        return self


@pytest.mark.filterwarnings("ignore::equipoise.PrivacyWarning")  # next to no noise, to see the fit
def test_a_fit_that_draws_has_a_secret_seed_of_its_own() -> None:
    """Without a fixed seed of ours two fits differ by more than our noise; with it they are the same."""
    X, y = table()
    ends = [eq.OutputPerturbed(Drawing(), lemma, 1e6, label_bounds=LABELS).fit(X, y).coef_ for _ in range(2)]
    assert not np.allclose(ends[0], ends[1], atol=1e-3)
    assert np.array_equal(*[made(Drawing()).fit(X, y).coef_ for _ in range(2)])


class TwoScores(ClassifierMixin, MeanProduct):  # type: ignore[misc]
    """A classifier whose coefficients have the wrong shape."""

    def fit(self, X: Any, y: Any) -> Self:
        self.coef_, self.intercept_ = np.zeros((2, X.shape[1])), np.zeros(2)
        return self


def test_coefficients_of_another_shape_are_refused_on_made_up_rows() -> None:
    with pytest.raises(eq.InvalidInput, match=r"usual shapes.*ValueError"):
        eq.OutputPerturbed(TwoScores(), lemma).fit(table()[0], np.arange(N) % 2)
    with pytest.raises(eq.InvalidInput, match=r"usual shapes.*InvalidParameterError"):
        made(Ridge(solver="none such")).fit(*table())


def test_the_plan_states_a_bound_in_l1_as_one_in_l2() -> None:
    stated = StabilityBound(0.5, Kind.WEIGHTS_L1, (), "a theorem")
    assert stated_stability.plan(stated, N, 3, 1.0, Budget(1.0)).sensitivity == 0.5


def test_an_intercept_is_released_where_the_estimator_fits_one() -> None:
    X, y = table()
    claim = StabilityBound(1.0, Kind.WEIGHTS_L2, (), "generous")
    with_one = made(Ridge(alpha=50.0), claim).fit(X, y + 0.5)
    without = made(Ridge(alpha=50.0, fit_intercept=False), claim).fit(X, y)
    assert with_one.intercept_ != 0.0
    assert without.intercept_ == 0.0
    form = coefficients.Form(1, 2, intercept=True)
    assert form.size == 3


class Regressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Without a parameter called fit_intercept."""

    def fit(self, X: Any, y: Any) -> Self:
        self.coef_, self.intercept_ = np.zeros(X.shape[1]), float(np.mean(y))
        return self


def test_an_estimator_that_does_not_say_is_taken_to_fit_an_intercept() -> None:
    claim = StabilityBound(2 / N * (1 + 1e-6), Kind.WEIGHTS_L2, (), "a mean")
    model = made(Regressor(), claim, epsilon=1e6).fit(table()[0], np.full(N, 0.5))
    assert model.intercept_ == pytest.approx(0.5, abs=1e-3)


def test_the_how_to_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (DOCS / "how-to" / "bring-your-own-algorithm.md").read_text(encoding="utf-8")
    blocks = re.findall(r"   ```python\n(.*?)   ```", page, flags=re.S)
    assert len(blocks) == 2
    exec(compile("\n".join(textwrap.dedent(block) for block in blocks), "page", "exec"), {})
    assert "THE CALLER STATES" in capsys.readouterr().out


def test_the_reference_page_runs() -> None:
    failed, tried = doctest.testfile(str(DOCS / "reference" / "stability.md"), module_relative=False)
    assert (failed, tried) == (0, 3)
