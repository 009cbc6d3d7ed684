"""Released shapes: values, noise, pictures."""
