"""Defects of draws over the simplex, of Frank and Wolfe's steps and of experts followed in rounds."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "simplex"
ATTACKS = "theory/test_simplex_attacks.py"
DRAWS = "theory/test_simplex_draws.py"
SOLVER = "inside/test_simplex_solver.py"
LAWS = "gate/simplex/test_exact_laws.py"
MODELS = "estimators/simplex/test_simplex_models.py"
ROUNDS = "estimators/simplex/test_simplex_ftrl.py"

DEFECTS: tuple[Defect, ...] = (
    Defect(
        "log-ratio-halved",
        AREA,
        "The log-ratio of a weight is stated at half its size.",
        "Twice as many columns are drawn as ε pays for.",
        edited(
            "theory.sensitivity",
            ("up(2 * push * (1 + math.sqrt(1 + bend)))", "up(push * (1 + math.sqrt(1 + bend)))"),
        ),
        (f"{ATTACKS}::test_one_log_ratio_is_nearly_attained_and_never_exceeded",),
    ),
    Defect(
        "range-without-its-curvature",
        AREA,
        "The range of the log-ratios is taken as if the loss did not bend.",
        "With δ too many columns are drawn, by a factor that grows with κ.",
        edited("theory.sensitivity", ("spread = up(push * (4 + 2 * math.sqrt(bend)))", "spread = up(push * 4)")),
        (f"{ATTACKS}::test_the_range_is_nearly_attained_and_never_exceeded",),
    ),
    Defect(
        "rows-of-a-person-forgotten-in-weights",
        AREA,
        "What a person's rows do to a weight is what one row does.",
        "A person with k rows loses k times ε.",
        edited(
            "theory.sensitivity",
            ("up(facts.together * facts.loss.facts(reach).slope * reach", "up(facts.loss.facts(reach).slope * reach"),
        ),
        (f"{ATTACKS}::test_the_range_is_nearly_attained_and_never_exceeded",),
    ),
    Defect(
        "residual-not-paid-for",
        AREA,
        "The solver's residual is left out of the log-ratios.",
        "What a solver adds to the weights is released without being paid for.",
        edited(
            "gate.simplex.sampling",
            ("sensitivity.of_log_weights(facts, residual), error", "sensitivity.of_log_weights(facts), error"),
        ),
        (f"{MODELS}::test_a_plan_states_its_event_and_its_draws",),
    ),
    Defect(
        "weights-error-not-paid-for",
        AREA,
        "Whole-number weights are taken for the law of the theorem.",
        "Arithmetic moves log-ratios for nothing.",
        edited("theory.simplex.draws", ("up(ratios.each + 2 * error)", "up(ratios.each)")),
        (f"{DRAWS}::test_arithmetic_widens_both_bounds",),
    ),
    Defect(
        "one-draw-too-many",
        AREA,
        "One column is drawn beyond what fits into ε.",
        "A small ε is exceeded by as much again.",
        edited("theory.simplex.draws", ("// Fraction(positive(each=each)))", "// Fraction(positive(each=each))) + 1")),
        (f"{DRAWS}::test_pure_draws_are_the_whole_times_that_one_fits_into_epsilon",),
    ),
    Defect(
        "weights-without-a-certificate",
        AREA,
        "The first candidate of the solver is taken for the minimiser.",
        "The theorem speaks of other weights than those drawn from.",
        edited(
            "inside.simplex.solver",
            ("if residual_of(problem, candidate, alpha) + course.rounding <= course.residual:", "if True:"),
        ),
        (f"{SOLVER}::test_both_ways_meet_the_planned_residual_and_find_the_minimiser",),
    ),
    Defect(
        "sure-way-cut-short",
        AREA,
        "Dual averaging gets a tenth of the steps that its proof asks for.",
        "On tables where the quick way fails, weights leave without their certificate.",
        edited("theory.simplex.solving", ("steps = math.ceil(2 * (1 + bend)", "steps = math.ceil(0.2 * (1 + bend)")),
        (f"{SOLVER}::test_both_ways_meet_the_planned_residual_and_find_the_minimiser",),
    ),
    Defect(
        "entries-not-clipped",
        AREA,
        "Entries of dense rows beyond their bound enter as they are.",
        "One record may move weights as far as it likes.",
        edited("rows.entries", ("np.clip(table, -self.bound, self.bound, out=table)", "pass")),
        (f"{MODELS}::test_entries_a_little_beyond_the_bound_count_as_the_bound",),
    ),
    Defect(
        "draws-unpaid",
        AREA,
        "The door draws before it asks whether that was paid for.",
        "A release without an entry.",
        edited(
            "gate.door",
            (
                "    check_paid(entry, event)\n    return draw_by_weights(",
                "    return draw_by_weights(",
            ),
        ),
        ("architecture/test_architecture.py::test_the_door_checks_payment_before_it_opens",),
    ),
    Defect(
        "no-uniform-part",
        AREA,
        "Weights are not mixed with the uniform law, so the smallest are whatever one step of rounding makes them.",
        "A tiny weight's log-ratio is unbounded.",
        edited("gate.noise.weights", ("    shares += MIXED / len(shares)\n", "")),
        (f"{LAWS}::test_whole_weights_are_within_the_stated_error_of_the_mixed_law",),
    ),
    Defect(
        "steps-twice-as-sharp",
        AREA,
        "Frank and Wolfe's steps choose by twice the rate that was composed.",
        "Each step costs twice its share.",
        edited(
            "gate.simplex.frank_wolfe",
            ("min(most, down(left / (2 * moved), FORMULA))", "min(most, down(left / moved, FORMULA))"),
        ),
        (f"{MODELS}::test_a_plan_states_its_event_and_its_draws",),
    ),
    Defect(
        "costs-shift-half-as-far",
        AREA,
        "A replaced cost vector is said to shift exponents half as far as it can.",
        "Every round costs twice what was debited.",
        edited(
            "theory.simplex.rounds",
            ("cost_bound * max(4 / (most", "cost_bound * max(2 / (most"),
            ("eta = up(4 * cost_bound / smoothing", "eta = up(2 * cost_bound / smoothing"),
        ),
        (f"{LAWS}::test_pure_rounds_are_nearly_attained",),
    ),
    Defect(
        "half-a-horizon-paid",
        AREA,
        "Half of the horizon's draws are debited.",
        "The rest is free.",
        edited("theory.simplex.rounds", ("return self.horizon - 1", "return self.horizon // 2")),
        (f"{ROUNDS}::test_the_whole_horizon_is_debited_at_the_first_call_and_nothing_later",),
    ),
    Defect(
        "asked-twice-drawn-twice",
        AREA,
        "A decision that is asked for again in its round is drawn again.",
        "As many draws as one likes for one payment.",
        edited(
            "estimators.simplex.simplex_ftrl",
            ("if len(self.decisions_) > self.rounds_:", "if len(self.decisions_) > self.rounds_ + 1:"),
        ),
        (f"{ROUNDS}::test_a_decision_stands_until_its_cost_is_known",),
    ),
    Defect(
        "horizons-remember",
        AREA,
        "A new horizon starts with the costs of the last.",
        "A cost vector is used in every later horizon and paid for once.",
        edited(
            "estimators.simplex.simplex_ftrl",
            (
                "self._totals = no_costs(plan.experts)",
                'self._totals = vars(self).get("_totals", no_costs(plan.experts))',
            ),
        ),
        (f"{ROUNDS}::test_a_new_horizon_knows_nothing_of_the_last",),
    ),
)
