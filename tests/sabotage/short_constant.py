"""Defects of the shorter constant column of several classes."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "a shorter constant column"
SHORT = "gate/models/test_short_constant.py"

DEFECTS = (
    Defect(
        "short-constant-in-the-plan-alone",
        AREA,
        "Noise is made for the shorter column, and rows enter with the usual one.",
        "Slopes that are not evened have six per cent too little noise.",
        edited(
            "estimators.linear.base",
            (
                "replace(plan.facts.bounds, classes=listed)",
                "replace(plan.facts.bounds, classes=listed, intercept=self._given_bounds().intercept)",
            ),
        ),
        (f"{SHORT}::test_rows_of_a_fit_end_with_the_planned_column",),
    ),
    Defect(
        "short-constant-beside-a-ball",
        AREA,
        "A ball that the caller gave holds for coefficients of another column.",
        "What the card says of the ball is about other numbers than the caller meant.",
        edited("gate.models.short_constant", ("free = math.isinf(bounds.coef_norm) and", "free =")),
        (f"{SHORT}::test_what_a_caller_said_in_units_of_the_usual_column_keeps_it",),
    ),
    Defect(
        "short-constant-beside-a-centre",
        AREA,
        "A centre in the units of the usual column starts a walk over rows with the shorter one.",
        "The published model that the card names is not the one that was drawn to.",
        edited("gate.models.short_constant", ("and penalty.centre is None", "")),
        (f"{SHORT}::test_a_centre_keeps_the_usual_column",),
    ),
    Defect(
        "candidates-in-units-of-one-column",
        AREA,
        "A search takes every model for one of the first candidate's column.",
        "It pays for comparing models that nobody would be given.",
        edited(
            "estimators.search.choice",
            (
                "models = [_candidates.flat_model(model, bounds, problem.classes) for model in fitted]",
                "pairs = zip(fitted, problem.plans, strict=True)\n"
                "    models = [_candidates.flat_model(m, p.facts.bounds, problem.classes) for m, p in pairs]",
            ),
        ),
        (f"{SHORT}::test_candidates_with_other_columns_are_compared_by_what_they_predict",),
    ),
)
