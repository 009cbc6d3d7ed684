"""Defects of records that count by the length of their rows, and of slopes that are shortened."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "evened records and shortened slopes"
EVENED = "gate/models/test_evened.py"
MINIMISERS = "gate/models/test_evened_minimisers.py"
LINKS = "theory/test_links.py"
LOSSES = "theory/test_losses.py"

DEFECTS = (
    Defect(
        "evened-by-the-diameter-of-rows-as-they-are",
        AREA,
        "Evened gradients are said to differ by the diameter of mirrored rows.",
        "A short row pulls as hard as a long one at another score: too little noise for slopes that are not capped.",
        edited("theory.sensitivity", ("2 * loss.slope if facts.evened_to else loss.diameter", "loss.diameter")),
        (f"{EVENED}::test_mirrored_rows_say_nothing_where_records_are_evened",),
    ),
    Defect(
        "evened-without-a-margin",
        AREA,
        "The weight is the bound over the measured length, without what measuring can err.",
        "A record can pull a few units harder than the noise was made for.",
        edited("theory.evening", ("by.norm * (1 - clip_margin(columns)) / lengths", "by.norm * (1 + 1e-9) / lengths")),
        (f"{EVENED}::test_no_record_pulls_harder_than_the_longest_row",),
    ),
    Defect(
        "evened-by-the-square-of-the-length",
        AREA,
        "A record counts by the square of what its length leaves.",
        "Short rows pull harder than the longest may.",
        edited("theory.evening", ("np.where(part < 1, part * part, part)", "part * part")),
        (f"{EVENED}::test_no_exchange_of_a_record_moves_the_sum_by_more_than_is_stated",),
    ),
    Defect(
        "evened-at-the-least-weight",
        AREA,
        "The largest weight is a floor and no ceiling.",
        "Long rows count more than twice.",
        edited("theory.evening", ("return np.minimum(by.heaviest", "return np.maximum(by.heaviest")),
        (f"{EVENED}::test_no_exchange_of_a_record_moves_the_sum_by_more_than_is_stated",),
    ),
    Defect(
        "evened-by-lengths-before-shortening",
        AREA,
        "Borrowed rows are evened by lengths that were measured before rows were shortened.",
        "Rows beyond their bound count for less than others in memory: results depend on where records lie.",
        edited(
            "inside.design.lent",
            (
                "return np.sqrt(self.known.squares) * shortening(self.known.squares, self.row_norm, self.columns)",
                "return np.sqrt(self.known.squares)",
            ),
        ),
        (f"{EVENED}::test_however_records_lie_they_count_the_same",),
    ),
    Defect(
        "evened-by-the-longest-of-the-part",
        AREA,
        "Weights are relative to the longest row of the part at hand.",
        "One record changes what all others of its part count.",
        edited(
            "inside.records",
            (
                "weights(self.design.row_norms(), by,",
                "weights(self.design.row_norms(), type(by)(float(self.design.row_norms().max(initial=0.1))),",
            ),
        ),
        (
            f"{EVENED}::test_what_a_record_counts_does_not_depend_on_the_others",
            f"{EVENED}::test_a_sum_over_evened_records_is_the_one_made_record_by_record",
        ),
    ),
    Defect(
        "shortened-slopes-left-long",
        AREA,
        "Slopes of several classes are not shortened, though noise is made for shortened ones.",
        "A record of a class that is thought unlikely pulls twice as hard as was paid for.",
        edited("theory.losses.clipped_softmax", ("np.minimum(1.0, self.longest /", "np.maximum(1.0, self.longest /")),
        (f"{LOSSES}::test_no_record_exceeds_the_facts", f"{LOSSES}::test_gradient_diameter_holds_and_is_attained"),
    ),
    Defect(
        "shortened-to-the-cap",
        AREA,
        "The largest shortened slope is stated as the cap, without √2.",
        "Noise is 1.4 times too small.",
        edited("theory.losses.clipped_softmax", ("min(up(math.sqrt(2) * self.cap)", "min(up(self.cap)")),
        (f"{LOSSES}::test_no_record_exceeds_the_facts",),
    ),
    Defect(
        "shortened-slopes-minimised",
        AREA,
        "Mechanisms that rest on a minimum take slopes that have none.",
        "Lemma A is about strongly convex functions; nothing bounds where a solver stops.",
        edited("gate.models.mechanism", ("and (loss.traits.potential or not self.potential)", "")),
        (f"{EVENED}::test_a_mechanism_that_needs_a_minimum_refuses_slopes_of_nothing",),
    ),
    Defect(
        "shortened-chances-of-the-capped-loss",
        AREA,
        "Probabilities of shortened slopes are made by the capped loss's formula.",
        "Predictions are off by a tenth; no promise is broken, but what is said is wrong.",
        edited("theory.losses.links", ("if link == Link.CLIPPED_SOFTMAX:", "if False:")),
        (f"{LINKS}::test_at_these_chances_shortened_slopes_cancel",),
    ),
    Defect(
        "evened-plans-of-plain-minimisers",
        AREA,
        "A plan that says evened solves for records that count once.",
        "The card states weights that nobody used; no promise is broken, but audits compare another law.",
        edited("gate.door", ("facts.ball, pushed, facts.evened_to)", "facts.ball, pushed)")),
        (f"{MINIMISERS}::test_short_rows_are_learnt_from_as_long_ones_are",),
    ),
    Defect(
        "evened-slopes-of-plain-values",
        AREA,
        "Values count records once while gradients weigh them.",
        "Line searches compare two different functions, and stop short of a minimum.",
        edited(
            "inside.objective",
            (
                "values = self.records.counted(self.loss.value(self.scores(w), self.records.labels), self.evened)",
                "values = self.loss.value(self.scores(w), self.records.labels)",
            ),
        ),
        ("inside/test_objective.py::test_gradient_is_the_slope_of_the_value",),
    ),
    Defect(
        "evened-parts-of-plain-gradients",
        AREA,
        "Records in parts are summed as they are, those in memory weighed.",
        "What is learnt depends on where records lie.",
        edited(
            "inside.parted_objective",
            ("self.records.summed(Gradient(self.loss, w, self.evened))", "self.records.summed(Gradient(self.loss, w))"),
        ),
        (f"{MINIMISERS}::test_wherever_records_lie_the_weighed_mean_is_what_is_minimised",),
    ),
    Defect(
        "evened-many-at-once-as-they-are",
        AREA,
        "Ridges that are solved together count every record once.",
        "Points are certified by gradients of another problem.",
        edited("inside.solvers.shared_hessian", ("records.counted(slopes, first.evened)", "slopes")),
        (f"{MINIMISERS}::test_many_ridges_at_once_are_of_the_weighed_mean_too",),
    ),
    Defect(
        "evened-certificates-of-short-rows",
        AREA,
        "The certificate's rounding is that of the longest row as it is, however much it counts.",
        "Where all rows are short, the radius that noise covers is stated a few times too small.",
        edited(
            "inside.objective",
            (
                "return self.records.longest_row if self.evened is None else self.evened.norm",
                "return self.records.longest_row",
            ),
        ),
        (f"{MINIMISERS}::test_a_certificate_allows_for_rows_that_pull_harder_than_they_are_long",),
    ),
    Defect(
        "evened-minimisers-near-as-plain-ones",
        AREA,
        "How far a minimiser can stray is planned as if every record counted once.",
        "The steps that are always enough are too few, and slopes are bounded where no minimiser need be.",
        edited("theory.evening", ("return LARGEST_WEIGHT if evened else 1.0", "return 1.0")),
        (f"{MINIMISERS}::test_a_minimiser_of_heavy_short_rows_strays_as_far_as_is_planned_and_no_further",),
    ),
    Defect(
        "evened-where-rows-may-move",
        AREA,
        "Minimisers are of evened records under add-remove too.",
        "A record more moves the others' places, and perhaps the last digit of what they count.",
        edited("gate.models.evened", ("facts.adjacency is not Adjacency.REPLACE_ONE or risk_of", "risk_of")),
        (f"{MINIMISERS}::test_by_name_and_where_the_number_of_records_is_secret_they_count_once",),
    ),
    Defect(
        "evened-for-ever",
        AREA,
        "Minimisers are of evened records however little noise there is.",
        "With more records and a larger ε a fit does not end where one without privacy does.",
        edited("gate.models.evened", ("risk_of(plan) < NOISY * family.of_best_constant(facts)", "False")),
        (f"{MINIMISERS}::test_little_noise_leaves_every_record_counting_once",),
    ),
    Defect(
        "evened-at-any-price",
        AREA,
        "Output perturbation evens records whose gradients then differ by more.",
        "No promise is broken, for the noise grows; accuracy is lost where none was to be gained.",
        edited("gate.models.evened", ("again.sensitivity.l2 <= up(plan", "again.sensitivity.l2 <= 4 * up(plan")),
        (f"{MINIMISERS}::test_the_last_step_costs_no_noise",),
    ),
    Defect(
        "evened-settings-solved-as-the-first",
        AREA,
        "Of settings that are tried together all count records as the first one does.",
        "A setting's stability is stated for another minimiser than the one that is scored.",
        edited(
            "gate.choices.training",
            ("paths.setdefault((facts.ball, facts.evened,", "paths.setdefault((facts.ball, True,"),
        ),
        (f"{MINIMISERS}::test_a_search_over_ridges_counts_records_as_each_setting_says",),
    ),
    Defect(
        "evened-audited-as-they-are",
        AREA,
        "The auditor's exact density counts every record once.",
        "A fit that weighs too much would be compared with a law that it does not have.",
        edited("audit.exact.densities", ("    if not facts.evened:\n        return table\n", "    return table\n")),
        (f"{MINIMISERS}::test_the_auditor_s_density_weighs_records_as_the_fit_does",),
    ),
    Defect(
        "evened-twice-as-heavy",
        AREA,
        "A record counts twice the bound over its length.",
        "Minimisers move by twice what was stated.",
        edited("theory.evening", ("by.norm * (1 - clip_margin(columns)) / lengths", "2 * by.norm / lengths")),
        (
            f"{MINIMISERS}::test_no_exchange_moves_an_evened_minimiser_by_more_than_is_stated",
            f"{MINIMISERS}::test_wherever_records_lie_the_weighed_mean_is_what_is_minimised",
        ),
    ),
    Defect(
        "evened-files-under-add-remove",
        AREA,
        "A file that says evened and a secret number of records is derived again as if both were possible.",
        "A forged adjacency goes unnoticed.",
        edited("audit.subjects.derived", ("return guarantee.adjacency is Adjacency.REPLACE_ONE", "return True")),
        ("audit/subjects/test_stored.py::test_a_file_of_an_evened_minimiser_is_derived_again",),
    ),
    Defect(
        "evened-files-by-the-rule-of-gradients",
        AREA,
        "Files of evened minimisers are held to what is free in noisy gradients.",
        "Honest files of slopes that are not capped are called broken.",
        edited(
            "audit.subjects.derived",
            ("return guarantee.adjacency is Adjacency.REPLACE_ONE", "return is_free(loss)"),
        ),
        ("audit/subjects/test_stored.py::test_a_file_of_an_evened_minimiser_is_derived_again",),
    ),
    Defect(
        "evened-plans-under-add-remove",
        AREA,
        "A minimiser of evened records is planned where the number of records is secret.",
        "A precondition of the proof is left to whoever asks for a plan.",
        edited(
            "gate.models.evened", ("if facts.evened and facts.adjacency is not", "if False and facts.adjacency is not")
        ),
        (f"{MINIMISERS}::test_by_name_and_where_the_number_of_records_is_secret_they_count_once",),
    ),
)
