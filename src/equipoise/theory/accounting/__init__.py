"""Accounting: what releases cost, alone and together, and how much noise a budget buys."""

from equipoise.theory.accounting.bounded_range import delta_bounded_range, delta_bounded_range_iid
from equipoise.theory.accounting.calibrate import (
    ObjectiveLaw,
    gaussian_shift,
    objective_delta,
    objective_pure_epsilon_logistic,
    objective_pure_rate,
    objective_pure_rate_logistic,
    objective_sigma,
    rho_for,
    sigma_output,
    smallest_sigma,
)
from equipoise.theory.accounting.compose import Spent, total_delta, total_epsilon, total_spent, total_within
from equipoise.theory.accounting.convert import (
    advantage,
    delta_concentrated,
    delta_gaussian,
    delta_of,
    delta_pure,
    delta_renyi,
    epsilon_of,
    gaussian_to_concentrated,
    pure_to_concentrated,
    to_renyi,
    tpr_at_fpr,
)
from equipoise.theory.accounting.pld import second_opinion
from equipoise.theory.accounting.selection import (
    PoissonStop,
    TruncatedNegativeBinomial,
    base_for,
    random_stop,
    stop_with_mean,
)

__all__ = [
    "ObjectiveLaw",
    "PoissonStop",
    "Spent",
    "TruncatedNegativeBinomial",
    "advantage",
    "base_for",
    "delta_bounded_range",
    "delta_bounded_range_iid",
    "delta_concentrated",
    "delta_gaussian",
    "delta_of",
    "delta_pure",
    "delta_renyi",
    "epsilon_of",
    "gaussian_shift",
    "gaussian_to_concentrated",
    "objective_delta",
    "objective_pure_epsilon_logistic",
    "objective_pure_rate",
    "objective_pure_rate_logistic",
    "objective_sigma",
    "pure_to_concentrated",
    "random_stop",
    "rho_for",
    "second_opinion",
    "sigma_output",
    "smallest_sigma",
    "stop_with_mean",
    "to_renyi",
    "total_delta",
    "total_epsilon",
    "total_spent",
    "total_within",
    "tpr_at_fpr",
]
