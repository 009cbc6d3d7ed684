"""Entropy-regularised weights: an accelerated mirror method with a certificate, and dual averaging as the last resort.

The certificate is half the range of α·log θ + gradient, zero at the minimiser.  Whatever the table, dual averaging
ends within the planned residual (docs/proofs/simplex.md, section 3), so nothing here can fail.
"""

from __future__ import annotations

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.simplex.mixtures import Mixtures
from equipoise.theory.simplex.solving import Course

CHECK_EVERY = 6
"""Steps between certificates, each of which costs two gradients."""


def log_weights(records: Private[Mixtures], course: Course) -> Private[Array]:
    """Logarithms, up to a constant, of weights whose residual is within the planned one."""
    return records.map(lambda inner: solve(inner, course))


def solve(problem: Mixtures, course: Course) -> Array:
    """The quick way, or the sure one."""
    found = accelerated(problem, course)
    return averaged(problem, course) if found is None else found


def residual_of(problem: Mixtures, logs: Array, alpha: float) -> float:
    """Half the range of α·log θ + gradient, as computed."""
    gap = alpha * logs + problem.gradient(softmax(logs))
    return float(gap.max() - gap.min()) / 2


def accelerated(problem: Mixtures, course: Course) -> Array | None:
    """Certified logarithms, or None if the certificate was not met in time."""
    alpha, tau = course.alpha, course.momentum
    bend = course.condition * alpha * tau
    logs = np.zeros(problem.corners.count)
    last = softmax(logs)
    mirror = last
    for step in range(course.quick_steps):
        if step % CHECK_EVERY == 0:
            candidate = problem.gradient(last) / -alpha
            if residual_of(problem, candidate, alpha) + course.rounding <= course.residual:
                return candidate
        between = (1 - tau) * last + tau * mirror
        logs = (bend * logs - problem.gradient(between)) / (bend + alpha)
        logs -= logs.max()
        mirror = softmax(logs)
        last = (1 - tau) * last + tau * mirror
    return None


def averaged(problem: Mixtures, course: Course) -> Array:
    """Exponents that are running averages of −gradient/α: after the planned steps they are within the residual."""
    logs = np.zeros(problem.corners.count)
    for _ in range(course.steps):
        logs += course.damping * (problem.gradient(softmax(logs)) / -course.alpha - logs)
    return logs


def softmax(logs: Array) -> Array:
    """Weights from logarithms."""
    weights: Array = np.exp(logs - logs.max())
    weights /= weights.sum()
    return weights
