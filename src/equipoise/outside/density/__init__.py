"""Released densities, their files and pictures."""
