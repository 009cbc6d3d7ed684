"""Densities of numbers, released as private histograms."""
