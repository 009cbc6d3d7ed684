"""A second opinion on composition, from Google's dp-accounting.

Its convolutions go through the FFT, whose rounding it does not bound: it can fall short of the truth, by about
1e-15 in δ (and even return a negative one).  So `total_epsilon` does not rely on it; tests and audits compare.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from typing import Any

from equipoise._checks import fraction, shown
from equipoise.errors import InvalidInput
from equipoise.theory.accounting.parts import Measures
from equipoise.theory.guarantees import Approximate, Gaussian, Measure, Pure

FFT_FLOOR = 1e-12
"""Below this δ the second opinion is rounding noise."""


def second_opinion(measures: Measures, delta: float, *, interval: float = 1e-4) -> float:
    """ε of pure, approximate and Gaussian measures together at `delta`, by privacy-loss distributions."""
    delta = fraction(delta=delta)
    if delta < FFT_FLOOR:
        raise InvalidInput(
            f"delta={shown(delta)}: privacy-loss distributions need delta >= {FFT_FLOOR}, use total_epsilon"
        )
    laws = [_law(measure, interval).self_compose(count) for measure, count in Counter(measures).items()]
    if not laws:
        return 0.0
    return float(reduce(lambda left, right: left.compose(right), laws).get_epsilon_for_delta(delta))


def _law(measure: Measure, interval: float) -> Any:
    """μ is already a shift in standard deviations, so no adjacency enters here."""
    from dp_accounting.pld import common  # here, not above: it takes a second
    from dp_accounting.pld import privacy_loss_distribution as pld

    match measure:
        case Pure(epsilon):
            return pld.from_privacy_parameters(common.DifferentialPrivacyParameters(epsilon, 0.0), interval)
        case Approximate(epsilon, delta):
            return pld.from_privacy_parameters(common.DifferentialPrivacyParameters(epsilon, delta), interval)
        case Gaussian(mu) if mu > 0:
            return pld.from_gaussian_mechanism(1 / mu, value_discretization_interval=interval)
        case Gaussian():
            return pld.identity(interval)
    raise InvalidInput(f"measure of type {type(measure).__name__}: has no privacy-loss distribution")
