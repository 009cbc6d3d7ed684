"""Output perturbation with the constant that Wu et al. 2015 print: for studies that set it beside ours.

Guarantee.  As output perturbation: the printed sensitivity is larger than the proved one, so it is safe.
Assumes.    Squared loss and a ball of coefficients.
Adjacency.  Replace-one.
Numerics.   As output perturbation.
Reference.  Wu, Fredrikson, Wu, Jha, Naughton 2015, Algorithm 4 (rls-out); docs/proofs/output_perturbation.md.
"""

from __future__ import annotations

from equipoise.errors import MechanismRefused
from equipoise.gate.models import output_perturbation
from equipoise.theory import sensitivity
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget
from equipoise.theory.plan import Facts, Plan

NAME = "output-as-printed"

predict_risk = output_perturbation.predict_risk
release = output_perturbation.release


def plan(facts: Facts, budget: Budget) -> Plan:
    """The same plan with (12R + 8)/(αn) for its sensitivity."""
    if facts.loss.name != "squared" or facts.adjacency is not Adjacency.REPLACE_ONE:
        raise MechanismRefused(f'mechanism="{NAME}": printed for the squared loss and replace-one alone, use "output"')
    return output_perturbation.plan_for(NAME, facts, budget, sensitivity.of_minimiser_as_printed(facts))
