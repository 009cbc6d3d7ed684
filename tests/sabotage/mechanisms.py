"""Defects of the mechanisms that release a fitted model."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "mechanisms"
MECHANISMS = "gate/models/test_mechanisms.py"

DEFECTS = (
    Defect(
        "solver-radius-not-paid",
        AREA,
        "The distance between the solver's point and the minimiser is left out of the sensitivity.",
        "Two runs may stop on opposite sides: further apart than the noise hides.",
        edited(
            "gate.models.output_perturbation",
            ("added_noise(up(moved.l2 + 2 * radius)", "added_noise(up(moved.l2)"),
        ),
        (
            "gate/models/test_planned_noise.py::test_output_noise_covers_the_sensitivity_two_radii_and_the_grid",
            "gate/models/test_mechanisms.py::test_output_noise_is_as_small_as_the_theorem_allows",
        ),
    ),
    Defect(
        "intercept-released-without-noise",
        AREA,
        "Output perturbation adds no noise to the last coefficient, the intercept's.",
        "The intercept is a bare function of the records.",
        edited(
            "gate.models.output_perturbation",
            ("    # Uncorrelated errors", "    value[-1] = solution.reveal().point[-1]\n    # Uncorrelated errors"),
        ),
        (f"{MECHANISMS}::test_output_perturbation_adds_the_planned_law",),
    ),
    Defect(
        "output-noise-for-twice-epsilon",
        AREA,
        "Output perturbation is calibrated for 2ε and booked as ε.",
        "The promise is off by a factor of two in ε.",
        edited(
            "gate.models.added_noise",
            ("laws.pure(total, dim, budget.epsilon)", "laws.pure(total, dim, 2 * budget.epsilon)"),
            ("laws.gaussian(total, dim, budget.epsilon, ", "laws.gaussian(total, dim, 2 * budget.epsilon, "),
        ),
        (
            f"{MECHANISMS}::test_output_noise_is_as_small_as_the_theorem_allows",
            f"{MECHANISMS}::test_attacks_come_near_the_claim_but_not_past_it_and_catch_a_twin",
        ),
    ),
    Defect(
        "delta-used-by-a-pure-mechanism",
        AREA,
        "Gaussian noise is used and a pure event booked.",
        "The ledger counts no δ for a release that needs one.",
        edited(
            "gate.models.added_noise",
            (
                "event = gaussian_release(budget.epsilon, budget.delta, dim)",
                "event = pure_release(budget.epsilon, law.delta_numeric)",
            ),
        ),
        ("gate/models/test_planned_noise.py::test_the_event_costs_the_budget_and_no_more_and_is_of_the_noises_kind",),
    ),
    Defect(
        "released-under-any-entry",
        AREA,
        "A release asks for an open entry but not for the one that paid for it.",
        "A cheap reservation buys a dear release.",
        edited("gate.door", ("if not entry.open or not covers(entry.event, event):", "if not entry.open:")),
        (
            "gate/models/test_sufficient_statistics.py::test_nothing_is_released_without_an_open_entry_for_this_plan",
            "gate/models/test_functional_mechanism.py::test_nothing_is_released_without_an_open_entry_for_this_plan",
        ),
    ),
    Defect(
        "released-under-a-closed-entry",
        AREA,
        "The door opens for an entry that has been used up.",
        "One payment buys any number of releases.",
        edited(
            "gate.door",
            ("if not entry.open or not covers(entry.event, event):", "if not covers(entry.event, event):"),
        ),
        ("gate/models/test_sufficient_statistics.py::test_nothing_is_released_without_an_open_entry_for_this_plan",),
    ),
    Defect(
        "gradient-steps-not-shared",
        AREA,
        "Every noisy gradient gets the privacy that all together may have.",
        "T steps cost √T times the μ that the budget buys.",
        edited(
            "theory.accounting.prices",
            (
                "mu = down(shift_for(room.epsilon, delta) / math.sqrt(steps), FORMULA)",
                "mu = shift_for(room.epsilon, delta)",
            ),
        ),
        (f"{MECHANISMS}::test_noisy_gradients_spend_exactly_the_budget",),
    ),
    Defect(
        "gradient-steps-booked-as-one",
        AREA,
        "The ledger is told of one noisy gradient, however many there are.",
        "Other releases are allowed that the budget has no room for.",
        edited(
            "theory.accounting.prices",
            ("return GaussianRelease(mu, steps, room", "return GaussianRelease(mu, 1, room"),
        ),
        ("gate/models/test_planned_noise.py::test_the_event_costs_the_budget_and_no_more_and_is_of_the_noises_kind",),
    ),
    Defect(
        "gradient-noise-of-the-starting-point",
        AREA,
        "Every noisy gradient has the noise that suits the starting point.",
        "Further out gradients are longer and stand above their noise.",
        edited(
            "gate.models.noisy_gradients",
            ("moved = sensitivity.of_mean_gradient(facts, norm)", "moved = sensitivity.of_mean_gradient(facts, 0.0)"),
        ),
        (f"{MECHANISMS}::test_each_noisy_gradient_has_the_noise_of_its_own_point",),
    ),
    Defect(
        "every-second-gradient-bare",
        AREA,
        "Every second gradient is used without noise.",
        "The released average depends on exact gradients.",
        edited(
            "gate.models.noisy_gradients",
            (
                "gradient = _noisy_gradient(records, plan, point, noise, entry, bits) + facts.penalty.gradient(point)",
                "bare = evened_gradient(records, facts, point).reveal()\n"
                "        noisy = _noisy_gradient(records, plan, point, noise, entry, bits)\n"
                "        gradient = (bare if step % 2 else noisy) + facts.penalty.gradient(point)",
            ),
        ),
        ("gate/models/test_replayed_release.py::test_iterates_are_made_of_noisy_gradients_alone",),
    ),
    Defect(
        "momentum-of-bare-gradients",
        AREA,
        "The momentum that is carried on is made of exact gradients.",
        "Every iterate after the first holds part of a gradient without noise.",
        edited(
            "gate.models.noisy_gradients",
            (
                "walked, speed = moved, moved - walked",
                "exact = evened_gradient(records, facts, point).reveal() + facts.penalty.gradient(point)\n"
                "        walked, speed = moved, -schedule.step_size * exact + schedule.momentum * speed",
            ),
        ),
        ("gate/models/test_replayed_release.py::test_iterates_are_made_of_noisy_gradients_alone",),
    ),
    Defect(
        "anchor-not-paid",
        AREA,
        "The mean residual is released on top of steps that spend the whole budget.",
        "One more release than the ledger knows of.",
        edited(
            "gate.models.noisy_gradients",
            ("for each in (last, first, measure) if", "for each in (first, measure) if"),
        ),
        ("gate/models/test_anchor.py::test_steps_and_anchor_together_spend_exactly_the_budget",),
    ),
    Defect(
        "anchor-as-private-as-its-price-squared",
        AREA,
        "An anchor at the price of k steps has k times the privacy loss of a step, not √k times.",
        "Its noise is √k too small.",
        edited("gate.models.anchor", ("math.isqrt(last.steps) * plan", "last.steps * plan")),
        ("gate/models/test_anchor.py::test_steps_and_anchor_together_spend_exactly_the_budget",),
    ),
    Defect(
        "anchor-residual-moves-one-way",
        AREA,
        "The sensitivity of the mean residual supposes that a replaced residual was zero.",
        "Two labels at the ends of their range are twice as far apart.",
        edited("theory.sensitivity", ("else 2 * slope\n", "else slope\n")),
        (
            "gate/models/test_anchor.py"
            "::test_replacing_a_record_moves_the_mean_residual_by_the_stated_sensitivity_and_never_more",
        ),
    ),
    Defect(
        "anchor-without-noise",
        AREA,
        "The intercept is moved by the exact mean residual.",
        "It is a bare function of the records.",
        edited(
            "gate.models.anchor",
            (
                "value[-1] = -found / column**2",
                "value[-1] = -mean_residual(records, last.loss, facts.n, value).reveal()[0] / column**2",
            ),
        ),
        ("gate/models/test_anchor.py::test_the_intercept_is_moved_by_what_passed_the_door_and_by_nothing_else",),
    ),
    Defect(
        "squared-labels-too-heavy",
        AREA,
        "The sum of squared labels weighs twice what the sensitivity allows for.",
        "One label moves the released moments further than the noise hides.",
        edited(
            "gate.models.sufficient_statistics",
            ("down(math.sqrt(2 * q2 * (1 + q2)))", "2 * math.sqrt(2 * q2 * (1 + q2))"),
        ),
        (
            "gate/models/test_sufficient_statistics.py::test_a_replaced_record_reaches_the_sensitivity_and_never_exceeds_it",
        ),
    ),
    Defect(
        "off-diagonal-too-heavy",
        AREA,
        "Products of two columns are weighted by 2 instead of √2.",
        "The moments move further than their norm was said to.",
        edited("theory.triangles", ("1.0, down(math.sqrt(2)))", "1.0, 2.0)")),
        (
            "gate/models/test_sufficient_statistics.py::test_a_replaced_record_reaches_the_sensitivity_and_never_exceeds_it",
        ),
    ),
    Defect(
        "squared-labels-without-noise",
        AREA,
        "The sum of squared labels leaves without noise.",
        "One label can be read off the difference of two releases, and standard errors give it away.",
        edited(
            "gate.models.sufficient_statistics",
            (
                "moments = _read(add_noise(statistics, plan.noise, plan.event, entry, bits), plan)",
                "noisy = add_noise(statistics, plan.noise, plan.event, entry, bits)\n"
                "    noisy[-1] = statistics.reveal()[-1]\n    moments = _read(noisy, plan)",
            ),
        ),
        (
            "gate/models/test_sufficient_statistics.py::test_the_moments_leave_with_the_planned_law",
            "gate/models/test_replayed_release.py::test_every_moment_that_is_used_has_passed_the_door",
        ),
    ),
    Defect(
        "functional-products-too-heavy",
        AREA,
        "The functional mechanism releases −4yx where its sensitivity speaks of −2yx.",
        "The linear part of the objective moves twice as far as the noise hides.",
        edited(
            "gate.models.functional_mechanism",
            ("np.where(rows == columns, 1.0, 2.0), 2.0, 0.0)", "np.where(rows == columns, 1.0, 2.0), 4.0, 0.0)"),
        ),
        ("gate/models/test_functional_mechanism.py::test_with_next_to_no_privacy_ridge_regression_comes_out",),
    ),
    Defect(
        "each-column-chosen-at-the-whole-share",
        AREA,
        "Every column is chosen with all of the ε that all choices may spend together.",
        "Keeping k columns costs k times the share.",
        edited(
            "gate.models.projected_histogram", ("down(epsilon * CHOICE_SHARE / kept)", "down(epsilon * CHOICE_SHARE)")
        ),
        ("gate/models/test_projected_histogram.py::test_the_split_never_exceeds_the_budget",),
    ),
    Defect(
        "columns-chosen-without-noise",
        AREA,
        "The columns with the largest scores are kept, exactly.",
        "Which columns were kept tells about single records without any ε.",
        edited(
            "gate.models.projected_histogram",
            (
                "permute_and_flip(scores_at(scores, left), score_sensitivity(made.cells), made.choice, entry, bits)",
                "int(np.argmax(scores_at(scores, left).reveal()))",
            ),
        ),
        (
            "gate/models/test_projected_histogram.py::test_each_column_is_chosen_at_its_share_of_epsilon_and_never_twice",
        ),
    ),
    Defect(
        "ridge-leaves-the-intercept-alone",
        AREA,
        "The ridge does not act on the intercept, as is customary without privacy.",
        "Nothing bounds how far one record moves the intercept.",
        edited(
            "theory.regularisers.l2",
            (
                "        return w if self.centre is None else w - np.asarray(self.centre)\n",
                "        away = w.copy() if self.centre is None else w - np.asarray(self.centre)\n"
                "        away[-1] = 0.0\n        return away\n",
            ),
        ),
        ("inside/test_objective.py::test_hessian_is_the_slope_of_the_gradient",),
    ),
    Defect(
        "opened-beside-the-door",
        AREA,
        "A mechanism opens the minimiser itself.",
        "What leaves that way has no noise and no payment is checked.",
        edited(
            "gate.models.output_perturbation",
            ("    # Uncorrelated errors", "    value += 0 * solution.reveal().point\n    # Uncorrelated errors"),
        ),
        ("architecture/test_architecture.py::test_only_the_door_opens_private_values",),
    ),
    Defect(
        "a-copy-kept-on-the-way",
        AREA,
        "An estimator hands a private value a function that keeps it.",
        "The bare records are in a list that anybody can read.",
        edited(
            "estimators._fit",
            ("        released = MECHANISMS", "        enter(entry).map([].append)\n        released = MECHANISMS"),
        ),
        ("architecture/test_architecture.py::test_only_inside_computes_on_private_values",),
    ),
    Defect(
        "a-copy-kept-inside",
        AREA,
        "A function inside keeps the value it is given.",
        "The bare records are in a list that anybody can read.",
        edited(
            "inside",
            (
                "    return records.map(lambda inner: inner.summed(of)",
                "    records.map(KEPT.append)\n    return records.map(lambda inner: inner.summed(of)",
            ),
            ("__all__ = [", "KEPT: list[object] = []\n\n__all__ = ["),
        ),
        ("architecture/test_architecture.py::test_no_function_handed_to_a_private_value_keeps_it",),
    ),
    Defect(
        "opened-before-payment-is-checked",
        AREA,
        "The door opens the value before it asks who paid.",
        "A refusal may already have computed on the records.",
        edited(
            "gate.door",
            (
                "    check_paid(entry, event)\n    return weighted_choice(_as_many(scores.reveal(), ",
                "    opened = scores.reveal()\n    check_paid(entry, event)\n"
                "    return weighted_choice(_as_many(opened, ",
            ),
        ),
        ("architecture/test_architecture.py::test_the_door_checks_payment_before_it_opens",),
    ),
    Defect(
        "event-made-in-the-gate",
        AREA,
        "A count makes the event it is debited by itself, beside the accounting.",
        "What is paid for is decided where no reviewer of prices looks.",
        edited(
            "gate.tables.clipped",
            ("return pure_release(self.budget.epsilon)", "return PureRelease(self.budget.epsilon)"),
        ),
        ("architecture/test_accounts.py::test_events_are_made_in_theory_alone",),
    ),
    Defect(
        "slack-reckoned-in-an-estimator",
        AREA,
        "A search states the slack of noise on scores by itself, as none.",
        "What the grid adds to ε is decided where no reviewer of prices looks.",
        edited(
            "estimators.search.runs",
            ("slack import NO_SLACK", "slack import NO_SLACK, Slack"),
            ("else noise.slack", "else Slack(0.0, noise.slack.tail)"),
        ),
        ("architecture/test_accounts.py::test_slack_is_reckoned_in_theory_alone",),
    ),
)
