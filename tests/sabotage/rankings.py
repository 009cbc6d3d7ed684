"""Defects of rankers and of bridge regression: pairs miscounted, secret numbers of pairs, penalties too weak."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "pairs and powers"
RINGS = "theory/test_pairs.py"
RANKER = "estimators/linear/test_pairwise_ranker.py"
PENALTIES = "theory/test_penalties.py"

DEFECTS = (
    Defect(
        "pairs-counted-as-one-row",
        AREA,
        "A replaced record is said to change one pair.",
        "It changes all of its pairs: the noise is too small by the number of partners.",
        edited("theory.plan", ("(self.person_rows or 1) * (self.partners or 1)", "self.person_rows or 1")),
        (f"{RANKER}::test_one_record_moves_the_minimiser_as_far_as_stated_and_no_further",),
    ),
    Defect(
        "pairs-as-long-as-one-row",
        AREA,
        "A difference of two rows is taken to be as long as one.",
        "It can be twice as long.",
        edited("estimators.linear.pairwise_ranker", ("Bounds(2 * given.row_norm, ", "Bounds(given.row_norm, ")),
        (f"{RANKER}::test_the_bound_is_four_rho_over_alpha_n_whatever_the_number_of_partners",),
    ),
    Defect(
        "pairs-half-of-them-forgotten",
        AREA,
        "Each record's partners are those behind it; the pairs in which it stands behind are not counted.",
        "A record is in twice as many pairs as the noise is for.",
        edited(
            "theory.pairs",
            ("steps = range(1, self.partners // 2 + 1)", "steps = range(1, self.partners + 1)"),
        ),
        (f"{RINGS}::test_everybody_is_in_as_many_pairs_and_no_pair_is_there_twice",),
    ),
    Defect(
        "pairs-of-different-classes",
        AREA,
        "A mean over the pairs of different classes is promised, and not refused.",
        "How many there are is a secret of the labels, and a small number makes each of them weigh more.",
        edited(
            "estimators.linear.pairwise_ranker",
            ('pairs=self.pairs) == "cross":', 'pairs=self.pairs) == "":'),
        ),
        (f"{RANKER}::test_what_makes_no_ranking_is_refused_for_free",),
    ),
    Defect(
        "pairs-by-label",
        AREA,
        "Records are put around the ring in the order of their labels.",
        "One label moves everybody's partners.",
        edited(
            "estimators.linear.pairwise_ranker",
            (
                "order = np.asarray(random_order(ring.records, bits), dtype=np.intp)",
                "order = np.argsort(labels, kind='stable')",
            ),
        ),
        (f"{RANKER}::test_a_table_sorted_by_label_is_ranked_all_the_same",),
    ),
    Defect(
        "bridge-weak-far-away",
        AREA,
        "Beyond the reach the penalty goes on as a line.",
        "It is not strongly convex there, and minimisers move further than the noise is for.",
        edited("theory.regularisers.bridge", (" + np.maximum(size - far, 0.0))", ")")),
        (f"{PENALTIES}::test_the_gradient_grows_as_fast_as_strong_convexity_says",),
    ),
    Defect(
        "bridge-power-forgotten",
        AREA,
        "The strong convexity is stated as if the power's factor p(p − 1) were one.",
        "Below power 1.6 that factor is less than one: the noise is too small.",
        edited(
            "theory.regularisers.bridge",
            (
                "        return self.alpha\n\n    @property\n    def centre(",
                "        return self.alpha / (self.power * (self.power - 1))\n\n    @property\n    def centre(",
            ),
        ),
        (f"{PENALTIES}::test_the_gradient_grows_as_fast_as_strong_convexity_says",),
    ),
    Defect(
        "bridge-lasso-allowed",
        AREA,
        "Powers of one and below are taken.",
        "One record can move a lasso at will.",
        edited("theory.regularisers.bridge", ("if not 1 < number(", "if not 0 < number(")),
        ("estimators/linear/test_bridge_regression.py::test_other_powers_are_refused_for_free",),
    ),
)
