"""Studies: what a private model would mean in practice, beyond its accuracy."""

from equipoise.studies.warfarin.clinical_risk import Relative, Risk, clinical_risk

__all__ = ["Relative", "Risk", "clinical_risk"]
