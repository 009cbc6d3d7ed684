"""Attacks on releases: from the street, with only what a stranger could do; and from inside, on synthetic tables, where
`replay` and `worst_neighbours` freeze the noise and look at what it hides."""

from equipoise.audit.attacks.attribute_inference import (
    AttributeInference,
    ValueInference,
    attribute_inference,
    value_inference,
)
from equipoise.audit.attacks.membership import Membership, RateAt, membership_inference
from equipoise.audit.attacks.model_inversion import Inversion, model_inversion
from equipoise.audit.attacks.value_inversion import ValueInversion, value_inversion
from equipoise.audit.bounds.lower_bounds import LowerBound, lower_bound, samples_needed
from equipoise.audit.bounds.one_run import OneRun, Planted, insert_canaries, one_run, one_run_audit, one_run_p_value
from equipoise.audit.exact.audits import Exact, exact_audit, exact_delta, exact_discrete, exact_epsilon
from equipoise.audit.frozen.neighbours import Worst, worst_neighbours
from equipoise.audit.frozen.replay import Replay, replay
from equipoise.audit.noise.audits import NoiseAudit, noise_audit
from equipoise.audit.plots import Claim, plot

__all__ = [
    "AttributeInference",
    "Claim",
    "Exact",
    "Inversion",
    "LowerBound",
    "Membership",
    "NoiseAudit",
    "OneRun",
    "Planted",
    "RateAt",
    "Replay",
    "ValueInference",
    "ValueInversion",
    "Worst",
    "attribute_inference",
    "exact_audit",
    "exact_delta",
    "exact_discrete",
    "exact_epsilon",
    "insert_canaries",
    "lower_bound",
    "membership_inference",
    "model_inversion",
    "noise_audit",
    "one_run",
    "one_run_audit",
    "one_run_p_value",
    "plot",
    "replay",
    "samples_needed",
    "value_inference",
    "value_inversion",
    "worst_neighbours",
]
