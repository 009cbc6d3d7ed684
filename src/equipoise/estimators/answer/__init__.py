"""Predictors that keep everything inside and pay for each answer."""
