"""Warns, before the debit, of what stands around a private fit and learns from the same rows without paying.

A fit cannot see who calls it except by the call stack, so that is walked: of each caller that is an estimator itself
only its type and its public parameters are looked at, no row, no label and nothing fitted.  What is said is thus a
function of the program, not of the records.  docs/decisions/0032-warnings-and-the-guard.md has the rules.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from types import FrameType
from typing import Any
from weakref import WeakValueDictionary

from sklearn.base import BaseEstimator

from equipoise.errors import PrivacyWarning
from equipoise.estimators._stateless import charged_elsewhere, is_kind, learners

OURS, THEIRS = "equipoise.", ("sklearn.", "joblib.", "imblearn.")

PUBLIC_ROWS = "or fit it on public rows and wrap it in sklearn.frozen.FrozenEstimator"

STEPS = {
    "Scaler": "state column_bounds= or use equipoise.Encoder, or equipoise.PrivateScaler, which pays",
    "Transformer": "use equipoise.Encoder with public knots or scales, or equipoise.PrivateBounds, which pays",
    "Imputer": "state what a missing value counts as: column_bounds= or a schema's rule",
    "Encoder": 'use equipoise.Encoder, give categories= and handle_unknown="ignore", or equipoise.PrivateCategories',
    "Discretizer": "use equipoise.Encoder with public knots",
}
"""What to use instead of a step, by the end of its class's name."""

AROUND = {
    "BaseSearchCV": "chooses by scores of private rows that nobody pays for, use equipoise.tuning",
    "CalibratedClassifierCV": (
        "learns a curve from the rows that nobody pays for, use predict_proba as it is and measure it with"
        " equipoise.calibration"
    ),
    "BaseThresholdClassifier": "chooses a threshold by private rows that nobody pays for, state one",
    "BaseBagging": "repeats rows, and a row that is there twice is protected half as well, use equipoise.answering",
    "_BaseStacking": "fits a model on private rows that nobody pays for, fit its parts by themselves",
}
"""What a wrapper does with the rows, by one of its ancestors' names."""

OTHER = "may learn from the same rows, and nobody pays for that; data_free = True on its class says that it does not"

SCORED = frozenset(
    {"cross_validate", "cross_val_predict", "learning_curve", "validation_curve", "permutation_test_score"}
    | {"_fit_and_score"}  # all that is seen of a search in a process of its own
)
SCORES = "cross-validation around it gives scores of private rows that nobody pays for, use equipoise.evaluate"

FITTING = ("fit", "_fit", "partial_fit")
"""How methods begin in which a wrapper fits what it holds."""

HARMLESS = frozenset(
    {"ColumnTransformer", "FeatureUnion", "FixedThresholdClassifier", "MultiOutputClassifier", "MultiOutputRegressor"}
)
"""Wrappers of scikit-learn's that only hand rows on."""


TOLD: WeakValueDictionary[int, Any] = WeakValueDictionary()
"""The outermost wrappers that were spoken of: a search fits many times and is told once."""


def warn_of_surroundings(estimator: Any) -> None:
    """One warning for all that is found; none where everything around the fit is known to learn nothing."""
    wrappers = [each for frame in _callers() if (each := _wrapper_in(frame, estimator)) is not None]
    found = list(dict.fromkeys(told for each in wrappers for told in _of_wrapper(each, estimator)))
    if any(AROUND["BaseSearchCV"] in told for told in found):  # a search scores by cross-validation
        found = [told for told in found if told != SCORES]
    if not found or TOLD.get(id(wrappers[-1])) is not None:
        return
    warnings.warn(f"{type(estimator).__name__}: {'; '.join(found)}", PrivacyWarning, stacklevel=callers_line())
    if isinstance(wrappers[-1], BaseEstimator):
        TOLD[id(wrappers[-1])] = wrappers[-1]


def callers_line() -> int:
    """The `stacklevel` of a warning, for the function that asks: the first line that is neither ours nor a library's.

    So that the usual filters show a warning once for a line of the caller's, however many fits a search makes there.
    """
    level = 1
    for frame in _callers():
        if not _module(frame).startswith((OURS, *THEIRS)):
            break
        level += 1
    return level


def _callers() -> Iterator[FrameType]:
    """From whoever asks outwards, starting with the function that called for this."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _wrapper_in(frame: FrameType, estimator: Any) -> Any:
    """The estimator that is fitting in this frame, or the word for a function that scores; None for anything else."""
    code, module = frame.f_code, _module(frame)
    if module.startswith("sklearn.model_selection") and code.co_name in SCORED:
        return SCORES
    if module.startswith(OURS) or not code.co_name.startswith(FITTING) or code.co_varnames[:1] != ("self",):
        return None
    holder = frame.f_locals.get("self")
    return holder if isinstance(holder, BaseEstimator) and holder is not estimator else None


def _of_wrapper(wrapper: Any, estimator: Any) -> Iterator[str]:
    name = type(wrapper).__name__
    if isinstance(wrapper, str):
        yield wrapper
    elif is_kind(wrapper, "Pipeline"):
        earlier = _earlier(wrapper, estimator)
        yield from (_of_step(step, name) for each in earlier for step in learners(each))
        yield from (_of_account(step, name) for each in earlier for step in charged_elsewhere(each, estimator))
    elif is_kind(wrapper, "TransformedTargetRegressor"):
        yield from (_of_step(step, name) for step in learners(wrapper.transformer))
    elif getattr(wrapper, "data_free", None) is not True and not any(is_kind(wrapper, kind) for kind in HARMLESS):
        known = next((told for kind, told in AROUND.items() if is_kind(wrapper, kind)), OTHER)
        yield f"{name} around it {known}"


def _earlier(pipeline: Any, estimator: Any) -> list[Any]:
    """The steps before the one that is being fitted: before the last unless one of them is like this estimator."""
    steps = [each[1] for each in pipeline.steps]
    place = next((at for at, each in enumerate(steps[:-1]) if _like(each, estimator)), len(steps) - 1)
    return steps[:place]


def _like(step: Any, estimator: Any) -> bool:
    """The very one, or what it may be a clone of."""
    return step is estimator or type(step) is type(estimator)


def _of_step(step: Any, holder: str) -> str:
    name = type(step).__name__
    instead = next((told for end, told in STEPS.items() if name.endswith(end)), "use a step that learns nothing")
    return f"{name} in a {holder} learns from the same rows and nobody pays for that: {instead}, {PUBLIC_ROWS}"


def _of_account(step: Any, holder: str) -> str:
    name = type(step).__name__
    return f"{name} in a {holder} pays from another account, which the total does not show: give both the same ledger="
