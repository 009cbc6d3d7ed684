"""Defects of steps that are measured in second moments."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "steps in a metric"
METRIC = "gate/models/test_metric.py"
NUMBERS = "gate/models/test_metric_of_numbers.py"
AIMING = "theory/test_aiming.py"
SEVERAL = "gate/models/test_metric_of_several.py"

DEFECTS = (
    Defect(
        "metric-moved-by-one-row",
        AREA,
        "Second moments are said to move by one row's, as if the other row had none.",
        "Rows at right angles are hidden by seven tenths of the noise they need.",
        edited("theory.metric", ("change = math.sqrt(2) +", "change = 1.0 +")),
        (f"{METRIC}::test_what_is_stated_is_attained_at_right_angles",),
    ),
    Defect(
        "metric-free-of-charge",
        AREA,
        "The steps' budget is not shared with the metric.",
        "Moments are released on top of what was paid for.",
        edited(
            "gate.models.noisy_gradients", ("for each in (last, first, measure) if", "for each in (last, first) if")
        ),
        (f"{METRIC}::test_steps_and_metric_together_spend_exactly_the_budget",),
    ),
    Defect(
        "metric-price-without-its-root",
        AREA,
        "At the price of k steps the metric gets k times the privacy of a step instead of √k times.",
        "Moments have half of the noise they were paid for, at a price of four.",
        edited("gate.models.metric", ("own = math.isqrt(first.steps) * mu", "own = first.steps * mu")),
        (f"{METRIC}::test_steps_and_metric_together_spend_exactly_the_budget",),
    ),
    Defect(
        "metric-slack-of-a-gradient",
        AREA,
        "The slack of draws is that of as many numbers as a gradient has.",
        "What the lattice leaves open of half the square of the columns is not covered.",
        edited(
            "gate.models.noisy_gradients",
            ("numbers = facts.dim if measure is None else metric.most_numbers(facts)", "numbers = facts.dim"),
        ),
        (f"{METRIC}::test_the_slack_of_draws_is_that_of_as_many_numbers_as_moments_have",),
    ),
    Defect(
        "metric-where-the-number-of-rows-is-secret",
        AREA,
        "A metric is offered under add-remove and for persons.",
        "A person's rows move the moments together, by more than noise was made for.",
        edited(
            "gate.models.metric", ("return as_they_are and _counted(facts) and free", "return as_they_are and free")
        ),
        (f"{METRIC}::test_it_is_offered_only_where_its_proof_and_its_figures_hold",),
    ),
    Defect(
        "metric-weights-squared",
        AREA,
        "Rows count by the square of their weights in the moments.",
        "Short rows move the moments by up to five times their part.",
        edited(
            "inside.tables.moments",
            (
                "gram += block.weighted_gram(counts)\n        return gram[",
                "gram += block.weighted_gram(counts**3)\n        return gram[",
            ),
        ),
        (
            f"{METRIC}::test_no_record_counts_for_more_than_the_longest_row",
            f"{METRIC}::test_moments_are_those_made_row_by_row",
        ),
    ),
    Defect(
        "metric-unmeasured",
        AREA,
        "Noise is made for moments over n, and moments over half of n are released.",
        "A row moves them by twice what is hidden.",
        edited(
            "gate.models.metric",
            ("triangles.stretch(facts.features) / facts.n", "2 * triangles.stretch(facts.features) / facts.n"),
        ),
        (
            f"{METRIC}::test_moments_pass_the_door_once_and_every_gradient_after_them",
            f"{METRIC}::test_a_replay_moves_as_far_as_was_paid_for_and_no_further",
        ),
    ),
    Defect(
        "metric-of-a-file-unheard",
        AREA,
        "Who audits a file does not compare the metric's noise with its sensitivity.",
        "A file that states a thousandth of the noise passes.",
        edited("audit.subjects.stored", ("and 0 < moved <= stated * scale * (1 + CLOSE)", "and 0 < moved")),
        ("audit/subjects/test_stored.py::test_what_comes_before_steps_is_held_against_the_claim",),
    ),
    Defect(
        "metric-of-a-file-unmoved",
        AREA,
        "Who audits a file believes any sensitivity of what comes before steps.",
        "A file that states a thousandth of it, and as little noise, passes.",
        edited("audit.subjects.stored", ("moved >= smallest and", "")),
        ("audit/subjects/test_stored.py::test_what_comes_before_steps_is_held_against_the_claim",),
    ),
    Defect(
        "aim-follows-its-own-noise",
        AREA,
        "A step's length is set by what it met along its own noise.",
        "Where noise is all there is coefficients grow: probabilities of nothing come out sure.",
        edited(
            "theory.aiming", ("float(ahead @ gradient) + noise**2 * float(np.sum(size))", "float(ahead @ gradient)")
        ),
        (f"{AIMING}::test_noise_does_not_make_coefficients_long_where_there_is_a_signal",),
    ),
    Defect(
        "aim-takes-noise-for-what-lasts",
        AREA,
        "The noise of older gradients is forgotten sooner than they are.",
        "Steps become longer along what is noise.",
        edited("theory.aiming", ("MEMORY**2 * self.variance + ", "")),
        (f"{AIMING}::test_the_noise_of_what_lasts_is_known",),
    ),
    Defect(
        "aim-trusts-every-gradient",
        AREA,
        "Lengths are set by the last gradient alone, however noisy it is.",
        "Coefficients grow and shrink by factors of four from step to step.",
        edited("theory.aiming", ("trust = self._unsure / (self._unsure + error)", "trust = 1.0")),
        (f"{AIMING}::test_what_a_noisy_gradient_says_of_the_length_counts_the_less_the_noisier_it_is",),
    ),
    Defect(
        "aim-that-overflows",
        AREA,
        "Steps take released gradients of any size.",
        "One that is large beyond all measure ends the fit after it was paid for.",
        edited("theory.aiming", ("np.clip(gradient / self._norm, -LARGEST, LARGEST)", "gradient / self._norm")),
        (f"{AIMING}::test_no_gradient_makes_a_step_fail",),
    ),
    Defect(
        "metric-lost-beside-a-shorter-column",
        AREA,
        "A plan with a shorter constant column leaves its metric out.",
        "A long walk's step is taken in few steps: the card promises what was not planned.",
        edited(
            "gate.models.noisy_gradients",
            (
                "made = _made(facts, plan.budget, schedule, None, None, plan.metric)",
                "made = _made(facts, plan.budget, schedule, None)",
            ),
        ),
        (f"{SEVERAL}::test_a_shorter_constant_column_keeps_the_metric_and_its_price",),
    ),
    Defect(
        "metric-of-longer-rows",
        AREA,
        "The metric of a shorter constant column keeps the noise that was stated for the longer one.",
        "What the card states of the moments' noise is another number than what was added.",
        edited(
            "gate.models.noisy_gradients",
            (
                "metric=None if measure is None else metric.stated(facts, measure, event.mu),",
                "metric=measure if measure is None or measure.scale else metric.stated(facts, measure, event.mu),",
            ),
        ),
        (f"{SEVERAL}::test_a_shorter_constant_column_keeps_the_metric_and_its_price",),
    ),
    Defect(
        "classes-gradients-beside-their-noise",
        AREA,
        "Points of several classes are made of gradients without their noise.",
        "Every step releases a gradient that nobody hid.",
        edited(
            "gate.models.noisy_gradients",
            (
                "return add_noise(evened_gradient(records, plan.facts, point), noise, plan.event, entry, bits)",
                "add_noise(evened_gradient(records, plan.facts, point), noise, plan.event, entry, bits)\n"
                "    return evened_gradient(records, plan.facts, point).reveal()",
            ),
        ),
        (f"{SEVERAL}::test_moments_pass_the_door_once_and_every_point_is_made_of_what_passed",),
    ),
    Defect(
        "length-of-classes-known-too-well",
        AREA,
        "What is unsure of the length counts in each score by itself.",
        "Intervals of a class's coefficients are too narrow.",
        edited(
            "theory.aiming",
            ("np.sum(self._each(found) ** 2, axis=0)", "np.min(self._each(found) ** 2, axis=0)"),
        ),
        ("theory/test_aiming_of_several.py::test_variances_of_a_class_are_no_smaller_than_what_a_sum_over_scores_has",),
    ),
    Defect(
        "metric-lost-beside-an-anchor",
        AREA,
        "A plan with an anchor leaves its metric out of the price.",
        "Moments are released, and nobody pays for them.",
        edited(
            "gate.models.noisy_gradients",
            (
                "beside = sum(each.steps for each in (last, first, measure) if each is not None)",
                "beside = (last or first or measure).steps if last or first or measure else 0",
            ),
        ),
        (f"{NUMBERS}::test_steps_metric_and_anchor_together_spend_exactly_the_budget",),
    ),
    Defect(
        "metric-of-slots-unweighed",
        AREA,
        "In moments of an additive model the first of a cell's two slots counts for one more.",
        "A row moves the moments by up to four times what is hidden.",
        edited(
            "inside.design.coupled", ("(1.0 - parts).ravel(), parts.ravel()", "(2.0 - parts).ravel(), parts.ravel()")
        ),
        (
            f"{NUMBERS}::test_moments_of_an_additive_model_are_those_of_its_rows_written_out",
            f"{NUMBERS}::test_a_replaced_row_of_an_additive_model_moves_the_moments_by_no_more_than_is_stated",
        ),
    ),
    Defect(
        "metric-steps-that-overflow",
        AREA,
        "A step of numbers follows a released gradient of any size.",
        "One that is large beyond all measure ends the fit after it was paid for.",
        edited(
            "theory.metric",
            ("return found if np.isfinite(found).all() else point\n\n    def spread", "return found\n\n    def spread"),
        ),
        (f"{NUMBERS}::test_no_gradient_makes_a_step_fail",),
    ),
    Defect(
        "bends-that-open-by-what-is-asked",
        AREA,
        "Bends open by their lengths as they are, not by those in units of their noise.",
        "Noise alone opens them where rows hardly vary, and bands are those of another walk.",
        edited(
            "theory.additive.opening",
            ("np.concatenate([scale @ walked[group] for", "np.concatenate([walked[group] for"),
        ),
        (f"{NUMBERS}::test_every_point_is_made_of_releases_and_public_numbers_alone",),
    ),
)
