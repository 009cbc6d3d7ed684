"""What both additive estimators do alike: state, plan, and turn released numbers into shapes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._checks import fraction, is_word, positive
from equipoise.errors import InvalidInput
from equipoise.estimators._columns import NAMELESS
from equipoise.estimators._inputs import rows_as_fitted
from equipoise.estimators.additive.stated import Stated
from equipoise.estimators.linear.base import INTERCEPT_SHARE
from equipoise.outside.additive.shapes import Shapes
from equipoise.outside.inputs import column_names
from equipoise.outside.released import Released
from equipoise.rows.codes import with_codes
from equipoise.rows.lists import is_list, shape_of
from equipoise.theory.additive import Basis, Encoding
from equipoise.theory.additive.monotone import in_order
from equipoise.theory.additive.noise import noise_of
from equipoise.theory.bounds import Bounds
from equipoise.theory.extremes import of_use
from equipoise.theory.mechanisms import NOISY_GRADIENT
from equipoise.theory.plan import MOST_RECORDS, Plan

Array = npt.NDArray[np.float64]

STRAIGHT, LENGTH = 0.4, 0.2
"""How smooth shapes are expected to be, where nobody said otherwise (docs/decisions/0024-additive.md)."""

FEW = 100.0
"""Records times epsilon, for each term, from which on bends open where they may (docs/decisions/0057)."""

OPENING = ("auto", NOISY_GRADIENT.name)
"""Ways to fit in which bends open as they show; in others the plan says how many pay (bends.py)."""

STRAIGHT_SHAPES = "shapes of numbers are straight: so few records at this epsilon cannot show where they bend"
OPENED_SHAPES = "shapes of numbers start straight and bend as far as released gradients stood out of their known noise"
CELLS = "numbers beyond their column's bounds count as the bound; what is missing, or not listed, has its own value"
MIDDLES = (
    "numbers beyond their column's bounds count as the bound; one that is missing adds nothing, a listed value that is"
    " missing, or not listed, has its own"
)


def stated(estimator: Any, width: int, names: tuple[str, ...] | None) -> Stated:
    """The parameters that speak of columns."""
    return Stated(
        width,
        names,
        estimator.column_bounds,
        estimator.categories,
        estimator.knots,
        estimator.pairs,
        estimator.monotone,
    )


def plain_bounds(fit_intercept: bool) -> Bounds:
    """Of rows whose encoding has norm one."""
    return Bounds(1.0, INTERCEPT_SHARE if fit_intercept else 0.0)


def with_encoding(bounds: Bounds, estimator: Any, width: int, n: int) -> Bounds:
    """The bounds of a table of so many columns and rows."""
    told = stated(estimator, width, estimator._names())
    told.directions()
    return replace(bounds, encoding=encoding_of(estimator, told.basis(), n))


def encoding_of(estimator: Any, basis: Basis, n: int) -> Encoding:
    """The basis, with shapes as smooth as asked for, or straight until they open or bends are planned for."""
    if not is_word(estimator.smoothness, "auto"):
        return Encoding(basis, fraction(smoothness=estimator.smoothness), LENGTH)
    told = min(n, MOST_RECORDS) * of_use(positive(epsilon=estimator.epsilon)) / len(basis.terms)
    if told >= FEW and opens(estimator):
        return Encoding(basis, STRAIGHT, LENGTH, told=told)
    return Encoding(basis, STRAIGHT, LENGTH, 0)


def opens(estimator: Any) -> bool:
    """Whether bends open on the way, where records are enough for any."""
    return bool(estimator.delta > 0 and estimator.mechanism in OPENING)


def notes(plan: Plan) -> tuple[str, ...]:
    """What a card says of shapes."""
    encoding = plan.facts.bounds.encoding
    assert encoding is not None
    if encoding.told is not None:
        return OPENED_SHAPES, CELLS
    cells = CELLS if encoding.sets_apart else MIDDLES
    return (STRAIGHT_SHAPES, cells) if encoding.bends == 0 else (cells,)


def in_numbers(estimator: Any, X: Any) -> Any:
    """A frame's words by their codes.  Columns can be named only where they have names."""
    if column_names(X) is None and stated(estimator, 1, None).mentioned():
        raise InvalidInput(NAMELESS)
    shape = shape_of(X) if is_list(X) else tuple(getattr(X, "shape", ()))
    if len(shape) != 2 or shape[1] < 1:
        return X
    return with_codes(X, stated(estimator, int(shape[1]), column_names(X)).basis().columns)


def asked(estimator: Any, X: Any) -> Any:
    """Rows to predict for; what is missing has a slot."""
    readable = with_codes(X, estimator.model_.shapes.basis.columns)
    return rows_as_fitted(estimator, readable, estimator._names())


def shaped(value: Array, plan: Plan, released: Released, estimator: Any) -> tuple[Array, Array, Shapes]:
    """Released numbers as the shapes' values, the intercept beside them, and how much of them may be noise."""
    bounds = plan.facts.bounds
    encoding = bounds.encoding
    assert encoding is not None
    basis, centred = encoding.basis, bounds.intercept > 0
    numbers, constant = (value[:, :-1], value[:, -1] * bounds.intercept) if centred else (value, np.zeros(len(value)))
    directions = stated(estimator, len(basis.columns), estimator._names()).directions()
    coef = in_order(basis, encoding.values(numbers), directions)
    noise = noise_of(plan, encoding, centred, released.covariance)
    shapes = Shapes(basis, None if noise is None else noise * bounds.label_scale)
    return (*(_around_zero(basis, coef, constant) if centred else (coef, constant)), shapes)


def _around_zero(basis: Basis, coef: Array, constant: Array) -> tuple[Array, Array]:
    """Every shape centred over its grid; the intercept takes the means, so that no score changes."""
    coef, constant = np.array(coef), np.array(constant)
    shown = [*(column.shown for column in basis.columns), *(pair.slots for pair in basis.pairs)]
    for span, many in zip(basis.spans, shown, strict=True):
        means = coef[:, span.start : span.start + many].mean(axis=1)
        coef[:, span] -= means[:, None]
        constant += means
    return coef, constant
