"""Which steps before a private fit learn nothing from the rows they are fitted on, by type and parameters alone.

A step is known to be harmless if it says so (`data_free`, as ours do), if scikit-learn says that it need not be fitted,
or if its parameters state what it would otherwise learn.  Any other one is taken to learn: unknown is not safe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

PASSED = (None, "passthrough", "drop")

SAFE_BY_TYPE = frozenset(
    {
        "FeatureHasher",  # it and the next say so themselves, but not in every version
        "HashingVectorizer",
        "FrozenEstimator",  # was fitted elsewhere, and is not fitted here
        "FunctionTransformer",
        "GaussianRandomProjection",
        "PolynomialFeatures",
        "SparseRandomProjection",
    }
)
"""Classes of scikit-learn whose fit takes down shapes and types, or draws numbers of its own."""


def _listed(step: Any) -> bool:
    """An encoder with given categories, to which an unknown one is no error: an error would tell that it is there."""
    given = step.categories
    return not isinstance(given, str) and step.handle_unknown != "error"


SAFE_IF: dict[str, Callable[[Any], bool]] = {
    "OneHotEncoder": lambda step: _listed(step) and step.min_frequency is None and step.max_categories is None,
    "OrdinalEncoder": lambda step: _listed(step) and step.min_frequency is None and step.max_categories is None,
    "SimpleImputer": lambda step: (
        step.strategy == "constant"
        and step.fill_value is not None
        and step.keep_empty_features
        and not step.add_indicator
    ),
    "MissingIndicator": lambda step: step.features == "all" and not step.error_on_new,
    "RBFSampler": lambda step: isinstance(step.gamma, Real),
    "SplineTransformer": lambda step: not isinstance(step.knots, str) and step.extrapolation != "error",
    "StandardScaler": lambda step: not step.with_mean and not step.with_std,
    "CountVectorizer": lambda step: step.vocabulary is not None,
    "TfidfVectorizer": lambda step: step.vocabulary is not None and not step.use_idf,
    "TfidfTransformer": lambda step: not step.use_idf,
}
"""Classes of scikit-learn that learn nothing when their parameters say it all."""


def learners(step: Any) -> Iterator[Any]:
    """What in a step learns from the rows it is fitted on; a pipeline, a union or a column transformer part by part."""
    inner = _inner(step)
    if inner is not None:
        for each in inner:
            yield from learners(each)
    elif not is_safe(step):
        yield step


def charged_elsewhere(step: Any, model: Any) -> Iterator[Any]:
    """What in a step pays, but not from the account that pays for the model; nothing where the model has none."""
    inner, account = _inner(step), _account(model)
    if account is None:
        return
    if inner is not None:
        for each in inner:
            yield from charged_elsewhere(each, model)
    elif _pays(step) and _account(step) is not account:
        yield step


def _pays(step: Any) -> bool:
    """By its public parameters: a price and an account of its own, or those of the model it holds."""
    return hasattr(step, "ledger") or hasattr(getattr(step, "estimator", None), "ledger")


def _account(step: Any) -> Any:
    held = step if hasattr(step, "ledger") else getattr(step, "estimator", None)
    return getattr(held, "ledger", None)


def is_safe(step: Any) -> bool:
    """Whether the step is the same whatever the rows hold."""
    if (isinstance(step, str) or step is None) and step in PASSED:
        return True
    if getattr(step, "data_free", None) is True:
        return True
    if not isinstance(step, BaseEstimator):
        return False
    name = type(step).__name__
    if type(step).__module__.startswith("sklearn."):
        rule = SAFE_IF.get(name)
        return name in SAFE_BY_TYPE or (_holds(rule, step) if rule is not None else not get_tags(step).requires_fit)
    return not get_tags(step).requires_fit


def _holds(rule: Callable[[Any], bool], step: Any) -> bool:
    """Parameters come and go with scikit-learn's versions: one that is not there is not stated."""
    try:
        return bool(rule(step))
    except AttributeError:
        return False


def _inner(step: Any) -> list[Any] | None:
    """The steps that a container of scikit-learn's fits, by its public parameters; None for what is none."""
    for kind, parameter, place in (("Pipeline", "steps", 1), ("FeatureUnion", "transformer_list", 1)):
        if is_kind(step, kind):
            return [each[place] for each in getattr(step, parameter)]
    if is_kind(step, "ColumnTransformer"):
        return [*(each[1] for each in step.transformers), step.remainder]
    return None


def is_kind(step: Any, kind: str) -> bool:
    """By name along the ancestors, so that what was never imported need not be."""
    return any(each.__name__ == kind and each.__module__.startswith("sklearn.") for each in type(step).__mro__)
