"""Attacks on releases from the street: only what a stranger could do."""

from equipoise.audit.lower_bounds import LowerBound, lower_bound

__all__ = ["LowerBound", "lower_bound"]
