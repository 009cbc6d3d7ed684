"""Defects of what is told: private values in their wrapper, guarantees, cards and files."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "told"

DEFECTS = (
    Defect(
        "rounded-hinge-unsaid",
        AREA,
        "A corner that nobody asked to be rounded is rounded without a word.",
        "The card says a support vector machine, and what was minimised is another.",
        edited("estimators.linear.support_vector", ("notes=(*plan.notes, words)", "notes=plan.notes")),
        (
            "estimators/linear/test_rounded_hinge.py"
            "::test_plan_card_and_guarantee_say_once_that_the_corner_is_rounded_and_by_how_much",
        ),
    ),
    Defect(
        "rounded-hinge-or-nothing",
        AREA,
        "Where a rounded hinge cannot be planned, the default is refused.",
        "Calls that worked with a plain hinge fail: the smallest epsilons, the longest rows.",
        edited("estimators.linear.support_vector", ('if not is_word(self.mechanism, "auto"):', "if True:")),
        ("estimators/linear/test_rounded_hinge.py::test_the_default_is_planned_wherever_a_plain_hinge_is",),
    ),
    Defect(
        "rounded-hinge-by-name",
        AREA,
        "A mechanism that is named and serves a kink has the rounded hinge as well.",
        "Who asked for output perturbation of a hinge has another loss than the one in its theorem's name.",
        edited("estimators.linear.support_vector", ("named is None or named.needs.smooth", "True")),
        (
            "estimators/linear/test_rounded_hinge.py"
            "::test_a_named_mechanism_that_serves_a_kink_keeps_the_plain_hinge_and_others_have_the_rounded_one",
        ),
    ),
    Defect(
        "private-has-a-repr",
        AREA,
        "A private value prints what it holds.",
        "Logs and tracebacks show records.",
        edited("inside.private", ('return "<private>"', 'return f"<private {self.__value!r}>"')),
        ("inside/test_private.py::test_no_way_of_printing_shows_the_value",),
    ),
    Defect(
        "private-can-be-pickled",
        AREA,
        "A private value can be pickled.",
        "Records are written to disk and to other processes.",
        edited(
            "inside.private",
            (
                '    def __reduce_ex__(self, protocol: object) -> NoReturn:\n        _refuse("pickle")',
                "    def __reduce_ex__(self, protocol: object) -> object:\n        return Private, (self.__value,)",
            ),
        ),
        ("inside/test_private.py::test_every_way_out_is_a_type_error_without_the_value",),
    ),
    Defect(
        "private-can-be-copied",
        AREA,
        "A private value can be copied.",
        "Copies escape those who count them.",
        edited(
            "inside.private",
            (
                '    def __copy__(self) -> NoReturn:\n        _refuse("copy")',
                "    def __copy__(self) -> object:\n        return Private(self.__value)",
            ),
        ),
        ("inside/test_private.py::test_every_way_out_is_a_type_error_without_the_value",),
    ),
    Defect(
        "private-has-a-truth",
        AREA,
        "A private value can be asked whether it is true.",
        "Control flow outside the gate depends on records.",
        edited("inside.private", ('        _refuse("truth value")', "        return bool(self.__value)")),
        ("inside/test_private.py::test_every_way_out_is_a_type_error_without_the_value",),
    ),
    Defect(
        "private-compares-by-value",
        AREA,
        "Two private values are equal when what they hold is.",
        "Equality answers questions about records.",
        edited(
            "inside.private",
            (
                "    def __bool__(self) -> bool:",
                "    def __eq__(self, other: object) -> bool:\n"
                "        return isinstance(other, Private) and bool(self.__value == other.reveal())\n\n"
                "    __hash__ = object.__hash__\n\n    def __bool__(self) -> bool:",
            ),
        ),
        ("inside/test_private.py::test_equality_and_hash_tell_nothing_about_the_value",),
    ),
    Defect(
        "card-omits-seeded",
        AREA,
        "The card says that every model was made with secure bits.",
        "A release that anybody can undo is filed as private.",
        edited(
            "outside.card",
            ("SEEDED if g.seeded else SECURE", "SECURE"),
            ('        if self.guarantee.private:\n            return ""\n', '        return ""\n'),
        ),
        ("outside/test_card.py::test_seeded_card_says_not_private_first",),
    ),
    Defect(
        "seeded-guarantee-says-private",
        AREA,
        "A guarantee calls itself private although its noise came from a seed.",
        "Programs that ask before publishing publish.",
        edited(
            "theory.guarantees",
            ("return not self.seeded and math.isfinite(self.epsilon)", "return math.isfinite(self.epsilon)"),
        ),
        (
            "outside/test_card.py::test_seeded_card_says_not_private_first",
            "estimators/test_fitted_holds_only_released_values.py::test_a_seed_works_and_says_it_is_not_private",
        ),
    ),
    Defect(
        "plan-forgets-the-seed",
        AREA,
        "The guarantee of a fit never says that it was seeded.",
        "A release that anybody can undo is sold as private.",
        edited("theory.plan", ("            seeded=seeded,\n", "            seeded=False,\n")),
        ("estimators/test_fitted_holds_only_released_values.py::test_a_seed_works_and_says_it_is_not_private",),
    ),
    Defect(
        "numeric-delta-not-told",
        AREA,
        "The guarantee states no numeric δ.",
        "What arithmetic adds to δ is hidden from the reader.",
        edited(
            "theory.plan", ("            delta_numeric=self.event.delta_numeric,\n", "            delta_numeric=0.0,\n")
        ),
        ("gate/models/test_planned_noise.py::test_the_event_costs_the_budget_and_no_more_and_is_of_the_noises_kind",),
    ),
    Defect(
        "attacker-bound-without-delta",
        AREA,
        "The card bounds the attacker by ε alone.",
        "The advantage it names can be exceeded.",
        edited(
            "outside.card",
            (
                "return advantage(self.guarantee.epsilon, self._delta) if",
                "return advantage(self.guarantee.epsilon, 0.0) if",
            ),
        ),
        (
            "outside/test_card.py::test_card_bounds_the_attacker",
            "outside/test_card.py::test_attacker_bound_counts_the_numeric_delta",
        ),
    ),
    Defect(
        "file-drops-the-seed",
        AREA,
        "A saved model forgets that it was seeded.",
        "Loaded again, it calls itself private.",
        edited(
            "outside.fields",
            (
                '        "notes": list(guarantee.notes),\n    }',
                '        "notes": list(guarantee.notes),\n        "seeded": False,\n    }',
            ),
        ),
        ("outside/test_a_file_keeps_the_seed.py::test_the_seed_survives_saving",),
    ),
    Defect(
        "file-halves-epsilon",
        AREA,
        "A saved model states half its ε.",
        "Loaded again, it claims twice the privacy it has.",
        edited(
            "outside.fields",
            (
                '        "epsilon": written(guarantee.epsilon),',
                '        "epsilon": written(guarantee.epsilon / 2),',
            ),
        ),
        ("outside/test_files.py::test_what_is_loaded_is_what_was_saved",),
    ),
    Defect(
        "file-drops-the-guarantee",
        AREA,
        "A file without a guarantee is read as a model with the best of guarantees.",
        "A stranger's coefficients pass for a private release.",
        edited(
            "outside.fields",
            (
                '    found = read_fields(fields, wanted, "")',
                '    if not fields.get("guarantee"):\n'
                '        fields = fields | {"guarantee": _guarantee_to_fields(Guarantee(1e-9, 0.0, 0.0,'
                ' Adjacency.REPLACE_ONE, "output", "", 0.0, 0.0, False))}\n'
                '    found = read_fields(fields, wanted, "")',
            ),
        ),
        (
            "outside/test_files.py::test_missing_field_is_named",
            "outside/test_files.py::test_wrong_fields_are_one_clear_line",
        ),
    ),
    Defect(
        "unknown-loss-read-as-logistic",
        AREA,
        "A file with a loss that is not known is read as that of a logistic regression.",
        "An audit derives another loss's constants and calls the claim survived.",
        edited(
            "theory.losses.written",
            (
                '        raise InvalidInput("loss: not known to this version, update equipoise") from None\n',
                '        loss = kinds["logistic"]()\n',
            ),
        ),
        (
            "theory/test_losses.py::test_a_loss_that_is_not_known_is_refused_and_never_another",
            "outside/test_files.py::test_a_loss_that_is_not_known_makes_a_file_unreadable",
        ),
    ),
    Defect(
        "loss-of-an-older-file-guessed",
        AREA,
        "An older file whose constants do not tell its loss is taken for one with the squared loss.",
        "An audit derives another loss's constants and calls the claim survived.",
        edited("outside.older", ("in _WRITERS else None", "in _WRITERS else Squared()")),
        ("outside/test_files.py::test_a_loss_that_an_older_file_does_not_tell_is_not_guessed",),
    ),
)
