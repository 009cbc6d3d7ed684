"""From a table to a model on the command line: plan, fit, tune, predict, card."""
