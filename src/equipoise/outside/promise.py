"""A guarantee in words that stay true at every ε, and that say so when they promise next to nothing.

The guess is the exact optimum over all attacks on all (ε, δ) releases: docs/proofs/accounting.md, section 1.5.
"""

from __future__ import annotations

import math

from equipoise.outside.card_words import STRENGTHS, delta_of, strength
from equipoise.outside.pages import at_most, readable
from equipoise.theory.accounting.convert import advantage
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Guarantee

MOST_FACTOR = 20.0
"""ε beyond which e^ε is no number to think about."""


def best_guess(guarantee: Guarantee) -> float:
    """Largest share of right guesses between two tables that differ for one unit, either as likely beforehand."""
    if not guarantee.private:
        return 1.0
    return min(1.0, (1 + advantage(guarantee.epsilon, whole_delta(guarantee))) / 2)


def whole_delta(guarantee: Guarantee) -> float:
    """The δ that is needed and what computer arithmetic adds to it, below 1."""
    return min(delta_of(guarantee) + guarantee.delta_numeric, math.nextafter(1.0, 0.0))


def level(guarantee: Guarantee) -> tuple[str, str]:
    """How strong the promise is, in a word and in a sentence: those of the card."""
    return strength(best_guess(guarantee)) if guarantee.private else ("none", "Nothing is promised.")


def poor(guarantee: Guarantee) -> bool:
    """Whether a reader must be warned: nothing, or next to nothing, is promised."""
    return not guarantee.private or level(guarantee)[0] == STRENGTHS[-1][1]


def in_words(guarantee: Guarantee, records: float | None = None) -> tuple[str, ...]:
    """Sentences for somebody who has never heard of ε, each true as it stands."""
    if not guarantee.private:
        because = " Whoever knows or guesses the seed can take the noise off again." if guarantee.seeded else ""
        return (f"Nothing is promised.{because}",)
    who = guarantee.unit
    asked = {
        Adjacency.REPLACE_ONE: "which of two sets of values it held",
        Adjacency.ADD_REMOVE: "whether it was in the table at all",
    }[guarantee.adjacency]
    share = 100 * best_guess(guarantee)
    right = "no limit below 100%" if share > 99.99 else f"at most {at_most(share, 4)}%"
    lines = [
        f"Somebody who knows the whole table except {who}, and sees everything released here, tries to tell {asked},"
        f" both equally likely beforehand. How often can they be right? A coin: 50%. Anybody, by any method: {right}.",
        _odds(guarantee),
        "This holds whatever else is known or becomes known, and whatever is computed from the release afterwards.",
    ]
    return (*lines, *_about_delta(guarantee, records))


def _odds(guarantee: Guarantee) -> str:
    other = "been otherwise" if guarantee.adjacency is Adjacency.REPLACE_ONE else "not been there"
    named = "δ" if delta_of(guarantee) > 0 else "computer arithmetic"
    plus = f", plus {at_most(whole_delta(guarantee))} ({named})" if whole_delta(guarantee) > 0 else ""
    lot = guarantee.epsilon > MOST_FACTOR
    factor = f"e^{readable(guarantee.epsilon)}" if lot else f"{at_most(math.exp(guarantee.epsilon))} (e^ε)"
    close = ": no limit worth the name" if lot else ""
    return (
        f"Whatever can be seen here had at most {factor} times the probability that it would have had if"
        f" {guarantee.unit} had {other}{plus}{close}."
    )


def _about_delta(guarantee: Guarantee, records: float | None) -> tuple[str, ...]:
    """Publishing a random row whole satisfies (0, 1/n)."""
    if records is None or delta_of(guarantee) * records < 1:
        return ()
    return (
        f"δ = {readable(guarantee.delta)} is not below one over the number of rows: publishing somebody's row, drawn at"
        " random, would satisfy it too. Choose δ far below 1/n.",
    )
