"""Training procedures and scores that are handed in, applied to private records: what comes of them stays private."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private

Data = TypeVar("Data")
Held = TypeVar("Held")
Setting = TypeVar("Setting")
Draw = TypeVar("Draw")
Model = TypeVar("Model")


def fit_each(
    records: Private[Data], fit: Callable[[Data, Setting, Draw], Model], settings: Sequence[Setting], randomness: Draw
) -> Private[list[Model]]:
    """One model for each setting, at the same randomness."""
    return records.map(lambda inner: [fit(inner, setting, randomness) for setting in settings])


def score_each(
    held: Private[Held], models: Private[list[Model]], value: Callable[[Model, Held], float]
) -> Private[Array]:
    """The score of every model on the held-out records."""
    return held.meet(models, lambda rows, inner: np.array([value(model, rows) for model in inner]))
