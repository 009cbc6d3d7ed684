"""The standing comparison: what a private model is worth, here and elsewhere, at the same ε on the same rows."""
