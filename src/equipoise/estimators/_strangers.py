"""Estimators of other libraries: what they promise is the caller's word, and all we ask is `fit` and `predict`."""

from __future__ import annotations

import math
from typing import Any, Protocol, runtime_checkable

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.search.candidates import Settings
from equipoise.estimators.search.parts import Groups
from equipoise.inside.strangers.generators import HOLDERS
from equipoise.theory.guarantees import Concentrated, Gaussian, Pure, Renyi
from equipoise.theory.rounding import FORMULA, ONE_STEP, down, up

Stated = Pure | Concentrated | Renyi

SEEDS = ("random_state", "seed", "rng", "generator", "random_seed")
"""What parameters that fix an estimator's noise are called."""

WORD = (
    "what one fit costs is the caller's word: it must hold for every candidate, for replacing a row, and for the whole"
    " fitted object, which must predict rows one at a time"
)


@runtime_checkable
class FitsAndPredicts(Protocol):
    """All that is asked of a stranger, apart from being set to the candidates."""

    def fit(self, X: Any, y: Any) -> Any: ...

    def predict(self, X: Any) -> Any: ...


def stated(estimator: Any, guarantee: Any) -> Stated | None:
    """What one fit costs, as far as it must be said: None for an estimator of ours, which knows."""
    name = type(estimator).__name__
    if isinstance(estimator, PrivateLinear):
        if guarantee is not None:
            raise InvalidInput(f"guarantee: {name} knows its own, leave it None")
        return None
    if not isinstance(estimator, FitsAndPredicts):
        raise InvalidInput(f"estimator of type {name}: must have fit and predict")
    if guarantee is None:
        raise MechanismRefused(
            f"estimator of type {name}: states no guarantee, give guarantee=Pure(...), Renyi(...), Concentrated(...) or"
            " Gaussian(...) for one fit of it"
        )
    if isinstance(guarantee, Gaussian):  # scores get whole-number noise, which has this Rényi curve exactly
        return Concentrated(up(guarantee.mu * guarantee.mu / 2, ONE_STEP))
    if not isinstance(guarantee, Pure | Concentrated | Renyi):
        raise MechanismRefused(
            f"guarantee of type {type(guarantee).__name__}: an (epsilon, delta) promise is not enough for"
            f" {name}, give its Pure, Renyi, Concentrated or Gaussian one"
        )
    return guarantee


def for_groups(base: Stated, groups: Groups | None) -> Stated:
    """The same for all rows of a person at once."""
    if groups is None or groups.largest == 1:
        return base
    if not isinstance(base, Pure):
        raise MechanismRefused("groups: with several rows to a person state a Pure guarantee, others do not add up")
    return Pure(up(base.epsilon * groups.largest, ONE_STEP))


def no_dearer(base: Stated) -> Pure | Gaussian:
    """Noise that costs at most `base` at every order, for the scores."""
    if isinstance(base, Pure):
        return base
    if isinstance(base, Concentrated):
        return Gaussian(down(math.sqrt(2 * base.rho), FORMULA))
    steepest = min(epsilon / order for order, epsilon in zip(base.orders, base.epsilons, strict=True))
    if steepest <= 0:
        raise InvalidInput("guarantee: a fit that costs nothing leaves nothing for comparing, state its true price")
    return Gaussian(down(math.sqrt(2 * steepest), FORMULA))


def any_candidates(param_grid: Any) -> list[Settings]:
    """Every combination, of whatever parameters the stranger has."""
    try:
        found = list(ParameterGrid(param_grid))
    except (TypeError, ValueError):
        found = []
    if not found or found == [{}]:
        raise InvalidInput("param_grid: holds no candidate, give each parameter a list of at least one value")
    return found


def copy_with(estimator: Any, settings: Settings) -> Any:
    """A fresh copy with these settings; checked before anything is spent."""
    try:
        copy = clone(estimator, safe=False).set_params(**settings)
        seeded = _seeded(copy.get_params())
    except (AttributeError, TypeError, ValueError):
        seeded, copy = False, None
    name = type(estimator).__name__
    if copy is None:
        raise InvalidInput(
            f"param_grid: {name} cannot be set to one of the candidates by set_params, correct the names"
        )
    if seeded:
        raise InvalidInput(f"estimator of type {name}: a copied seed would repeat its noise in every run, give it none")
    return copy


def _seeded(params: Settings) -> bool:
    """Copies of a seed draw the same numbers, so runs would not be independent; generators are given new states."""
    named = [value for name, value in params.items() if name.rsplit("__")[-1] in SEEDS]
    return any(value is not None and not isinstance(value, HOLDERS) for value in named)


def run_failed(estimator: Any, failure: str) -> str:
    """What is told when the run that was drawn as the best has no model.  Only made-up rows say why."""
    tried = f"made-up rows failed with {failure}" if failure else "on made-up rows it worked"
    return (
        f"estimator of type {type(estimator).__name__}: the chosen run failed, which is all that is released and was"
        f" paid for; {tried}"
    )
