"""Searches over settings that pay for what they look at."""
