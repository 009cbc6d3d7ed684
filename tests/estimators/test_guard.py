"""What stands around a private fit and learns from the same rows is named by type, before anything is spent."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
)
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    SplineTransformer,
    StandardScaler,
)

import equipoise as eq
from equipoise import answering, tuning
from equipoise.estimators._stateless import is_safe, learners
from equipoise.schema import Number


class Mine(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Nobody knows what it learns."""

    def fit(self, X: Any, y: Any = None) -> Mine:
        return self

    def transform(self, X: Any) -> Any:
        return X

    def __sklearn_is_fitted__(self) -> bool:
        return True


class Promised(Mine):
    """Its author says that it learns nothing."""

    data_free = True


class Holder(BaseEstimator):  # type: ignore[misc]
    """Somebody's own wrapper."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def fit(self, X: Any, y: Any) -> Holder:
        clone(self.inner).fit(X, y)
        return self


class QuietHolder(Holder):
    """The same, by somebody who says that it learns nothing."""

    data_free = True


def model(**more: Any) -> eq.LogisticRegression:
    return eq.LogisticRegression(1.0, classes=[0, 1], **more)


def table(rows: int = 60) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(rows, 2)) / 2, np.arange(rows) % 2


SCHEMA = eq.Schema({"a": Number((-3, 3)), "b": Number((-3, 3))})
SEVERAL = [("cut", KBinsDiscretizer(3)), ("none", "passthrough")]

WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "scaler": (lambda: make_pipeline(StandardScaler(), model()), "StandardScaler in a Pipeline .*column_bounds="),
    "imputer": (lambda: make_pipeline(SimpleImputer(), model()), "SimpleImputer .*missing value counts as"),
    "pca": (lambda: make_pipeline(PCA(1), model()), "PCA in a Pipeline .*FrozenEstimator"),
    "unknown step": (lambda: make_pipeline(Mine(), model()), "Mine in a Pipeline"),
    "union": (lambda: make_pipeline(FeatureUnion(SEVERAL), model()), "KBinsDiscretizer"),
    "columns": (
        lambda: make_pipeline(ColumnTransformer([("scaled", StandardScaler(), [0])]), model()),
        "StandardScaler",
    ),
    "nested": (lambda: make_pipeline(make_pipeline(Normalizer(), StandardScaler()), model()), "StandardScaler"),
    "search": (lambda: GridSearchCV(model(), {"alpha": [0.1, 1]}, cv=2), "GridSearchCV around it .*equipoise.tuning"),
    "random": (lambda: RandomizedSearchCV(model(), {"alpha": [0.1, 1]}, n_iter=2, cv=2), "equipoise.tuning"),
    "calibrated": (lambda: CalibratedClassifierCV(model(), cv=2), "CalibratedClassifierCV .*equipoise.calibration"),
    "threshold": (lambda: TunedThresholdClassifierCV(model(), cv=2), "chooses a threshold"),
    "bag": (lambda: BaggingClassifier(model(), 2), "repeats rows"),
    "stack": (lambda: StackingClassifier([("one", model())], cv=2), "StackingClassifier around it fits a model"),
    "votes": (lambda: VotingClassifier([("one", model())]), "VotingClassifier around it may learn"),
    "somebody's": (lambda: Holder(model()), "Holder around it may learn"),
    "own search": (
        lambda: make_pipeline(StandardScaler(), tuning.RandomSearch(model(), {"alpha": [0.1, 1]})),
        "^RandomSearch: StandardScaler in a Pipeline",
    ),
    "predictor": (
        lambda: make_pipeline(StandardScaler(), answering.StablePredictor(1.0, classes=[0, 1])),
        "^StablePredictor: StandardScaler",
    ),
    "density": (
        lambda: make_pipeline(StandardScaler(), eq.HistogramDensity(1.0, bounds=[(-1, 1), (-1, 1)], bins=4)),
        "^HistogramDensity: StandardScaler",
    ),
}


@pytest.mark.parametrize("name", list(WRONG))
def test_what_learns_around_a_private_fit_is_named_by_its_type(name: str) -> None:
    made, said = WRONG[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", eq.PrivacyWarning)
        with pytest.raises(eq.PrivacyWarning, match=said):
            _raised(made())


def _raised(wrapper: Any) -> None:
    """Searches turn errors into scores unless told otherwise."""
    if "error_score" in wrapper.get_params():
        wrapper.set_params(error_score="raise")
    wrapper.fit(*table())


RIGHT: dict[str, Callable[[], Any]] = {
    "encoder": lambda: make_pipeline(eq.Encoder(SCHEMA), model()),
    "bounds": lambda: make_pipeline(eq.PrivateBounds(SCHEMA, 1.0), model()),
    "function": lambda: make_pipeline(FunctionTransformer(np.tanh), Normalizer(), Binarizer(), model()),
    "powers": lambda: make_pipeline(PolynomialFeatures(2), model()),
    "constant": lambda: make_pipeline(
        SimpleImputer(strategy="constant", fill_value=0.0, keep_empty_features=True), model()
    ),
    "spline": lambda: make_pipeline(SplineTransformer(knots=np.array([[-3.0, -3.0], [3.0, 3.0]])), model()),
    "frozen": lambda: make_pipeline(FrozenEstimator(StandardScaler().fit(table()[0])), model()),
    "said so": lambda: make_pipeline(Promised(), model()),
    "columns": lambda: make_pipeline(
        ColumnTransformer([("same", "passthrough", [0]), ("unit", Normalizer(), [1])]), model()
    ),
    "fixed threshold": lambda: FixedThresholdClassifier(model(), threshold=0.3),
    "somebody's": lambda: QuietHolder(model()),
    "alone": lambda: Pipeline([("model", model())]),
    "own search": lambda: make_pipeline(Normalizer(), tuning.RandomSearch(model(), {"alpha": [0.1, 1]})),
}


@pytest.mark.parametrize("name", list(RIGHT))
def test_what_learns_nothing_passes_without_a_word(name: str) -> None:
    X, y = table()
    frame = pd.DataFrame(X, columns=["a", "b"]) if name in ("encoder", "bounds") else X
    with warnings.catch_warnings():
        warnings.simplefilter("error", eq.PrivacyWarning)
        RIGHT[name]().fit(frame, y)


def test_the_warning_comes_before_the_debit() -> None:
    ledger = eq.Ledger(1.0)
    piped = make_pipeline(StandardScaler(), model(ledger=ledger))
    with pytest.raises(eq.PrivacyWarning):  # every warning is an error in tests
        piped.fit(*table())
    assert ledger.entries() == ()
    with pytest.warns(eq.PrivacyWarning):
        piped.fit(*table())
    assert ledger.spent().epsilon == 1.0


def test_a_search_of_many_fits_is_shown_once_for_the_caller_s_line() -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default", eq.PrivacyWarning)
        GridSearchCV(make_pipeline(StandardScaler(), model()), {"standardscaler__with_std": [True, False]}, cv=3).fit(
            *table()
        )
    told = [str(each.message) for each in heard]
    assert len(told) == 1
    assert "StandardScaler" in told[0]
    assert "GridSearchCV" in told[0]
    assert heard[0].filename == __file__


@pytest.mark.parametrize("ask", [cross_val_score, cross_val_predict])
def test_scores_of_folds_are_named(ask: Callable[..., Any]) -> None:
    with pytest.warns(eq.PrivacyWarning, match="cross-validation around it gives scores"):
        ask(model(), *table(), cv=2)


@pytest.mark.usefixtures("lasting_workers")
def test_a_search_in_other_processes_is_named_there() -> None:
    search = GridSearchCV(model(), {"alpha": [0.1, 1.0]}, cv=2, n_jobs=2, error_score="raise")
    with pytest.raises(eq.PrivacyWarning, match=r"(cross-validation|GridSearchCV) around it"):
        search.fit(*table())


def test_what_is_said_is_the_same_for_any_rows() -> None:
    def said(X: Any, y: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            make_pipeline(StandardScaler(), model()).fit(X, y)
        return [str(each.message) for each in heard if each.category is eq.PrivacyWarning]

    X, y = table()
    assert said(X, y) == said(X * 1e9, 1 - y) != []


def test_a_transformed_target_is_judged_by_its_transformer() -> None:
    X, y = table()
    inner = eq.LinearRegression(1.0, label_bounds=(-1, 2))
    TransformedTargetRegressor(inner, func=np.expm1, inverse_func=np.log1p, check_inverse=False).fit(X, y)
    with pytest.warns(eq.PrivacyWarning, match="StandardScaler in a TransformedTargetRegressor"):
        TransformedTargetRegressor(inner, transformer=StandardScaler()).fit(X, y)


def test_several_outputs_are_several_private_fits() -> None:
    X, y = table()
    MultiOutputClassifier(model()).fit(X, np.column_stack([y, y]))


@pytest.mark.parametrize(
    ("step", "safe"),
    [
        (OneHotEncoder(), False),
        (OneHotEncoder(categories=[["f", "m"]]), False),  # its error would tell of an unknown one
        (OneHotEncoder(categories=[["f", "m"]], handle_unknown="ignore"), True),
        (OneHotEncoder(categories=[["f", "m"]], handle_unknown="ignore", min_frequency=3), False),
        (OrdinalEncoder(categories=[["f"]], handle_unknown="use_encoded_value", unknown_value=-1), True),
        (SimpleImputer(strategy="constant"), False),
        (HashingVectorizer(), True),
        (FeatureHasher(), True),
        (TfidfVectorizer(), False),
        (TfidfVectorizer(vocabulary=["a"], use_idf=False), True),
        (SplineTransformer(), False),
        (None, True),
        ("drop", True),
        (object(), False),
    ],
)
def test_steps_are_judged_by_type_and_parameters(step: Any, safe: bool) -> None:
    assert is_safe(step) is safe
    assert (list(learners(step)) == []) is safe


@pytest.mark.parametrize(
    ("epsilon", "delta", "said"),
    [(20.5, 0.0, "epsilon=20.5: promises next to nothing"), (1.0, 1 / 60, "delta=0.0166667: is not below one over")],
)
@pytest.mark.parametrize("kind", ["model", "search", "predictor"])
def test_prices_that_promise_little_are_named_before_the_debit(
    epsilon: float, delta: float, said: str, kind: str
) -> None:
    ledger = eq.Ledger(100.0, 0.5)
    inner = eq.LogisticRegression(epsilon, delta, classes=[0, 1], mechanism="output", ledger=ledger)
    made: dict[str, Any] = {
        "model": inner,
        "search": tuning.RandomSearch(inner, {"alpha": [0.1, 1.0]}),
        "predictor": answering.StablePredictor(epsilon, delta, classes=[0, 1], ledger=ledger),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error", eq.PrivacyWarning)
        with pytest.raises(eq.PrivacyWarning, match=said):
            made[kind].fit(*table())
    assert ledger.entries() == ()


def test_usual_prices_unneeded_deltas_and_seeds_pass_without_a_word() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", eq.PrivacyWarning)
        eq.LogisticRegression(20.0, 1e-3, classes=[0, 1]).fit(*table())
        eq.LogisticRegression(1.0, 0.5, classes=[0, 1], mechanism="objective", rows_per_person=2).fit(
            *table(), groups=np.arange(60) // 2
        )  # pure noise is used for persons here: no delta is needed
        eq.LogisticRegression(100.0, 0.5, classes=[0, 1], random_state=0).fit(*table())
        eq.HistogramDensity(1.0, 0.5, bounds=[(-1, 1), (-1, 1)], bins=4).fit(table()[0])
