"""`equipoise audit`."""
