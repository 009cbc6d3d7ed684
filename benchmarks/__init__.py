"""Measurements whose results are committed: accuracy, speed, and other packages under the same audit."""
