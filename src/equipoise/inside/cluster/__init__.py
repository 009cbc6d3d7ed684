"""Records on many machines: each part is kept where it was read, and all that travels are sums over parts."""

from equipoise.inside.cluster.crew import Crew, Pick
from equipoise.inside.cluster.parts import Reader, Seen
from equipoise.inside.cluster.spread import Persons, enter_spread, some_of, sum_spread

__all__ = ["Crew", "Persons", "Pick", "Reader", "Seen", "enter_spread", "some_of", "sum_spread"]
