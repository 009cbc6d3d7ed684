"""What answers are computed from: private coefficients, shards, walks."""
