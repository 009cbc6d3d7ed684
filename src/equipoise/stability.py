"""Stability, the currency: how far one replaced record moves an algorithm, and what follows for noise."""

from equipoise.theory.stability.averages import on_average, sgd_random_position, sgd_with_replacement
from equipoise.theory.stability.bound import Kind, StabilityBound
from equipoise.theory.stability.catalogue import catalogue_table
from equipoise.theory.stability.conversions import amplified_epsilon, from_uniform_stability
from equipoise.theory.stability.descents import SGD
from equipoise.theory.stability.gradient_steps import (
    sgd_averaging,
    sgd_decreasing_steps,
    sgd_minibatch,
    sgd_passes,
    sgd_step_size,
    sgd_steps,
    sgd_strongly_convex,
    sgd_strongly_convex_constant,
    sgd_with_kink,
)
from equipoise.theory.stability.minimisers import (
    bridge,
    elastic_net,
    elastic_net_as_printed,
    multi_task,
    ranking,
    regularised_erm,
    strongly_convex_losses,
)
from equipoise.theory.stability.momentum import HeavyBall, Nesterov
from equipoise.theory.stability.variants import (
    batch_normalisation,
    gradient_clipping,
    heavy_ball,
    nesterov,
    s_dropout,
)

__all__ = [
    "SGD",
    "HeavyBall",
    "Kind",
    "Nesterov",
    "StabilityBound",
    "amplified_epsilon",
    "batch_normalisation",
    "bridge",
    "catalogue_table",
    "elastic_net",
    "elastic_net_as_printed",
    "from_uniform_stability",
    "gradient_clipping",
    "heavy_ball",
    "multi_task",
    "nesterov",
    "on_average",
    "ranking",
    "regularised_erm",
    "s_dropout",
    "sgd_averaging",
    "sgd_decreasing_steps",
    "sgd_minibatch",
    "sgd_passes",
    "sgd_random_position",
    "sgd_step_size",
    "sgd_steps",
    "sgd_strongly_convex",
    "sgd_strongly_convex_constant",
    "sgd_with_kink",
    "sgd_with_replacement",
    "strongly_convex_losses",
]
