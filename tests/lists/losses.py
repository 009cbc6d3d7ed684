"""Every loss of the library, as examples: the one list that contract tests go by.

A loss whose numbers all have defaults is taken up by itself; one that needs a number, or deserves several, has a line
in `SETTINGS`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.theory.losses import (
    LOSSES,
    Absolute,
    CappedLogistic,
    CappedSoftmax,
    ClippedSoftmax,
    Coding,
    Huber,
    Loss,
    SmoothedHinge,
    Softmax,
    Squared,
)

Array = npt.NDArray[np.float64]

SETTINGS: dict[Any, tuple[Loss, ...]] = {
    Absolute: (Absolute(), Absolute(0.3)),
    CappedLogistic: (CappedLogistic(0.5), CappedLogistic(0.8)),
    CappedSoftmax: (CappedSoftmax(3), CappedSoftmax(2), CappedSoftmax(5, 0.7)),
    ClippedSoftmax: (ClippedSoftmax(3), ClippedSoftmax(2), ClippedSoftmax(5, 0.7)),
    SmoothedHinge: (SmoothedHinge(0.5), SmoothedHinge(0.05)),
    Squared: (Squared(), Squared(0.3)),
    Huber: (Huber(0.5), Huber(3.0, scale=2.0)),
    Softmax: (Softmax(3), Softmax(2), Softmax(5)),
}

OF_EACH: list[tuple[Loss, ...]] = [SETTINGS[kind] if kind in SETTINGS else (kind(),) for kind in LOSSES]
EXAMPLES: list[Loss] = [example for examples in OF_EACH for example in examples]
MINIMISED: list[Loss] = [loss for loss in EXAMPLES if loss.traits.potential]
"""Losses with something to minimise; the others are walked on by noisy gradients alone."""
ONE_EACH: list[Loss] = [examples[0] for examples in OF_EACH if examples[0].traits.potential]
SMOOTH: list[Loss] = [loss for loss in MINIMISED if loss.smooth]


def name_of(loss: Any) -> str:
    return repr(loss)


def classes_of(loss: Loss) -> int:
    """How many classes its labels tell apart."""
    return loss.outputs + 1 if loss.traits.labels is Coding.PLACES else 2


def labels_of(loss: Loss, rng: np.random.Generator, count: int) -> Array:
    """Coded as the loss takes them; numbers are at the edge of their range half of the time."""
    if loss.traits.labels is Coding.PLACES:
        return rng.integers(classes_of(loss), size=count).astype(float)
    if loss.traits.labels is Coding.SIGNS:
        return np.where(rng.random(count) < 0.5, 1.0, -1.0)
    edge = loss.label_bound
    ends, inner = np.sign(rng.standard_normal(count)) * edge, rng.uniform(-edge, edge, count)
    return np.where(rng.random(count) < 0.5, ends, inner)


def extremes_of(loss: Loss) -> tuple[float, ...]:
    """The labels at which a record pulls hardest."""
    if loss.traits.labels is Coding.PLACES:
        return tuple(float(place) for place in range(classes_of(loss)))
    return -loss.label_bound, loss.label_bound


def scores_of(loss: Loss, rng: np.random.Generator, count: int, reach: float) -> Array:
    raw = rng.standard_normal((count, loss.outputs))
    raw *= reach * rng.random((count, 1)) ** 0.2 / np.maximum(np.linalg.norm(raw, axis=1, keepdims=True), 1e-12)
    return raw[:, 0] if loss.outputs == 1 else raw
