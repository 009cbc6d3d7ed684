"""Mechanisms that release counts of records in public cells."""
