"""Draw a release many times on each of two data sets, in turn, in parallel if asked; an exception is a draw too.

So is one of a ledger that refuses: unless from then on every draw is refused, for then it was the audit that spent it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed, parallel_config

from equipoise._checks import one_of, whole
from equipoise.audit.bounds.outputs import Draws
from equipoise.audit.witness import AlwaysRaised, Raised, Warned, watching, witnessed
from equipoise.errors import BudgetExhausted, InvalidInput

Progress = Callable[[int, int], None]

THREADS, PROCESSES, CLUSTER = BACKENDS = ("threads", "processes", "cluster")
ROUNDS = 20
"""Turns each data set gets, so that a release whose state drifts does not meet one of them first and one last."""

SPENT = ("BudgetExhausted", "LedgerFailure")

LONG = 32
"""Draws of a turn that two worker processes would not repeat by chance, unless the release hardly varies."""


def draw_both(
    release: Callable[..., Any],
    left: Any,
    right: Any,
    samples: int,
    *,
    batch: bool = False,
    jobs: int = 1,
    backend: str = "threads",
    progress: Progress | None = None,
) -> tuple[Draws, Draws]:
    """`samples` draws from each data set."""
    whole(samples=samples)
    whole(jobs=jobs)
    one_of(BACKENDS, backend=backend)
    sizes = [len(part) for part in np.array_split(np.arange(samples), min(ROUNDS, samples))]
    turns = [(side, data, size) for size in sizes for side, data in ((0, left), (1, right))]
    found: tuple[list[Draws], list[Draws]] = ([], [])
    done, in_turn = 0, list[Draws]()
    with watching():
        for (side, _, size), draws in zip(turns, _run(release, turns, batch, jobs, backend), strict=True):
            found[side].append(draws)
            in_turn.append(draws)
            done += size
            if progress is not None:
                progress(done, 2 * samples)
    if jobs > 1 and backend != THREADS:
        _refuse_repeats(found)
    _refuse_spent(in_turn, jobs)
    both = _joined(found[0]), _joined(found[1])
    _refuse_always_raising(both)
    return both


def _run(
    release: Callable[..., Any], turns: list[tuple[int, Any, int]], batch: bool, jobs: int, backend: str
) -> Iterator[Draws]:
    turn = _batch if batch else _singly
    if jobs == 1:
        return (turn(release, data, size) for _, data, size in turns)
    engine = _engine(jobs, backend)
    if backend != THREADS:
        turn = partial(_watched, turn)
    found: Iterator[Draws] = engine(delayed(turn)(release, data, size) for _, data, size in turns)
    return found


def _engine(jobs: int, backend: str) -> Any:
    """The threads, processes or workers that draw; workers are those of the client in force."""
    if backend != CLUSTER:
        return Parallel(n_jobs=jobs, backend="loky" if backend == PROCESSES else "threading", return_as="generator")
    try:
        with parallel_config("dask"):
            return Parallel(n_jobs=jobs, return_as="generator")
    except (ImportError, ValueError):
        pass
    raise InvalidInput('backend="cluster": needs a distributed.Client in force, start one first')


def _watched(turn: Callable[..., Draws], release: Callable[..., Any], data: Any, size: int) -> Draws:
    """A turn in a process of its own, with warning filters of its own."""
    with watching():
        return turn(release, data, size)


def _singly(release: Callable[[Any], Any], data: Any, size: int) -> Draws:
    return [witnessed(lambda: release(data)) for _ in range(size)]


def _batch(release: Callable[[Any, int], Any], data: Any, size: int) -> Draws:
    draws = witnessed(lambda: release(data, size))
    if isinstance(draws, Raised | Warned):  # a batch is not one draw: it cannot be counted as an event
        raise InvalidInput(f"release: {draws} in a batch, use batch=False to count that as a draw")
    draws = draws if isinstance(draws, np.ndarray) else list(draws)
    if len(draws) != size:
        raise InvalidInput(f"release: gave {len(draws)} outputs, batch=True means release(data, {size}) gives {size}")
    return draws


def _joined(parts: Sequence[Draws]) -> Draws:
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return [draw for part in parts for draw in part]


def _refuse_repeats(found: tuple[list[Draws], list[Draws]]) -> None:
    """Worker processes that start from copies of one seeded generator give the same draws again and again."""
    for side in found:
        texts = [repr(list(part)) for part in side if len(part) >= LONG and len({repr(draw) for draw in part}) >= LONG]
        if len(set(texts)) < len(texts):
            raise InvalidInput('release: processes repeated each other\'s draws, use backend="threads" or fresh bits')


def _refuse_spent(in_turn: Sequence[Draws], jobs: int) -> None:
    """A ledger that all draws share ran out: those before and after are draws of different releases."""
    refused = [[isinstance(draw, Raised) and draw.exception in SPENT for draw in part] for part in in_turn]
    first = next((place for place, part in enumerate(refused) if any(part)), len(refused))
    later = [each for part in refused[first + jobs :] for each in part]  # turns that ran beside the first may be mixed
    if any(map(any, refused)) and all(later):
        raise BudgetExhausted("release: its ledger ran out while drawing, give every draw a ledger of its own")


def _refuse_always_raising(both: tuple[Draws, Draws]) -> None:
    """Failing alike on both tells nothing; failing in other ways does, unless no two failures have the same words."""
    if not all(isinstance(draw, Raised) for side in both for draw in side):
        return
    left, right = ({(draw.exception, draw.words) for draw in side} for side in both)
    names = sorted({name for name, _ in left | right})
    if left == right or (len(names) == 1 and len(left | right) == len(both[0]) + len(both[1])):
        raise AlwaysRaised(f"release: raised {', '.join(names)} at every draw of both data sets, call it once by hand")
