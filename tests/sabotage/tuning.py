"""Defects of tuning by stability."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "tuning"
VALIDATE = "gate/choices/test_validate.py"
STEADY = "gate/choices/test_steady_training.py"
SCORES = "theory/tuning/test_scores.py"
MOVED = f"{STEADY}::test_one_record_moves_a_model_and_every_score_nearly_as_far_as_stated_and_never_farther"

DEFECTS = (
    Defect(
        "beta-halved",
        AREA,
        "A record is said to move scores half as far as it can.",
        "Choosing costs twice its part of ε.",
        edited(
            "theory.tuning.stability",
            ("return max(self.training, self.validation)", "return max(self.training, self.validation) / 2"),
        ),
        (
            f"{SCORES}::test_beta_is_the_larger_of_training_and_validation_and_rounded_up",
            f"{VALIDATE}::test_validate_is_epsilon_private_on_every_neighbour_tried_and_twins_are_not",
        ),
    ),
    Defect(
        "beta-of-training-alone",
        AREA,
        "What a record of the validation part can do is left out of β.",
        "Rows that are scored are protected less than rows that are trained on.",
        edited("theory.tuning.stability", ("return max(self.training, self.validation)", "return self.training")),
        (f"{SCORES}::test_beta_is_the_larger_of_training_and_validation_and_rounded_up",),
    ),
    Defect(
        "beta-without-the-row-norm",
        AREA,
        "The movement of a score leaves the norm of a row out.",
        "Longer rows move scores further than the choice allows for.",
        edited(
            "theory.tuning.stability",
            ("up(slope * norm * stability + computed)", "up(slope * stability + computed)"),
        ),
        (
            "theory/tuning/test_scores.py::test_beta_is_the_larger_of_training_and_validation_and_rounded_up",
            "gate/choices/test_steady_training.py::test_one_record_moves_a_model_and_every_score_nearly_as_far_as_stated_and_never_farther",
        ),
    ),
    Defect(
        "validation-share-of-the-training-part",
        AREA,
        "A validation record's share of the mean is taken for one of the larger, training part.",
        "Choosing costs a multiple of its part of ε.",
        edited(
            "gate.choices.training", ("stability, rounding, rows.validation)", "stability, rounding, rows.training)")
        ),
        (
            "gate/choices/test_steady_training.py::test_one_validation_row_moves_a_score_by_its_share_of_the_range_and_no_more",
        ),
    ),
    Defect(
        "margin-of-several-classes-as-of-two",
        AREA,
        "The margin among several classes is said to move as far as one score.",
        "It moves √2 times as far.",
        edited("theory.tuning.scores", ("several = up(math.sqrt(2), ONE_STEP) if", "several = up(1.0, ONE_STEP) if")),
        (f"{SCORES}::test_the_margin_of_several_classes_moves_root_two_as_far_as_the_scores_and_no_farther", MOVED),
    ),
    Defect(
        "squared-score-half-as-steep",
        AREA,
        "The clipped squared score is said to be half as steep as it is.",
        "Choosing among regressions costs twice its part of ε.",
        edited("theory.tuning.scores", ("edge) ** 2, up(2 * edge, ONE_STEP)", "edge) ** 2, up(edge, ONE_STEP)")),
        (f"{SCORES}::test_a_score_is_as_steep_and_as_wide_as_it_says_and_no_more",),
    ),
    Defect(
        "tilted-stability-halved",
        AREA,
        "At a fixed tilt the minimiser is said to move half as far as it can.",
        "Choosing among objective perturbations costs twice its part of ε.",
        edited(
            "theory.sensitivity",
            (
                "return up(of_tilted_gradient(facts) / facts.penalty.strong_convexity",
                "return up(of_tilted_gradient(facts) / 2 / facts.penalty.strong_convexity",
            ),
        ),
        (MOVED,),
    ),
    Defect(
        "stability-of-all-rows",
        AREA,
        "The stability of training is that of a fit on all rows, not on the training part.",
        "A part of half the rows moves twice as far as stated.",
        edited(
            "gate.models.output_perturbation",
            ("    facts = replace(plan.facts, n=rows)\n    moved", "    facts = plan.facts\n    moved"),
        ),
        (f"{STEADY}::test_noise_is_that_of_the_fit_on_all_rows_and_stability_that_of_the_training_part", MOVED),
    ),
    Defect(
        "training-radius-not-paid",
        AREA,
        "The solver's distance from the minimiser is left out of the stability of training.",
        "Two solves may stop on opposite sides: further apart than stated.",
        edited(
            "gate.models.output_perturbation",
            ("radius, up(moved.l2 + 2 * radius)", "radius, up(moved.l2)"),
        ),
        ("gate/models/test_planned_noise.py::test_the_stability_of_training_counts_two_radii",),
    ),
    Defect(
        "randomness-of-the-choice-used-for-the-fit",
        AREA,
        "The fit that leaves uses the randomness with which candidates were tried.",
        "What was chosen tells about the noise that is to hide the records.",
        edited(
            "gate.choices.validate",
            (
                "    models = procedure.fit_all(training, settings, procedure.draw(bits))\n",
                "    globals()['tried'] = procedure.draw(bits)\n"
                "    models = procedure.fit_all(training, settings, globals()['tried'])\n",
            ),
            (
                "[settings[best]], procedure.draw(bits))",
                "[settings[best]], globals()['tried'])",
            ),
        ),
        (
            f"{VALIDATE}::test_the_released_fit_has_noise_that_the_choice_has_not_seen_and_a_twin_that_reuses_it_is_caught",
        ),
    ),
    Defect(
        "choice-and-fit-both-get-everything",
        AREA,
        "The fit gets all of ε although choosing has taken its part.",
        "A search costs (1 + share)·ε.",
        edited(
            "theory.tuning.stability",
            (
                "left = down(budget.epsilon - positive(choosing=choosing))",
                "left = budget.epsilon + 0 * positive(choosing=choosing)",
            ),
        ),
        (
            f"{SCORES}::test_the_fit_and_the_choice_stay_within_the_budget_together",
            "estimators/search/test_stability_search.py::test_a_whole_search_is_debited_once_and_stays_within_the_budget",
        ),
    ),
    Defect(
        "gaussian-fit-not-checked-beside-the-choice",
        AREA,
        "A larger Gaussian fit is taken without asking whether it fits beside the choice.",
        "Choice and fit together pass the budget.",
        edited(
            "theory.tuning.stability",
            (
                "return spent.epsilon <= budget.epsilon and spent.delta_numeric <= MOST_NUMERIC",
                "return spent.delta_numeric <= MOST_NUMERIC",
            ),
            (
                "mu = greatest_within(lambda mu: total_delta([Pure(choosing), Gaussian(mu)], room), budget.delta)",
                "mu = greatest_within(lambda mu: total_delta([Gaussian(mu)], room), budget.delta)",
            ),
        ),
        (
            f"{SCORES}::test_the_fit_and_the_choice_stay_within_the_budget_together",
            "estimators/search/test_stability_search.py::test_gaussian_noise_and_the_choice_are_accounted_jointly",
        ),
    ),
    Defect(
        "graded-scores-move-half",
        AREA,
        "A graded score is said to move by half of what it can.",
        "Choosing by graded scores costs twice its part of ε.",
        edited("theory.tuning.stability", ("GRADED_MOVE = up(1.0, LONG_SUM)", "GRADED_MOVE = 0.5")),
        (
            f"{SCORES}::test_a_graded_score_moves_by_one_at_most_and_nearly_that",
            f"{VALIDATE}::test_neighbours_come_near_epsilon_but_not_past_it_and_half_of_beta_is_caught",
        ),
    ),
    Defect(
        "choice-by-stability-not-paid",
        AREA,
        "Choosing by stability does not ask for an entry that pays for it.",
        "Choosing is free.",
        edited("gate.door", ("if not entry.open or not covers_choice(entry.event, event):", "if entry.event == 0:")),
        (f"{VALIDATE}::test_no_choice_without_an_open_entry_that_pays_for_it",),
    ),
    Defect(
        "choice-by-stability-without-noise",
        AREA,
        "The candidate with the best score is chosen, always.",
        "Which one it is tells about single records without any ε.",
        edited(
            "gate.noise.choice",
            (
                "    return int(order[np.argmax(coins.flip(order, bits))])",
                "    return int(np.argmin([float(each) for each in coins.exponents]))",
            ),
        ),
        (f"{VALIDATE}::test_choices_follow_the_exact_law",),
    ),
    Defect(
        "unsteady-training-accepted",
        AREA,
        "Training that states no stability is tuned as if it moved nothing.",
        "A choice among such models has no privacy at all.",
        edited(
            "gate.choices.procedures",
            (
                "    if len(known) < len(found):",
                "    known += [1e-9] * (len(found) - len(known))\n    if len(known) < len(found):",
            ),
        ),
        (f"{VALIDATE}::test_perfectly_private_training_that_is_not_steady_is_refused_and_a_false_statement_caught",),
    ),
    Defect(
        "false-statements-accepted",
        AREA,
        "The check of a stated stability lets a hundredfold movement pass.",
        "A stranger's wrong constant is believed.",
        edited("audit.frozen.statements", ("    if share > 1:", "    if share > 100:")),
        (
            f"{VALIDATE}::test_perfectly_private_training_that_is_not_steady_is_refused_and_a_false_statement_caught",
            f"{STEADY}::test_the_checker_passes_our_own_statements_and_catches_a_twin_that_states_half",
        ),
    ),
    Defect(
        "rows-scored-were-trained-on",
        AREA,
        "Candidates are trained on all rows, those they are scored on included.",
        "A row moves a score through training and through validation, and pays for one.",
        edited(
            "estimators.search.stability_search",
            (
                "    training, validation = (let_in(taken.rows[part], taken.labels[part], bounds) for part in parts)",
                "    training = let_in(taken.rows, taken.labels, bounds)\n"
                "    validation = let_in(taken.rows[parts[1]], taken.labels[parts[1]], bounds)",
            ),
        ),
        ("estimators/search/test_parts_of_a_stability_search.py::test_no_row_is_both_trained_on_and_scored_on",),
    ),
    Defect(
        "stability-search-debited-after-the-choice",
        AREA,
        "A search by stability debits once it is done.",
        "An exhausted budget is noticed after all the records have been looked at.",
        edited(
            "estimators.search.stability_search",
            (
                "        with taken.account.reserve(event, label=type(self).__name__, neighbours=taken.neighbours)"
                " as entry, unseen():\n"
                "            names = taken.listed\n"
                "            best",
                "        from equipoise.ledger import Ledger\n\n"
                "        with Ledger().reserve(event) as entry:\n"
                "            names = taken.listed\n"
                "            best",
            ),
            (
                "            entry.commit()\n        promise = _guarantee(",
                "            entry.commit()\n"
                "        taken.account.reserve(event, label=type(self).__name__).commit()\n"
                "        promise = _guarantee(",
            ),
        ),
        (
            "estimators/search/test_stability_search.py::test_an_exhausted_budget_stops_the_search_before_it_starts",
            "estimators/test_debit_before_looking.py::test_records_enter_after_the_debit_and_a_crash_stays_paid",
        ),
    ),
)
