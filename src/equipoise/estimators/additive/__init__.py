"""Additive models with a stated guarantee: one shape per column."""
