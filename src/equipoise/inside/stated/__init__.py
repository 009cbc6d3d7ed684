"""Somebody else's fits, whose stability is the caller's word."""
