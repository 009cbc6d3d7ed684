"""OPENS PRIVATE VALUES, for synthetic data only: the recording behind `replay`, one tap for each way out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from equipoise.audit.frozen.crossings import Passing
from equipoise.audit.frozen.taps import Function, Tap, held, look
from equipoise.errors import EquipoiseError
from equipoise.gate import door, noise_source
from equipoise.gate.answers import average, consensus, vote
from equipoise.gate.answers import linear_answers as answers
from equipoise.gate.choices import select, stop, validate
from equipoise.gate.models import noisy_gradients, objective_perturbation

VOTE_RANGE = 2.0
"""One vote less here and one more there; a walk that stands two higher."""


class Diverged(EquipoiseError):
    """The second run went where the first did not."""


class Recorder:
    """Two runs: `first` is recorded, `second` is led along it."""

    def __init__(self) -> None:
        self.first: list[Passing] = []
        self.second: list[Passing] = []
        self.problems: list[str] = []
        self.outer_words = 0
        self._tape: list[Any] = []
        self._playing = False
        self._place = 0
        self._inside: Passing | None = None
        self._replayed = 0
        self._plan: Any = None
        self._entry: Any = None
        self._radius = math.nan
        self._coins: tuple[Any, ...] | None = None

    def note(self, problem: str) -> None:
        self.problems.append(problem)

    def rewind(self) -> None:
        """The first run is over."""
        self._playing, self._place, self._plan, self._entry = True, 0, None, None
        self._radius, self._inside = math.nan, None
        self.outer_words = sum(len(words) for words in self._tape)

    def finish(self) -> None:
        """Both runs are over: the second must have got to the end of the first."""
        if len(self.second) < len(self.first) and not self.problems:
            self.note(f"the second run passed the gate {len(self.second)} times, the first {len(self.first)}")
        if self._place < len(self._tape) and not self.problems:
            self.note("the second run drew fewer random words than the first")

    def taps(self) -> tuple[dict[Function, Tap], dict[tuple[type, str], Tap]]:
        """What to put where."""
        functions: dict[Function, Tap] = {
            door.let_out: self._let_out,
            answers._let_out: self._let_out,
            door.check_plan: self._plan_paid,
            door.check_paid: self._event_paid,
            held(objective_perturbation, "minimise"): self._minimise,
            select.coins_for: self._see_coins,
            select.permute_and_flip: self._select,
            select.exponential: self._select,
            validate.choose_best: self._choose_best,
            vote.weighted_choice: self._vote,
            stop._noisy: self._score,
        }
        kinds = {type(noise_source("equipoise", seed)) for seed in (None, 0)}
        methods: dict[tuple[type, str], Tap] = {(kind, "words"): self._words for kind in kinds}
        methods[average.Coin, "release"] = self._coin
        methods[consensus.Round, "answer"] = self._round
        return functions, methods

    # --- random words ---------------------------------------------------------------------------------------------

    def _words(self, original: Function, bits: Any, count: int) -> Any:
        if self._inside is not None:
            return self._door_words(original, bits, count)
        if not self._playing:
            self._tape.append(original(bits, count))
            return self._tape[-1].copy()
        if self._place >= len(self._tape) or len(self._tape[self._place]) != count:
            self._diverge(f"the second run asked for {count} random words where the first did not")
        self._place += 1
        return self._tape[self._place - 1].copy()

    def _door_words(self, original: Function, bits: Any, count: int) -> Any:
        """Noise is frozen; coins are drawn afresh, since how many are thrown depends on the scores."""
        passing = self._inside
        if self._playing and passing is not None and passing.kind == "noise":
            before = self.first[len(self.second)].words
            if self._replayed >= len(before) or len(before[self._replayed]) != count:
                self._diverge("the second run drew its noise from other random words than the first")
            self._replayed += 1
            return before[self._replayed - 1].copy()
        words = original(bits, count)
        if passing is not None and not self._playing:
            passing.words.append(words)
        return words.copy()

    def _diverge(self, problem: str) -> None:
        self.note(problem)
        raise Diverged(problem)

    # --- ways out -------------------------------------------------------------------------------------------------

    def _pass(self, passing: Passing, run: Callable[[], Any], *, rerun: bool = False) -> Any:
        """Record a trip, or compare it with the recorded one and give what came out then."""
        if self._inside is not None:  # one way out that uses another
            return run()
        if not self._playing:
            self._inside = passing
            try:
                passing.output = run()
            finally:
                self._inside = None
            self.first.append(passing)
            return passing.output
        before = self._expected(passing)
        if rerun:
            self._inside, self._replayed = passing, 0
            try:
                run()
            finally:
                self._inside = None
        self.second.append(passing)
        return before.output

    def _expected(self, passing: Passing) -> Passing:
        place = len(self.second)
        if place >= len(self.first):
            self._diverge(f"the second run passed the gate a {place + 1}th time, the first did not")
        before = self.first[place]
        if (before.kind, before.public, np.shape(before.value)) != (
            passing.kind,
            passing.public,
            np.shape(passing.value),
        ):
            self._diverge(f"trip {place + 1}: {passing.kind} with other public numbers or another shape than before")
        return before

    def _let_out(self, original: Function, value: Any, noise: Any, entry: Any, bits: Any) -> Any:
        if self._inside is not None:
            return original(value, noise, entry, bits)
        steps = held(door, "Grid")(noise.step).quantise(look(value))
        public = ("let_out", noise.law, noise.scale, noise.step, noise.dim)
        passing = Passing("noise", public, steps, entry=entry)
        if math.isfinite(self._radius):  # what is left after a tilt: both within the radius of one minimiser
            passing.stated = 2 * self._radius + noise.step * math.sqrt(noise.dim)
            self._radius = math.nan
        return self._pass(passing, lambda: original(value, noise, entry, bits), rerun=True)

    def _plan_paid(self, original: Function, plan: Any, entry: Any) -> Any:
        self._plan, self._entry = plan, entry
        return original(plan, entry)

    def _event_paid(self, original: Function, entry: Any, event: Any) -> Any:
        self._entry = entry
        return original(entry, event)

    def _minimise(self, original: Function, records: Any, *args: Any) -> Any:
        """A tilted minimum: the second run gets the tilt that leads to the first run's point."""
        if len(args) < 6 or args[5] is None:
            return original(records, *args)
        loss, penalty, divisor, radius, ball, tilt = args
        if self._playing:
            point = self.first[len(self.second)].output if len(self.second) < len(self.first) else None
            if not isinstance(point, np.ndarray):
                self._diverge("the second run tilted its objective where the first did not")
        else:
            solution = original(records, *args)
            point = look(solution).point
        slope = look(held(noisy_gradients, "mean_gradient")(records, loss, divisor, point)) * divisor
        public = (self._plan.tilt.law, self._plan.tilt.scale, self._plan.tilt.step, self._plan.tilt.dim)
        passing = Passing("tilt", public, slope, entry=self._entry, stated=self._plan.sensitivity.l2)
        self._pass(passing, lambda: point)
        self._radius = radius
        if not self._playing:
            return solution
        moved = tilt + (self.first[len(self.second) - 1].value - slope) / divisor
        return original(records, loss, penalty, divisor, radius, ball, moved)

    # --- choices, votes, coins ------------------------------------------------------------------------------------

    def _see_coins(self, original: Function, steps: Any, moved: int, epsilon: float) -> Any:
        if self._inside is not None and self._inside.kind == "choice":
            self._inside.value, self._inside.public = list(steps), (len(steps), moved, epsilon)
            self._inside.stated = float(moved)
        return original(steps, moved, epsilon)

    def _select(
        self, original: Function, scores: Any, sensitivity: float, epsilon: float, entry: Any, bits: Any
    ) -> Any:
        return self._choice(lambda: original(scores, sensitivity, epsilon, entry, bits), entry)

    def _choose_best(self, original: Function, scores: Any, betas: Any, epsilon: float, entry: Any, *rest: Any) -> Any:
        return self._choice(lambda: original(scores, betas, epsilon, entry, *rest), entry)

    def _choice(self, run: Callable[[], Any], entry: Any) -> Any:
        """The scores are seen where the coins are made of them."""
        passing = Passing("choice", (), [], entry=entry)
        self._inside = passing
        try:
            chosen = run()
        finally:
            self._inside = None
        if self._playing:
            before = self._expected(passing)
            self.second.append(passing)
            return before.output
        passing.output = chosen
        self.first.append(passing)
        return chosen

    def _vote(self, original: Function, scores: Any, rate: Any, bits: Any) -> Any:
        passing = Passing("vote", (scores.shape, rate), scores.copy(), entry=self._entry, stated=VOTE_RANGE)
        return self._pass(passing, lambda: original(scores, rate, bits))

    def _coin(self, original: Function, coin: Any, sums: Any, entry: Any, bits: Any) -> Any:
        chances = [coin.chance(int(total)) for total in look(sums)]
        passing = Passing("coin", (coin.epsilon, coin.voters), chances, entry=entry, stated=coin.epsilon)
        return self._pass(passing, lambda: original(coin, sums, entry, bits))

    def _round(self, original: Function, turn: Any, counts: Any, bits: Any) -> Any:
        """A round keeps count of its answers: the second run counts those of the first."""
        value = consensus.distances(look(counts)[: turn.left])
        passing = Passing("consensus", (turn._rule, turn.left), value, stated=1.0)
        answered = self._pass(passing, lambda: original(turn, counts, bits))
        return turn._close(answered.labels, contested=answered.contested) if self._playing else answered

    def _score(self, original: Function, score: Any, noise: Any, bits: Any) -> Any:
        (steps,) = select.grid_for(noise.sensitivity).quantise(look(score))
        passing = Passing("score", (noise,), int(steps), stated=float(noise._steps()))
        return self._pass(passing, lambda: original(score, noise, bits))
