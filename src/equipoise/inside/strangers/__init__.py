"""Models of other people: run apart, each with random numbers of its own, and nothing of them seen or heard."""

from __future__ import annotations

from equipoise.inside.strangers.alone import FAILED, Failed, alone, apart
from equipoise.inside.strangers.asking import in_parts, same, same_alone
from equipoise.inside.strangers.generators import Reach, renew, small_seed, with_key
from equipoise.rows.unseen import unseen

__all__ = [
    "FAILED",
    "Failed",
    "Reach",
    "alone",
    "apart",
    "in_parts",
    "renew",
    "same",
    "same_alone",
    "small_seed",
    "unseen",
    "with_key",
]
