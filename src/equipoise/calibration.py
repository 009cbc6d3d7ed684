"""Is a released classifier's probability to be believed?  On public rows free, on private ones charged."""

from equipoise.estimators.calibration import brier_score, reliability_curve
from equipoise.outside.calibration import BrierScore, Calibration

__all__ = ["BrierScore", "Calibration", "brier_score", "reliability_curve"]
