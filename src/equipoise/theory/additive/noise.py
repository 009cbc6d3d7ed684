"""How much of a released shape may be noise, from the plan alone or, of steps in a metric, from what was released.

The error of each released number, in the basis of the fit, has a standard deviation of at most this; the proof, and
what it leaves out, is in docs/proofs/additive.md.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.theory import sensitivity
from equipoise.theory.additive.encoding import Encoding
from equipoise.theory.plan import GradientPlan, OutputPlan, Plan, TiltedPlan
from equipoise.theory.pushes import of_tilt, on_flat_ground

Array = npt.NDArray[np.float64]

FAR = 1000.0
"""A score, and with it a row's slope, beyond which no loss of this library is steeper."""


def noise_of(plan: Plan, encoding: Encoding, centred: bool, covariance: Array | None) -> Array | None:
    """Of each slot's value, in the units of the fit; None where the mechanism cannot say.  The `covariance` of released
    numbers tells it where directions differ."""
    rows = [_rows(root, shown if centred else 0) for root, shown in _terms(encoding)]
    if covariance is not None and covariance.ndim == 2:
        parts = [covariance[span, span] for span in encoding.spans]
        with np.errstate(all="ignore"):  # at extreme units: paid for by now
            squares = [np.einsum("ij,jk,ik->i", each, part, each) for each, part in zip(rows, parts, strict=True)]
            return np.asarray(np.sqrt(np.maximum(np.concatenate(squares), 0.0)))
    each = _of_each_number(plan)
    return None if each is None else each * np.concatenate([np.linalg.norm(away, axis=1) for away in rows])


def _terms(encoding: Encoding) -> list[tuple[Array, int]]:
    """The root of each term, and over how many of its slots it is centred."""
    basis = encoding.basis
    shown = [*(column.shown for column in basis.columns), *(pair.slots for pair in basis.pairs)]
    return list(zip(encoding.roots, shown, strict=True))


def _rows(root: Array, shown: int) -> Array:
    """Each slot's row of the root, less the mean row where values are centred."""
    return np.asarray(root - root[:shown].mean(axis=0) if shown else root)


def _of_each_number(plan: Plan) -> float | None:
    if isinstance(plan, OutputPlan):
        return plan.noise.rms
    if isinstance(plan, TiltedPlan):
        return of_tilt(plan)
    if isinstance(plan, GradientPlan):
        far = min(plan.facts.ball, FAR / plan.facts.bounds.norm)
        most = sensitivity.of_mean_gradient(plan.facts, far).l2 / plan.schedule.mu
        return most * float(np.linalg.norm(on_flat_ground(plan.schedule)))
    return None
