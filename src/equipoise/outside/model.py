"""The frozen linear model: released coefficients, their guarantee, and predictions from them."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from equipoise._checks import one_of, shown
from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.outside.additive.plot import draw_shapes
from equipoise.outside.additive.shapes import Shape, Shapes, shapes_of
from equipoise.outside.card import Card
from equipoise.outside.inputs import Rows, numeric_rows, same_columns
from equipoise.outside.labels import Label as Label
from equipoise.outside.labels import label_array as label_array
from equipoise.outside.labels import plain_labels as plain_labels
from equipoise.outside.one_story import check_loss, check_outputs, check_ranges
from equipoise.outside.origin import Origin, named
from equipoise.outside.shrinkage import as_slopes, shrunk_slopes
from equipoise.outside.uncertainty import Intervals, Uncertainty
from equipoise.rows import RowBounds
from equipoise.rows.codes import with_codes
from equipoise.rows.lifts import AnyLift, Tasks
from equipoise.rows.owned import BLOCK_ENTRIES, own_csr
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.losses import Link, Loss, Task
from equipoise.theory.losses.links import OF_MANY, OF_TWO, probabilities
from equipoise.theory.mechanisms import EVERY

Array = npt.NDArray[np.float64]


@documented(record=True)
@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """Coefficients (k, d) and intercepts (k,) in the caller's units; k = 1 but for many classes or outputs.

    It holds released values only, so predicting from it, saving it and copying it cost no privacy.
    """

    kind: str
    estimator: str
    coef: Array
    intercept: Array
    classes: tuple[Label, ...] | None
    link: str
    loss: Loss | None
    """What was minimised, in the units of the fit; None where a file of an older version does not tell."""
    guarantee: Guarantee
    feature_names: tuple[str, ...] | None = None
    why: tuple[str, ...] = ()
    uncertainty: Uncertainty | None = None
    """Of the released numbers; None where the mechanism cannot say."""
    row_bounds: RowBounds | None = None
    """What rows are brought within before they are scored, as those of the fit were; None where a file of an older
    version does not tell, and then rows are scored as they are."""
    shapes: Shapes | None = None
    """Of an additive model: how its coefficients belong to columns, which are then none of them a column's own."""
    origin: Origin | None = None
    """When, by which version, from what data and account; None where a file of an older version does not tell."""

    lift: AnyLift | None = None
    """What rows are made into before they are scored; `coef` then belongs to what the lift gives, not to columns."""

    def __post_init__(self) -> None:
        one_of(tuple(Task), kind=self.kind)
        one_of(tuple(Link), link=self.link)
        check_loss(self.loss, self.kind, self.link, self.classes, self.guarantee.mechanism)
        object.__setattr__(self, "coef", _frozen(self.coef, 2, "coef"))
        object.__setattr__(self, "intercept", _frozen(self.intercept, 1, "intercept"))
        object.__setattr__(self, "classes", plain_labels(self.classes))
        outputs, features = self.coef.shape
        if self.intercept.shape != (outputs,):
            raise InvalidInput("intercept: needs one number for each row of coef")
        if self.shapes is not None and self.shapes.basis.features != features:
            raise InvalidInput("shapes: need one slot for each column of coef")
        if self.lift is not None and (self.lift.features != features or self.row_bounds or self.shapes):
            raise InvalidInput("lift: needs one number for each column of coef, and no other bounds beside its own")
        if self.feature_names is not None and len(self.feature_names) != self.n_features_in_:
            raise InvalidInput("feature_names: needs one name for each column")
        check_outputs(self.kind, self.link, outputs, self.classes)
        check_ranges(self.row_bounds, features)
        if self.uncertainty is not None and self.uncertainty.estimate.shape != (outputs, features + 1):
            raise InvalidInput("uncertainty: needs the shape of coef, and the intercept beside it")

    @property
    def n_features_in_(self) -> int:
        """How many columns a row to predict for must have."""
        if self.lift is not None:
            return self.lift.width
        return int(self.coef.shape[1]) if self.shapes is None else len(self.shapes.basis.columns)

    @property
    def coef_(self) -> Array:
        """Shaped as scikit-learn does: (1, d) or (K, d) for a classifier, (d,) for a regressor of one output."""
        return self.coef[0] if self._single_regressor else self.coef

    @property
    def intercept_(self) -> Array | float:
        """One number for a regressor of one output, otherwise one for each output."""
        return float(self.intercept[0]) if self._single_regressor else self.intercept

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """What `predict` may answer, in order; a regressor has none."""
        if self.classes is None:
            raise AttributeError(f"{self.estimator} is a regressor: it has no classes_")
        return label_array(self.classes)

    @property
    def feature_names_in_(self) -> npt.NDArray[np.object_]:
        """The names of the columns, where the table that was fitted had names."""
        if self.feature_names is None:
            raise AttributeError(f"{self.estimator} was fitted without column names")
        return np.array(self.feature_names, dtype=object)

    @property
    def guarantee_(self) -> Guarantee:
        """What the release promises, on every condition that it rests on."""
        return self.guarantee

    @documented(returns="array of shape (n,) or (n, k): One score for each row, or for each row and class.")
    def decision_function(self, X: Rows) -> Array:
        """X·coef + intercept for rows brought within the bounds of the fit: (n,) for one output, else (n, k)."""
        same_columns(X, self.feature_names)
        if self.row_bounds is not None and self.row_bounds.view is not None and issparse(X):
            return self._filled_scores(X)
        if self.shapes is not None:
            readable = with_codes(X, self.shapes.basis.columns)
            table = numeric_rows(readable, self.n_features_in_, self.estimator, None, gaps=True)
            scores = self.shapes.basis.scores(table, self.coef) + self.intercept
            return scores[:, 0] if len(self.coef) == 1 else scores
        X = X if self.lift is None else self.lift.readable(X)
        rows = numeric_rows(X, self.n_features_in_, self.estimator, self.row_bounds, gaps=self.lift is not None)
        rows = rows if self.lift is None else self.lift.rows(rows)
        with np.errstate(all="ignore"):  # rows too long for doubles score infinity, without a word
            scores = np.asarray(rows @ self.coef.T, dtype=np.float64) + self.intercept
        return scores[:, 0] if len(self.coef) == 1 else scores

    def _filled_scores(self, X: Rows) -> Array:
        """Of sparse rows that a middle fills, so many at a time as fit the allowance."""
        table, height = own_csr(X), max(1, BLOCK_ENTRIES // self.n_features_in_)
        starts = range(0, max(1, table.shape[0]), height)
        return np.concatenate([self.decision_function(table[at : at + height].toarray()) for at in starts])

    @documented(returns="array of shape (n,): A label or number for each row.")
    def predict(self, X: Rows) -> npt.NDArray[Any]:
        """The label with the highest score, or the value."""
        scores = self.decision_function(X)
        if self.classes is None:
            return scores
        chosen = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.take(self.classes_, chosen)

    @documented(returns="array of shape (n, number of classes): In the order of `classes_`.")
    def predict_proba(self, X: Rows) -> Array:
        """(n, number of classes), in the order of `classes_`."""
        if self.link not in (*OF_TWO, *OF_MANY):
            raise InvalidInput(f"predict_proba: {self.estimator} has no probabilities, use predict")
        return probabilities(self.decision_function(X), 1.0 if self.loss is None else self.loss.traits.cap, self.link)

    @property
    def shapes_(self) -> list[Shape]:
        """Of an additive model: what each column, then each pair, adds to the score."""
        if self.shapes is None:
            raise AttributeError(f"{self.estimator} is linear: it has coef_ and no shapes_")
        return shapes_of(self.shapes, self.coef, self.feature_names)

    @property
    def importances_(self) -> dict[str, float]:
        """Of an additive model: the spread of each shape over its public grid, largest first."""
        return dict(sorted(((shape.name, shape.importance) for shape in self.shapes_), key=lambda pair: -pair[1]))

    @documented()
    def plot_shapes(self, path: str | os.PathLike[str]) -> None:
        """Draw every shape of an additive model, the most important first, into a picture file."""
        draw_shapes(self.shapes_, self.classes, path)

    @property
    def covariance(self) -> Array | None:
        """Of the error of (coefficients, intercept) of each output in turn, square; None where it is not known."""
        known = self.uncertainty
        if known is None or known.covariance.ndim == 2:
            return None if known is None else known.covariance
        return np.diag(known.covariance)

    @property
    def covers(self) -> str | None:
        """What standard errors and intervals are about."""
        return None if self.uncertainty is None else self.uncertainty.covers

    @documented(returns="tuple: Shaped as `coef_` and `intercept_`.")
    def standard_errors(self) -> tuple[Array, Array | float]:
        """Of the numbers released, shaped as `coef_` and `intercept_`, around what `covers` says."""
        return self._shaped(self._known("standard_errors").standard_errors)

    @documented(returns="Intervals: Ends for each coefficient and intercept.")
    def confidence_intervals(self, level: float = 0.95) -> Intervals:
        """For each number alone.  They lie around the numbers released, before a ball or shrinkage moved them."""
        known = self._known("confidence_intervals")
        reach = known.reach(level)
        (coef_low, low), (coef_high, high) = self._shaped(known.estimate - reach), self._shaped(known.estimate + reach)
        return Intervals(level, known.covers, coef_low, coef_high, low, high)

    @documented(returns="LinearModel: Another model; this one stays.")
    def shrunk(self, towards: npt.ArrayLike = 0.0) -> LinearModel:
        """Slopes pulled towards a public guess by as much as the noise warrants: closer on average, for free.

        The intercept stays, and so do standard errors and intervals, which are about the numbers released.  Where no
        gain is proved (fewer than three slopes, sufficient statistics, noisy gradients) this is the model itself.
        """
        coef = shrunk_slopes(self._known("shrunk"), self.coef, as_slopes(towards, self.coef.shape))
        if np.array_equal(coef, self.coef):
            return self
        note = "slopes shrunk afterwards for the noise in them (James-Stein): costs no privacy"
        guarantee = replace(self.guarantee, notes=tuple(dict.fromkeys((*self.guarantee.notes, note))))
        return replace(self, coef=coef, guarantee=guarantee)

    @documented(returns="Card: As text, HTML and JSON.")
    def card(self, data: str | None = None) -> Card:
        """The page to ship with the model; `data` names the data set where the model does not know it."""
        return Card(
            estimator=self.estimator,
            kind=self.kind,
            features=self.n_features_in_,
            classes=self.classes,
            guarantee=self.guarantee,
            minimised=None if self.loss is None else self.loss.traits.words,
            why=self.why,
            clips=any(each is not None for each in (self.row_bounds, self.shapes, self.lift)),
            feature_names=self.feature_names,
            row_bounds=self.row_bounds if self.lift is None else self.lift.bounds,
            origin=named(self.origin, data),
            errors_cover=self.covers,
            unbounded=self.lift.column if isinstance(self.lift, Tasks) else None,
        )

    @documented()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write JSON that `equipoise.load` reads back exactly."""
        from equipoise.outside.files import save  # files.py builds models, so it cannot be imported above

        save(self, path)

    @property
    def _single_regressor(self) -> bool:
        return self.kind == Task.REGRESSION and len(self.coef) == 1

    def _shaped(self, numbers: Array) -> tuple[Array, Array | float]:
        """(k, d + 1) numbers as `coef_` and `intercept_` are."""
        if self._single_regressor:
            return numbers[0, :-1], float(numbers[0, -1])
        return numbers[:, :-1], numbers[:, -1]

    def _known(self, asked: str) -> Uncertainty:
        if self.uncertainty is not None:
            return self.uncertainty
        if self.shapes is not None:
            raise InvalidInput(f"{asked}: an additive model says in shapes_ how much noise each value holds")
        if self.link in OF_MANY:
            raise InvalidInput(f"{asked}: not known for classes fitted jointly, fit two classes at a time")
        able = [each.name for each in EVERY if each.knows_errors]
        if self.guarantee.mechanism in able:
            raise InvalidInput(f"{asked}: not kept in this model, fit it again")
        either = f"{', '.join(able[:-1])} or {able[-1]}"
        raise InvalidInput(f"{asked}: mechanism={shown(self.guarantee.mechanism)} cannot say, fit with {either}")


def _frozen(value: Array, dimensions: int, name: str) -> Array:
    array = np.array(value, dtype=np.float64)
    if array.ndim != dimensions or array.size == 0:
        raise InvalidInput(f"{name}: must have {dimensions} dimension(s) and at least one number")
    if not np.isfinite(array).all():
        raise InvalidInput(f"{name}: must be finite")
    array.flags.writeable = False
    return array
