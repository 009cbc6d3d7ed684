"""Public maps of a row to the numbers that a linear model sees, in a fit and in a prediction alike."""

from __future__ import annotations

from equipoise.rows.lifts.fourier import Fourier
from equipoise.rows.lifts.tasks import Tasks

AnyLift = Fourier | Tasks
"""All there are; a model's file can hold each of them."""

__all__ = ["AnyLift", "Fourier", "Tasks"]
