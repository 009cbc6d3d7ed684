"""The catalogue of stable algorithms: how far one replaced record moves each, where that is proved.

One function for each algorithm; a bound carries what it bounds, what it assumes and the theorem.  An algorithm without
a worst-case bound has a function too, which refuses and says why.  Proofs: docs/proofs/stability.md.
"""
