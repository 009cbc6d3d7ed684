"""Linear models with a stated guarantee: one estimator per file."""
