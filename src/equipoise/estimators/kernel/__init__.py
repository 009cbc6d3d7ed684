"""Kernel machines through public random features."""
