"""Defects of what is said before anything is spent: the guard around private fits, and warnings of prices."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "guard"
GUARD = "estimators/test_guard.py"

DEFECTS = (
    Defect(
        "the-guard-speaks-after-the-debit",
        AREA,
        "What stands around a fit is looked at when the model has been released.",
        "Whoever makes errors of such warnings has paid for nothing.",
        edited(
            "estimators.linear.base",
            (
                "        warn_before_spending(self, self.epsilon, needed, plan.facts.records, bits.seeded)\n\n"
                "        entrance = self._entrance(rows, labels, bounds, plan, bits)\n"
                "        del rows, labels  # the design decides what is held from now on\n"
                "        released = release(entrance, plan, ledger, type(self).__name__, bits)\n",
                "        entrance = self._entrance(rows, labels, bounds, plan, bits)\n"
                "        del rows, labels  # the design decides what is held from now on\n"
                "        released = release(entrance, plan, ledger, type(self).__name__, bits)\n"
                "        warn_before_spending(self, self.epsilon, needed, plan.facts.records, bits.seeded)\n",
            ),
        ),
        (f"{GUARD}::test_the_warning_comes_before_the_debit",),
    ),
    Defect(
        "unknown-steps-count-as-safe",
        AREA,
        "A step of a class that nobody knows is taken to learn nothing.",
        "What it learns from the rows leaves with the model, unpaid and unnoticed.",
        edited(
            "estimators._stateless",
            ("    return not get_tags(step).requires_fit\n\n\ndef _holds", "    return True\n\n\ndef _holds"),
        ),
        (f"{GUARD}::test_what_learns_around_a_private_fit_is_named_by_its_type",),
    ),
    Defect(
        "given-categories-may-end-in-an-error",
        AREA,
        "An encoder with given categories counts as safe even if an unknown one is an error.",
        "The error tells, for nothing, that a record holds something else.",
        edited("estimators._stateless", (' and step.handle_unknown != "error"', "")),
        (f"{GUARD}::test_steps_are_judged_by_type_and_parameters",),
    ),
    Defect(
        "parts-of-a-union-are-not-looked-at",
        AREA,
        "Of a column transformer only the class is looked at, and it is on the list.",
        "A scaler inside it learns unnoticed.",
        edited("estimators._stateless", ("[*(each[1] for each in step.transformers), step.remainder]", "[]")),
        (f"{GUARD}::test_what_learns_around_a_private_fit_is_named_by_its_type",),
    ),
    Defect(
        "delta-is-compared-with-one",
        AREA,
        "A delta is found too large from 1 on, whatever the number of rows.",
        "A delta that lets a whole row out passes without a word.",
        edited("estimators._warnings", ("if delta * records >= 1:", "if delta >= 1:")),
        (f"{GUARD}::test_prices_that_promise_little_are_named_before_the_debit",),
    ),
)
