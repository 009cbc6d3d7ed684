"""Lower bounds on ε from samples: what an honest attacker can prove."""
