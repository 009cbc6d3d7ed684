"""Studies: what a private model would mean in practice, beyond its accuracy."""

from equipoise.studies.clinical_risk import Relative, Risk, clinical_risk

__all__ = ["Relative", "Risk", "clinical_risk"]
