"""Defects of the audits: what they look away from."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "auditing"
FAILURES = "audit/test_failures_are_outputs.py"
FIELDS = "audit/subjects/test_every_field.py"
PLACES = "cli/test_places.py"
HARM = "An estimator that tells neighbours apart by failing passes its audit."

DEFECTS = (
    Defect(
        "audit-deaf-to-warnings",
        AREA,
        "A release that warns counts as one that says nothing.",
        "Warnings that depend on a record pass every audit.",
        edited(
            "audit.witness", ("_categories(heard)) if heard else output", "_categories(heard)) if None else output")
        ),
        (f"{FAILURES}::test_a_lower_bound_counts_it",),
    ),
    Defect(
        "audit-skips-refused-tables",
        AREA,
        "A pair of which the first table is refused is left out, whatever becomes of the second.",
        HARM,
        edited(
            "audit.frozen.replay",
            ("if isinstance(first, Raised) and first == second:", "if isinstance(first, Raised):"),
        ),
        (f"{FAILURES}::test_frozen_noise_shows_it_whichever_table_comes_first",),
    ),
    Defect(
        "words-of-an-error-not-told-apart",
        AREA,
        "Errors of one type count as one output, whatever they say.",
        "A message that quotes a record passes every audit.",
        edited(
            "audit.witness",
            (
                "Raised(type(error).__name__, _fingerprint(heard, _text(error)), _categories(heard))",
                "Raised(type(error).__name__)",
            ),
        ),
        (f"{FAILURES}::test_words_are_told_apart_but_not_kept",),
    ),
    Defect(
        "failing-on-a-person-tells-nothing",
        AREA,
        "Whoever makes a model fail is scored by somebody else's answer.",
        HARM,
        edited("audit.attacks.membership", ("return np.where(asked.raised, RAISED, found)", "return np.array(found)")),
        (f"{FAILURES}::test_people_on_whom_a_model_fails_are_found",),
    ),
    Defect(
        "refusing-ledger-ends-the-audit",
        AREA,
        "A ledger that refuses one table only is taken for one that the audit has spent.",
        HARM,
        edited("audit.bounds.sampling", ("if any(map(any, refused)) and all(later):", "if any(map(any, refused)):")),
        (f"{FAILURES}::test_a_ledger_that_refuses_one_table_only_is_an_output",),
    ),
    Defect(
        "constants-told-twice-believed",
        AREA,
        "A promise's sensitivity and noise are not compared with the constants of the same name.",
        "A stored file may state one noise where it is looked at and another where it is checked.",
        edited("audit.subjects.agreement", ("wrong = [*_told_twice(guarantee), *_unit", "wrong = [*_unit")),
        (f"{FIELDS}::test_what_is_told_twice_and_differs_is_broken",),
    ),
    Defect(
        "units-in-files-believed",
        AREA,
        "The unit that a file states is not held against its constants.",
        "A file protects one row and says that it protects a person with five.",
        edited("audit.subjects.agreement", ("*_unit(guarantee), *_counted", "*_counted")),
        (f"{FIELDS}::test_what_is_told_twice_and_differs_is_broken",),
    ),
    Defect(
        "constants-beyond-the-plan-believed",
        AREA,
        "Constants in a file that no plan gives are passed over.",
        "A ball or a bound that nothing rests on is printed as if something did.",
        edited(
            "audit.subjects.derived",
            ("if name not in fresh.constants and name not in CHOSEN]", "if name == chr(0)]"),
        ),
        (f"{FIELDS}::test_no_field_of_a_guarantee_changes_unnoticed",),
    ),
    Defect(
        "inputs-replaced-with-force",
        AREA,
        "With --force a command replaces what it reads as well.",
        "The ledger is gone, and what was spent with it.",
        edited("cli.places", ("    if is_input(out, inputs):", "    if is_input(out, inputs) and not force:")),
        (f"{PLACES}::test_no_file_is_replaced_unasked_and_what_is_read_never",),
    ),
    Defect(
        "plans-over-any-file",
        AREA,
        "A plan's report is written over whatever is there.",
        "Any file is lost to a slip in a name.",
        edited("cli.table.plan", ('refuse_replacing("report", page, force, job.reads)', "pass")),
        (f"{PLACES}::test_no_file_is_replaced_unasked_and_what_is_read_never",),
    ),
    Defect(
        "folders-taken-with-what-they-hold",
        AREA,
        "With --force a folder with a model in it is replaced, whatever else it holds.",
        "The table or the ledger of the fit is gone before its model is there.",
        edited("cli.table.folder", ("    if holds_input(place, inputs):", "    if False:")),
        (f"{PLACES}::test_force_never_takes_what_is_read_or_what_no_fit_wrote",),
    ),
    Defect(
        "links-that-lead-nowhere-taken",
        AREA,
        "A link that leads nowhere is taken for a place where nothing is.",
        "A fit is paid for before its folder is found to be no place for it.",
        edited(
            "cli.table.folder",
            ('return "is a link that leads nowhere, give a folder" if out.is_symlink() else ""', 'return ""'),
        ),
        (f"{PLACES}::test_no_file_in_a_folder_is_replaced_unasked",),
    ),
    Defect(
        "signed-noughts-are-somebody-else",
        AREA,
        "The id -0 is another person than 0.",
        "A person with two spellings of one number has twice the rows that the cap allows.",
        edited("schema.cells", ('plainly = "0" if plainly == "-0" else plainly', "plainly = str(plainly)")),
        ("schema/test_ids.py::test_nought_is_one_person_with_and_without_a_sign",),
    ),
    Defect(
        "ledgers-in-memory-by-another-name",
        AREA,
        "Addresses that SQLite reads as a database in memory are taken for names of files.",
        "A ledger forgets what was spent, or a user thinks that it does not.",
        edited("ledger.place", ('    if plain.startswith("file:"):', "    if False:")),
        ("ledger/test_place.py::test_no_spelling_of_a_ledger_in_memory_is_taken",),
    ),
)
