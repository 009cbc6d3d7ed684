"""Constants of choosing settings privately."""
