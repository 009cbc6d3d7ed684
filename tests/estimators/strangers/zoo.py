"""Strangers' models that misbehave where they meet one marked record, and everything a caller can see of that.

Each deed is something that real models do by accident: raise, leave, warn, print, log, seed, draw, change what they
were given, or answer with something that is no answer.
"""

from __future__ import annotations

import contextlib
import io
import logging
import random
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

Array = npt.NDArray[np.float64]

MARK = 10.0
"""A value that only the marked record has."""

SHARED = np.random.default_rng(1)
"""A generator in a module, as one finds them."""


def _raise(error: BaseException) -> None:
    raise error


def _without_end() -> None:
    _without_end()


def _loudly(words: str) -> None:
    warnings.simplefilter("always")
    warnings.warn(words, RuntimeWarning, stacklevel=1)


def _elsewhere(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


class _Lost(io.StringIO):
    """A stream that swallows everything."""


DEEDS: dict[str, Callable[[], Any]] = {
    "raises": lambda: _raise(ValueError("the record 123456.789")),
    "exits": lambda: _raise(SystemExit(3)),
    "interrupts": lambda: _raise(KeyboardInterrupt()),
    "closes": lambda: _raise(GeneratorExit()),
    "recurses": _without_end,
    "runs out": lambda: _raise(MemoryError()),
    "warns": lambda: warnings.warn("the record 123456.789", UserWarning, stacklevel=1),
    "warns loudly": lambda: _loudly("the record 123456.789"),
    "ignores": lambda: warnings.filterwarnings("ignore"),
    "resets": warnings.resetwarnings,
    "records": lambda: warnings.catch_warnings(record=True).__enter__(),
    "another list": lambda: setattr(warnings, "filters", []),
    "hooks": lambda: setattr(sys, "excepthook", _raise),
    "prints": lambda: print("the record 123456.789"),
    "complains": lambda: print("the record 123456.789", file=sys.stderr),
    "redirects": lambda: setattr(sys, "stdout", _Lost()),
    "shuts": lambda: sys.stdout.close(),
    "writes below": lambda: sys.stderr.buffer.write(b"the record 123456.789"),
    "logs": lambda: logging.getLogger("stranger").critical("the record 123456.789"),
    "prints elsewhere": lambda: _elsewhere(lambda: print("the record 123456.789")),
    "warns elsewhere": lambda: _elsewhere(lambda: warnings.warn("a record", UserWarning, stacklevel=1)),
    "seeds": lambda: np.random.seed(0),  # noqa: NPY002
    "draws": lambda: (np.random.random(7), random.random(), SHARED.random()),  # noqa: NPY002, S311
    "exchanges": lambda: np.random.mtrand.set_bit_generator(np.random.PCG64(1)),
    "settles": lambda: np.seterr(all="raise"),
    "divides": lambda: np.ones(3) / np.zeros(3),
}

ANSWERS: dict[str, Callable[[int], Any]] = {
    "table": lambda rows: np.ones((rows, 2)),
    "nothing": lambda rows: np.full(rows, np.nan),
    "words": lambda rows: np.array(["one"] * rows),
    "beyond": lambda rows: np.full(rows, 1e300),
    "none": lambda rows: None,
    "objects": lambda rows: [object()] * rows,
    "short": lambda rows: np.ones(rows + 1),
}


class Hostile(BaseEstimator):  # type: ignore[misc]  # scikit-learn publishes no types
    """Fits a constant; does its deed, when fitted or when asked, if the marked record was among its rows."""

    own = np.random.default_rng(2)

    def __init__(self, deed: str = "", when: str = "fit", shade: int = 0, generator: Any = None) -> None:
        self.deed = deed
        self.when = when
        self.shade = shade
        self.generator = generator

    def fit(self, X: Any, y: Any) -> Self:
        self.marked_ = bool(np.max(X) >= MARK)
        self.classes_ = np.array([0.0, 1.0])
        self.answer_ = 1.0
        self._act("fit")
        if self.marked_ and self.deed == "scribbles":
            X[:], y[:] = 0, 0
        if self.marked_ and self.generator is not None:
            self.generator.random(5)
            type(self).own.random(5)
        return self

    def predict(self, X: Any) -> Any:
        self._act("predict")
        if self.marked_ and self.deed == "scribbles":
            X[:] = 0
        if self.marked_ and self.deed in ANSWERS and self.when == "predict":
            return ANSWERS[self.deed](len(X))
        return np.full(len(X), self.answer_)

    def _act(self, now: str) -> None:
        if self.marked_ and self.when == now and self.deed in DEEDS:
            DEEDS[self.deed]()


class HostileClassifier(ClassifierMixin, Hostile):  # type: ignore[misc]
    """Votes for class 1; its probabilities are as certain."""

    def predict_proba(self, X: Any) -> Any:
        said = self.predict(X)
        return np.column_stack([1 - said, said])


class HostileRegressor(RegressorMixin, Hostile):  # type: ignore[misc]
    """Predicts 1."""


@dataclass
class Seen:
    """All that reaches a caller besides what was paid for."""

    error: str = ""
    warned: tuple[str, ...] = ()
    printed: str = ""
    logged: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    filters: tuple[Any, ...] = ()
    settings: tuple[Any, ...] = ()
    booked: tuple[Any, ...] = ()


class _Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.kept: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(record.getMessage())


@contextlib.contextmanager
def _watched(seen: Seen, generators: tuple[Any, ...]) -> Iterator[None]:
    handler, output = _Records(), io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    hooks, excepthook = warnings.showwarning, sys.excepthook
    streams = sys.stdout, sys.stderr
    logging.getLogger().addHandler(handler)
    sys.stdout = sys.stderr = output
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            before = list(warnings.filters)
            try:
                yield
            except BaseException as error:  # noqa: BLE001 - whatever comes is what the caller sees
                seen.error = f"{type(error).__name__}: {error}"
            kept = list(warnings.filters) == before, warnings.showwarning is warnings._showwarning_orig  # type: ignore[attr-defined]
            seen.warned = tuple(str(each.message) for each in warned)
            warnings.warn("one's own", UserWarning, stacklevel=1)
            seen.filters = (*kept, len(warned) == len(seen.warned) + 1, sys.excepthook is excepthook)
        seen.settings = (sys.stdout is output, sys.stderr is output, tuple(sorted(np.geterr().items())))
        seen.settings += (type(np.random.mtrand.get_bit_generator()).__name__,)
    finally:
        sys.stdout, sys.stderr = streams
        warnings.showwarning, sys.excepthook = hooks, excepthook
        logging.getLogger().removeHandler(handler)
    seen.printed, seen.logged = _printed(output), tuple(handler.kept)
    seen.generators = tuple(str(_state(each)) for each in generators)


def _printed(output: io.TextIOWrapper) -> str:
    return "(closed)" if output.closed else cast("io.BytesIO", output.buffer).getvalue().decode()


def _state(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return hash(generator.getstate())
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)["state"]["key"].tolist(), generator.get_state(legacy=False)[
            "has_gauss"
        ]
    return generator.bit_generator.state


def seen_by_caller(work: Callable[[], Any], ledger: Any, held: Any = None) -> Seen:
    """Run the work from fixed states of all generators and look at everything around it."""
    np.random.seed(7)  # noqa: NPY002
    random.seed(7)
    shared = [SHARED, Hostile.own, *([held] if held is not None else [])]
    for place, each in enumerate(shared):
        each.bit_generator.state = np.random.PCG64(place).state
    seen = Seen()
    with _watched(seen, (np.random.mtrand._rand, random._inst, *shared)):
        work()
    seen.booked = tuple((record.label, record.event, record.state) for record in ledger.entries())
    return seen
