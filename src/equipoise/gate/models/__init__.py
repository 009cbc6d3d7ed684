"""Mechanisms that release a fitted model: one file each."""
