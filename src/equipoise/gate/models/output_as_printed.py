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
from equipoise.gate.models.mechanism import Mechanism, Needs
from equipoise.theory import sensitivity
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget
from equipoise.theory.mechanisms import OUTPUT_AS_PRINTED
from equipoise.theory.plan import Facts, OutputPlan

NAME = OUTPUT_AS_PRINTED.name


def plan(facts: Facts, budget: Budget) -> OutputPlan:
    """The same plan with (12R + 8)/(αn) for its sensitivity."""
    if not facts.loss.traits.quadratic or facts.adjacency is not Adjacency.REPLACE_ONE:
        raise MechanismRefused(f'mechanism="{NAME}": printed for the squared loss and replace-one alone, use "output"')
    return output_perturbation.plan_for(NAME, facts, budget, sensitivity.of_minimiser_as_printed(facts))


MECHANISM = Mechanism(
    about=OUTPUT_AS_PRINTED,
    needs=Needs(quadratic=True),
    plan=plan,
    release=output_perturbation.release,
    predict_risk=output_perturbation.predict_risk,
    steady=output_perturbation.steady,
    in_auto=False,
    on_grid=True,
)
