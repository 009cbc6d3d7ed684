"""A small space of coefficients: orthonormal directions, their scores, and problems restricted to it.

Where there are fewer rows than coefficients a direction is held as weights of the rows, so that products of directions
are products of weights with scores, and as the long vector only for the points that leave the space.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from equipoise.inside.design.contract import Array, Design

DEPENDENT = 1e-8
"""A direction this close to the space, in units of itself, adds only rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class Vector:
    """What it is made of (its coefficients, or weights of the rows), its coefficients, and its scores."""

    made: Array
    coefficients: Array
    scores: Array
    length: float


class Space:
    """Grows by one direction at a time."""

    def __init__(self, design: Design, room: int) -> None:
        self._design, self._room = design, room
        self._by_rows = design.rows < design.columns
        self._made = np.empty((room, min(design.rows, design.columns)))
        self._scores = np.empty((room, design.rows))
        self._long = np.empty((room, design.columns if self._by_rows else 0))
        self._turn = np.zeros((room, room))
        self._curvature = np.empty((room, room))
        self._weights = np.zeros(design.rows)
        self.directions = 0
        self.bent = False

    @property
    def scores(self) -> Array:
        """One row for each direction."""
        return self._scores[: self.directions]

    @property
    def _basis(self) -> Array:
        return self._made[: self.directions]

    def points(self, inside: Array) -> Array:
        """The coefficients of points in the space, one row each."""
        if not self._by_rows:
            return np.asarray(inside @ self._basis)
        held = slice(self.directions)
        return np.asarray((inside @ self._turn[held, held]) @ self._long[held])

    def gradient(self, slopes: Array, ridge: float, inside: Array) -> Vector:
        """Of a problem with this ridge, given the slopes at its point in the space."""
        pulled = ridge * (inside @ self._basis)
        if not self._by_rows:
            made = coefficients = self._design.rmatvec(slopes) + pulled
        else:
            made = slopes + pulled  # Small near the minimiser, and so free of the rounding that cancels.
            coefficients = self._design.rmatvec(made)
        return Vector(made, coefficients, self._design.matvec(coefficients), float(np.linalg.norm(coefficients)))

    def add(self, vector: Vector) -> bool:
        """What of it is new; False where there is nothing, or no room."""
        count = self.directions
        if not 0 < vector.length < math.inf or count == self._room:
            return False
        made, scores, known = vector.made / vector.length, vector.scores / vector.length, np.zeros(count)
        for _ in range(2):  # The second time removes what rounding left the first time.
            more = (self.scores if self._by_rows else self._basis) @ made
            made, scores, known = made - more @ self._basis, scores - more @ self.scores, known + more
        left = math.sqrt(max(0.0, float(made @ (scores if self._by_rows else made))))
        if not left > DEPENDENT:
            return False
        self._made[count], self._scores[count] = made / left, scores / left
        if self._by_rows:
            self._long[count] = vector.coefficients
            self._turn[count, :count] = -known @ self._turn[:count, :count] / left
            self._turn[count, count] = 1 / (vector.length * left)
        self.directions += 1
        last = self.scores @ (self._weights * self.scores[-1])
        self._curvature[count, : count + 1] = self._curvature[: count + 1, count] = last
        return True

    def bend(self, weights: Array) -> None:
        """Take the data's Hessian inside the space, for these second derivatives of the rows."""
        self._weights, self.bent = weights, True
        self._curvature[: self.directions, : self.directions] = (self.scores * weights) @ self.scores.T

    def divide(self, ridge: float, gradient: Array) -> Array:
        """By that Hessian plus the ridge: directions are orthonormal, so the ridge is the same inside."""
        matrix = self._curvature[: self.directions, : self.directions].copy()
        matrix[np.diag_indices(self.directions)] += ridge
        return np.asarray(np.linalg.solve(matrix, gradient), dtype=np.float64)
