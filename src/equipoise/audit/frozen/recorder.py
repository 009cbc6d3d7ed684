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
from equipoise.gate.models import noisy_gradients

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
        self._radius = math.nan

    def note(self, problem: str) -> None:
        self.problems.append(problem)

    def rewind(self) -> None:
        """The first run is over."""
        self._playing, self._place = True, 0
        self._radius, self._inside = math.nan, None
        self.outer_words = sum(len(words) for words in self._tape)

    def finish(self) -> None:
        """Both runs are over: the second must have got to the end of the first."""
        if len(self.second) < len(self.first) and not self.problems:
            self.note(f"the second run passed the gate {len(self.second)} times, the first {len(self.first)}")
        if self._place < len(self._tape) and not self.problems:
            self.note("the second run drew fewer random words than the first")

    def taps(self) -> tuple[dict[Function, Tap], dict[tuple[type, str], Tap]]:
        """What to put where: the door's verbs, and the source of random words."""
        functions: dict[Function, Tap] = {
            door.add_noise: self._add_noise,
            door.keep_frequent: self._keep_frequent,
            door.choose: self._choose,
            door.vote: self._vote,
            door.flip: self._flip,
            door.sample: self._sample,
            door.settle: self._settle,
            door.tilt: self._tilt,
            door.compare: self._compare,
        }
        kinds = {type(noise_source("equipoise", seed)) for seed in (None, 0)}
        return functions, {(kind, "words"): self._words for kind in kinds}

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

    def _add_noise(
        self, original: Function, value: Any, noise: Any, event: Any, entry: Any, bits: Any, *draw: Any
    ) -> Any:
        steps = held(door, "Grid")(noise.step).quantise(look(value))
        public = ("add_noise", noise.law, noise.scale, noise.step, noise.dim)
        passing = Passing("noise", public, steps, entry=entry)
        if math.isfinite(self._radius):  # what is left after a tilt: both within the radius of one minimiser
            passing.stated = 2 * self._radius + noise.step * math.sqrt(noise.dim)
            self._radius = math.nan
        return self._pass(passing, lambda: original(value, noise, event, entry, bits, *draw), rerun=True)

    def _keep_frequent(
        self, original: Function, counts: Any, noise: Any, least: float, event: Any, entry: Any, bits: Any
    ) -> Any:
        public = (noise.law, noise.scale, noise.step, least)
        passing = Passing("frequent", public, dict(look(counts)), entry=entry, stated=noise.scale * event.epsilon)
        return self._pass(passing, lambda: original(counts, noise, least, event, entry, bits))

    def _tilt(self, _: Function, records: Any, noise: Any, plan: Any, entry: Any, bits: Any) -> Any:
        """A tilted minimum: the second run gets the tilt that leads to the first run's point."""
        facts, pushed = plan.facts, look(door.draw_tilt(noise, plan.event, entry, bits)) / plan.facts.n
        if self._playing:
            point = self.first[len(self.second)].output if len(self.second) < len(self.first) else None
            if not isinstance(point, np.ndarray):
                self._diverge("the second run tilted its objective where the first did not")
        else:
            solution = door.solve_tilted(records, pushed, plan)
            point = look(solution).point
        slope = look(held(noisy_gradients, "evened_gradient")(records, facts, point)) * facts.n
        public = (noise.law, noise.scale, noise.step, noise.dim)
        passing = Passing("tilt", public, slope, entry=entry, stated=plan.sensitivity.l2)
        self._pass(passing, lambda: point)
        self._radius = plan.radius
        if not self._playing:
            return solution
        moved = pushed + (self.first[len(self.second) - 1].value - slope) / facts.n
        return door.solve_tilted(records, moved, plan)

    def _choose(
        self, original: Function, scores: Any, coins: Any, event: Any, entry: Any, bits: Any, *pick: Any
    ) -> Any:
        made = coins(look(scores))
        public = (len(made.steps), made.moved, made.epsilon)
        passing = Passing("choice", public, list(made.steps), entry=entry, stated=float(made.moved))
        return self._pass(passing, lambda: original(scores, coins, event, entry, bits, *pick))

    def _vote(self, original: Function, scores: Any, rate: Any, event: Any, entry: Any, bits: Any) -> Any:
        opened = look(scores)
        passing = Passing("vote", (opened.shape, rate), opened.copy(), entry=entry, stated=VOTE_RANGE)
        return self._pass(passing, lambda: original(scores, rate, event, entry, bits))

    def _flip(self, original: Function, totals: Any, coin: Any, event: Any, entry: Any, bits: Any) -> Any:
        chances = [coin.chance(int(total)) for total in look(totals)]
        passing = Passing("coin", (coin.epsilon, coin.voters), chances, entry=entry, stated=coin.epsilon)
        return self._pass(passing, lambda: original(totals, coin, event, entry, bits))

    def _sample(self, original: Function, logs: Any, draws: Any, event: Any, entry: Any, bits: Any) -> Any:
        weights = held(door, "whole_weights")(look(logs))
        law = np.log(weights.astype(np.float64)) - math.log(int(np.sum(weights)))
        passing = Passing("sample", (draws,), law, entry=entry, stated=draws.ratios.spread)
        return self._pass(passing, lambda: original(logs, draws, event, entry, bits))

    def _settle(self, original: Function, counts: Any, left: int, line: Any, rule: Any, *rest: Any) -> Any:
        passing = Passing("consensus", (rule, left), door.distances(look(counts)[:left]), stated=1.0)
        return self._pass(passing, lambda: original(counts, left, line, rule, *rest))

    def _compare(self, original: Function, score: Any, law: Any, event: Any, entry: Any, bits: Any) -> Any:
        (steps,) = law.grid.quantise(look(score))
        passing = Passing("score", (law,), int(steps), stated=float(law.moved))
        return self._pass(passing, lambda: original(score, law, event, entry, bits))
