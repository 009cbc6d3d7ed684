"""Attacks on releases from the street: only what a stranger could do."""

from equipoise.audit.lower_bounds import LowerBound, lower_bound
from equipoise.audit.model_inversion import Inversion, model_inversion

__all__ = ["Inversion", "LowerBound", "lower_bound", "model_inversion"]
