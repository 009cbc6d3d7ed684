"""Projected histogram: keep a few columns, release noisy counts of their cells, fit a ridge to the cells.  A baseline.

Guarantee.  ε-DP: a part of ε for choosing the columns, the rest for the counts.  δ is not used.
Assumes.    Squared loss, labels in [−1, 1]; a public grid of cells, set from n, ε and the row norm alone.
Adjacency.  Replace-one, or add-remove with a public nominal size.
Numerics.   Counts and scores are whole numbers and lie on the noise's grid: nothing is rounded, δ_numeric is 0.
Reference.  docs/proofs/projected_histogram.md; Vinterbo 2012; a baseline in Wu, Fredrikson et al. 2015.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.errors import MechanismRefused
from equipoise.gate.choices.select import permute_and_flip
from equipoise.gate.door import add_noise
from equipoise.gate.laws import drawable
from equipoise.gate.models.mechanism import Mechanism, Needs
from equipoise.gate.noise import Bits, Grid
from equipoise.gate.tables.counts import LARGEST_SCALE, SMALLEST_SCALE
from equipoise.inside import Private, Records
from equipoise.inside.tables.histogram import Cells, cell_counts, column_scores, scores_at
from equipoise.ledger import Entry
from equipoise.outside.released import Released
from equipoise.theory import risk, sensitivity
from equipoise.theory.accounting.prices import pure_release
from equipoise.theory.guarantees import Budget
from equipoise.theory.mechanisms import PROJECTED_HISTOGRAM
from equipoise.theory.noise import Law, Noise
from equipoise.theory.plan import Facts, Sensitivity, StatisticsPlan
from equipoise.theory.rounding import ONE_STEP, down, up

Array = npt.NDArray[np.float64]

NAME = PROJECTED_HISTOGRAM.name

CHOICE_SHARE = 0.25
"""The part of ε that pays for choosing columns, when there is something to choose."""

MOST_COLUMNS = 1000
"""Scoring the columns takes time that grows with the square of their number."""

MOST_CELLS = 2**18
FEWEST_LABEL_BINS, MOST_LABEL_BINS = 3, 16
REACHES = (1, 2, 4, 8, 16)
"""Levels on either side of zero.  The spacing is half the row norm, or less with more levels, so that 0 and ½ (a
scaled one-hot column) are levels of their own whichever is taken."""

NOISE_BITS = 10
"""Steps to the noise scale: rounding the scale up to whole steps costs at most a thousandth."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The cells, and how ε is split."""

    cells: Cells
    candidates: int
    choice: float
    """ε for each column chosen; zero when the columns are settled without looking."""
    counts: float
    """ε for the counts."""


def layout(facts: Facts, epsilon: float) -> Layout:
    """As many cells as leave each, were they equally full, a count at the threshold: nε/(2 log n); columns first,
    then finer levels."""
    candidates = facts.features - (1 if facts.bounds.intercept > 0 else 0)
    counts = down(epsilon * (1 - CHOICE_SHARE))
    room = min(MOST_CELLS, facts.n * counts / (2 * math.log(max(3, facts.n))))
    labels = min(MOST_LABEL_BINS, max(FEWEST_LABEL_BINS, round(room ** (1 / 3))))
    kept = min(candidates, max(0, math.floor(math.log(max(1.0, room / labels), 3))))
    reach = max(K for K in REACHES if K == 1 or (kept and (2 * K + 1) ** kept * labels <= room))
    cells = Cells(kept, reach, facts.bounds.row_norm / max(2, reach), labels)
    if kept in (0, candidates):
        return Layout(cells, candidates, 0.0, epsilon)
    return Layout(cells, candidates, down(epsilon * CHOICE_SHARE / kept), counts)


def score_sensitivity(cells: Cells) -> int:
    """Codes are within ±reach, label codes within ±(labels − 1)."""
    return sensitivity.of_covariance(cells.reach, cells.labels - 1)


def plan(facts: Facts, budget: Budget) -> StatisticsPlan:
    """Settle cells, split and noise from public facts."""
    if not facts.loss.traits.quadratic:
        raise MechanismRefused(f'mechanism="{NAME}": not for the {facts.loss.name} loss, use "output"')
    if facts.together > 1:
        raise MechanismRefused(f'mechanism="{NAME}": not for several rows of a person, use "output"')
    made = layout(facts, budget.epsilon)
    if made.candidates > MOST_COLUMNS:
        raise MechanismRefused(f'mechanism="{NAME}": not for more than {MOST_COLUMNS} columns, use "output"')
    moved = sensitivity.of_counts(facts.adjacency)
    noise = _noise(moved, made)
    because = Sensitivity(float(moved), f"one record changes the counts by {moved} in all (L1, which bounds L2)")
    theorem = "projected histogram, discrete Laplace noise on the counts"
    event = pure_release(budget.epsilon)
    return StatisticsPlan(
        mechanism=NAME,
        theorem=theorem,
        facts=facts,
        budget=budget,
        event=event,
        sensitivity=because,
        noise=noise,
        norm=facts.ball,
        notes=_notes(made, budget),
    )


def _noise(moved: int, made: Layout) -> Noise:
    """Whole counts lie on every grid of step 1 or a fraction of it by a power of two, so none is ever rounded."""
    scale = max(SMALLEST_SCALE, up(moved / made.counts, ONE_STEP))
    if not scale <= LARGEST_SCALE:
        raise MechanismRefused(f"epsilon: too small for counts, raise it above {moved / LARGEST_SCALE:.2g}")
    step = min(1.0, Grid.for_scale(scale, NOISE_BITS).step)
    return drawable(Noise(Law.LAPLACE, scale, step, made.cells.count))


def _notes(made: Layout, budget: Budget) -> tuple[str, ...]:
    cells, spent = made.cells, made.choice * made.cells.kept
    notes = [
        f"{cells.kept} of {made.candidates} columns kept, {cells.levels} levels each, {cells.labels} label bins:"
        f" {cells.count} cells",
        f"epsilon {spent:.4g} chooses the columns, {made.counts:.4g} pays for the counts",
    ]
    return (*notes, "this holds with delta=0") if budget.delta > 0 else tuple(notes)


def predict_risk(plan: StatisticsPlan) -> float:
    """Excess risk on the reference problem: kept directions with the counts' noise, the others missed altogether."""
    cells, facts, problem = layout(plan.facts, plan.budget.epsilon).cells, plan.facts, risk.reference(plan.facts)
    share = (cells.kept + (facts.bounds.intercept > 0)) / facts.features
    tilt = plan.noise.rms * math.sqrt(cells.count) * facts.bounds.norm / (2 * facts.n)
    missed = np.ones_like(problem.curvature)
    fitted = risk.of_objective(problem, facts.penalty.strong_convexity, tilt)
    return share * fitted + (1 - share) * problem.excess(missed, 0 * missed)


def release(records: Private[Records], plan: StatisticsPlan, entry: Entry, bits: Bits) -> Released:
    """Choose columns, let the counts out; the fit sees nothing else."""
    made = layout(plan.facts, plan.budget.epsilon)
    columns = _choose(records, made, entry, bits)
    counts = add_noise(cell_counts(records, made.cells, columns), plan.noise, plan.event, entry, bits)
    value = _fit(_thresholded(counts, plan.noise), plan.facts, made.cells, columns)
    return Released(value, plan.event, plan.guarantee(bits.seeded))


def _choose(records: Private[Records], made: Layout, entry: Entry, bits: Bits) -> list[int]:
    """One column after another, each by permute-and-flip among those left."""
    if made.choice == 0:
        return list(range(made.cells.kept))
    scores = column_scores(records, made.cells, made.candidates)
    left, chosen = list(range(made.candidates)), []
    for _ in range(made.cells.kept):
        best = permute_and_flip(scores_at(scores, left), score_sensitivity(made.cells), made.choice, entry, bits)
        chosen.append(left.pop(best))
    return sorted(chosen)


def _thresholded(counts: Array, noise: Noise) -> Array:
    """Counts that noise alone may have made are set to zero: of m empty cells half a one survives on average."""
    return np.where(counts > noise.scale * math.log(max(2, noise.dim)), counts, 0.0)


def _fit(counts: Array, facts: Facts, cells: Cells, columns: list[int]) -> Array:
    """Ridge on the cells' centres, brought into the ball; a column left out stays at the penalty's centre."""
    value = np.zeros(facts.dim) if facts.penalty.centre is None else np.array(facts.penalty.centre, dtype=float)
    filled = np.flatnonzero(counts)
    points, labels = cells.centres(filled)
    if facts.bounds.intercept > 0:
        points = np.column_stack([points, np.full(len(filled), facts.bounds.intercept)])
        columns = [*columns, facts.features - 1]
    if len(filled) and columns:
        weights = 2 * counts[filled] / np.sum(counts)
        bend = (points.T * weights) @ points + facts.penalty.strong_convexity * np.eye(len(columns))
        value[columns] += np.linalg.lstsq(bend, (points.T * weights) @ (labels - points @ value[columns]))[0]
    return value * min(1.0, facts.ball / max(float(np.linalg.norm(value)), 1e-300))


MECHANISM = Mechanism(
    about=PROJECTED_HISTOGRAM,
    needs=Needs(quadratic=True, least_delta=0.0),
    plan=plan,
    release=release,
    predict_risk=predict_risk,
    in_auto=False,
    by_sums=False,
)
