"""The rows that a fit sees: weights on slots, in a basis where the penalty for rough shapes is a plain ridge.

With S = RRᵀ the covariance that shapes are expected to have, θ = R·w turns θᵀS⁻¹θ into ‖w‖², and a row of weights c
into Rᵀc.  S has ones on its diagonal, so Rᵀc is an average of unit vectors: its norm is at most one, for every cell.
Where bends could hardly be told from noise, a column of numbers is a few numbers instead: a ramp between −1 and 1, and
its smoothest bends.  docs/proofs/additive.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equipoise._checks import fraction, positive
from equipoise.errors import InvalidInput
from equipoise.theory.additive import opened
from equipoise.theory.additive.basis import Basis, Pair, Term
from equipoise.theory.additive.columns import Column, Numbers
from equipoise.theory.rounding import WELL_CLEAR, down

Array = npt.NDArray[np.float64]

ENOUGH = 1000.0
"""Records times epsilon, for each term, at which half of what is shut is expected to open."""


@dataclass(frozen=True)
class Encoding:
    """A basis, and how smooth its shapes are expected to be; both public.

    `straight` is the share of a shape's variance that bends once at most, half a cosine over the column's range; the
    rest loses its memory over `length`, a part of that range.  With `bends` given, that is not so: shapes are
    ramps, flat at both ends and straight between, and so many of the smoothest curves in the room beside them.
    """

    basis: Basis
    straight: float
    length: float
    bends: int | None = None
    told: float | None = None
    """Where shapes open while they are learnt (opened.py): records times epsilon for each term.  None where not."""

    def __post_init__(self) -> None:
        fraction(straight=self.straight)
        if self.bends is not None and self.bends < 0:
            raise InvalidInput(f"bends={self.bends}: must be at least 0")
        positive(length=self.length)
        if self.told is not None:
            positive(told=self.told)

    @property
    def sets_apart(self) -> bool:
        """Whether a missing number has a value of its own."""
        return self.bends is None or self.bends > opened.SEVERAL

    @property
    def share(self) -> float:
        """Of the row's norm, for each term: all alike, and all together a little less than one."""
        return down(1 / math.sqrt(len(self.basis.terms)), WELL_CLEAR)

    @cached_property
    def roots(self) -> tuple[Array, ...]:
        """R of each term, times its share: what turns weights into a row's numbers."""
        return tuple(self.share * self._root(term) for term in self.basis.terms)

    @cached_property
    def spans(self) -> tuple[slice, ...]:
        """Where each term's numbers are in a row."""
        ends = np.cumsum([root.shape[1] for root in self.roots]).tolist()
        return tuple(slice(end - root.shape[1], end) for end, root in zip(ends, self.roots, strict=True))

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return sum(root.shape[1] for root in self.roots)

    @cached_property
    def shut(self) -> tuple[slice, ...]:
        """Numbers of a row that start at nothing and open together; none where shapes are as they are."""
        if self.told is None:
            return ()
        found = []
        for term, span in zip(self.basis.terms, self.spans, strict=True):
            groups = [(0, span.stop - span.start)] if isinstance(term, Pair) else opened.shut_in(term.column)
            found += [slice(span.start + first, span.start + last) for first, last in groups]
        return tuple(found)

    @property
    def expected(self) -> int:
        """How many numbers a plan reckons with: of those that are shut, the part that such a table tells from noise,
        and nothing of what is missing or not listed, as hardly a record is."""
        if self.told is None:
            return self.width
        shut: int = sum(group.stop - group.start for group in self.shut)
        apart = sum(column.slots - column.shown for column in self.basis.columns)
        return self.width - shut + int((shut - apart) * self.told / (self.told + ENOUGH) + 0.5)

    def rows(self, table: Array) -> Array:
        """(rows, width), each of norm below one."""
        result = np.empty((len(table), self.width))
        for term, span, root in zip(self.basis.terms, self.spans, self.roots, strict=True):
            result[:, span] = term.weights(table).average(root)
        return result

    def values(self, w: Array) -> Array:
        """(outputs, features): what each slot adds to a score, from numbers in the basis of the fit."""
        parts = [w[:, span] @ root.T for span, root in zip(self.spans, self.roots, strict=True)]
        return np.hstack(parts)

    def _root(self, term: Term) -> Array:
        if isinstance(term, Pair):
            of_each = self._of_column if self.told is None else self._of_covariance
            left, right = (of_each(column) for column in term.columns)
            return np.asarray(np.kron(left, right), dtype=np.float64)
        return self._of_column(term.column)

    def _of_column(self, column: Column) -> Array:
        if self.told is not None:
            return opened.root_of(column)
        if self.bends is None or not isinstance(column, Numbers):
            return self._of_covariance(column)
        return _bent(column, self.bends, self.sets_apart) if self.bends else _ramp(column)

    def _of_covariance(self, column: Column) -> Array:
        return _root(self._covariance(column))

    def _covariance(self, column: Column) -> Array:
        """What is set apart, and a category, is expected to have nothing in common with the rest."""
        covariance = np.eye(column.slots)
        if isinstance(column, Numbers):
            at = np.linspace(0.0, 1.0, column.shown)
            apart = np.abs(at[:, None] - at)
            curve = self.straight * np.cos(np.pi * apart) + (1 - self.straight) * np.exp(-apart / self.length)
            covariance[: column.shown, : column.shown] = curve
        return covariance


def _ramp(column: Numbers) -> Array:
    """One number for each slot, between −1 and 1; what is missing is in the middle."""
    return np.append(opened.ramp(column), 0.0)[:, None]


def _bent(column: Numbers, bends: int, apart: bool) -> Array:
    """A ramp and the smoothest bends in the room that it leaves; what is missing has a number of its own where bends
    are many, and is in the middle where not: norms are at most one."""
    shown = opened.line_and_bends(column, bends)
    result = np.zeros((column.slots, shown.shape[1] + apart))
    result[:-1, : shown.shape[1]] = shown
    result[-1, shown.shape[1] :] = 1.0
    return result


def _root(covariance: Array) -> Array:
    """Its symmetric root, every row of norm one."""
    squares, directions = np.linalg.eigh(covariance)
    root = (directions * np.sqrt(np.maximum(squares, 0.0))) @ directions.T
    return np.asarray(root / np.linalg.norm(root, axis=1, keepdims=True))
