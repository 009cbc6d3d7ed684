"""How long things take, relative to a named baseline in the same run."""
