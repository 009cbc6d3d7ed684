"""How well models do on private records."""
