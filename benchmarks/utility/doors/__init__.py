"""Other packages, each in an environment of its own, asked through a process."""
