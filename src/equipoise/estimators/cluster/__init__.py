"""Tables that lie on many machines: which engine computes, and how its tables become records."""
