"""`equipoise demo`."""
