"""Choosing features."""
