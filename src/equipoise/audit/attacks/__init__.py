"""Attacks on people: membership, attributes, model inversion."""
