"""Tuning by stability: train every candidate on one part, score it on another, let out the number of the best.

Guarantee.  The number of the chosen candidate is ε-DP, or (ε, δ)-DP where stability is stated to fail with chance δ;
            with a fresh, separately paid fit of it, the two compose.
Assumes.    Training taken apart into randomness and a map that is steady for every value of it; a score with (β₁, β₂).
Adjacency.  Replace-one: a record is in the training part or in the validation part, never in both.
Numerics.   Permute-and-flip with exact coins; scores on a grid of 2⁻²⁰ β.
Reference.  docs/proofs/tuning.md; Chaudhuri, Vinterbo 2013, Algorithms 1 and 2 (constants ours).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from equipoise._checks import quoted
from equipoise._docs import documented
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.gate.choices.procedures import Rows, TrainingProcedure, ValidationScore, betas_for
from equipoise.gate.choices.select import grid_for, steps_moved
from equipoise.gate.door import check_choice_paid, choose, hand_over
from equipoise.gate.noise import Bits, RandomState, bits_from
from equipoise.gate.noise.choice import Coins
from equipoise.gate.source import seeds_for_strangers
from equipoise.inside import Private, enclosed
from equipoise.inside.scores.of_procedures import score_each
from equipoise.inside.strangers import Failed, alone
from equipoise.ledger import Entry, Ledger, LedgerLike
from equipoise.theory.accounting.prices import choice_then_fit, promised
from equipoise.theory.adjacency import ONE_ROW_REPLACED
from equipoise.theory.events import Event
from equipoise.theory.tuning.stability import GRADED_MOVE, graded_scores, weighted_scores

Vector = npt.NDArray[np.float64]

Data = TypeVar("Data")
Held = TypeVar("Held")
Setting = TypeVar("Setting")
Draw = TypeVar("Draw")
Model = TypeVar("Model")


@dataclass(frozen=True, slots=True)
class Comparison:
    """How scores are compared.  Public, so none of it costs anything."""

    graded: bool = False
    """Every two settings on their own scale: better when a few are far less steady than the rest."""
    weights: tuple[float, ...] | None = None
    """Logarithms of what is thought of the settings beforehand; None: nothing."""


def validate(
    procedure: TrainingProcedure[Data, Setting, Draw, Model],
    settings: Sequence[Setting],
    score: ValidationScore[Model, Held],
    training: Private[Data],
    validation: Private[Held],
    rows: Rows,
    epsilon: float,
    entry: Entry,
    bits: Bits,
    how: Comparison | None = None,
) -> int:
    """The place of the best setting, ε-privately.  No model leaves this function."""
    betas = betas_for(procedure, settings, score, rows)
    event = promised(epsilon, procedure.delta)
    check_choice_paid(entry, event)  # before anything is trained
    models = procedure.fit_all(training, settings, procedure.draw(bits))
    return choose_best(score_each(validation, models, score.value), betas, epsilon, entry, bits, how)


def choose_best(
    scores: Private[Vector],
    betas: Sequence[float],
    epsilon: float,
    entry: Entry,
    bits: Bits,
    how: Comparison | None = None,
) -> int:
    """Permute-and-flip: the law of the maximum of scores plus exponential noise of mean 2β/ε."""
    rule = partial(coins_between, betas=betas, epsilon=epsilon, how=how or Comparison())
    return choose(scores, rule, promised(epsilon), entry, bits)


def coins_between(scores: Vector, betas: Sequence[float], epsilon: float, how: Comparison) -> Coins:
    """The coins of permute-and-flip for scores that one record moves by at most `betas`."""
    if scores.shape != (len(betas),):
        raise InvalidInput("scores: must be one number for each setting")
    moved, weights = max(betas), np.zeros(len(betas)) if how.weights is None else np.array(how.weights)
    if how.graded:
        compared, moved = graded_scores(scores, np.array(betas), weights, epsilon), GRADED_MOVE
    else:
        compared = weighted_scores(scores, moved, weights, epsilon)
    grid = grid_for(moved)
    return Coins(tuple(int(step) for step in grid.quantise(compared)), steps_moved(moved, grid), epsilon)


@documented(returns="pair (int, model): The place of the chosen setting, and its model.")
def tune(
    procedure: TrainingProcedure[Data, Setting, Draw, Model],
    settings: Sequence[Setting],
    score: ValidationScore[Model, Held],
    training: Data,
    validation: Held,
    everything: Data,
    rows: Rows,
    *,
    epsilon: float,
    fit_event: Event,
    ledger: LedgerLike | None = None,
    random_state: RandomState = None,
) -> tuple[int, Model]:
    """Choose on two parts, then fit the chosen setting on everything with fresh randomness, and let that out.

    `fit_event` is what one fit of any setting costs when it is let out as it is: the procedure's own promise.
    """
    betas_for(procedure, settings, score, rows)
    bits, account = bits_from(random_state), Ledger() if ledger is None else ledger
    price = choice_then_fit(promised(epsilon, procedure.delta), fit_event)
    (seed,) = seeds_for_strangers(1, bits)

    def tuned() -> tuple[int, Model]:
        parts = enclosed(training), enclosed(validation)
        best = validate(procedure, settings, score, *parts, rows, epsilon, entry, bits)
        fitted = procedure.fit_all(enclosed(everything), [settings[best]], procedure.draw(bits))
        (model,) = hand_over(fitted, fit_event, entry)
        return best, model

    with account.reserve(price, label="tune", neighbours=ONE_ROW_REPLACED) as entry:
        found = alone(tuned, seed, procedure, score)
        if isinstance(found, Failed):
            raise MechanismRefused(
                f"procedure={quoted(procedure.name)}: it or the score failed, which no stability covers; nothing was"
                " released and what was reserved stays spent, try both on made-up rows"
            )
        entry.commit()
    return found
