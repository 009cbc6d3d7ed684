"""From a table and its schema to a released model: the encoder, `fit` and `evaluate`."""
