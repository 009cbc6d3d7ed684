"""Membership inference against an open API, a private API and a private model, all trained on the same few people.

Two attacks: a threshold on how well the answer fits the record, and likelihood ratios with shadow models.  Where ε is a
total, it pays for every question of the attack: each of the people is asked about once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import ShuffleSplit

from equipoise.audit import membership_inference
from equipoise.errors import EquipoiseError
from equipoise.studies.prediction.answers import Task
from equipoise.studies.prediction.data import Table
from equipoise.studies.prediction.methods import BY_KEY, DELTA, Method, price_of
from equipoise.theory.accounting.convert import advantage
from equipoise.theory.guarantees import Budget

Array = npt.NDArray[np.float64]
Train = Callable[[Array, Array], Any]

TABLE = "Adult"
MEMBERS = 500
SHADOWS = 16
FOREST = 100


@dataclass(frozen=True, slots=True)
class Victim:
    """What is attacked: a line of the study, or a forest that protects nobody."""

    key: str
    label: str
    method: str = ""
    labels_only: bool = False

    @property
    def private(self) -> bool:
        return bool(self.method) and BY_KEY[self.method].private


VICTIMS = (
    Victim("forest", "open API: a forest's probabilities"),
    Victim("forest-labels", "open API: a forest's labels", labels_only=True),
    Victim("logistic", "open API: logistic probabilities", "open"),
    Victim("vote", "private API: vote of trees", "vote-trees"),
    Victim("stable", "private API: stable", "stable"),
    Victim("model", "private model", "model-delta"),
)
BY_VICTIM = {victim.key: victim for victim in VICTIMS}


def places(epsilons: tuple[float, ...]) -> Iterator[tuple[str, str, float, int]]:
    """(table, victim, total ε, members)."""
    for victim in VICTIMS:
        levels = epsilons if victim.private else (0.0,)
        yield from ((TABLE, victim.key, epsilon, MEMBERS) for epsilon in levels)


def measure(task: Task, table: Table) -> dict[str, float] | str:
    """The advantage of either attack (found members minus accused others), and what the claim allows."""
    victim, members = BY_VICTIM[task.method], min(task.size, len(table.X) // 2)
    chosen = next(ShuffleSplit(1, train_size=members, test_size=members, random_state=task.repeat).split(table.X))
    inside, outside = ((table.X[rows], table.y[rows]) for rows in chosen)
    total = Budget(task.epsilon, DELTA) if victim.private else None
    seeds = iter(range(task.noise_seed, task.noise_seed + SHADOWS + 1))

    def train(X: Array, y: Array) -> Any:
        return _made(victim, table, total, 2 * members, next(seeds)).fit(X, y)

    try:
        target = _asked(train(*inside), victim)
        found = {} if total is None else {"allowed": advantage(total.epsilon, total.delta)}
        for name, method, shadow in (("threshold", "threshold", None), ("ratio", "likelihood-ratio", train)):
            attack = membership_inference(
                target,
                inside,
                outside,
                method=method,
                train=None if shadow is None else lambda X, y: _asked(train(X, y), victim),
                shadows=SHADOWS,
                classes=[0.0, 1.0] if not victim.labels_only else None,
                fprs=(),
                random_state=task.noise_seed,
            )
            found[name] = attack.advantage
    except EquipoiseError as problem:
        return str(problem)
    return found


def _made(victim: Victim, table: Table, total: Budget | None, questions: int, seed: int) -> Any:
    if not victim.method:
        return RandomForestClassifier(FOREST, random_state=seed, n_jobs=1)
    method: Method = BY_KEY[victim.method]
    price = Budget(1.0) if total is None else price_of(method, table, total, questions)
    return method.make(price, table, seed)


def _asked(model: Any, victim: Victim) -> Any:
    """All that a stranger may ask: for labels only, the method that gives them."""
    return model.predict if victim.labels_only else model
