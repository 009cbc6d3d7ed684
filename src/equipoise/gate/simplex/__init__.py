"""Ways out that draw corners instead of adding noise."""
