"""The ways to release a mixture of corners, by the names a caller gives."""

from __future__ import annotations

from equipoise._checks import one_of, quoted
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.gate.noise import Bits
from equipoise.gate.simplex import frank_wolfe, sampling
from equipoise.inside import Private
from equipoise.inside.simplex.mixtures import Mixtures
from equipoise.ledger import Entry
from equipoise.outside.simplex.mixture import Mixture
from equipoise.theory.guarantees import Budget
from equipoise.theory.mechanisms import FRANK_WOLFE, SAMPLE
from equipoise.theory.plan import Facts
from equipoise.theory.simplex.corners import Corners
from equipoise.theory.simplex.plans import SampledPlan, SamplePlan

AUTO = "auto"
NAMES = (AUTO, SAMPLE.name, FRANK_WOLFE.name)


def plan(facts: Facts, corners: Corners, budget: Budget, mechanism: str, *, given: bool) -> SampledPlan:
    """Settled from public facts; "auto" takes the one of less predicted risk.  `given` is whether alpha was, which
    frank-wolfe has no use for."""
    if not facts.loss.smooth or facts.loss.outputs > 1:
        raise MechanismRefused(f"loss={quoted(facts.loss.name)}: needs a smooth loss of one score here")
    if one_of(NAMES, mechanism=mechanism) == SAMPLE.name or (mechanism == AUTO and given):
        return sampling.plan(facts, corners, budget, given)
    if mechanism == AUTO:
        return _better(facts, corners, budget)
    if given:
        raise InvalidInput('alpha: mechanism="frank-wolfe" has no entropy term, leave it at "auto"')
    return frank_wolfe.plan(facts, corners, budget)


def _better(facts: Facts, corners: Corners, budget: Budget) -> SampledPlan:
    stepping = frank_wolfe.plan(facts, corners, budget)
    try:
        sampled = sampling.plan(facts, corners, budget, False)
    except MechanismRefused:
        return stepping
    sampled_risk = sampling.predict_risk(sampled.facts, corners, budget)
    return sampled if sampled_risk <= frank_wolfe.predict_risk(stepping) else stepping


def release(records: Private[Mixtures], plan: SampledPlan, entry: Entry, bits: Bits) -> Mixture:
    """What the plan says."""
    if isinstance(plan, SamplePlan):
        return sampling.release(records, plan, entry, bits)
    return frank_wolfe.release(records, plan, entry, bits)
