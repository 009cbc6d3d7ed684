"""Histogram density: choose a grid privately, then release its noisy counts on all rows.

Guarantee.  ε-DP: a share of ε for the choice of the grid, the rest for the counts; with one grid all of it for the
            counts.  δ is not used.  With groups, ε for all rows of one group.
Assumes.    A public box and public candidate grids; values outside are clamped to the box.
Adjacency.  Replace-one; add-remove for a given grid.
Numerics.   Counts are whole and lie on the noise's grid, scores are compared on a grid of their own: δ_numeric is 0.
Reference.  docs/proofs/histogram_density.md; Chaudhuri, Vinterbo 2013, Algorithm 5, with corrected constants.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.gate.choices.select import permute_and_flip
from equipoise.gate.door import check_paid
from equipoise.gate.laws import draw
from equipoise.gate.noise import Bits, Grid
from equipoise.gate.tables.counts import Array, counts_noise, private_histogram
from equipoise.inside import Private
from equipoise.inside.tables.density import (
    HeldOut,
    Index,
    Points,
    graded,
    grid_counts,
    grid_duels,
    held_out_scores,
    least_leads,
)
from equipoise.ledger import Entry
from equipoise.outside.density.merge import best_merged
from equipoise.outside.density.released_density import Density, density_from_counts
from equipoise.theory.accounting.groups import row_budget
from equipoise.theory.accounting.prices import pure_release
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.noise import Noise
from equipoise.theory.rounding import down
from equipoise.theory.sensitivity import of_counts
from equipoise.theory.tables import density as constants
from equipoise.theory.tables import grid_choice as choosing
from equipoise.theory.tables.density import Box, Shape, cells_of

NAME = "histogram-density"

DRAWS = 8
"""Noise draws over which a held-out score is averaged: free, since every draw is as stable as one."""


@dataclass(frozen=True, slots=True)
class Split:
    """Positions of the rows to train and to validate on: drawn without looking at a value."""

    training: Index
    validation: Index


@dataclass(frozen=True, slots=True)
class DensityPlan:
    """Everything about the release, before a record is seen."""

    box: Box
    shapes: tuple[Shape, ...]
    records: int | None
    """None where the number of rows is secret."""
    adjacency: Adjacency
    budget: Budget
    largest: int
    choice: float
    """ε per row for choosing the grid; 0 with one candidate."""
    counts: float
    """ε per row for the counts."""
    sizes: tuple[int, int] | None
    """Rows to train and to validate on; None where all rows do both, one left out at a time."""
    coarser: tuple[Shape, ...] = ()
    """Grids to which the released counts may be summed up afterwards, without looking again."""

    @property
    def event(self) -> PureRelease:
        return pure_release(self.budget.epsilon)

    def noise(self, shape: Shape) -> Noise:
        return counts_noise(cells_of(shape), of_counts(self.adjacency), self.counts)

    @property
    def weights(self) -> tuple[float, ...]:
        """What public facts say of the grids before a row is seen, in logarithms."""
        return choosing.beforehand(self.records or 0, self.shapes, self.noise(self.shapes[0]).scale)

    @property
    def score_sensitivity(self) -> float:
        """How far one row moves a grid's least lead over the others."""
        return choosing.lead_moved(self.records or 0, choosing.head_starts(self.weights, self.choice))

    def guarantee(self, shape: Shape, seeded: bool) -> Guarantee:
        """What a release of this grid promises."""
        noise = self.noise(shape)
        named = {"released numbers": float(noise.dim), "epsilon of the counts": self.counts * self.largest}
        named |= {"noise scale": noise.scale, "grid step": noise.step, "sensitivity": float(of_counts(self.adjacency))}
        if self.records is not None:
            named["records"] = float(self.records)
        if self.choice:
            named |= {
                "candidates": float(len(self.shapes)),
                "epsilon of the choice": self.choice * self.largest,
                "score sensitivity": self.score_sensitivity,
            }
        if self.choice and self.sizes is not None:
            named |= {"records to train on": float(self.sizes[0]), "records to choose on": float(self.sizes[1])}
        return Guarantee(
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            delta_numeric=0.0,
            adjacency=self.adjacency,
            mechanism=NAME,
            theorem="discrete Laplace noise on counts" + (", grid by permute-and-flip" if self.choice else ""),
            sensitivity=float(of_counts(self.adjacency)),
            noise_scale=noise.scale,
            seeded=seeded,
            constants=named,
            notes=self._notes(),
        )

    def _notes(self) -> tuple[str, ...]:
        notes = ["the box and the candidate grids are public; values outside the box were moved to its edge"]
        if not self.choice:
            notes.append("one grid: nothing to choose, nothing charged for choosing")
        if self.coarser:
            notes.append("its cells may have been merged afterwards: costs no privacy")
        if self.budget.delta > 0:
            notes.append("this holds with delta=0")
        return tuple(notes)


def plan(
    box: Box,
    shapes: tuple[Shape, ...],
    records: int | None,
    budget: Budget,
    *,
    share: float,
    adjacency: Adjacency = Adjacency.REPLACE_ONE,
    sizes: tuple[int, int] | None = None,
    largest: int = 1,
    coarser: tuple[Shape, ...] = (),
) -> DensityPlan:
    """Settle the split of ε and check what the theorem asks for.  `largest` is the most rows of one person."""
    epsilon = row_budget(Budget(budget.epsilon), largest).epsilon
    if len(shapes) == 1:
        made = DensityPlan(box, shapes, records, adjacency, budget, largest, 0.0, epsilon, None, coarser)
    else:
        _check_choice(records, adjacency)
        choice, counts = down(epsilon * share), down(epsilon * (1 - share))
        made = DensityPlan(box, shapes, records, adjacency, budget, largest, choice, counts, sizes)
    for shape in shapes:
        made.noise(shape)
    return made


def _check_choice(records: int | None, adjacency: Adjacency) -> None:
    if adjacency is not Adjacency.REPLACE_ONE or records is None:
        raise MechanismRefused('bins="auto": needs a public number of rows, give bins or adjacency="replace-one"')
    if not 2 <= records <= constants.MOST_RECORDS:
        raise InvalidInput(f'X: bins="auto" needs 2 to {constants.MOST_RECORDS} rows, give bins instead')


def release(points: Private[Points], plan: DensityPlan, split: Split | None, entry: Entry, bits: Bits) -> Density:
    """Choose the grid, let its counts out with fresh noise, normalise them."""
    check_paid(entry, plan.event)
    shape = plan.shapes[choose(points, plan, split, entry, bits)]
    noise = plan.noise(shape)
    noisy = private_histogram(grid_counts(points, shape), noise, plan.event, entry, bits).reshape(shape)
    merged = best_merged(noisy, plan.coarser, plan.records, noise.rms**2)
    return density_from_counts(plan.box, merged, plan.records, plan.guarantee(shape, bits.seeded))


def choose(points: Private[Points], plan: DensityPlan, split: Split | None, entry: Entry, bits: Bits) -> int:
    """The place of the chosen grid."""
    if not plan.choice:
        return 0
    scores = grid_scores(points, plan, split, bits)
    return permute_and_flip(scores, plan.score_sensitivity, plan.choice, entry, bits)


def grid_scores(points: Private[Points], plan: DensityPlan, split: Split | None, bits: Bits) -> Private[Array]:
    """The least lead of every candidate: by the split where there is one, otherwise leaving one row out at a time."""
    if plan.sizes is None or split is None:
        return _left_out(points, plan)
    if (len(split.training), len(split.validation)) != plan.sizes:
        raise MechanismRefused("split: was not made by this plan, nothing was released")
    return _held_out(points, plan, split, bits)


def _left_out(points: Private[Points], plan: DensityPlan) -> Private[Array]:
    cells, starts = map(cells_of, plan.shapes), choosing.head_starts(plan.weights, plan.choice)
    charges = [constants.charge(plan.records or 0, m, plan.noise(plan.shapes[0]).scale) for m in cells]
    return least_leads(grid_duels(points, plan.shapes, charges), starts)


def _held_out(points: Private[Points], plan: DensityPlan, split: Split, bits: Bits) -> Private[Array]:
    """Each grid's score moves by its own bound, and every two grids are compared on the scale of theirs."""
    training, validation = len(split.training), len(split.validation)
    betas = np.array([constants.of_held_out(training, training, validation, cells_of(shape)) for shape in plan.shapes])
    noise = [_practice_noise(plan, shape, bits) for shape in plan.shapes]
    scores = held_out_scores(points, plan.shapes, HeldOut(split.training, split.validation, float(training), noise))
    return graded(scores, betas, np.array(plan.weights), plan.choice)


def _practice_noise(plan: DensityPlan, shape: Shape, bits: Bits) -> Array:
    """Noise as large beside the training counts as the final noise beside all counts; it protects nothing."""
    training, validation = plan.sizes or (1, 0)
    final = plan.noise(shape)
    law = Noise(final.law, final.scale * training / (training + validation), final.step, final.dim)
    return np.array([Grid(law.step).restore(draw(law, bits)) for _ in range(DRAWS)])
