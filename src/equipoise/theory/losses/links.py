"""From scores to probabilities, for every loss that has them: the chances at which a score is the best answer.

A capped loss's scores are not log-odds.  Where the softmax of the scores is p, the classes' chances are proportional
to p·max(1, (1 − p)/cap) (docs/proofs/losses.md, section 4); without a cap that is p itself.  Where slopes are shortened
to √2·cap, class k's is proportional to p_k·max(1, ‖p − e_k‖/(√2·cap)).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit, softmax

from equipoise.theory.losses.contract import Array
from equipoise.theory.losses.traits import Link

OF_TWO = (Link.LOGISTIC, Link.CAPPED_LOGISTIC)
OF_MANY = (Link.SOFTMAX, Link.CAPPED_SOFTMAX, Link.CLIPPED_SOFTMAX)


def probabilities(scores: Array, cap: float, link: str | None = None) -> Array:
    """(n, K), from (n, K) scores, or from (n,) margins of the second of two classes."""
    if np.ndim(scores) == 1:
        odds = log_odds(scores, cap)
        return np.column_stack([expit(-odds), expit(odds)])
    p = np.asarray(softmax(scores, axis=1), dtype=np.float64)
    if cap >= 1:
        return p
    missing = 1 - p
    if link == Link.CLIPPED_SOFTMAX:
        missing = np.sqrt((np.einsum("nk,nk->n", p, p)[:, None] + 1 - 2 * p).clip(0.0) / 2)
    chances = p * np.maximum(1.0, missing / cap)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True), dtype=np.float64)


def log_odds(margins: Array, cap: float) -> Array:
    """Of the second of two classes: the margin s itself, and ±log(cap·(1 + e^|s|)) where that is less."""
    size = np.abs(margins)
    beyond = np.logaddexp(0.0, size) + math.log(cap)
    return np.asarray(np.sign(margins) * np.minimum(size, beyond), dtype=np.float64)


def margins_of(odds: Array, cap: float) -> Array:
    """The margins that have these log-odds."""
    size = np.abs(odds)
    beyond = size + np.log(np.maximum(1 / cap - np.exp(-size), np.finfo(float).tiny))
    return np.asarray(np.sign(odds) * np.maximum(size, beyond), dtype=np.float64)


def logits_of(chances: Array, cap: float) -> Array:
    """Scores, one for each class, that have these chances: the inverse of `probabilities`, by bisection."""
    low, high = 0.0, 2.0  # the chances' scale, at which the p's add up to one
    for _ in range(80):
        scale = (low + high) / 2
        low, high = (scale, high) if np.sum(_softmax_part(scale * chances, cap)) < 1 else (low, scale)
    return np.log(_softmax_part(high * chances, cap))


def _softmax_part(weighed: Array, cap: float) -> Array:
    """The p with p·max(1, (1 − p)/cap) equal to this."""
    root = np.sqrt(np.maximum(1 - 4 * cap * weighed, 0.0))
    return np.asarray(np.where(weighed < 1 - cap, 2 * cap * weighed / (1 + root), weighed), dtype=np.float64)
