"""Audits by laws that are computed, not sampled."""
