"""Linear answers: the product of private coefficients with public queries, each in units of its own stability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.rows.clip import squares_of
from equipoise.rows.compiled.steps import measured
from equipoise.rows.owned import settle
from equipoise.theory.bounds import Bounds

TAME = 1e150
"""Sums of squares within this and its inverse neither overflow nor lose digits."""

BLOCK_ENTRIES = 2**17
"""Numbers copied at once: the second product over a block finds them in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Directions:
    """Queries as the learner saw its rows, clipped and with the constant column, of length one.

    The direction of a row is (row/`longer`, `constant`)/`units`, in units of the row norm; `norms` are the lengths it
    had, in the caller's.  All of it is public.  Rows listed in `odd`, too large or small to be squared, stand in
    `tamed` instead, divided by their largest entry.
    """

    longer: Array
    constant: float
    units: Array | float
    norms: Array
    odd: npt.NDArray[np.intp]
    tamed: Array


def unit_answers(
    coefficients: Private[Array], queries: Array, bounds: Bounds, per_norm: float
) -> tuple[Private[Array], Directions]:
    """direction·coefficients / per_norm for every query, and the directions, which are public."""
    features, squares = queries.shape[1], np.empty(len(queries))
    raw = coefficients.map(lambda w: (_products(queries, w[:features], squares), w))
    towards = directions(queries, squares, bounds)

    def scaled(scores: Array, w: Array) -> Array:
        scores[towards.odd] = towards.tamed @ w[:features]
        scores /= towards.longer
        if len(w) > features:
            scores += towards.constant * w[features]
        scores /= towards.units
        scores /= per_norm
        return scores

    return raw.map(lambda pair: scaled(*pair)), towards


def _products(queries: Array, slopes: Array, squares: Array) -> Array:
    """queries·slopes; in passing, the sum of squares of each query, which is no secret, goes into `squares`.

    The queries may be the caller's own.  A compiled step reads each number once; else each block is copied, so that a
    product and its squares are of one row.
    """
    result, columns = np.empty(len(queries)), queries.shape[1]
    if measured(queries, slopes, result, squares):
        return result
    height = max(1, min(len(queries), BLOCK_ENTRIES // max(1, columns)))
    copy = np.empty((height, columns))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # odd rows, which are taken care of
        for start in range(0, len(queries), height):
            read = queries[start : start + height]
            part = copy[: len(read)]
            part[:] = read
            squares[start : start + height] = squares_of(part)
            np.matmul(part, slopes, out=result[start : start + height])
    return result


def directions(queries: Array, squares: Array, bounds: Bounds) -> Directions:
    """Clip each query to the row norm and divide by its own length; a zero query has direction zero."""
    odd = np.flatnonzero(~((squares < TAME) & (squares > 1 / TAME)))
    tamed = queries[odd]
    squares[odd] = 1.0
    lengths = np.sqrt(squares, out=squares)
    longer = np.maximum(lengths, bounds.row_norm)
    shares = lengths / longer
    if odd.size:
        lengths[odd], shares[odd] = _tame(tamed, bounds.row_norm)
        with np.errstate(over="ignore", divide="ignore"):
            longer[odd] = lengths[odd] / shares[odd]  # infinite for a row that is nothing beside the constant
    constant = bounds.intercept / bounds.row_norm
    if constant == 0.0:  # squares of the smallest shares would be lost
        return Directions(lengths, constant, 1.0, shares * bounds.row_norm, odd, tamed)
    shares *= shares
    shares += constant * constant
    units = np.sqrt(shares, out=shares)
    return Directions(longer, constant, units, units * bounds.row_norm, odd, tamed)


def _tame(rows: Array, row_norm: float) -> tuple[Array, Array]:
    """In place, rows divided by their largest entry, what is missing settled.  Their lengths then, one for a zero row,
    and their lengths before in units of the row norm, at most one."""
    settle(rows)
    peaks = np.max(np.abs(rows), axis=1, initial=0.0)
    rows /= np.where(peaks > 0, peaks, 1.0)[:, None]
    lengths = np.where(peaks > 0, np.sqrt(np.einsum("ij,ij->i", rows, rows)), 1.0)
    with np.errstate(over="ignore", under="ignore"):
        return lengths, np.minimum(lengths * (peaks / row_norm), 1.0)
