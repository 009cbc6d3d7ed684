"""Learning over the simplex and the L1 ball: public facts, plans and bounds.  Proofs: docs/proofs/simplex.md."""
