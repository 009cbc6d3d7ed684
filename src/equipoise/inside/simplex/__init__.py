"""Records with bounded entries, and the weights on corners that fit them."""
