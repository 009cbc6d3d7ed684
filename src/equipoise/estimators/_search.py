"""What the private search and the oracle share: a problem settled in advance, inner fits, and the winner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from equipoise.estimators import _candidates
from equipoise.estimators._linear import PrivateLinear
from equipoise.gate import Bits
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.plan import Plan

Index = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Problem:
    """All that is settled before a record is looked at; the last size is the part kept for choosing."""

    estimator: PrivateLinear
    settings: list[_candidates.Settings]
    plans: list[Plan]
    sizes: tuple[int, ...]
    classes: int


def settled(
    estimator: PrivateLinear,
    settings: list[_candidates.Settings],
    sizes: tuple[int, ...],
    columns: int,
    listed: tuple[Any, ...] | None,
) -> Problem:
    """The plan of every candidate, at the size of its part; refuses what any of them would."""
    classes = len(listed or (0, 1))
    copies = [_candidates.prepared(estimator, chosen, None, None) for chosen in settings]
    plans = [copy._plan(size, columns, classes) for copy, size in zip(copies, sizes[:-1], strict=True)]
    return Problem(estimator, settings, plans, sizes, classes)


def fit_parts(
    problem: Problem,
    parts: Sequence[Index],
    rows: Any,
    labels: npt.NDArray[Any],
    names: tuple[Any, ...] | None,
    bits: Bits,
) -> list[Any]:
    """Every candidate, fitted on its part and with noise of its own."""
    seeds = _candidates.seeds_from(bits, len(parts))
    return [
        _candidates.prepared(problem.estimator, settings, names, seed).fit(rows[part], labels[part])
        for settings, part, seed in zip(problem.settings, parts, seeds, strict=True)
    ]


class Search(MetaEstimatorMixin, BaseEstimator):
    """Abstract.  Predicts with what it chose."""

    estimator: Any
    best_estimator_: Any

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predictions of the chosen model: free."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict(X))

    def score(self, X: Any, y: Any) -> float:
        """The chosen model's score on these rows, which are not protected."""
        check_is_fitted(self)
        return float(self.best_estimator_.score(X, y))

    @contextmanager
    def _nothing_left_by_failure(self) -> Iterator[None]:
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _publish(self, problem: Problem, best: int, chosen: Any, guarantee: Guarantee) -> None:
        """The winner with the caller's own parameters and column names, under the promise of the search."""
        settings = problem.settings[best]
        own = {name: value for name, value in problem.estimator.get_params().items() if name not in settings}
        chosen.set_params(**own)
        if "feature_names_in_" in vars(self):
            chosen.feature_names_in_ = self.feature_names_in_
        model = replace(chosen.model_, guarantee=guarantee, feature_names=chosen._names())
        if len(problem.settings) > 1:  # being chosen is not independent of the noise, so its law no longer holds
            model = replace(model, uncertainty=None)
        chosen._publish(model)
        self.best_index_, self.best_params_ = best, dict(settings)
        self.best_estimator_, self.guarantee_ = chosen, guarantee

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type, tags.input_tags.sparse = inner.estimator_type, inner.input_tags.sparse
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags.required = True
        return tags
