"""Regularisers: data-independent, convex, with their strong convexity beside them."""

from equipoise.theory.regularisers.bridge import Bridge
from equipoise.theory.regularisers.contract import Penalty
from equipoise.theory.regularisers.elastic import Elastic
from equipoise.theory.regularisers.entropy import Entropy
from equipoise.theory.regularisers.l2 import L2

__all__ = ["L2", "Bridge", "Elastic", "Entropy", "Penalty"]
