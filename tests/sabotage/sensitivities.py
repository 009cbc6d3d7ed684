"""Defects of sensitivities: how far one record is said to move what is released."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "sensitivity"
REPLACE = "theory/test_replace_one.py::test_structured_attack_reaches_the_bound_and_never_passes_it"
MODULE = "theory.sensitivity"

DEFECTS = (
    Defect(
        "minimiser-sensitivity-halved",
        AREA,
        "The sensitivity of the minimiser is half of what the proof gives.",
        "Output perturbation adds half the noise: its ε is twice the one stated.",
        edited(MODULE, ('* facts.n)), f"Lemma A', '* facts.n)) / 2, f"Lemma A')),
        (REPLACE,),
    ),
    Defect(
        "replace-one-priced-as-add-remove",
        AREA,
        "A replaced record is charged the largest gradient of one record, not the distance between two.",
        "A factor of up to two is lost in the noise of every minimiser.",
        edited(MODULE, ("* loss.diameter)", "* loss.slope)")),
        (REPLACE,),
    ),
    Defect(
        "minimiser-divided-by-n-twice",
        AREA,
        "The sensitivity of the minimiser is divided by n² instead of n.",
        "There is next to no noise on any table of more than a few rows.",
        edited(MODULE, ('convexity * facts.n)), f"Lemma A', 'convexity * facts.n**2)), f"Lemma A')),
        (REPLACE,),
    ),
    Defect(
        "add-remove-halved",
        AREA,
        "One record more or less is charged half its largest gradient.",
        "Add-remove releases cost twice the ε they state.",
        edited(MODULE, ('* loss.slope), f"largest', '* loss.slope / 2), f"largest')),
        (
            "theory/test_replace_one.py::test_adding_or_removing_a_record_stays_within_its_bound",
            "theory/test_replace_one.py::test_adding_a_record_beside_zeros_attains_the_add_remove_bound",
            "theory/test_public_bounds.py::test_under_add_remove_a_record_moves_a_gradient_by_its_own_length",
        ),
    ),
    Defect(
        "a-person-taken-for-a-row",
        AREA,
        "The sensitivity for a person is that of one of their rows.",
        "A person with k rows is protected k times less than stated.",
        edited(
            "theory.plan",
            ("(self.person_rows or 1) * (self.partners or 1)", "self.partners or 1"),
        ),
        ("theory/test_groups.py::test_sensitivities_are_multiplied_by_the_cap_and_rounding_is_not",),
    ),
    Defect(
        "jacobian-of-one-row-of-a-person",
        AREA,
        "The change of variables is charged for one row of a person.",
        "Objective perturbation spends more than ε on a person.",
        edited(MODULE, ("facts.together * loss.rank * math.log1p", "loss.rank * math.log1p")),
        ("theory/test_groups.py::test_sensitivities_are_multiplied_by_the_cap_and_rounding_is_not",),
    ),
    Defect(
        "moments-of-one-row-of-a-person",
        AREA,
        "Sums over the records are said to move by one row of a person.",
        "Sufficient statistics leave with a k-th of the noise that a person needs.",
        edited(MODULE, ("up(facts.together * exact + rounding)", "up(exact + rounding)")),
        ("theory/test_groups.py::test_sums_over_records_are_multiplied_by_the_cap",),
    ),
    Defect(
        "sharper-theorem-used-for-persons",
        AREA,
        "The logistic loss's own theorem, about one record, is used for several.",
        "Objective perturbation spends more than ε on a person.",
        edited(
            "gate.models.objective_perturbation",
            ("if sharper is None or facts.together > 1:", "if sharper is None:"),
        ),
        ("theory/test_groups.py::test_pure_objective_perturbation_pays_for_every_row_and_gaussian_noise_is_not_used",),
    ),
    Defect(
        "gaussian-tilt-used-for-persons",
        AREA,
        "The vertex argument, about one record, is used for several.",
        "Objective perturbation spends more than ε on a person.",
        edited(
            "gate.models.objective_perturbation",
            ("delta=0.0) if facts.together > 1 else budget", "delta=0.0) if facts.together < 1 else budget"),
        ),
        ("theory/test_groups.py::test_pure_objective_perturbation_pays_for_every_row_and_gaussian_noise_is_not_used",),
    ),
    Defect(
        "cap-not-applied",
        AREA,
        "Rows of a person beyond the cap are used.",
        "A person moves the model farther than the noise hides.",
        edited("rows.persons", ("turns(codes) < cap", "turns(codes) < 10**9")),
        ("theory/test_groups.py::test_the_first_rows_of_each_person_are_used",),
    ),
    Defect(
        "rows-without-an-id-left-out",
        AREA,
        "With a cap, rows without an id are left out.",
        "The number of rows used, which is printed for free, tells whose id is missing.",
        edited("rows.persons", ("(turns(codes) < cap)", "((turns(codes) < cap) & (ids != NOBODY))")),
        ("theory/test_groups.py::test_whatever_becomes_of_a_persons_ids_the_same_rows_are_used",),
    ),
    Defect(
        "nameless-not-counted-among-people",
        AREA,
        "Predictors on shards leave rows without an id out of the number of people.",
        "The size of a shard, which is printed for free, tells whose id is missing.",
        edited("rows.persons", ("unnamed=rows - len(used)", "unnamed=0")),
        (
            "estimators/test_groups.py::"
            "test_an_id_that_is_missing_does_not_show_in_what_a_sharded_predictor_says_of_itself",
        ),
    ),
    Defect(
        "nameless-dealt-alone",
        AREA,
        "Predictors on shards learn from rows without an id as from people of their own.",
        "Somebody whose other rows have an id changes several votes.",
        edited(
            "rows.persons",
            (
                "    if cap is None:\n        used =",
                "    ids = each_alone(ids)\n    if cap is None:\n        used =",
            ),
        ),
        ("estimators/test_groups.py::test_a_row_without_an_id_is_nobodys_second_vote",),
    ),
    Defect(
        "question-mark-is-a-person",
        AREA,
        "Words for what is missing are ids.",
        "Whoever's id is missing joins a crowd of which a few rows are used: their number tells it.",
        edited("schema.cells", ("return None if word in gone else word", "return word")),
        ("estimators/table/test_fit.py::test_a_missing_word_is_nobodys_id_and_does_not_change_the_number_of_rows",),
    ),
    Defect(
        "people-dealt-row-by-row",
        AREA,
        "Rows of one person go to several shards.",
        "A person changes as many votes as they have rows.",
        edited("gate.answers.deal", ("    if codes is not None:", "    if codes is not None and len(parts) < 0:")),
        ("estimators/test_groups.py::test_whole_people_are_dealt_to_shards",),
    ),
    Defect(
        "person-booked-as-a-row",
        AREA,
        "A fit for persons is booked as one about rows.",
        "An account for persons refuses it, one for rows calls it less than it is; cards and ledger disagree.",
        edited("theory.plan", ("Unit.ROW if self.person_rows is None else Unit.PERSON", "Unit.ROW")),
        ("estimators/test_groups.py::test_ledger_and_card_speak_of_persons",),
    ),
    Defect(
        "walk-of-a-person-at-full-rate",
        AREA,
        "The walk's coin falls for a person as for a row.",
        "Each answer costs a person k times ε.",
        edited("gate.answers.walk", ("Fraction(self.epsilon) / (2 * self.rows)", "Fraction(self.epsilon) / 2")),
        ("estimators/test_groups.py::test_the_walk_of_a_person_is_slower",),
    ),
    Defect(
        "norm-bound-of-minimisers-halved",
        AREA,
        "Minimisers are taken to lie within half the ball in which they can lie.",
        "Slopes beyond it are steeper than the sensitivity allows for.",
        edited(MODULE, ("up(start + min(strayed, lipschitz))", "up(start + min(strayed, lipschitz)) / 2")),
        ("theory/test_replace_one.py::test_no_data_pushes_the_minimiser_past_its_norm_bound",),
    ),
    Defect(
        "norm-bound-used-where-n-is-secret",
        AREA,
        "The bound on a minimiser's norm, which needs the true number of rows, is used under add-remove.",
        "A table larger than its nominal size has minimisers, and slopes, beyond the bound.",
        edited(
            MODULE,
            (
                "    if facts.adjacency is Adjacency.ADD_REMOVE:\n        return facts.ball\n    lipschitz",
                "    lipschitz",
            ),
        ),
        (
            "theory/test_public_bounds.py::test_a_table_larger_than_its_nominal_size_passes_the_norm_bound_of_a"
            "_public_size",
        ),
    ),
    Defect(
        "mean-gradient-halved",
        AREA,
        "The sensitivity of a mean gradient is half of what it is.",
        "Every noisy gradient step has half its noise.",
        edited(MODULE, ("up(change / facts.n) + 2", "up(change / facts.n / 2) + 2")),
        ("theory/test_replace_one.py::test_one_gradient_moves_by_at_most_its_sensitivity",),
    ),
    Defect(
        "mean-gradient-divided-by-n-twice",
        AREA,
        "The sensitivity of a mean gradient is divided by the batch size twice.",
        "Noisy gradients carry next to no noise.",
        edited(MODULE, ("up(change / facts.n) + 2", "up(change / facts.n**2) + 2")),
        ("theory/test_replace_one.py::test_one_gradient_moves_by_at_most_its_sensitivity",),
    ),
    Defect(
        "jacobian-row-norm-for-its-square",
        AREA,
        "The curvature that a record adds is taken with its norm instead of the norm's square.",
        "Rows longer than one pay too little for the change of variables.",
        edited(
            MODULE,
            (
                "bend = loss.trace / loss.rank * facts.bounds.norm**2 / (facts.n * facts.penalty.strong_convexity)",
                "bend = loss.trace / loss.rank * facts.bounds.norm / (facts.n * facts.penalty.strong_convexity)",
            ),
        ),
        ("theory/test_public_bounds.py::test_no_record_passes_the_log_jacobian_and_one_beside_zeros_reaches_it",),
    ),
    Defect(
        "jacobian-forgotten",
        AREA,
        "What the change of variables costs is said to be nothing.",
        "Objective perturbation spends more than ε where the ridge is weak.",
        edited(MODULE, ("return up(facts.together * loss.rank * math.log1p(bend))", "return 0.0 * math.log1p(bend)")),
        ("gate/models/test_objective_density.py::test_exact_density_keeps_the_claim_and_comes_near_it",),
    ),
    Defect(
        "jacobian-of-one-class-only",
        AREA,
        "With several scores per row the change of variables is charged as if there were one.",
        "Objective perturbation of several classes spends more than ε.",
        edited(MODULE, ("return up(facts.together * loss.rank * math.log1p(bend))", "return up(math.log1p(bend))")),
        ("theory/test_public_bounds.py::test_no_record_passes_the_log_jacobian_and_one_beside_zeros_reaches_it",),
    ),
    Defect(
        "moments-of-one-record",
        AREA,
        "A replaced record is said to move the moments as far as one more record does.",
        "Sufficient statistics leave with 1/√2 of the noise they need.",
        edited(MODULE, ("exact, why = math.sqrt(2) * whole, ", "exact, why = 1.0 * whole, ")),
        (
            "gate/models/test_sufficient_statistics.py::test_a_replaced_record_reaches_the_sensitivity_and_never_exceeds_it",
        ),
    ),
    Defect(
        "quadratic-row-norm-for-its-square",
        AREA,
        "The functional mechanism's sensitivity grows with the row norm instead of its square.",
        "Rows longer than one are hardly hidden.",
        edited(MODULE, ("(1 + u) * dim * size**2 * math.sqrt", "(1 + u) * dim * size * math.sqrt")),
        (
            "gate/models/test_functional_mechanism.py::test_a_replaced_record_comes_near_the_sensitivity_and_never_exceeds_it",
        ),
    ),
    Defect(
        "counts-of-one-cell",
        AREA,
        "Replacing a record is said to change counts by one, not by one here and one there.",
        "Histograms and reliability curves are released with noise 1/ε: twice the ε stated.",
        edited(MODULE, ("return 1 if adjacency is Adjacency.ADD_REMOVE else 2", "return 1")),
        (
            "gate/models/test_projected_histogram.py::test_one_record_moves_the_counts_by_exactly_two_or_one",
            "gate/tables/test_density.py::test_the_law_of_counts_reaches_epsilon_on_neighbours_and_never_passes_it",
        ),
    ),
    Defect(
        "covariance-halved",
        AREA,
        "The score by which columns are chosen is said to move half as far as it can.",
        "Choosing columns costs twice its part of ε.",
        edited(MODULE, ("return 4 * code_bound * label_bound", "return 2 * code_bound * label_bound")),
        ("gate/models/test_projected_histogram.py::test_one_record_moves_a_score_by_nearly_the_bound_and_never_more",),
    ),
    Defect(
        "mean-loss-halved",
        AREA,
        "One record is said to move a mean of losses by half its share of the cap.",
        "Every search that chooses on kept rows spends twice its ε there.",
        edited(MODULE, ("return up(cap / whole(rows=rows))", "return up(cap / 2 / whole(rows=rows))")),
        (
            "estimators/search/test_data_split_search.py::test_no_record_moves_a_mean_loss_by_more_than_its_share_of_the_cap",
        ),
    ),
    Defect(
        "printed-constant-below-the-proved-one",
        AREA,
        "The constant that a paper prints is mistyped by a factor of six.",
        "The study that sets it beside ours releases with too little noise.",
        edited(MODULE, ("(12 * ball * norm**2 + 8 * norm)", "(2 * ball * norm**2 + norm)")),
        ("gate/models/test_mechanisms.py::test_the_printed_constant_is_safe_and_looser",),
    ),
    Defect(
        "intercept-left-out-of-the-norm",
        AREA,
        "The norm of a row leaves out its constant column.",
        "Every sensitivity of a model with an intercept is too small.",
        edited("theory.bounds", ("up(math.hypot(self.row_norm, self.intercept), ONE_STEP)", "self.row_norm")),
        ("theory/test_public_bounds.py::test_the_longest_row_with_its_constant_column_reaches_the_stated_norm",),
    ),
    Defect(
        "logistic-slope-halved",
        AREA,
        "The logistic loss is said to be half as steep as it is.",
        "Objective perturbation and noisy gradients add half the noise.",
        edited("theory.losses.logistic", ("slope=up(float(expit(reach))", "slope=up(0.5 * float(expit(reach))")),
        ("theory/test_losses.py::test_no_record_exceeds_the_facts",),
    ),
    Defect(
        "softmax-curvature-of-two-classes",
        AREA,
        "The curvature of the softmax loss is that of the logistic one.",
        "The change of variables of several classes is paid for by half.",
        edited(
            "theory.losses.softmax", ("curvature=0.5", "curvature=0.25"), ("trace=1 - 1 / self.classes", "trace=0.25")
        ),
        ("theory/test_losses.py::test_no_record_exceeds_the_facts",),
    ),
    Defect(
        "squared-diameter-of-one-residual",
        AREA,
        "The distance between two gradients of the squared loss is taken to be one residual.",
        "Least squares is released with half its noise.",
        edited("theory.losses.squared", ("diameter=2 * mirrored_residual", "diameter=mirrored_residual")),
        ("theory/test_losses.py::test_gradient_diameter_holds_and_is_attained",),
    ),
    Defect(
        "tilted-minimiser-given-the-untilted-norm",
        AREA,
        "The gradients of a tilted objective are bounded where untilted minimisers lie.",
        "A tilt can carry the minimiser to steeper slopes than the noise allows for.",
        edited(MODULE, ("gradient_change(facts, facts.ball)[0]", "gradient_change(facts, minimiser_norm(facts))[0]")),
        (
            "theory/tuning/test_scores.py::test_the_tilted_minimiser_is_given_the_ball_and_not_the_norm_of_untilted_ones",
        ),
    ),
)
