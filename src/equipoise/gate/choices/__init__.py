"""Mechanisms that release which candidate won, and nothing else."""
