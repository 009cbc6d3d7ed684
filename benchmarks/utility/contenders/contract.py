"""What a contender is: a name, what may be asked of it, and one function from a fit to its answers on held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.utility.problem import Array, Problem, Split

OURS, PEER, RULE, ORACLE, REFERENCE = "equipoise", "peer", "rule", "oracle", "reference"
"""Equipoise; a peer as it comes out of the box; a data-free rule of ours for a peer's method; a peer tuned on the test
rows, which nobody could be; what is not private."""

DELTA = 1e-6
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
FEW_EPSILONS = (0.1, 1.0, 10.0)
"""For whoever is dear to run: oracles, boosted models, single mechanisms."""

BOTH, PURE, APPROXIMATE = (0.0, DELTA), (0.0,), (DELTA,)


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """One fit: rows, public facts, the price, and a seed for what is not secret."""

    problem: Problem
    split: Split
    epsilon: float
    delta: float
    seed: int

    @property
    def generator(self) -> np.random.Generator:
        """Noise of the reference implementations: repeatable, hence not private."""
        return np.random.default_rng([self.seed, round(1e4 * self.epsilon), 7])


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """On the held-out rows: probabilities (m, K), or numbers (m,)."""

    values: Array
    mechanism: str = ""


@dataclass(frozen=True, slots=True)
class Contender:
    """`settings` are tried one by one; an oracle takes the best of them, everybody else has one."""

    name: str
    kind: str
    fit: Callable[[Task, Any], Answers]
    deltas: tuple[float, ...]
    applies: Callable[[Problem], bool] = lambda problem: True
    settings: tuple[Any, ...] = (None,)
    family: str = "linear"
    version: str = "1"
    most_seeds: int = 20
    """On tables that are not small."""
    epsilons: tuple[float, ...] = EPSILONS


def classification(problem: Problem) -> bool:
    """Two classes or more."""
    return problem.task != "regression"


def regression(problem: Problem) -> bool:
    """Numbers."""
    return problem.task == "regression"
