"""Draw a release many times on each of two data sets, in turn, in parallel if asked; an exception is a draw too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from equipoise._checks import one_of, whole
from equipoise.audit.bounds.outputs import Draws, Raised
from equipoise.errors import BudgetExhausted, EquipoiseError, InvalidInput, LedgerFailure

Progress = Callable[[int, int], None]

BACKENDS = ("threads", "processes")
ROUNDS = 20
"""Turns each data set gets, so that a release whose state drifts does not meet one of them first and one last."""

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
    done = 0
    for (side, _, size), draws in zip(turns, _run(release, turns, batch, jobs, backend), strict=True):
        found[side].append(draws)
        done += size
        if progress is not None:
            progress(done, 2 * samples)
    if jobs > 1 and backend == "processes":
        _refuse_repeats(found)
    both = _joined(found[0]), _joined(found[1])
    _refuse_always_raising(both)
    return both


def _run(
    release: Callable[..., Any], turns: list[tuple[int, Any, int]], batch: bool, jobs: int, backend: str
) -> Iterator[Draws]:
    turn = _batch if batch else _singly
    if jobs == 1:
        return (turn(release, data, size) for _, data, size in turns)
    engine = Parallel(n_jobs=jobs, backend="loky" if backend == "processes" else "threading", return_as="generator")
    found: Iterator[Draws] = engine(delayed(turn)(release, data, size) for _, data, size in turns)
    return found


def _singly(release: Callable[[Any], Any], data: Any, size: int) -> Draws:
    return [_once(release, data) for _ in range(size)]


def _once(release: Callable[[Any], Any], data: Any) -> Any:
    try:
        return release(data)
    except (BudgetExhausted, LedgerFailure):
        raise  # draws after this one would be of another kind: the audit itself ran out
    except Exception as error:  # noqa: BLE001  whatever a stranger's release raises tells its two inputs apart
        return Raised(type(error).__name__)


def _batch(release: Callable[[Any, int], Any], data: Any, size: int) -> Draws:
    try:
        draws = release(data, size)
    except EquipoiseError:
        raise
    except Exception as error:  # a batch is not one draw: it cannot be counted as an event
        name = type(error).__name__
        raise InvalidInput(f"release: raised {name} in a batch, use batch=False to count that as a draw") from error
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


def _refuse_always_raising(both: tuple[Draws, Draws]) -> None:
    if all(isinstance(draw, Raised) for side in both for draw in side):
        names = sorted({draw.exception for side in both for draw in side})
        raise InvalidInput(f"release: raised {', '.join(names)} at every draw of both data sets, call it once by hand")
