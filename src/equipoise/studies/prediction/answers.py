"""The error of answers on held-out rows: one answer for ε, and k answers within a total budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit

from equipoise.errors import BudgetExhausted, EquipoiseError
from equipoise.ledger import Ledger
from equipoise.studies.prediction.data import Table
from equipoise.studies.prediction.methods import BY_KEY, DELTA, Method, linear, price_of, tree
from equipoise.theory.guarantees import Budget
from equipoise.theory.prediction.sample_size import vote_error

Array = npt.NDArray[np.float64]
Found = dict[str, float] | str
Split = tuple[Array, Array, Array, Array]

MOST_TEST_ROWS = 2000
VOTERS_WATCHED = 10
"""So many models on shards of their own tell how often a voter is wrong."""

NO_LIMIT = 1e9
LEARNERS = {"vote-trees": tree, "vote-linear": linear}


class Task(Protocol):
    """What the study calls a point to be measured."""

    @property
    def method(self) -> str: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def size(self) -> int: ...
    @property
    def repeat(self) -> int: ...
    @property
    def noise_seed(self) -> int: ...


class Levels(Protocol):
    """The settings that matter here."""

    @property
    def epsilons(self) -> tuple[float, ...]: ...
    @property
    def rows(self) -> tuple[int, ...]: ...
    @property
    def rows_epsilon(self) -> float: ...
    @property
    def totals(self) -> tuple[float, ...]: ...
    @property
    def queries(self) -> tuple[int, ...]: ...


def single_places(methods: Sequence[Method], table: Table, levels: Levels) -> Iterator[tuple[str, float, int]]:
    """(method, ε, rows): every ε on all rows, and one ε on fewer."""
    fewer = [rows for rows in levels.rows if rows < training_rows(table)]
    for method in methods:
        if not method.one_answer:
            continue
        if not method.private:
            yield from ((method.key, 0.0, rows) for rows in (*fewer, 0))
            continue
        yield from ((method.key, epsilon, 0) for epsilon in levels.epsilons)
        if levels.rows_epsilon not in levels.epsilons:
            yield method.key, levels.rows_epsilon, 0
        yield from ((method.key, levels.rows_epsilon, rows) for rows in fewer)


def budget_places(methods: Sequence[Method], levels: Levels) -> Iterator[tuple[str, float, int]]:
    """(method, total ε, questions); a released model answers any number."""
    for method in methods:
        if method.law == "rounds":  # it goes on until the budget is used up
            yield from ((method.key, total, max(levels.queries)) for total in levels.totals)
        elif method.predicts:
            yield from ((method.key, total, count) for total in levels.totals for count in levels.queries)
        elif method.key == "model-delta":
            yield from ((method.key, total, 0) for total in levels.totals)


def training_rows(table: Table) -> int:
    """How many rows of the table are learnt from."""
    return len(table.X) - held_out(table)


def held_out(table: Table) -> int:
    """How many rows are asked about: a fifth of the table, up to a fixed number."""
    return min(MOST_TEST_ROWS, len(table.X) // 5)


def split(table: Table, method: Method, rows: int, repeat: int) -> Split:
    """Training rows (the first `rows` of them, 0 for all) and held-out ones, by the repeat alone."""
    X = table.single[:, None] if method.single and table.single is not None else table.X
    train, test = next(ShuffleSplit(1, test_size=held_out(table), random_state=repeat).split(X))
    train = train[:rows] if rows else train
    return X[train], table.y[train], X[test], table.y[test]


def error(table: Table, answers: npt.NDArray[Any], y: Array) -> float:
    """The share of wrong classes, or the root mean square error of numbers."""
    if table.classifies:
        return float(np.mean(answers != y))
    return float(np.sqrt(np.mean((answers - y) ** 2)))


def measure_single(task: Task, table: Table) -> Found:
    """The error at ε for each answer, or for a model; of votes also how often a voter is wrong, and what follows."""
    method = BY_KEY[task.method]
    X, y, asked, truth = split(table, method, task.size, task.repeat)
    price = Budget(task.epsilon, method.delta) if method.private else Budget(1.0)
    try:
        model = method.make(price, table, task.noise_seed).fit(X, y)
        found = {"error": error(table, model.predict(asked), truth)}
        if method.key in LEARNERS:
            shards = int(model.guarantee_.constants["shards"])
            found |= {"shards": float(shards)} | _voters(task, table, (X, y, asked, truth), shards)
    except EquipoiseError as problem:
        return str(problem)
    return found


def _voters(task: Task, table: Table, parts: Split, shards: int) -> dict[str, float]:
    """How often a voter is wrong, from models on shards of our own making, and the most that a soft vote errs then."""
    X, y, asked, truth = parts
    learner, size = LEARNERS[task.method](table), len(y) // shards
    wrong = [
        _wrong(learner, X[start : start + size], y[start : start + size], asked, truth)
        for start in range(0, size * min(shards, VOTERS_WATCHED), size)
    ]
    base = min(max(float(np.mean(wrong)), 1e-9), 1 - 1e-9)
    return {"voter_error": base, "vote_bound": vote_error(base, shards, task.epsilon)}


def _wrong(learner: Any, X: Array, y: Array, asked: Array, truth: Array) -> float:
    """A shard of one class votes for it."""
    if np.all(y == y[0]):
        return float(np.mean(truth != y[0]))
    return float(np.mean(clone(learner).fit(X, y).predict(asked) != truth))


def measure_budget(task: Task, table: Table) -> Found:
    """The error of an answer at the price that k of them can pay, and what k of them cost together.

    The error is measured on all held-out rows: every answer has the same law, whether k or more are asked.
    """
    method, total = BY_KEY[task.method], Budget(task.epsilon, DELTA)
    X, y, asked, truth = split(table, method, 0, task.repeat)
    try:
        made = method.make(price_of(method, table, total, max(1, task.size)), table, task.noise_seed)
        if method.law == "rounds":
            return _in_rounds(made, task, table, (X, y, asked, truth))
        if method.predicts:
            made.set_params(ledger=Ledger(NO_LIMIT, DELTA))
        model = made.fit(X, y)
        found = {"error": error(table, model.predict(asked), truth)}
        if method.predicts:
            found |= {"spent": model.cost_of(task.size).epsilon, "answered": float(task.size)}
    except EquipoiseError as problem:
        return str(problem)
    return found


def _in_rounds(made: Any, task: Task, table: Table, parts: Split) -> Found:
    """A consensus asks until its budget is used up: how many of the k questions it answered, and how well."""
    X, y, asked, truth = parts
    different = np.sort(np.unique(asked, axis=0, return_index=True)[1])[: task.size]
    asked, truth = asked[different], truth[different]
    ledger = Ledger(task.epsilon, DELTA, prices="sums")  # rounds are (ε, δ) releases: all of δ is theirs
    model = made.set_params(ledger=ledger, queries_per_round=task.size).fit(X, y)
    answered = len(asked)
    try:
        model.predict(asked)
    except BudgetExhausted:
        answered = _known(model, asked)
    found = {"spent": ledger.spent().epsilon, "answered": float(answered), "contested": float(model.contested_)}
    if answered:
        found["error"] = error(table, model.predict(asked[:answered]), truth[:answered])
    return found


def _known(model: Any, asked: Array) -> int:
    """How many of the first questions are answered, for free: found by halving."""
    low, high = 0, len(asked)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if model.predict(asked[:middle], explain_cost=True).new == 0 else (low, middle)
    return low
