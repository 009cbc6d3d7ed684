"""Random orders and numbers, drawn from how many are wanted and nothing else."""

from __future__ import annotations

from equipoise.gate.noise.choice import random_order, uniform_below

__all__ = ["random_order", "uniform_below"]
