"""Defects of fits on many machines: what workers draw, add, tell and keep."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "clusters"
SAME = "estimators/cluster/test_the_same_model.py"
WORKERS = "estimators/cluster/test_what_workers_may_do.py"
REFUSED = "estimators/cluster/test_what_is_refused.py"
PARTED = "inside/test_parted.py"
PERSONS = "estimators/cluster/test_persons.py"
SEARCHES = "estimators/cluster/test_searches.py"
LENT = "inside/test_lent_parts.py"
LENT_ARRAYS = "estimators/cluster/test_lent_arrays.py"
EVALUATIONS = "estimators/cluster/test_evaluations.py"

DEFECTS = (
    Defect(
        "noise-in-a-worker",
        AREA,
        "Every worker adds noise of its own to the sum that it sends.",
        "Noise is drawn where nobody accounts for it, again and again, and can be averaged away.",
        edited(
            "inside.cluster.parts",
            (
                "    found, at = list[Array](), 0\n",
                "    sums = [exact + np.random.normal(0, 1e-9, exact.shape) for exact in sums]\n"
                "    found, at = list[Array](), 0\n",
            ),
        ),
        (
            f"{WORKERS}::test_nothing_is_drawn_by_a_worker",
            f"{WORKERS}::test_the_same_question_has_the_same_answer_to_the_last_digit",
        ),
    ),
    Defect(
        "sums-as-they-arrive",
        AREA,
        "Sums of parts are added in the order in which workers answer.",
        "The released digits depend on which machine was slow, which depends on records.",
        edited(
            "inside.cluster.hands",
            (
                "                return list(self.client.gather(list(futures))) if self._finished(futures) else None\n",
                "                from distributed import as_completed\n\n"
                "                return [future.result() for future in as_completed(list(futures))]\n",
            ),
        ),
        (f"{WORKERS}::test_sums_are_added_in_the_order_of_their_places_whoever_comes_first",),
    ),
    Defect(
        "groups-of-three",
        AREA,
        "Workers add up groups of parts whose number is no power of two.",
        "The order of additions depends on how many there are in a group: counted is another tree.",
        edited(
            "inside.cluster.crew",
            (
                "at : at + TOGETHER]) for at in range(0, len(sums), TOGETHER)",
                "at : at + 3]) for at in range(0, len(sums), 3)",
            ),
        ),
        (f"{WORKERS}::test_more_sums_than_the_caller_adds_are_added_by_workers_in_the_same_order",),
    ),
    Defect(
        "a-workers-words",
        AREA,
        "What a worker raises is passed on to the caller.",
        "Its message and its traceback quote rows.",
        edited(
            "inside.cluster.hands",
            (
                "        except Exception:  # noqa: BLE001\n            return None\n",
                "        except Exception as error:\n"
                '            raise WorkerFailure(f"engine: {Failure.FAILED}: {error}; {SPENT}") from error\n',
            ),
            (
                "return list(self.client.gather(list(futures))) if self._finished(futures) else None",
                "return list(self.client.gather(list(futures)))",
            ),
        ),
        (f"{WORKERS}::test_what_a_worker_raises_is_not_told",),
    ),
    Defect(
        "a-partial-sum-is-logged",
        AREA,
        "The sum over all parts is written to a log before noise is added.",
        "Whoever reads the log reads the exact sum.",
        edited(
            "inside.cluster.crew",
            (
                "for (_, level), one in found)\n        assert total is not None",
                "for (_, level), one in found)\n"
                "        __import__('logging').getLogger('distributed.client').warning('sum %s', total)\n"
                "        assert total is not None",
            ),
        ),
        (f"{WORKERS}::test_nothing_is_warned_of_or_logged_by_the_rows",),
    ),
    Defect(
        "handles-outside-private",
        AREA,
        "The handles of the parts are kept beside the private value that holds them.",
        "Whoever finds them fetches the records.",
        edited(
            "inside.cluster.spread",
            (
                "    return Private(Spread(design=design,",
                "    global known\n"
                "    known = Spread(design=design, labels=np.empty(0), crew=crew, parts=held, norm=1.0)\n"
                "    return Private(Spread(design=design,",
            ),
        ),
        ("architecture/test_clusters.py::test_handles_of_parts_are_held_by_records_alone",),
    ),
    Defect(
        "a-task-that-raises",
        AREA,
        "A task of ours lets an exception out, which the worker logs with the task's arguments.",
        "Rows stand in the logs of a machine, and on the terminal of whoever started a local cluster.",
        edited(
            "inside.cluster.quiet",
            (
                "        except Exception:  # noqa: BLE001 - whatever it is, its words may be a record's\n",
                "        except ZeroDivisionError:\n",
            ),
        ),
        (f"{WORKERS}::test_what_a_worker_raises_is_not_told",),
    ),
    Defect(
        "a-lost-part-is-taken-as-it-comes",
        AREA,
        "A part that was lost and is made anew is not compared with what it was.",
        "One fit sees two tables: its certificate holds for neither.",
        edited(
            "inside.cluster.parts",
            ("        if self.own != own or (lent is not None and", "        if (lent is not None and"),
        ),
        (f"{WORKERS}::test_a_part_that_is_made_anew_and_otherwise_ends_the_fit",),
    ),
    Defect(
        "a-part-of-another-size-is-taken",
        AREA,
        "A part that has other rows than were counted before the debit is let in.",
        "Noise was planned for another number of records.",
        edited("inside.cluster.parts", ("    if found.rows != expected.rows >= 0:\n", "    if found.rows < 0:\n")),
        (f"{WORKERS}::test_a_frame_that_grows_after_it_was_counted_ends_the_fit",),
    ),
    Defect(
        "keys-are-hashes",
        AREA,
        "Tasks are named by a hash of what they compute.",
        "A dashboard shows whether two tables, or two steps of a solver, are the same.",
        edited(
            "inside.cluster.hands",
            ("self.client.submit(work, *given, pure=False)", "self.client.submit(work, *given, pure=True)"),
            ("delayed(work, pure=False)", "delayed(work, pure=True)"),
        ),
        (f"{WORKERS}::test_keys_are_drawn_and_no_hash_of_records",),
    ),
    Defect(
        "rows-that-do-not-count-are-summed",
        AREA,
        "Under add-remove a part is summed whole, though only its first rows count.",
        "More records than were planned for move the sum.",
        edited("inside.cluster.parts", ("(self.records.first(used) if rows", "(self.records if rows")),
        (f"{SAME}::test_dask_arrays_give_the_model_of_the_table_in_memory",),
    ),
    Defect(
        "a-secret-size-is-refused",
        AREA,
        "Under add-remove the number of rows that was counted before the debit is kept and checked.",
        "A refusal tells how many there are.",
        edited(
            "estimators.cluster.collections",
            ("for one in found] if secret else found", "for one in found] if secret is None else found"),
            ("source_rows(estimator, parts, fewest)", "source_rows(estimator, parts, 2)"),
        ),
        (f"{REFUSED}::test_an_empty_part_and_a_table_without_rows",),
    ),
    Defect(
        "dask-is-fetched",
        AREA,
        "An estimator that needs its table in memory fetches one that lies on many machines without a word.",
        "Records leave the machines that were to keep them.",
        edited(
            "rows.tables",
            ("    if is_collection(X):\n        raise InvalidInput(ON_MANY_MACHINES.format(name=name))\n", ""),
        ),
        (f"{REFUSED}::test_what_reads_tables_into_memory_does_not_fetch_them",),
    ),
    Defect(
        "many-parts-are-counted-as-one",
        AREA,
        "The additions behind sums of parts are left out of the rounding allowance.",
        "A certificate promises more than doubles hold.",
        edited(
            "inside.parted", ("    depth = within + depth_in_pairs(len(sizes))\n", "    depth = within - len(sizes)\n")
        ),
        (f"{PARTED}::test_no_part_of_a_cluster_is_deeper_than_was_stated_of_the_whole",),
    ),
    Defect(
        "labels-of-a-part-by-its-own-type",
        AREA,
        "Whole labels of a part are whole numbers, or doubles where one is missing.",
        "Beyond 2⁵³ one missing label makes other classes of the labels beside it.",
        edited(
            "estimators.cluster.collections",
            ("singles=True), _alike(y, own_labels(y))", "singles=True), own_labels(y)"),
        ),
        (f"{REFUSED}::test_a_gap_does_not_change_the_labels_beside_it",),
    ),
    Defect(
        "a-cap-for-every-part",
        AREA,
        "Rows of a person that lie in parts before are not counted.",
        "A person with rows in many parts moves the model farther than the noise hides.",
        edited("inside.cluster.turns", ("each_alone(part.codes)) + earlier < cap", "each_alone(part.codes)) < cap")),
        (f"{PERSONS}::test_a_person_in_every_part_is_held_to_the_cap",),
    ),
    Defect(
        "ids-met-by-several-counters",
        AREA,
        "An id is sent to a counter by a mark that is another every time.",
        "Nobody counts all rows of a person.",
        edited(
            "inside.cluster.turns",
            ('zlib.crc32(str.encode(each, "utf-8", "surrogatepass"))', "__import__('secrets').randbelow(2**32)"),
        ),
        (f"{PERSONS}::test_a_person_in_every_part_is_held_to_the_cap",),
    ),
    Defect(
        "nameless-rows-share-a-cap",
        AREA,
        "On many machines all rows without an id count as one person's.",
        "How many rows are used, which is printed for free, tells whose id is missing.",
        edited("inside.cluster.turns", ("turns(each_alone(part.codes))", "turns(part.codes)")),
        (f"{PERSONS}::test_ids_are_compared_across_parts_as_in_memory",),
    ),
    Defect(
        "rows-picked-by-other-ids",
        AREA,
        "Rows are let in by a choice that was made from other ids than those that were counted.",
        "The cap holds for persons of another table.",
        edited(
            "inside.cluster.parts",
            (
                "        if picked.stamp != stamp or len(picked.rows) != found.rows:\n",
                "        if len(picked.rows) != found.rows:\n",
            ),
        ),
        (f"{PERSONS}::test_ids_that_are_others_when_they_are_read_again_end_the_fit",),
    ),
    Defect(
        "ids-come-to-the-caller",
        AREA,
        "The persons of every part are fetched by the caller.",
        "Ids leave the machines that were to keep them.",
        edited(
            "inside.cluster.crew",
            (
                "        counters = min(MOST_COUNTERS",
                "        self._trusted(known)\n        counters = min(MOST_COUNTERS",
            ),
        ),
        (f"{PERSONS}::test_no_id_comes_to_the_caller",),
    ),
    Defect(
        "ids-of-a-part-by-its-own-type",
        AREA,
        "Whole ids of a part are whole numbers, or doubles where one is missing.",
        "Beyond 2⁵³ one missing id makes other people of those beside it, whose rows then count twice.",
        edited(
            "estimators.cluster.collections",
            ("return IdsIn(numbers and not sure), tasks", "return IdsIn(False), tasks"),
        ),
        (f"{PERSONS}::test_a_gap_among_large_ids_changes_nobody_elses",),
    ),
    Defect(
        "a-far-search-chooses-on-all-rows",
        AREA,
        "A search on many machines fits and chooses on all rows instead of the parts that were drawn.",
        "A row pays for one part and is met in all of them.",
        edited(
            "estimators.search.far_rows",
            (
                "        return self if len(which) == self.shape[0] else replace(self, which=which)",
                "        return self",
            ),
        ),
        (f"{SEARCHES}::test_a_search_ends_where_it_ends_in_memory",),
    ),
    Defect(
        "an-evaluation-of-a-part-that-grew",
        AREA,
        "An evaluation on many machines adds up what each part says without looking at its size.",
        "A part of another number of rows than was counted moves the mean farther than the noise hides.",
        edited(
            "inside.cluster.parts",
            ("    if len(each) != expected.rows:\n        return Failure.OTHER\n", ""),
        ),
        (f"{EVALUATIONS}::test_a_table_that_changes_after_it_was_counted_ends_in_one_sentence",),
    ),
    Defect(
        "exact-sums-drop-a-limb",
        AREA,
        "Sums that are said to be exact are rounded to 36 bits.",
        "Harmless to one record, but no longer the number that is released in memory: two machines tell two stories.",
        edited("inside.exact_sums", ("BITS, LIMBS = 18, 3", "BITS, LIMBS = 18, 2")),
        ("inside/test_exact_sums.py::test_the_sum_is_the_same_however_it_is_cut_and_next_to_the_true_one",),
    ),
    Defect(
        "equal-ids-met-by-different-counters",
        AREA,
        "Who counts the rows of an id is decided by how it is written.",
        "Somebody who is 1 in one part and 1.0 in another has twice as many rows as the cap.",
        edited("inside.cluster.turns", ("hash(each) % 2**32", "zlib.crc32(repr(each).encode())")),
        ("rows/test_ids_of_many_types.py::test_equal_ids_are_one_person_whatever_their_types",),
    ),
    Defect(
        "rows-in-parts-before-not-counted",
        AREA,
        "Every part holds a person to the cap by itself.",
        "A person has as many rows in all as there are parts, times the cap.",
        edited("inside.cluster.turns", ("turns(each_alone(part.codes)) + earlier < cap", "turns(part.codes) < cap")),
        ("rows/test_ids_of_many_types.py::test_parts_use_the_rows_that_memory_uses",),
    ),
    Defect(
        "an-id-that-ends-a-fit",
        AREA,
        "Ids that cannot be compared with each other are an error of the worker who meets them.",
        "A fit that is refused says that somebody has such an id.",
        edited(
            "inside.cluster.turns",
            ("asked(partial(_heard, so_far, each, rows, cap), 0)", "_heard(so_far, each, rows, cap)"),
        ),
        ("rows/test_ids_of_many_types.py::test_ids_that_cannot_be_compared_end_no_fit_and_say_nothing",),
    ),
    Defect(
        "doubles-of-ids-beside-whole-numbers",
        AREA,
        "Ids are read as doubles only where a frame says that they are whole numbers.",
        "Where its type came from a part with a gap, long ids of the other parts are other people: twice the cap.",
        edited("estimators.cluster.collections", ('groups.dtype.kind in "iuf"', 'groups.dtype.kind in "iu"')),
        (
            "estimators/cluster/test_persons.py::"
            "test_long_whole_ids_are_the_same_people_whichever_part_gave_the_frame_its_type",
        ),
    ),
    Defect(
        "a-lent-part-made-anew-is-not-met",
        AREA,
        "A part that is read where it lies gives sums before its rows are compared with those of the first pass.",
        "One fit sees two tables: its certificate holds for neither.",
        edited(
            "inside.cluster.parts",
            ("        return found if lent is None or self.met() == lent else None\n", "        return found\n"),
        ),
        (f"{LENT}::test_a_part_that_is_made_anew_is_compared_whatever_is_asked_first",),
    ),
    Defect(
        "a-mark-that-nobody-remembers",
        AREA,
        "What the first sum over all rows says of a lent part's mark is not kept.",
        "A part that is made anew is never compared with anything.",
        edited("inside.cluster.crew", ("parts[place].known.lent = lent", "parts[place].known.lent = None")),
        (f"{LENT_ARRAYS}::test_a_part_that_is_made_anew_and_otherwise_ends_the_fit",),
    ),
    Defect(
        "labels-of-a-lent-part-unmarked",
        AREA,
        "The mark of a part that is read where it lies leaves out its labels.",
        "Labels that are others when they are computed again are summed with the rows of before.",
        edited(
            "inside.cluster.parts",
            ("own = np.array(X.shape, dtype=np.int64), records.codes", "own = (np.array(X.shape, dtype=np.int64),)"),
        ),
        (f"{LENT}::test_other_labels_are_another_part",),
    ),
    Defect(
        "rows-unmarked-in-a-lent-part",
        AREA,
        "A lent part counts as one that was marked when it entered.",
        "A part that is made anew, with other rows, is taken as it comes.",
        edited(
            "inside.cluster.parts",
            ("self.records.mark if isinstance(self.records, Borrowed) else NONE_LENT", "NONE_LENT"),
        ),
        (f"{LENT}::test_the_first_sum_over_all_rows_says_the_mark_and_later_ones_want_it",),
    ),
    Defect(
        "lent-rows-are-clipped-in-place",
        AREA,
        "Rows that were lent are brought in as if they were our own.",
        "Dask's array is another afterwards: who fits it again fits clipped rows, and other tasks see them.",
        edited("inside.cluster.parts", ("    if reader.lent and isinstance", "    if not reader.lent and isinstance")),
        (f"{LENT_ARRAYS}::test_nothing_is_written_to_the_array_that_dask_holds",),
    ),
    Defect(
        "a-written-part-is-a-failure-like-any",
        AREA,
        "A worker whose lent rows were written to says that it could not do its part.",
        "Harmless to a record, but nobody learns that a task writes to the table while it is fitted.",
        edited("inside.cluster.parts", ("if str(error) == WRITTEN_TO else", "if str(error) == '' else")),
        (f"{LENT}::test_rows_that_are_written_to_are_another_part",),
    ),
    Defect(
        "lent-whatever-the-plan-says",
        AREA,
        "Parts are read where they lie also where rows are not used as they are, or n is secret.",
        "Rows are summed without their column bounds; under add-remove more rows count than were planned for.",
        edited(
            "estimators.cluster.parts",
            ("self.persons is not None or not sums_rows_as_they_are(plan)", "self.persons is not None"),
        ),
        (f"{LENT_ARRAYS}::test_whatever_is_not_used_as_it_is_is_copied",),
    ),
    Defect(
        "blocks-of-lent-parts-uncounted",
        AREA,
        "The additions behind sums over blocks of a lent part are left out of the rounding allowance.",
        "A certificate promises more than doubles hold.",
        edited("inside.parted", ("column_depth=max(copied.column_depth, blocks)", "column_depth=copied.column_depth")),
        (f"{PARTED}::test_no_lent_part_is_deeper_than_was_stated_of_the_whole",),
    ),
)
