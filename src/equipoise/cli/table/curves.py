"""What an additive model learnt, for the report: a curve for each number, a mark for each category."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from equipoise.outside.additive.plot import BAND
from equipoise.outside.additive.shapes import Shape
from equipoise.outside.report import shapes
from equipoise.outside.report.forest import Effect
from equipoise.outside.table.model import TableModel
from equipoise.schema import Range
from equipoise.schema.encoding import AdditiveEncoding

Array = npt.NDArray[np.float64]

SHAPES_ARE = (
    "What each column adds to {}, numbers as curves, the most important first. Where a band or an interval is"
    " drawn it is two standard deviations of the privacy noise on either side: neither sampling error nor smoothing is"
    " in it. Pairs of columns are not drawn; plot_shapes draws them."
)


def score_of(model: TableModel) -> str:
    """What effects are added to: of a regression the label, in its own unit, since its scores are predictions."""
    target = model.schema.target
    if not isinstance(target, Range):
        return "the score"
    return f"{target.column} ({target.unit})" if target.unit else target.column


def shapes_are(model: TableModel) -> str:
    """What is drawn, in words."""
    return SHAPES_ARE.format(score_of(model))


def curves_of(model: TableModel) -> tuple[shapes.Shape, ...]:
    """Of columns of numbers, the most important first; one for each class where there are several."""
    found = [shape for shape in model.shapes() if _is_curve(shape)]
    found.sort(key=lambda shape: -shape.importance)
    return tuple(_curve(model, shape, *each) for shape in found for each in _scores(model, shape))


def steps_of(model: TableModel) -> tuple[Effect, ...]:
    """Of columns of words: what each value adds, and a value that is not listed."""
    return tuple(effect for shape in model.shapes() if _is_steps(shape) for effect in _steps(model, shape))


def _is_curve(shape: Shape) -> bool:
    return len(shape.grid) == 1 and all(isinstance(knot, float) for knot in shape.grid[0])


def _is_steps(shape: Shape) -> bool:
    return len(shape.grid) == 1 and not _is_curve(shape)


def _scores(model: TableModel, shape: Shape) -> Iterator[tuple[str, Array]]:
    """The values of each score, and the class it is for where there are several."""
    if np.ndim(shape.values) == 1:
        yield "", shape.values
        return
    for label, values in zip(model.classes_.tolist(), shape.values, strict=True):
        yield f" for {label}", values


def _curve(model: TableModel, shape: Shape, whose: str, values: Array) -> shapes.Shape:
    assert isinstance(model.encoding, AdditiveEncoding)
    reach, part = None if shape.noise is None else BAND * shape.noise, model.encoding.parts[shape.places[0]]
    low, high = ((), ()) if reach is None else (values - reach, values + reach)
    return shapes.Shape(
        name=f"{shape.name}{whose}",
        xs=tuple(float(knot) for knot in shape.grid[0]),  # type: ignore[arg-type]
        ys=tuple(values.tolist()),
        low=tuple(float(edge) for edge in low),
        high=tuple(float(edge) for edge in high),
        unit=part.unit,
        at=() if shape.axis is None else shape.axis.at,
        marks=() if shape.axis is None else shape.axis.marks,
    )


def _steps(model: TableModel, shape: Shape) -> Iterator[Effect]:
    for whose, values in _scores(model, shape):
        for place, (label, value) in enumerate(zip(shape.grid[0], values.tolist(), strict=True)):
            reach = None if shape.noise is None else BAND * float(shape.noise[place])
            ends = (None, None) if reach is None else (value - reach, value + reach)
            yield Effect(f"{shape.name}={label}{whose}", value, *ends)
