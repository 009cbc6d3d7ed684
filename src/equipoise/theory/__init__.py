"""Pure mathematics: no records, no randomness, no files."""
