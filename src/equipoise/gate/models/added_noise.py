"""Noise on a vector of known sensitivity: its law, its event and the words of its theorem, from a budget."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.gate import laws
from equipoise.theory.accounting.prices import gaussian_release, pure_release
from equipoise.theory.accounting.room import LARGEST_EPSILON
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget
from equipoise.theory.noise import Noise


@dataclass(frozen=True, slots=True)
class AddedNoise:
    """What is drawn and what it costs."""

    noise: Noise
    event: Event
    theorem: str


def added_noise(l2: float, dim: int, budget: Budget, row_norm: float) -> AddedNoise:
    """Spherical noise (Laplace in one dimension) for δ = 0, else Gaussian, on a grid that holds usual coefficients."""
    total = laws.spanning(l2, budget.epsilon, laws.WIDEST / row_norm)
    if budget.delta == 0 or budget.epsilon > LARGEST_EPSILON:
        law = laws.pure(total, dim, budget.epsilon)
        event: Event = pure_release(budget.epsilon, law.delta_numeric)
        return AddedNoise(law.noise, event, f"output perturbation, {law.noise.law.value} noise")
    law = laws.gaussian(total, dim, budget.epsilon, budget.delta)
    event = gaussian_release(budget.epsilon, budget.delta, dim)
    return AddedNoise(law.noise, event, "output perturbation, Gaussian noise")
