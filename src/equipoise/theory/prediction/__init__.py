"""Constants of answering without releasing a model."""
