"""Released mixtures of corners, and their files."""
