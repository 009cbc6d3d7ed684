"""An exception or a warning is an output: a release that fails on one of two neighbours is caught by every audit."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq
from equipoise.audit import lower_bound, membership_inference, one_run_audit, replay, worst_neighbours
from equipoise.audit.attempts import audit_target
from equipoise.audit.frozen.pairs_at_corners import Data, Pair
from equipoise.audit.subjects.targets import Target, corners, fits
from equipoise.audit.witness import Raised, Warned, parted, watching, witnessed
from equipoise.errors import BudgetExhausted, InvalidInput, LedgerFailure, NotCertified

Array = npt.NDArray[np.float64]
SIGNS = (-1, 1)


def honest(table: Data) -> Any:
    return eq.LogisticRegression(1.0, alpha=1.0, mechanism="output", classes=SIGNS, fit_intercept=False).fit(*table)


def refusing(table: Data) -> Any:
    """The twin: everything as it should be, but a table that starts with a 1 is not certified."""
    if table[1][0] > 0:
        raise NotCertified("the solver could not prove that it is close enough to the minimiser: raise alpha")
    return honest(table)


def warning(table: Data) -> Any:
    if table[1][0] > 0:
        warnings.warn("that took long", UserWarning, stacklevel=2)
    return honest(table)


def late(table: Data) -> Any:
    """Refuses when all is done and paid for."""
    model = honest(table)
    if table[1][0] > 0:
        raise FloatingPointError
    return model


def wordy(table: Data) -> Any:
    """Always an error of one type; its words tell the tables apart."""
    raise NotCertified(f"stopped after {10 + int(table[1][0])} steps")


TWINS: dict[str, Callable[[Data], Any]] = {"refusing": refusing, "warning": warning, "late": late, "wordy": wordy}


def neighbours(size: int = 8) -> Pair:
    X, y = np.full((size, 1), 0.5), np.full(size, -1)
    other = y.copy()
    other[0] = 1
    return Pair("a label flips", (X, y), (X, other))


def shown(release: Callable[[Data], Any]) -> Callable[[Data], Any]:
    return lambda table: release(table).coef_


def target_of(release: Callable[[Data], Any]) -> Target:
    pairs = (neighbours(), *corners(8, labels=SIGNS)[:1])
    return Target("a twin", 1.0, 0.0, shown(release), pairs, labels=None)


# --- every audit sees it ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TWINS)
def test_a_lower_bound_counts_it(name: str) -> None:
    pair = neighbours()
    found = lower_bound(shown(TWINS[name]), pair.left, pair.right, samples=100)
    assert found.epsilon > 2.0
    assert (found.left_warned < found.right_warned) if name == "warning" else found.right_raised == 100


def test_an_honest_release_is_not_accused() -> None:
    pair = neighbours()
    found = lower_bound(shown(honest), pair.left, pair.right, samples=100, confidence=1 - 1e-6)
    assert found.epsilon <= 1.0
    assert not found.left_raised + found.right_raised + found.left_warned + found.right_warned


@pytest.mark.parametrize("turned", [False, True], ids=["second table", "first table"])
@pytest.mark.parametrize("name", ["refusing", "warning", "late"])
def test_frozen_noise_shows_it_whichever_table_comes_first(name: str, turned: bool) -> None:
    pair = neighbours()
    tables = (pair.right, pair.left) if turned else (pair.left, pair.right)
    found = replay(TWINS[name], *tables)
    assert not found.holds
    told = "did not say the same" if name == "warning" else f"the {'first' if turned else 'second'} run raised"
    assert any(told in problem for problem in found.problems)
    assert replay(honest, *tables).holds


def test_the_search_for_neighbours_ends_at_a_table_that_is_refused() -> None:
    found = worst_neighbours(refusing, 8, 1, labels=SIGNS, starts=1, climbs=2, sizes=())
    assert not found.holds
    assert found.refused < found.tried


@pytest.mark.parametrize("ours", [True, False], ids=["ours", "a stranger's"])
@pytest.mark.parametrize("name", TWINS)
def test_a_row_of_the_audit_table_is_broken_by_it(name: str, ours: bool) -> None:
    target = replace(target_of(TWINS[name]), ours=ours)
    audit = audit_target(target, samples=100, confidence=0.999)
    assert not audit.survived
    sampled = [attempt for attempt in audit.attempts if attempt.held is False and attempt.measured is not None]
    assert max(attempt.measured or 0.0 for attempt in sampled) > 1.0


def test_a_table_that_both_neighbours_share_the_refusal_of_says_nothing() -> None:
    """As an estimator may refuse by a rule that it prints: NaN, say, in both tables."""

    def picky(table: Data) -> Any:
        if np.abs(table[0]).max() < 0.6:
            raise InvalidInput("X: too short")
        return honest(table)

    pair = neighbours()
    with pytest.raises(InvalidInput, match="on both tables"):
        replay(picky, pair.left, pair.right)
    assert audit_target(target_of(picky), samples=100, confidence=1 - 1e-6).survived  # on the other pair
    with pytest.raises(InvalidInput, match="refused every table"):
        audit_target(replace(target_of(picky), pairs=(pair,)), samples=100)


def test_one_training_that_fails_is_told_and_guessed_about_blindly() -> None:
    def failing(X: Array, y: Array) -> Any:
        raise NotCertified("no")

    canaries = np.eye(60), np.zeros(60)
    found = one_run_audit(
        failing, np.zeros((5, 60)), np.zeros(5), canaries=canaries, score=lambda model, rows, labels: rows @ model,
        delta=0.0, confidence=1 - 1e-6, random_state=1,
    )  # fmt: skip
    assert found.epsilon == 0.0
    assert found.raised == "NotCertified"
    assert "which raised NotCertified" in str(found)


@pytest.mark.parametrize("members", [True, False], ids=["members", "others"])
def test_people_on_whom_a_model_fails_are_found(members: bool) -> None:
    """Whoever was in makes it raise, or whoever was not; its answers say nothing."""
    rng = np.random.default_rng(0)
    inside, outside = ((rng.normal(size=(200, 2)), np.zeros(200)) for _ in range(2))
    hidden = {row.tobytes() for row in (inside if members else outside)[0]}

    def api(rows: Array) -> Array:
        if any(row.tobytes() in hidden for row in rows):
            raise LedgerFailure("no")
        return np.zeros(len(rows))

    found = membership_inference(api, inside, outside, epsilon=1.0, confidence=0.999, random_state=1)
    assert found.advantage == 1.0
    assert found.above_claim


def test_a_model_that_fails_on_everybody_is_a_mistake() -> None:
    def api(rows: Array) -> Array:
        raise ZeroDivisionError

    people = np.zeros((10, 1)), np.zeros(10)
    with pytest.raises(InvalidInput, match="raised ZeroDivisionError on every record"):
        membership_inference(api, people, people)


# --- a ledger that refuses --------------------------------------------------------------------------------------------


def test_a_ledger_that_refuses_one_table_only_is_an_output() -> None:
    def release(table: Data) -> float:
        ledger = eq.Ledger(epsilon=0.5 if table[1][0] > 0 else 1.0)
        model = eq.LogisticRegression(1.0, alpha=1.0, mechanism="output", classes=SIGNS, ledger=ledger)
        return float(model.fit(*table).coef_[0, 0])

    pair = neighbours()
    assert lower_bound(release, pair.left, pair.right, samples=200).epsilon > 2.0


def test_a_ledger_that_the_audit_itself_spends_stops_it() -> None:
    ledger = eq.Ledger(epsilon=30.0)

    def release(table: Data) -> float:
        model = eq.LogisticRegression(1.0, alpha=1.0, mechanism="output", classes=SIGNS, ledger=ledger)
        return float(model.fit(*table).coef_[0, 0])

    pair = neighbours()
    with pytest.raises(BudgetExhausted, match="a ledger of its own"):
        lower_bound(release, pair.left, pair.right, samples=100)


# --- the witness ------------------------------------------------------------------------------------------------------


def test_what_a_run_shows_is_its_output_its_warnings_or_its_error() -> None:
    def twice() -> int:
        warnings.warn("one", UserWarning, stacklevel=1)
        warnings.warn("one", DeprecationWarning, stacklevel=1)
        return 3

    def leaves() -> None:
        raise SystemExit(1)

    with watching():
        assert witnessed(lambda: 3) == 3
        told, again = witnessed(twice), witnessed(twice)
        gone = witnessed(leaves)
    assert isinstance(told, Warned)
    assert (told.output, told.warned) == (3, ("UserWarning", "DeprecationWarning"))
    assert told == again
    assert isinstance(gone, Raised)
    assert gone.exception == "SystemExit"
    with pytest.raises(KeyboardInterrupt):
        witnessed(_interrupted)


def _interrupted() -> None:
    raise KeyboardInterrupt


def test_words_are_told_apart_but_not_kept() -> None:
    def says(word: str) -> Callable[[], None]:
        def run() -> None:
            raise ValueError(f"could not convert {word}")

        return run

    alice, bob = witnessed(says("'Alice'")), witnessed(says("'Bob'"))
    assert alice != bob
    assert "Alice" not in repr(alice)
    assert "other words" in parted(alice, bob)
    assert witnessed(says("<object at 0x7f01>")) == witnessed(says("<object at 0x7fff>"))


def test_filters_and_other_threads_are_left_as_they_were() -> None:
    filters, show = list(warnings.filters), warnings.showwarning
    heard: list[Any] = []

    def noisy(name: str) -> Any:
        return witnessed(lambda: warnings.warn(name, UserWarning, stacklevel=1))

    with watching():
        threads = [threading.Thread(target=lambda name=name: heard.append((name, noisy(name)))) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (warnings.filters, warnings.showwarning) == (filters, show)
    assert len({seen.words for _, seen in heard}) == 4  # each heard its own, once
    assert all(seen.warned == ("UserWarning",) for _, seen in heard)


def test_a_release_hides_none_of_its_warnings() -> None:
    class Grumbler:
        def fit(self, X: Array, y: Array) -> Any:
            warnings.warn("few rows", RuntimeWarning, stacklevel=1)
            self.coef_ = np.zeros(1)
            return self

    with watching():
        seen = witnessed(lambda: fits(Grumbler)(neighbours().left))
    assert isinstance(seen, Warned)
    assert seen.warned == ("RuntimeWarning",)
