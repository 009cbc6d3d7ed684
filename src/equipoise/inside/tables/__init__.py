"""Counts and sums over the records."""
