"""Defects of noise: its law, its scale, its grid, and the bits it is made from."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "noise"
LAWS = "statistical/test_noise_laws.py"
HALVES = "gate/noise/test_halves.py"

DEFECTS = (
    Defect(
        "seed-fixed",
        AREA,
        "Secure bits come from a generator with a fixed seed.",
        "Everybody can compute the noise and subtract it.",
        edited(
            "gate.noise.bits",
            ("np.frombuffer(os.urandom(8 * count), dtype=np.uint64)", "np.random.PCG64(8).random_raw(count)"),
        ),
        ("gate/noise/test_noise_bits.py::test_secure_bits_give_fresh_words_and_are_their_own_child",),
    ),
    Defect(
        "half-of-each-word",
        AREA,
        "Only the upper half of each random word is random.",
        "Noise lies on a coarse lattice that shows the low bits of what it hides.",
        edited(
            "gate.noise.bits",
            (
                "return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)",
                "return np.frombuffer(os.urandom(8 * count), dtype=np.uint64) >> np.uint64(32) << np.uint64(32)",
            ),
        ),
        ("gate/noise/test_noise_bits.py::test_every_bit_of_a_word_is_used_about_half_the_time",),
    ),
    Defect(
        "seeded-passes-for-secure",
        AREA,
        "Bits made from a seed say that they are not.",
        "A release that anybody can undo is sold as private.",
        edited(
            "gate.noise.bits",
            (
                "    def seeded(self) -> bool:\n        return True",
                "    def seeded(self) -> bool:\n        return False",
            ),
        ),
        ("gate/noise/test_noise_bits.py::test_seeded_bits_repeat_and_say_that_they_are_seeded",),
    ),
    Defect(
        "noise-reused",
        AREA,
        "Draws are remembered by law: the same plan gets the same noise again.",
        "The difference of two releases is exact.",
        edited(
            "gate.laws",
            (
                "def draw(noise: Noise, bits: Bits)",
                "import functools\n\n\n@functools.lru_cache(maxsize=256)\ndef draw(noise: Noise, bits: Bits)",
            ),
        ),
        ("estimators/test_fitted_holds_only_released_values.py::test_without_a_seed_every_fit_draws_its_own_noise",),
    ),
    Defect(
        "laplace-scale-rounded-down",
        AREA,
        "The scale of Laplace noise, in grid steps, is rounded down.",
        "Every pure release costs a little more than its ε.",
        edited(
            "gate.laws", ("return discrete_laplace(math.ceil(in_steps)", "return discrete_laplace(math.floor(in_steps)")
        ),
        (
            "gate/models/test_planned_noise.py::test_a_draw_never_has_a_smaller_scale_than_its_plan",
            "gate/models/test_mechanisms.py::test_laws_round_towards_more_noise",
        ),
    ),
    Defect(
        "laplace-zero-counted-twice",
        AREA,
        "A negative zero is kept, so zero is drawn twice as often.",
        "The ratio of neighbouring probabilities passes e^ε at zero.",
        edited("gate.noise.laplace", ("-magnitudes, magnitudes)[kept]", "-magnitudes, magnitudes)")),
        (f"{LAWS}::test_laplace_matches_its_exact_table_and_no_other",),
    ),
    Defect(
        "laplace-one-sided",
        AREA,
        "Laplace noise is never negative.",
        "A value below another's smallest output gives the record away.",
        edited(
            "gate.noise.laplace",
            ("np.where(negative, -magnitudes, magnitudes)", "np.where(negative, magnitudes, magnitudes)"),
        ),
        (f"{LAWS}::test_laplace_matches_its_exact_table_and_no_other",),
    ),
    Defect(
        "laplace-scale-halved",
        AREA,
        "The Laplace sampler draws half the scale asked for.",
        "Every pure release costs 2ε.",
        edited("gate.noise.laplace", ("    scale = int(scale)\n", "    scale = max(1, int(scale) // 2)\n")),
        (
            f"{LAWS}::test_laplace_matches_its_exact_table_and_no_other",
            f"{LAWS}::test_laplace_accepts_the_right_large_scale_and_rejects_wrong_ones",
        ),
    ),
    Defect(
        "gaussian-deviation-for-variance",
        AREA,
        "The Gaussian sampler takes σ for 2σ² / √2: its variance is half the one asked for.",
        "Every Gaussian release has μ larger by √2.",
        edited(
            "gate.noise.gaussian",
            ("    sigma = positive(sigma=sigma)\n", "    sigma = positive(sigma=sigma) / math.sqrt(2)\n"),
        ),
        (f"{LAWS}::test_gaussian_matches_its_exact_table_and_no_other",),
    ),
    Defect(
        "spherical-radius-of-one-dimension-less",
        AREA,
        "The radius of spherical noise is that of one dimension less.",
        "Short noise vectors are too likely, and log-ratios unbounded near zero.",
        edited("gate.noise.spherical", ("_gamma(dim + 1, bits)", "_gamma(dim, bits)")),
        (
            f"{LAWS}::test_spherical_radius_is_gamma_and_direction_uniform",
            f"{LAWS}::test_spherical_draws_match_the_enumerated_lattice_law",
        ),
    ),
    Defect(
        "noise-missing-in-one-coordinate",
        AREA,
        "The last coordinate of spherical noise, the intercept's, is zero.",
        "One coefficient leaves bare.",
        edited(
            "gate.noise.spherical",
            (
                "    return discrete_gaussian(min(sigma, LARGEST_SIGMA), dim, bits)",
                "    drawn = discrete_gaussian(min(sigma, LARGEST_SIGMA), dim, bits)\n    drawn[-1] = 0\n"
                "    return drawn",
            ),
        ),
        (
            f"{LAWS}::test_spherical_radius_is_gamma_and_direction_uniform",
            f"{LAWS}::test_spherical_draws_match_the_enumerated_lattice_law",
        ),
    ),
    Defect(
        "coins-settled-by-doubles",
        AREA,
        "Coins too close to call are settled by doubles instead of exactly.",
        "Probabilities are off where rounding decides, and δ = 0 is no longer true.",
        edited("gate.noise.bernoulli", ("np.flatnonzero(np.abs(gap) <= margin)", "np.flatnonzero(np.abs(gap) < 0.0)")),
        ("gate/noise/test_noise_bernoulli.py::test_a_flip_too_close_to_call_reads_further_bits",),
    ),
    Defect(
        "grid-rounding-skipped",
        AREA,
        "The value is not rounded to the grid before noise is added.",
        "The low bits of what leaves are those of the secret value.",
        edited(
            "gate.door",
            (
                "return grid.restore(steps + grid.quantise(_as_many(value.reveal(), noise.dim)))",
                "return value.reveal() + grid.restore(steps)",
            ),
        ),
        ("gate/models/test_mechanisms.py::TestContract::test_release_is_on_the_grid_and_seeded_is_marked",),
    ),
    Defect(
        "grid-step-not-in-the-pure-scale",
        AREA,
        "Spherical noise is calibrated as if rounding to the grid moved nothing.",
        "Two neighbours may be a step further apart than the noise hides.",
        edited("gate.laws", ("scale = up((l2 + step * math.sqrt(dim)) / room.epsilon", "scale = up(l2 / room.epsilon")),
        (
            "gate/models/test_planned_noise.py::test_output_noise_covers_the_sensitivity_two_radii_and_the_grid",
            "gate/models/test_mechanisms.py::test_laws_round_towards_more_noise",
        ),
    ),
    Defect(
        "grid-step-not-in-the-gaussian-scale",
        AREA,
        "Gaussian noise is calibrated as if rounding to the grid moved nothing.",
        "Two neighbours may be a step further apart than the noise hides.",
        edited(
            "gate.laws", ("Noise(Law.GAUSSIAN, up((l2 + step * math.sqrt(dim)) / mu", "Noise(Law.GAUSSIAN, up(l2 / mu")
        ),
        (
            "gate/models/test_planned_noise.py::test_output_noise_covers_the_sensitivity_two_radii_and_the_grid",
            "gate/models/test_mechanisms.py::test_laws_round_towards_more_noise",
        ),
    ),
    Defect(
        "laplace-per-coordinate-with-l2",
        AREA,
        "Laplace noise in every coordinate is scaled by the L2 sensitivity.",
        "In d dimensions its ε is √d times the one stated.",
        edited("gate.laws", ("laplace(math.sqrt(dim) * l2, dim", "laplace(l2, dim")),
        (
            "gate/models/test_planned_noise.py::test_pure_laws_cover_the_grid_and_their_slack",
            "gate/models/test_mechanisms.py::test_laws_round_towards_more_noise",
        ),
    ),
    Defect(
        "slack-of-the-grid-not-paid",
        AREA,
        "What the lattice law differs from the ideal one is not taken out of ε.",
        "Spherical and Gaussian releases state an ε that their law does not have.",
        edited("theory.accounting.room", ("left = down(epsilon - times * slack.epsilon)", "left = epsilon")),
        (
            "gate/models/test_planned_noise.py::test_the_event_costs_the_budget_and_no_more_and_is_of_the_noises_kind",
            "gate/models/test_mechanisms.py::test_laws_round_towards_more_noise",
        ),
    ),
    Defect(
        "numeric-delta-understated",
        AREA,
        "What arithmetic adds to δ is always reported as the least possible.",
        "The card names a numeric δ that is not true at large ε.",
        edited("theory.accounting.slack", ("return min(1.0, max(TAIL, up(added, TAIL_BOUND)))", "return TAIL")),
        ("theory/accounting/test_slack.py::test_delta_numeric_counts_both_tails_and_the_stretch_of_delta",),
    ),
    Defect(
        "inversion-counts-zero-twice",
        AREA,
        "The fast Laplace sampler keeps negative zeros.",
        "Zero is twice as likely as it may be.",
        edited(
            "gate.noise.inversion", ("return magnitudes if np.all(kept) else magnitudes[kept]", "return magnitudes")
        ),
        ("gate/noise/test_inversion.py::test_small_scales_follow_the_law_cell_by_cell",),
    ),
    Defect(
        "inversion-scale-halved",
        AREA,
        "The fast Laplace sampler draws half the scale.",
        "Private answers cost 2ε each.",
        edited("gate.noise.inversion", ("    value = depth * scale\n", "    value = depth * scale / 2\n")),
        ("gate/noise/test_inversion.py::test_large_scales_follow_the_continuous_law",),
    ),
    Defect(
        "first-look-too-sure",
        AREA,
        "Half a word settles draws whose cell holds a boundary.",
        "Magnitudes at the boundaries have other chances than the law gives them.",
        edited("gate.noise.halves", ("REACH = 0.52\n", "REACH = 0.25\n")),
        (f"{HALVES}::test_a_first_look_is_right_at_both_ends_of_its_cell",),
    ),
    Defect(
        "first-look-blind-above",
        AREA,
        "A first look watches for the boundary below and not for the one above.",
        "Every second draw near a boundary falls on the side of the middle of its cell.",
        edited("gate.noise.halves", ("    close |= fractions >= 1.0\n", "")),
        (f"{HALVES}::test_a_first_look_is_right_at_both_ends_of_its_cell",),
    ),
    Defect(
        "second-half-of-a-word-not-drawn",
        AREA,
        "Where 31 bits do not settle a draw, zeros stand for those that follow.",
        "A draw in twenty is no function of chance any more once its first bits are known.",
        edited(
            "gate.noise.halves",
            ("heads[unsure].astype(np.uint64) << _HALF | rest", "heads[unsure].astype(np.uint64) << _HALF"),
        ),
        (f"{HALVES}::test_the_second_half_of_a_word_decides_where_the_first_does_not",),
    ),
    Defect(
        "half-word-sign-from-its-head",
        AREA,
        "The sign of a draw that begins with half a word is a bit of its magnitude.",
        "Who knows the size of the noise knows its direction.",
        edited("gate.noise.halves", ("np.copysign(magnitudes, halves,", "np.copysign(magnitudes, 0.5 - heads % 2,")),
        (f"{HALVES}::test_the_second_half_of_a_word_decides_where_the_first_does_not",),
    ),
    Defect(
        "half-words-for-every-scale",
        AREA,
        "Small scales begin with half a word too, where the smallest heads are taken for settled.",
        "The far tail of the noise has other chances than the law gives it.",
        edited("gate.noise.halves", ("SMALLEST, LARGEST = 64, 2**26", "SMALLEST, LARGEST = 1, 2**26")),
        (f"{HALVES}::test_only_scales_for_which_it_is_proved_begin_with_half_a_word",),
    ),
    Defect(
        "first-look-deviation-halved",
        AREA,
        "A first look at a Gaussian draw has half the deviation.",
        "Nineteen answers in twenty have half the noise they were paid for.",
        edited("gate.noise.rounded", ("    value *= sigma\n", "    value *= sigma / 2\n")),
        ("gate/noise/test_rounded.py::test_draws_on_a_fine_grid_follow_the_continuous_law",),
    ),
    Defect(
        "a-curve-of-a-lower-degree",
        AREA,
        "The curve behind first looks at Gaussian draws is of degree three.",
        "A first look is sure of draws that lie beyond a boundary: their law is another.",
        edited("gate.noise.normal_curve", ("POWERS, CELLS, DEGREE = 32, 32, 6", "POWERS, CELLS, DEGREE = 32, 32, 3")),
        ("gate/noise/test_normal_curve.py::test_it_errs_by_less_than_the_proof_allows",),
    ),
    Defect(
        "half-words-count-zero-twice",
        AREA,
        "Negative zeros are kept where draws begin with half a word.",
        "Zero is twice as likely as the law says.",
        edited("gate.noise.inversion", ("    if not drawn.all():\n", "    if False:\n")),
        (f"{HALVES}::test_zero_is_not_counted_twice",),
    ),
    Defect(
        "rounded-gaussian-halved",
        AREA,
        "The rounded Gaussian sampler draws half the deviation.",
        "Gaussian answers have twice the μ that is booked.",
        edited("gate.noise.rounded", ("    value = unsure * sigma\n", "    value = unsure * sigma / 2\n")),
        ("gate/noise/test_rounded.py::test_draws_on_a_fine_grid_follow_the_continuous_law",),
    ),
    Defect(
        "gaussian-noise-on-a-coarser-scale",
        AREA,
        "Where Gaussian noise is drawn by inversion, the deviation is rounded down to a power of two.",
        "Models have up to half the noise that was booked.",
        edited(
            "gate.laws",
            (
                "return rounded_gaussian(sigma, dim, bits)",
                "return rounded_gaussian(2.0 ** math.floor(math.log2(sigma * 0.99)), dim, bits)",
            ),
        ),
        ("gate/test_laws.py",),
    ),
    Defect(
        "rounded-gaussian-cut",
        AREA,
        "The rounded Gaussian sampler rounds towards zero.",
        "Zero gets the chance of its neighbours: the law is no rounded Gaussian.",
        edited(
            "gate.noise.rounded",
            (
                "    value += 0.5\n    whole_part = np.floor(value)\n    unsure",
                "    whole_part = np.floor(value)\n    unsure",
            ),
        ),
        ("gate/noise/test_rounded.py::test_draws_follow_the_rounded_law_cell_by_cell",),
    ),
    Defect(
        "rounded-gaussian-one-sided",
        AREA,
        "The rounded Gaussian sampler forgets the sign.",
        "Noise is never negative, so a small answer rules data sets out.",
        edited("gate.noise.rounded", ("    drawn *= 1 - 2 * (words & _ONE).view(np.int64)\n", "")),
        ("gate/noise/test_rounded.py::test_draws_follow_the_rounded_law_cell_by_cell",),
    ),
    Defect(
        "opendp-asked-for-half",
        AREA,
        "OpenDP is asked for half the deviation.",
        "Who trusts OpenDP's samplers gets half the noise.",
        edited(
            "gate.noise.opendp_source",
            ('dp.l2_distance(T="i64"), scale=sigma)', 'dp.l2_distance(T="i64"), scale=sigma / 2)'),
        ),
        (
            "gate/noise/test_noise_opendp.py::test_opendp_and_our_samplers_agree_through_one_door",
            "statistical/test_noise_laws.py::test_our_noise_and_opendp_noise_have_the_same_law",
        ),
    ),
)
