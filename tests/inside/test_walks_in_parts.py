"""A walk over records in parts is the walk over the same records in memory, in an order that was drawn without them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse

from equipoise.gate.models import stable_sgd
from equipoise.gate.noise import bits_from
from equipoise.gate.order import order_in_runs
from equipoise.inside import Private, Records, enter
from equipoise.inside.parted import enter_streamed
from equipoise.inside.walk import pieces, walked
from equipoise.stability import SGD
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Logistic, Loss, SmoothedHinge, Softmax
from equipoise.theory.plan import Facts, WalkPlan
from equipoise.theory.regularisers import L2
from equipoise.theory.stability.descents import Walk

Array = npt.NDArray[np.float64]
ROWS, WIDTH, HEIGHT = 150, 3, 16
SECTIONS = (40, 1, 59, 30, 20)
"""Rows of each stretch that can be read in another order."""


class Files:
    """A table in sections, read in blocks of HEIGHT rows that go across them."""

    def __init__(self, X: Array, y: Array, as_sparse: bool = False) -> None:
        self.X, self.y, self.as_sparse = X, y, as_sparse
        self.ends = np.cumsum(SECTIONS)
        self.finished = 0

    def places(self, order: Sequence[int] | None) -> npt.NDArray[np.intp]:
        chosen = range(len(SECTIONS)) if order is None else order
        return np.concatenate([np.arange(self.ends[one] - SECTIONS[one], self.ends[one]) for one in chosen])

    def __call__(self, order: Sequence[int] | None = None) -> Iterator[Any]:
        places = self.places(order)
        for start in range(0, ROWS, HEIGHT):
            rows = places[start : start + HEIGHT]
            X = self.X[rows]
            yield (sparse.csr_array(X) if self.as_sparse else np.asfortranarray(X)), self.y[rows]
        self.finished += 1


class Drawn:
    """Orders from fixed bits, all of them kept."""

    def __init__(self, seed: int) -> None:
        self.bits, self.kept = bits_from(seed), list[npt.NDArray[np.intp]]()

    def __call__(self, count: int) -> npt.NDArray[np.intp]:
        self.kept.append(order_in_runs(count, 1, self.bits))
        return self.kept[-1]

    def passes(self, files: Files) -> Iterator[npt.NDArray[np.intp]]:
        """The places of the table's rows in each pass that these orders made."""
        blocks = -(-ROWS // HEIGHT)
        for first in range(0, len(self.kept), blocks + 1):
            places = files.places(self.kept[first].tolist())
            inner = self.kept[first + 1 : first + 1 + blocks]
            yield np.concatenate([places[HEIGHT * k : HEIGHT * k + HEIGHT][order] for k, order in enumerate(inner)])


def table(loss: Loss, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, WIDTH))
    return X, rng.integers(0, loss.outputs + 1, ROWS).astype(float)


def bounds_of(loss: Loss) -> Bounds:
    return Bounds(1.0, 0.5, classes=tuple(range(loss.outputs + 1)), coef_norm=2.0)


def planned(loss: Loss, way: SGD, alpha: float = 0.5) -> WalkPlan[Walk]:
    return stable_sgd.plan(Facts(loss, L2(alpha), bounds_of(loss), ROWS, WIDTH + 1, descent=way), Budget(1.0))


def in_parts(files: Files, loss: Loss) -> Private[Records]:
    return enter_streamed(files, ROWS, WIDTH, WIDTH + 1, HEIGHT, bounds_of(loss), len(SECTIONS))


def _next(orders: Iterator[npt.NDArray[np.intp]], count: int) -> npt.NDArray[np.intp]:
    return next(orders)


def end(plan: WalkPlan[Walk], files: Files, shuffle: Any) -> Array:
    masks = stable_sgd._masks(plan, bits_from(1))
    return walked(in_parts(files, plan.facts.loss), plan.facts, plan.walk, shuffle, masks).reveal()


WAYS = {
    "one at a time": SGD(2, 1),
    "batches across blocks": SGD(3, 7),
    "a block": SGD(2, HEIGHT),
    "more than a block": SGD(3, 41),
    "all at once": SGD(4, ROWS),
    "constant": SGD(2, 9, "constant", 0.1),
    "averaged": SGD(2, 9, "constant", 0.1, average=True),
    "masked": SGD(2, 20, keep=0.5),
    "clipped": SGD(2, 20, slope_cap=0.2),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("loss", [Logistic(), Softmax(3)], ids=["two classes", "three"])
def test_the_end_is_that_of_the_walk_in_memory_in_the_same_order(loss: Loss, way: str) -> None:
    if loss.outputs > 1 and way == "clipped":
        pytest.skip("refused")
    plan, (X, y) = planned(loss, WAYS[way]), table(loss)
    for as_sparse in (False, True):
        files, shuffle = Files(X, y, as_sparse), Drawn(4)
        found = end(plan, files, shuffle)
        orders = shuffle.passes(files)
        whole, masks = enter(X, y, bounds_of(loss)), stable_sgd._masks(plan, bits_from(1))
        expected = walked(whole, plan.facts, plan.walk, partial(_next, orders), masks).reveal()
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)
        assert np.linalg.norm(found) > 1e-3


@pytest.mark.parametrize("batch", [1, 7, 16, 41, 100, ROWS])
def test_every_record_is_met_once_a_pass_but_for_those_of_a_short_batch(batch: int) -> None:
    X, files = np.zeros((ROWS, WIDTH)), Files(np.zeros((ROWS, WIDTH)), np.arange(ROWS) / ROWS)
    bounds = Bounds(1.0, label_range=(-1.0, 1.0))
    records = enter_streamed(files, ROWS, X.shape[1], WIDTH, HEIGHT, bounds, len(SECTIONS)).reveal()
    walk = SGD(3, batch).settled(ROWS, 0.5, 1.0)
    met, held = list[list[int]](), list[int]()
    for piece, ends in pieces(records, walk, Drawn(0)):
        held += np.rint(piece.labels * ROWS).astype(int).tolist()
        if ends:
            met, held = [*met, held], []
    assert not held
    assert [len(one) for one in met] == [batch] * walk.steps
    orders = [list(chain(*met[k * walk.per_pass : (k + 1) * walk.per_pass])) for k in range(3)]
    assert all(len(set(order)) == len(order) == walk.used for order in orders)
    assert orders[0] != orders[1]
    assert files.finished == 3  # what is left over is read as well, and the files are looked at once more


@pytest.mark.parametrize("way", WAYS)
def test_no_neighbours_in_parts_move_the_end_further_than_planned(way: str) -> None:
    """A search over rows, places and orders; the neighbour has its other row in the same place."""
    loss, rng = Logistic(), np.random.default_rng(1)
    plan = planned(loss, WAYS[way])
    for attempt in range(12):
        X, y = table(loss, attempt)
        X, y = (X, y) if attempt % 2 else (np.tile([[9.0, 0.0, 0.0]], (ROWS, 1)), np.ones(ROWS))
        other, names, place = X.copy(), y.copy(), int(rng.integers(ROWS))
        other[place], names[place] = rng.normal(size=WIDTH) * 10.0 ** (attempt % 5), 1 - y[place]
        if attempt % 3 == 0:
            other[place], names[place] = -1e6 * X[place], y[place]
        ends = [end(plan, Files(*both), Drawn(attempt)) for both in ((X, y), (other, names))]
        assert np.linalg.norm(ends[0] - ends[1]) <= plan.sensitivity.l2


@pytest.mark.parametrize("way", [SGD(3, 7), SGD(2, 41), SGD(3, 9, "constant", 0.02, average=True)])
def test_on_the_straight_part_of_a_hinge_it_comes_within_a_fifth(way: SGD) -> None:
    """Each place of the table is tried: where a record is met follows from the order alone."""
    facts = Facts(SmoothedHinge(1 / 16), L2(4.0), Bounds(1.0, classes=(0, 1)), ROWS, 1, descent=way)
    plan = stable_sgd.plan(facts, Budget(1.0))

    def ended(y: Array) -> Array:
        blocks = Files(np.ones((ROWS, 1)), y)
        records = enter_streamed(blocks, ROWS, 1, 1, HEIGHT, facts.bounds, len(SECTIONS))
        return walked(records, facts, plan.walk, Drawn(3)).reveal()

    moved = [float(np.linalg.norm(ended(np.ones(ROWS)) - ended(1.0 - np.eye(ROWS)[place]))) for place in range(ROWS)]
    assert 0.8 * plan.sensitivity.l2 <= max(moved) <= plan.sensitivity.l2


def test_what_is_told_of_a_walk_is_public() -> None:
    loss = Logistic()
    plan = planned(loss, SGD(30, 9))

    def heard(X: Array, y: Array) -> list[tuple[int, int]]:
        told: list[tuple[int, int]] = []
        records = in_parts(Files(X, y), loss).map(
            lambda inner: replace(inner, told=lambda done, total: told.append((done, total)))
        )
        walked(records, plan.facts, plan.walk, Drawn(0))
        return told

    first, second = heard(*table(loss)), heard(np.full((ROWS, WIDTH), math.nan), np.full(ROWS, 7.0))
    assert first == second
    assert first[-1] == (plan.walk.steps, plan.walk.steps)
    assert len(first) > 3
