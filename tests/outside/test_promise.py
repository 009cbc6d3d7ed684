"""The guarantee in words: true at every ε, and honest when it promises next to nothing."""

from __future__ import annotations

import math
import re

from hypothesis import example, given
from hypothesis import strategies as st

from equipoise.outside import promise
from equipoise.outside.card import Card
from equipoise.outside.card_words import STRENGTHS
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Guarantee


def guarantee(
    epsilon: float, delta: float = 0.0, adjacency: Adjacency = Adjacency.REPLACE_ONE, seeded: bool = False
) -> Guarantee:
    return Guarantee(epsilon, delta, 0.0, adjacency, "output", "a theorem", 1.0, 1.0, seeded)


@given(st.floats(1e-6, 600.0), st.sampled_from([0.0, 1e-6, 0.01]))
@example(50.0, 0.0)
@example(math.log(3), 0.0)
def test_no_number_in_the_words_is_smaller_than_the_truth(epsilon: float, delta: float) -> None:
    """The best attack on randomised response attains the share of right guesses: e^ε/(1 + e^ε) and a little for δ."""
    attained = (1 + math.tanh(epsilon / 2)) / 2
    words = " ".join(promise.in_words(guarantee(epsilon, delta)))
    share = re.search(r"by any method: at most ([0-9.]+)%", words)
    assert share is None or float(share[1]) >= 100 * attained * (1 - 1e-12)
    assert share is not None or attained > 0.9999 - delta
    factor = re.search(r"at most ([0-9.e+]+) \(e\^ε\) times", words)
    assert factor is None or float(factor[1]) >= math.exp(epsilon) * (1 - 1e-12)
    assert factor is not None or "no limit worth the name" in words
    assert ("(δ)" in words) == (delta > 0)


@given(st.floats(1e-6, 600.0), st.floats(1e-6, 600.0))
def test_a_larger_epsilon_is_never_called_stronger(first: float, second: float) -> None:
    names = [name for _, name, _ in STRENGTHS]
    low, high = sorted((first, second))
    assert names.index(promise.level(guarantee(low))[0]) <= names.index(promise.level(guarantee(high))[0])


def test_report_and_card_say_the_same_word() -> None:
    for epsilon in (0.1, 0.3, 1.0, 2.0, 4.0, 8.0):
        card = Card("LogisticRegression", "classifier", 1, (0, 1), guarantee(epsilon))
        assert card.to_json()["strength"] == promise.level(guarantee(epsilon))[0]


def test_fifty_promises_next_to_nothing_and_says_so() -> None:
    assert promise.level(guarantee(50.0))[0] == "next to nothing"
    assert promise.poor(guarantee(50.0))
    assert not promise.poor(guarantee(1.0))
    words = " ".join(promise.in_words(guarantee(50.0)))
    assert "about as likely" not in words
    assert "no limit below 100%" in words


def test_a_delta_that_lets_a_row_be_published_is_named() -> None:
    assert not any("Choose δ far below" in line for line in promise.in_words(guarantee(1.0, 1e-6), 1000))
    assert any("Choose δ far below" in line for line in promise.in_words(guarantee(1.0, 1e-3), 1000))


def test_what_is_not_private_promises_nothing() -> None:
    for none in (guarantee(1.0, seeded=True), guarantee(math.inf)):
        assert promise.in_words(none)[0].startswith("Nothing is promised.")
        assert promise.best_guess(none) == 1.0
        assert promise.level(none)[0] == "none"


def test_the_question_fits_the_neighbours() -> None:
    assert "whether it was in the table" in promise.in_words(guarantee(1.0, adjacency=Adjacency.ADD_REMOVE))[0]
    assert "which of two sets of values" in promise.in_words(guarantee(1.0))[0]
