"""Whatever a stranger's model does at one record, the caller sees what was paid for and nothing else.

Every predictor and search that takes strangers' models is run on a table with a marked record and on its neighbour
without; all that a caller can look at around the answer must be the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.estimators.strangers.zoo import (
    ANSWERS,
    DEEDS,
    MARK,
    SHARED,
    HostileClassifier,
    HostileRegressor,
    Seen,
    _raise,
    seen_by_caller,
)
from tests.lists.turns import in_turns

import equipoise as eq
from equipoise.answering import AveragingPredictor, VotingPredictor
from equipoise.theory.guarantees import Pure
from equipoise.tuning import RandomStopSearch

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Subject = Callable[[Any, Array, Labels, eq.Ledger], Any]

MODULES = SHARED
"""A generator that the score below could name."""

QUERIES = np.linspace(-1, 1, 8).reshape(4, 2)
EVERY = [(deed, when) for when in ("fit", "predict") for deed in (*DEEDS, "scribbles")]
EVERY += [(answer, "predict") for answer in ANSWERS]


def neighbours(rows: int = 24) -> list[tuple[Array, Labels]]:
    """With the marked record and without."""
    rng = np.random.default_rng(0)
    plain = rng.uniform(-1, 1, size=(rows, 2))
    marked, y = plain.copy(), np.arange(rows) % 2
    marked[5, 0] = MARK
    return [(marked, y), (plain, y)]


def voting(method: str) -> Subject:
    def ask(stranger: Any, X: Array, y: Labels, ledger: eq.Ledger) -> Any:
        made = VotingPredictor(
            stranger, 40.0, 1e-3, shards=4, method=method, ledger=ledger, n_jobs=1, random_state=0
        ).fit(X, y)
        return [made.predict(QUERIES), made.predict(QUERIES[:2])]

    return ask


def averaging(stranger: Any, X: Array, y: Labels, ledger: eq.Ledger) -> Any:
    made = AveragingPredictor(stranger, 5.0, shards=4, bounds=(0, 1), ledger=ledger, n_jobs=1, random_state=0).fit(X, y)
    return made.predict(QUERIES)


def measured(stranger: Any, X: Array, y: Labels, ledger: eq.Ledger) -> Any:
    rest = np.random.default_rng(1).uniform(-1, 1, size=(30, 2))
    made = VotingPredictor(stranger, 2.0, shards=8, ledger=ledger, n_jobs=1, random_state=0).fit(
        rest, np.arange(30) % 2
    )
    model = eq.LogisticRegression(alpha=1.0, mechanism="output")
    parts: dict[str, Any] = {"train": (X, y), "held_out": (rest, np.arange(30) % 2)}
    return made.compare_with_release(50, budget=(90.0, 1e-6), charge=(9.0, 0.0), model=model, **parts)


def stopped(stranger: Any, X: Array, y: Labels, ledger: eq.Ledger) -> Any:
    made: dict[str, Any] = {"guarantee": Pure(0.4), "score": "accuracy", "mean": 4.0, "random_state": 2}
    search = RandomStopSearch(stranger, {"shade": [0, 1]}, ledger=ledger, **made)
    try:
        return search.fit(X, y)
    except eq.MechanismRefused as told:  # the outcome of a fit that failed, which its stated guarantee has to cover
        return None if "the chosen run failed" in str(told) else _raise(told)


SUBJECTS: dict[str, tuple[Subject, Any]] = {
    "soft vote": (voting("soft"), HostileClassifier),
    "consensus": (voting("consensus"), HostileClassifier),
    "mean": (averaging, HostileRegressor),
    "coin": (averaging, HostileClassifier),
    "random stop": (stopped, HostileClassifier),
}
MET = {
    **{"soft vote": in_turns(EVERY, 0, 2), "consensus": in_turns(EVERY, 1, 2)},
    **{"mean": in_turns(EVERY, 1, 2), "coin": in_turns(EVERY, 0, 2)},
    "random stop": EVERY,
}
"""Two kinds of votes share the deeds, and two kinds of means."""


def looked_at(subject: Subject, stranger: Any, table: tuple[Array, Labels], held: Any = None) -> Seen:
    ledger = eq.Ledger(delta=0.1)
    return seen_by_caller(lambda: subject(stranger, *table, ledger), ledger, held)


@pytest.mark.parametrize("name", SUBJECTS)
def test_what_surrounds_an_answer_does_not_depend_on_one_record(name: str) -> None:
    subject, kind = SUBJECTS[name]
    tables = neighbours()
    quiet = looked_at(subject, kind(), tables[1])
    assert quiet.error == ""
    assert quiet.booked, "something was paid for"
    for deed, when in MET[name]:
        held = np.random.default_rng(3)
        stranger = kind(deed, when, generator=held)
        seen = [looked_at(subject, stranger, table, held) for table in tables]
        assert seen[0] == seen[1], f"{deed} when asked to {when} is seen"
        assert (seen[0].error, seen[0].warned, seen[0].printed, seen[0].logged) == ("", (), "", ())
        assert all(seen[0].filters)


@pytest.mark.parametrize("deed", [*DEEDS, "scribbles"])
def test_nor_beside_another_thread(deed: str) -> None:
    """A service has many; what a stranger leaves behind must not be taken for what one of them did."""
    stranger, done = HostileRegressor(deed), threading.Event()
    bystander = threading.Thread(target=done.wait)
    bystander.start()
    try:
        seen = [looked_at(averaging, stranger, table) for table in neighbours()]
    finally:
        done.set()
        bystander.join()
    assert seen[0] == seen[1]
    assert (seen[0].error, seen[0].warned, seen[0].printed, seen[0].logged) == ("", (), "", ())
    assert all(seen[0].filters)


@pytest.mark.parametrize("deed", ["exits", "warns loudly", "scribbles", "draws", "table"])
def test_a_measured_comparison_shows_no_more(deed: str) -> None:
    stranger = HostileClassifier(deed, "predict")
    seen = [looked_at(measured, stranger, table) for table in neighbours()]
    assert seen[0] == seen[1]
    assert (seen[0].error, seen[0].printed, seen[0].logged) == ("", "", ())
    assert len(seen[0].booked) == 1


@pytest.mark.parametrize("deed", DEEDS)
def test_a_score_of_ones_own_shows_no_more(deed: str) -> None:
    def score(labels: Any, predicted: Any) -> Any:
        if labels[0] == 1:
            DEEDS[deed]()
        return np.ones(1)

    def search(stranger: Any, X: Array, y: Labels, ledger: eq.Ledger) -> Any:
        grid = {"alpha": [0.1, 1.0]}
        return RandomStopSearch(stranger, grid, score=score, mean=3.0, ledger=ledger, random_state=1).fit(X, y)

    X, y = neighbours()[1]
    model = eq.LogisticRegression(5.0, mechanism="output")
    seen = [looked_at(search, model, (X, labels)) for labels in (y, np.where(np.arange(len(y)) == 3, 1 - y, y))]
    assert seen[0] == seen[1]
    assert (seen[0].error, seen[0].warned, seen[0].printed, seen[0].logged) == ("", (), "", ())


@pytest.mark.parametrize(
    "deed", ["warns loudly", "prints", "logs", "draws", "ignores", "redirects", "shuts", "writes below"]
)
def test_the_watcher_sees_what_a_bare_model_does(deed: str) -> None:
    """The twin: without the room apart each of these tells the neighbours apart."""
    seen = []
    for X, y in neighbours():
        ledger = eq.Ledger()
        seen.append(seen_by_caller(lambda X=X, y=y: HostileClassifier(deed).fit(X, y), ledger))  # type: ignore[misc]
    assert seen[0] != seen[1]
