"""From scores to probabilities, for every loss that has them: the chances at which a score is the best answer.

A capped loss's scores are not log-odds.  Where the softmax of the scores is p, the classes' chances are proportional
to p·max(1, (1 − p)/cap) (docs/proofs/losses.md, section 4); without a cap that is p itself.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit, softmax

from equipoise.theory.losses.contract import Array
from equipoise.theory.losses.traits import Link

OF_TWO = (Link.LOGISTIC, Link.CAPPED_LOGISTIC)
OF_MANY = (Link.SOFTMAX, Link.CAPPED_SOFTMAX)


def probabilities(scores: Array, cap: float) -> Array:
    """(n, K), from (n, K) scores, or from (n,) margins of the second of two classes."""
    if np.ndim(scores) == 1:
        odds = log_odds(scores, cap)
        return np.column_stack([expit(-odds), expit(odds)])
    p = np.asarray(softmax(scores, axis=1), dtype=np.float64)
    if cap >= 1:
        return p
    chances = p * np.maximum(1.0, (1 - p) / cap)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True), dtype=np.float64)


def log_odds(margins: Array, cap: float) -> Array:
    """Of the second of two classes: the margin s itself, and ±log(cap·(1 + e^|s|)) where that is less."""
    size = np.abs(margins)
    beyond = np.logaddexp(0.0, size) + math.log(cap)
    return np.asarray(np.sign(margins) * np.minimum(size, beyond), dtype=np.float64)
