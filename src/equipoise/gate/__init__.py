"""The only way out: plans are settled, private values opened and noise drawn here and nowhere else."""

from equipoise.gate.models.choose import MECHANISMS, choose
from equipoise.gate.models.mechanism import Mechanism
from equipoise.gate.noise import Bits, RandomState, bits_from
from equipoise.gate.source import noise_source

__all__ = ["MECHANISMS", "Bits", "Mechanism", "RandomState", "bits_from", "choose", "noise_source"]
