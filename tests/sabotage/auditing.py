"""Defects of the audits: what they look away from."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "auditing"
FAILURES = "audit/test_failures_are_outputs.py"
HARM = "An estimator that tells neighbours apart by failing passes its audit."

DEFECTS = (
    Defect(
        "audit-deaf-to-warnings",
        AREA,
        "A release that warns counts as one that says nothing.",
        "Warnings that depend on a record pass every audit.",
        edited(
            "audit.witness", ("_categories(heard)) if heard else output", "_categories(heard)) if None else output")
        ),
        (f"{FAILURES}::test_a_lower_bound_counts_it",),
    ),
    Defect(
        "audit-skips-refused-tables",
        AREA,
        "A pair of which the first table is refused is left out, whatever becomes of the second.",
        HARM,
        edited(
            "audit.frozen.replay",
            ("if isinstance(first, Raised) and first == second:", "if isinstance(first, Raised):"),
        ),
        (f"{FAILURES}::test_frozen_noise_shows_it_whichever_table_comes_first",),
    ),
    Defect(
        "words-of-an-error-not-told-apart",
        AREA,
        "Errors of one type count as one output, whatever they say.",
        "A message that quotes a record passes every audit.",
        edited(
            "audit.witness",
            (
                "Raised(type(error).__name__, _fingerprint(heard, _text(error)), _categories(heard))",
                "Raised(type(error).__name__)",
            ),
        ),
        (f"{FAILURES}::test_words_are_told_apart_but_not_kept",),
    ),
    Defect(
        "failing-on-a-person-tells-nothing",
        AREA,
        "Whoever makes a model fail is scored by somebody else's answer.",
        HARM,
        edited("audit.attacks.membership", ("return np.where(asked.raised, RAISED, found)", "return np.array(found)")),
        (f"{FAILURES}::test_people_on_whom_a_model_fails_are_found",),
    ),
    Defect(
        "refusing-ledger-ends-the-audit",
        AREA,
        "A ledger that refuses one table only is taken for one that the audit has spent.",
        HARM,
        edited("audit.bounds.sampling", ("if any(map(any, refused)) and all(later):", "if any(map(any, refused)):")),
        (f"{FAILURES}::test_a_ledger_that_refuses_one_table_only_is_an_output",),
    ),
)
