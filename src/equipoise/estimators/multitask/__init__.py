"""Several related tasks, learnt together."""
