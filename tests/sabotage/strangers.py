"""Defects of how strangers' models are kept apart: generators, silence, failures, rehearsals."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited, together

AREA = "strangers"
ROOM = "inside/strangers/test_alone.py"
BESIDE = "inside/strangers/test_beside_other_threads.py"
FOUND = "estimators/strangers/test_found_from_outside.py"
SEEN = "estimators/strangers/test_what_the_caller_sees.py"
AROUND = f"{SEEN}::test_what_surrounds_an_answer_does_not_depend_on_one_record"
REHEARSED = "estimators/strangers/test_rehearsals.py"

DEFECTS = (
    Defect(
        "one-global-generator-for-all-shards",
        AREA,
        "Numpy's and Python's global generators are not given a state for each shard.",
        "What one shard draws moves the draws of the next: one record decides several votes.",
        edited(
            "inside.strangers.alone",
            ("enumerate([*global_generators(), *holders])", "enumerate([*holders])"),
        ),
        (
            f"{FOUND}::test_folds_shuffled_by_the_global_generator_move_one_voter_only",
            "inside/strangers/test_alone.py::test_all_256_bits_of_a_seed_count",
        ),
    ),
    Defect(
        "generators-in-parameters-copied",
        AREA,
        "Generators that a stranger holds are copied and not renewed.",
        "Every run of a search repeats the same noise.",
        edited("inside.strangers.alone", ("_give_states(_ROOM.reach.of(*roots), seed", "_give_states([], seed")),
        (
            f"{FOUND}::test_a_generator_under_any_name_draws_fresh_noise_in_every_run",
            f"{ROOM}::test_every_kind_of_generator_is_found_renewed_and_put_back",
        ),
    ),
    Defect(
        "global-generator-left-where-strangers-took-it",
        AREA,
        "The caller's global generators are not put back.",
        "Their states count what the strangers drew from them.",
        edited(
            "inside.strangers.generators",
            (
                "            put_back(holder, state)\n\n\ndef _bits",
                "            state_of(holder)\n\n\ndef _bits",
            ),
        ),
        (AROUND,),
    ),
    Defect(
        "shared-generators-not-put-back",
        AREA,
        "Generators of classes and modules stay where a stranger took them.",
        "Their states count what the strangers drew from them.",
        edited(
            "inside.strangers.alone", ("        after.callback(put_back, holder, state_of(holder))\n", "        pass\n")
        ),
        (AROUND, f"{ROOM}::test_every_kind_of_generator_is_found_renewed_and_put_back"),
    ),
    Defect(
        "asked-with-the-generators-of-others",
        AREA,
        "When a shard's model is asked, generators of its class and module are not its own.",
        "One voter's draws move those of the next, and the caller sees how far.",
        edited("inside.answers.shards", ("            self.model,\n            key=ASKING", "            key=ASKING")),
        (AROUND,),
    ),
    Defect(
        "second-normal-number-kept",
        AREA,
        "Renewing a generator keeps the second number of a pair of normal draws.",
        "Whether the stranger before drew an odd number of times is told to the next.",
        edited(
            "inside.strangers.generators",
            (
                "        holder.seed(sequence.generate_state(POOL))",
                "        _bits(holder).state = np.random.MT19937(sequence).state",
            ),
        ),
        (f"{ROOM}::test_a_kept_normal_number_does_not_pass_from_one_stranger_to_the_next",),
    ),
    Defect(
        "seeds-of-32-bits",
        AREA,
        "Only 32 bits of a stranger's seed count.",
        "All noise that a stranger can draw is found by trying four thousand million seeds.",
        edited(
            "inside.strangers.generators",
            ("return np.random.SeedSequence(seed, spawn_key", "return np.random.SeedSequence(seed % 2**32, spawn_key"),
        ),
        (f"{ROOM}::test_all_256_bits_of_a_seed_count",),
    ),
    Defect(
        "one-word-for-a-strangers-seed",
        AREA,
        "Strangers' seeds are 64 bits long.",
        "Noise drawn from them has no more than that in it.",
        edited("gate.source", ("SEED_WORDS = 4", "SEED_WORDS = 1")),
        (f"{REHEARSED}::test_strangers_seeds_come_from_the_secure_source_with_256_bits",),
    ),
    Defect(
        "inner-fits-from-a-seed",
        AREA,
        "Inner fits of searches draw from a generator with a 64-bit seed although the bits are secure.",
        "Whoever tries the seeds subtracts the noise, and the guarantee does not say seeded.",
        edited("estimators.search.candidates", (" if bits.seeded else [None] * count", "")),
        (f"{REHEARSED}::test_inner_fits_draw_from_the_secure_source_unless_a_seed_was_given",),
    ),
    Defect(
        "system-exit-passes",
        AREA,
        "Only ordinary exceptions of strangers are kept inside.",
        "SystemExit of one shard's model reaches the asker.",
        edited(
            "inside.strangers.alone",
            ("        except BaseException:  # noqa: BLE001", "        except Exception:  # noqa: BLE001"),
        ),
        (f"{FOUND}::test_a_shard_that_leaves_is_one_vote_and_nothing_else", AROUND),
    ),
    Defect(
        "users-interrupt-swallowed",
        AREA,
        "An interrupt by the user is taken for a stranger's.",
        "None to the records; nobody could stop a long fit.",
        edited("inside.strangers.interrupts", ("        if self.stop:\n", "        if self.stop and self.late:\n")),
        (f"{ROOM}::test_the_users_interrupt_stops_and_a_strangers_does_not",),
    ),
    Defect(
        "warnings-heard",
        AREA,
        "Warnings of strangers reach the caller.",
        "They count the runs of a search and tell of the records.",
        together(
            edited(
                "inside.strangers.muted",
                ("        if not PRESENCE.here():\n            work", "        if True:\n            work"),
            ),
            edited("rows.unseen", ("        filters.insert(0, FILTER)\n", "        pass\n")),
        ),
        (f"{FOUND}::test_runs_cannot_be_counted_by_the_strangers_warnings", AROUND),
    ),
    Defect(
        "filters-not-put-back",
        AREA,
        "What a stranger does to the warning filters stays.",
        "Whether it did so is told by the next warning of anybody.",
        edited("rows.unseen", ("            filters[:] = kept\n", "            pass\n")),
        (AROUND,),
    ),
    Defect(
        "filter-left-behind-by-threads",
        AREA,
        "Our filter is left in the lists it was put in.",
        "Threads leave a process whose filters are not what they were.",
        edited(
            "rows.unseen",
            ("            if not PRESENCE.depths:\n                _take_out()\n", ""),
        ),
        (
            f"{ROOM}::test_our_filter_is_taken_out_of_every_list_it_was_put_in",
            f"{ROOM}::test_filters_survive_threads_that_change_them_too",
        ),
    ),
    Defect(
        "prints-heard",
        AREA,
        "What strangers print reaches the caller.",
        "It may say anything about the records.",
        edited(
            "inside.strangers.muted",
            ("return len(text) if PRESENCE.here() else int(", "return int("),
        ),
        (AROUND,),
    ),
    Defect(
        "exchanged-streams-left-beside-threads",
        AREA,
        "In a process with several threads what a stranger put in the place of streams and hooks stays.",
        "Whether it stays depends on the record that made the stranger do it.",
        edited(
            "inside.strangers.watched",
            (
                "_NOTES.get(place.__name__), PRESENCE.stranger()",
                "_NOTES.get(place.__name__), PRESENCE.stranger() and threading.active_count() == 1",
            ),
        ),
        (f"{SEEN}::test_nor_beside_another_thread",),
    ),
    Defect(
        "other-threads-undone-with-the-stranger",
        AREA,
        "Streams and filters come back as they were when the stranger came, whatever other threads did meanwhile.",
        "Another thread's temporary filters stay for good: nobody hears warnings any more.",
        edited("inside.strangers.watched", ("        return self.others[-1]\n", "        return self.others[0]\n")),
        (f"{BESIDE}::test_in_the_end_everything_is_as_the_other_thread_left_it",),
    ),
    Defect(
        "below-the-stream-unmuted",
        AREA,
        "A stranger can close the caller's stream or write to what is below it.",
        "That it did may say anything about the records.",
        edited("inside.strangers.muted", ("_NOWHERE.open() if PRESENCE.here() else self", "self")),
        (f"{SEEN}::test_nor_beside_another_thread",),
    ),
    Defect(
        "sharing-not-rehearsed",
        AREA,
        "Models that remember other shards are not refused.",
        "One record moves the votes of shards that it is not in.",
        edited("inside.answers.rehearsal", ("    _refuse_sharing(estimator, X, y, says)\n    if", "    if")),
        (f"{REHEARSED}::test_models_that_notice_each_other_are_refused_before_a_record_is_seen",),
    ),
    Defect(
        "mingled-rows-not-rehearsed",
        AREA,
        "Models whose answers depend on the other rows of a batch are asked about private held-out records.",
        "One record moves many terms of a mean, which is noised for one.",
        edited("inside.answers.rehearsal", ("    if held_out:\n", "    if held_out and not X.size:\n")),
        (f"{REHEARSED}::test_held_out_records_are_asked_only_of_models_that_take_them_one_by_one",),
    ),
    Defect(
        "repeated-noise-not-refused",
        AREA,
        "A stranger whose fits come out the same every time is searched over.",
        "The best of many runs with one noise costs far more than is stated.",
        edited(
            "estimators.search.stranger_runs",
            ("if repeats is not None and _repeats(", "if repeats is None and _repeats("),
        ),
        (f"{REHEARSED}::test_noise_that_repeats_is_refused_whatever_its_seed_is_called",),
    ),
    Defect(
        "false-alarm-of-repeats-understated",
        AREA,
        "Honest strangers are refused after too few equal fits.",
        "None to the records; a good estimator cannot be used.",
        edited("theory.accounting.repeats", ("p * (1 - floor * p**power)", "p * (1 - floor * p**power) / 4")),
        (f"{REHEARSED}::test_no_pair_of_laws_within_the_guarantee_repeats_more_often_than_is_stated",),
    ),
    Defect(
        "model-leaves-with-its-generator",
        AREA,
        "A stranger's model leaves with its generator as the noise left it.",
        "Drawn backwards, it gives the noise away.",
        edited(
            "estimators.search.stranger_runs",
            ("                renew(holder, with_key(seed, place))", "                pass"),
        ),
        (f"{REHEARSED}::test_a_model_leaves_without_the_state_that_its_noise_came_from",),
    ),
    Defect(
        "failed-run-told-at-once",
        AREA,
        "A run that fails ends the search instead of counting as the worst.",
        "That some run among many failed is an outcome nobody paid for.",
        edited(
            "estimators.search.stranger_runs",
            (
                "        done = alone(lambda: copy.fit(rows.copy(), labels.copy()), seed, copy, key=FITTING)\n",
                "        done = copy.fit(rows.copy(), labels.copy())\n",
            ),
        ),
        (AROUND,),
    ),
    Defect(
        "workers-of-strangers-live-on",
        AREA,
        "Shard models may start worker processes of their own, which serve one shard after the other.",
        "Generators in them carry what one shard drew to the next.",
        edited("inside.answers.shards", ('if last == "n_jobs"}', 'if last == "n_jobs" and not found}')),
        ("inside/answers/test_shards.py::test_seeds_reach_nested_estimators",),
    ),
    Defect(
        "fit-heard-after-the-debit",
        AREA,
        "Warnings and numpy's complaints within a fit reach the caller.",
        "That a number overflowed says what the records are like.",
        edited("estimators._fit", (" as entry, unseen():", " as entry:")),
        ("estimators/strangers/test_from_the_debit_on.py::test_nothing_is_heard_of_private_values",),
    ),
)
