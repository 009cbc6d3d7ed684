"""Everything we try against one release: frozen noise, exact laws, samples on the worst neighbours found."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from equipoise.audit.bounds.intervals import share_of
from equipoise.audit.bounds.lower_bounds import LowerBound, lower_bound, samples_needed
from equipoise.audit.exact.audits import TooFarApart, exact_audit
from equipoise.audit.frozen.neighbours import worst_neighbours
from equipoise.audit.frozen.pairs_at_corners import Pair
from equipoise.audit.frozen.replay import Replay, replay
from equipoise.audit.subjects.targets import Target
from equipoise.audit.verdict import Attempt, Audit, Statement
from equipoise.audit.witness import AlwaysRaised
from equipoise.errors import InvalidInput
from equipoise.theory.accounting.convert import epsilon_of
from equipoise.theory.guarantees import Gaussian
from equipoise.theory.noise import Law

Progress = Callable[[int, int], None]

PILOT = 60
"""Draws from each table of a pair to rank pairs by, when the noise of a release cannot be frozen."""

FEWEST = 60
"""Draws of the attack itself, at least."""

TOLERANCE = 1e-9

NOISE_LAW = "exact law of the noise"
WORST, FAILING = "samples on the worst neighbours", "samples where it fails or warns on one table only"

NEAR, SIMPLEST = 0.95, "label flips"

STARTS, CLIMBS = 10, 30
"""Random tables that are tried beside the corners, and steps uphill from the worst."""


def audit_target(
    target: Target, *, samples: int = 2000, confidence: float = 0.999, progress: Progress | None = None
) -> Audit:
    """Find the pair that moves the release most, then attack it there.  `progress(done, total)` counts draws."""
    share_of(confidence=confidence)
    draws = max(FEWEST, round(samples * target.effort))
    looked: list[tuple[Pair, Replay]] = []
    if target.ours:
        looked = _frozen(target)
        attempts, pairs = [_by_replay(looked), *_by_law(target, dict(looked))], [(_likeliest(looked), WORST)]
    else:
        attempts, pairs = [], _by_pilot(target)
    for place, (pair, name) in enumerate(pairs):
        bound = lower_bound(
            target.release,
            pair.left,
            pair.right,
            delta=target.delta,
            samples=draws,
            confidence=1 - (1 - confidence) / len(pairs),
            progress=progress if place + 1 == len(pairs) else None,
        )
        attempts.append(_by_samples(target, name, pair, bound))
    statement = Statement(target.name, "estimator", target.epsilon, target.delta, target.adjacency)
    tried = max(len(looked), len(target.pairs))
    settings: dict[str, Any] = {"samples": draws, "confidence": confidence, "pairs": tried}
    if looked:
        settings["moved"] = looked[0][1].ratio
    return Audit(statement, tuple(attempts), settings)


def _likeliest(looked: list[tuple[Pair, Replay]]) -> Pair:
    """Of the pairs that are all but the worst the simplest: its laws differ on one event, not on a rare choice."""
    if looked[0][1].problems:
        return looked[0][0]
    near = {pair.case for pair, found in looked if found.ratio >= NEAR * looked[0][1].ratio}
    plain = [pair for pair, _ in looked if pair.case in near and SIMPLEST in pair.case]
    return plain[0] if plain else looked[0][0]


def _frozen(target: Target) -> list[tuple[Pair, Replay]]:
    """Pairs and what a run with frozen noise showed on them, the worst first."""
    found = []
    for pair in target.pairs:
        try:
            found.append((pair, replay(target.release, pair.left, pair.right)))
        except AlwaysRaised:  # by a rule that it prints: both tables are refused, and alike
            continue
    if not found:
        raise InvalidInput("estimator: it refused every table it was given, check its options by fitting it once")
    if target.labels is not None:
        numbers = any(isinstance(label, float) for label in target.labels)
        rows, columns = target.pairs[0].left[0].shape
        size = float(np.linalg.norm(target.pairs[0].left[0], axis=1).max())
        climbed = worst_neighbours(
            target.release,
            rows,
            columns,
            labels=target.labels,
            row_norm=size,
            numbers=numbers,
            starts=round(STARTS * target.effort),
            climbs=round(CLIMBS * target.effort),
            sizes=(),
        )
        found.append((Pair(climbed.case, climbed.left, climbed.right), climbed.replayed))
    return sorted(found, key=lambda each: (-len(each[1].problems), -each[1].ratio))


def _by_pilot(target: Target) -> list[tuple[Pair, str]]:
    """Pairs that a few draws tell apart best: one where it answers alike, and one where it fails or warns on one table.

    The attack makes draws of its own, so it stays valid.
    """
    told: list[tuple[float, Pair, bool]] = []
    for pair in target.pairs:
        try:
            found = lower_bound(target.release, pair.left, pair.right, delta=target.delta, samples=PILOT)
        except AlwaysRaised:
            continue  # a release that refuses both tables says nothing about this pair
        said = found.left_raised != found.right_raised or found.left_warned != found.right_warned
        told.append((found.epsilon, pair, said))
    if not told:
        raise InvalidInput("estimator: it raised on every table it was given, check its options by fitting it once")
    chosen = []
    for raises, name in ((True, FAILING), (False, WORST)):
        kind = [(epsilon, pair) for epsilon, pair, raised in told if raised is raises]
        chosen += [(max(kind, key=lambda each: each[0])[1], name)] if kind else []
    return chosen


def _by_replay(replays: list[tuple[Pair, Replay]]) -> Attempt:
    """Equal control flow on every pair, and nothing further apart than stated."""
    pair, worst = replays[0]
    problems = [f"{one.case}: {problem}" for one, found in replays for problem in found.problems]
    told = (
        f"On {len(replays)} pairs both runs did the same, and values before noise were at most {worst.ratio:.3f} of"
        " what was stated apart."
    )
    if problems:
        told = f"The runs parted: {'; '.join(problems)}."
    return Attempt(
        "noise frozen on neighbours", not problems and worst.ratio <= 1 + TOLERANCE, told, pair=pair.case
    )  # fmt: skip


def _by_law(target: Target, replays: dict[Pair, Replay]) -> list[Attempt]:
    """The exact ε of the pairs, by whichever law is known; the largest is told."""
    name = NOISE_LAW
    of: Callable[[Pair], float | None] | None = None
    if target.law is not None:
        name, of = "outcomes enumerated", target.law
    elif target.plan is not None:
        name, of = "exact density", lambda pair: _by_density(target, pair)
    if of is not None:
        known = [(of(pair), pair) for pair in replays]
    else:
        known = [(of_noise(each, target.delta), pair) for pair, each in replays.items()]
    found = [(epsilon, pair) for epsilon, pair in known if epsilon is not None]
    if not found:
        return [] if of is None else [Attempt(name, None, "Not possible: these laws are too far apart to integrate.")]
    epsilon, pair = max(found, key=lambda each: each[0])
    held = epsilon <= target.epsilon * (1 + 1e-4)
    told = f"ε of this pair at δ = {target.delta:g} is {epsilon:.4g}, computed and not sampled."
    if of is not None and len(found) < len(known):
        told += f" Of {len(known)} pairs {len(known) - len(found)} are too far apart to integrate."
    if name == NOISE_LAW:
        told = f"{told[:-1]}; whatever is computed from what left the gate shows no more."
    return [Attempt(name, held, told, epsilon, target.epsilon, pair.case, exact=True)]


def _by_density(target: Target, pair: Pair) -> float | None:
    """Of objective perturbation with its second noise's part counted as if it were all used; None where the laws cannot
    be integrated: whoever has waited for the rest of an audit should see it."""
    assert target.plan is not None
    try:
        found = exact_audit(target.plan, pair.left, pair.right)
    except TooFarApart:
        return None
    return found.epsilon + target.plan.budget.epsilon - found.claim.epsilon


def of_noise(found: Replay, delta: float) -> float | None:
    """The exact ε of a pair from its frozen run, where all that leaves is values in noise of one known law.

    One trip in Laplace or spherical noise shows its distance in noise scales; Gaussian trips add up in squares.
    Other ways out (choices, votes, tilts) have laws of their own; a choice among equal scores shows nothing.
    """
    showing = [each for each in found.crossings if each.kind != "choice" or each.cost > 0]
    if found.problems or any(each.kind != "noise" for each in showing):
        return None
    laws = {each.law for each in showing}
    if laws == {Law.GAUSSIAN} and delta > 0:
        mu = math.sqrt(math.fsum(each.cost**2 for each in showing))
        return epsilon_of(Gaussian(mu), delta) if mu > 0 else 0.0
    if Law.GAUSSIAN not in laws and len(showing) == 1:
        return showing[0].cost
    return None


def _by_samples(target: Target, name: str, pair: Pair, bound: LowerBound) -> Attempt:
    """A bound above the claim breaks it.  Too few draws to do so say nothing."""
    needed = samples_needed(target.epsilon, target.delta, bound.confidence)
    held: bool | None = bound.epsilon <= target.epsilon
    told = (
        f"ε ≥ {bound.epsilon:.4g} at δ = {bound.delta:g}, confidence {bound.confidence:g}, {bound.samples} draws from"
        f" each table; event: {bound.event}."
    )
    if bound.left_raised or bound.right_raised:
        told += f" It raised {bound.left_raised} times on the first table and {bound.right_raised} on the second."
    if bound.left_warned or bound.right_warned:
        told += f" It warned {bound.left_warned} times on the first table and {bound.right_warned} on the second."
    if held and bound.samples < needed:
        held, told = None, f"{told} No {bound.samples} draws can refute this claim, {needed} might."
    if bound.assumes:
        told += f" This {bound.assumes}"
    return Attempt(name, held, told, bound.epsilon, target.epsilon, pair.case)
