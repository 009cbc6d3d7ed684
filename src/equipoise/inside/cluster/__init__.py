"""Records on many machines: each part is kept where it was read, and all that travels are sums over parts."""

from equipoise.inside.cluster.crew import Crew
from equipoise.inside.cluster.parts import Reader, Seen
from equipoise.inside.cluster.spread import enter_spread

__all__ = ["Crew", "Reader", "Seen", "enter_spread"]
