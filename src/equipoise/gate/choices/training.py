"""Output and objective perturbation taken apart, for choosing among their settings by stability.

Guarantee.  None by itself: models made here are never let out, they are scored by `gate/choices/validate.py`.
Assumes.    What the mechanisms assume; a fit on all records will follow, whose noise is the one tried here.
Adjacency.  Replace-one.
Numerics.   The certified radius is part of the stability, rounding of scores part of β.  Models are kept within a wide
            ball, so that rounding has a bound; no grid is needed for what is not let out.
Reference.  docs/proofs/tuning.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from equipoise.gate import laws
from equipoise.gate.choices.procedures import Rows
from equipoise.gate.models.mechanism import Steady
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records, Solution, minimise_path
from equipoise.inside.scores.of_linear_models import losses_in
from equipoise.inside.scores.steady import Trial, points_by_job, tried
from equipoise.theory.accounting.room import longest
from equipoise.theory.noise import Law, Noise
from equipoise.theory.plan import Facts, TiltedPlan
from equipoise.theory.tuning.scores import Score
from equipoise.theory.tuning.stability import Beta, beta_of_mean, score_rounding

Vector = npt.NDArray[np.float64]
Draws = dict[Law, Vector]
"""Standard noise by law: one row per draw."""

UNIT_STEP = 2.0**-24


@dataclass(frozen=True, slots=True)
class LinearTraining:
    """Every setting of one linear estimator, at one draw of standard noise for all."""

    settings: tuple[Steady, ...]
    name: str = "linear"
    delta: float = 0.0

    def stability(self, setting: Steady) -> float | None:
        return setting.stability

    def draw(self, bits: Bits) -> tuple[Draws, Draws]:
        """Standard noise of every law in use, for what is added or tilts, and for what is added after a tilt."""
        main = {(_tilt_of(setting) or setting.plan.noise).law for setting in self.settings}
        after = {setting.plan.noise.law for setting in self.settings if _tilt_of(setting) is not None}
        count, dim = max(setting.draws for setting in self.settings), self.settings[0].facts.dim
        return {law: _standard(law, dim, count, bits) for law in _ordered(main)}, {
            law: _standard(law, dim, count, bits) for law in _ordered(after)
        }

    def fit_all(
        self, records: Private[Records], settings: Sequence[Steady], randomness: tuple[Draws, Draws]
    ) -> Private[list[Vector]]:
        """For each setting one model per draw, as rows."""
        first, second = randomness
        paths = _paths([job for place, each in enumerate(settings) for job in _jobs(place, each, first)])
        found = points_by_job([_solve(records, jobs) for jobs in paths], [[job.key for job in jobs] for jobs in paths])
        return tried(found, [_trial(place, setting, first, second) for place, setting in enumerate(settings)])


@dataclass(frozen=True, slots=True)
class MeanScore:
    """Minus the mean loss of the records, averaged over the draws."""

    score: Score
    classes: int
    facts: Facts
    """Of any setting: bounds, features and scores per row are those of all."""

    @property
    def name(self) -> str:
        return self.score.name

    def beta(self, stability: float | None, rows: Rows) -> Beta | None:
        """L·B·Δ and cap/m; an average of scores that move little moves no more."""
        if stability is None:
            return None
        facts = self.facts
        rounding = score_rounding(facts.features, facts.loss.outputs, laws.WIDEST)
        slope = self.score.slope(self.classes)
        return beta_of_mean(slope, self.score.cap, facts.bounds.norm, stability, rounding, rows.validation)

    def value(self, model: Vector, held: Records) -> float:
        loss = partial(self.score.losses, classes=self.classes)
        return -math.fsum(losses_in(held, loss, list(model), self.score.cap)) / len(model)


@dataclass(frozen=True, slots=True)
class _Job:
    """One solve."""

    place: int
    draw: int
    setting: Steady
    tilt: Vector | None

    @property
    def key(self) -> tuple[int, int]:
        return self.place, self.draw


def _solves(setting: Steady) -> int:
    """Output perturbation needs one for all draws, a tilt one for each."""
    return 1 if _tilt_of(setting) is None else setting.draws


def _tilt_of(setting: Steady) -> Noise | None:
    return setting.plan.tilt if isinstance(setting.plan, TiltedPlan) else None


def _ordered(laws_in_use: set[Law]) -> list[Law]:
    """In an order of their own, so that a seed draws the same whatever the settings' order."""
    return sorted(laws_in_use, key=lambda law: law.value)


def _jobs(place: int, setting: Steady, first: Draws) -> list[_Job]:
    tilt = _tilt_of(setting)
    if tilt is None:
        return [_Job(place, 0, setting, None)]
    tilts = laws.clamped(tilt.scale * first[tilt.law], longest(tilt)) / setting.plan.facts.n
    return [_Job(place, draw, setting, tilts[draw]) for draw in range(setting.draws)]


def _paths(jobs: list[_Job]) -> list[list[_Job]]:
    """Solves that can start from one another: one ball, one way to count records, one draw of the tilt or none."""
    paths: dict[tuple[float, bool, int], list[_Job]] = {}
    for job in jobs:
        facts = job.setting.facts
        paths.setdefault((facts.ball, facts.evened, -1 if job.tilt is None else job.draw), []).append(job)
    return list(paths.values())


def _solve(records: Private[Records], jobs: list[_Job]) -> Private[list[Solution]]:
    facts = jobs[0].setting.facts
    penalties, radii = [job.setting.facts.penalty for job in jobs], [job.setting.radius for job in jobs]
    tilts = [job.tilt for job in jobs]
    return minimise_path(records, facts.loss, penalties, facts.n, radii, facts.ball, tilts, facts.evened_to)


def _trial(place: int, setting: Steady, first: Draws, second: Draws) -> Trial:
    """F(T, θ, R): what the fit on all records would add is added here, and the model brought into the ball of
    hypotheses, as the released one will be, or into one so wide that no use leaves it."""
    plan, bounds = setting.plan, setting.plan.facts.bounds
    noise = (first if _tilt_of(setting) is None else second)[plan.noise.law][: setting.draws]
    keys = tuple((place, draw) for draw in range(_solves(setting)))
    return Trial(keys, plan.noise.scale * noise, min(bounds.coef_norm, laws.WIDEST / bounds.norm))


def _standard(law: Law, dim: int, count: int, bits: Bits) -> Vector:
    """Draws of scale 1."""
    noise = Noise(law, 1.0, UNIT_STEP, dim)
    return np.array([laws.draw(noise, bits) * UNIT_STEP for _ in range(count)])
