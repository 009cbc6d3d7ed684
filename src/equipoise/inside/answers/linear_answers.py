"""Linear answers: the product of private coefficients with public queries, each in units of its own stability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.rows.clip import squares_of
from equipoise.theory.bounds import Bounds

TAME = 1e150
"""Sums of squares within this and its inverse neither overflow nor lose digits."""

BLOCK_ENTRIES = 2**15
"""Numbers read at once: the second product over a block finds them in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Directions:
    """Queries as the learner saw its rows, clipped and with the constant column, of length one.

    The direction of a row is `factor`·row, then `constant`; `norms` are the lengths it had.  All of it is public.
    Rows listed in `odd`, too large or small to be squared, stand in `tamed` instead, divided by their largest entry.
    """

    factor: Array
    constant: Array
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
        scores *= towards.factor
        if len(w) > features:
            scores += towards.constant * w[features]
        scores /= per_norm
        return scores

    return raw.map(lambda pair: scaled(*pair)), towards


def _products(queries: Array, slopes: Array, squares: Array) -> Array:
    """queries·slopes; in passing, the sum of squares of each query, which is no secret, goes into `squares`.

    The queries may be the caller's own.  Each block is copied, so that a product and its squares are of one row.
    """
    result, columns = np.empty(len(queries)), queries.shape[1]
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
    tamed, lengths = queries[odd], np.sqrt(squares)
    shares = lengths / bounds.row_norm
    if odd.size:
        peaks = np.max(np.abs(tamed), axis=1, initial=0.0)
        tamed /= np.where(peaks > 0, peaks, 1.0)[:, None]
        lengths[odd] = np.sqrt(np.einsum("ij,ij->i", tamed, tamed))
        with np.errstate(over="ignore", under="ignore"):
            shares[odd] = lengths[odd] * (peaks / bounds.row_norm)
        lengths[lengths == 0.0] = 1.0
    np.minimum(shares, 1.0, out=shares)
    constant = bounds.intercept / bounds.row_norm
    norms = np.sqrt(shares * shares + constant * constant)
    if constant == 0.0:  # squares of the smallest shares would be lost
        norms = shares.copy()
    units = np.where(norms > 0, norms, 1.0) if odd.size else norms
    factor = shares / units
    factor /= lengths
    return Directions(factor, constant / units, norms * bounds.row_norm, odd, tamed)
