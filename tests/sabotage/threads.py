"""Defects of work that several threads share."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "threads"
THREADS = "inside/test_threads.py"
DIGITS = "inside/test_same_digits.py"

DEFECTS = (
    Defect(
        "sums-are-added-as-they-come",
        AREA,
        "What threads have summed is added in the order in which they are done.",
        "A term may pass through more additions than the certificate counts, and the same fit gives other digits.",
        edited(
            "inside.threads",
            (
                "        found = begun.popleft().result()\n",
                "        first = next(as_completed(begun))\n"
                "        begun.remove(first)\n"
                "        found = first.result()\n",
            ),
            ("import Future, ThreadPoolExecutor", "import Future, ThreadPoolExecutor, as_completed"),
        ),
        (f"{THREADS}::test_the_first_is_taken_first_though_it_is_done_last",),
    ),
    Defect(
        "threads-share-a-buffer",
        AREA,
        "All threads copy the rows of the caller's array into the same buffer.",
        "A record may count twice and another not at all, or be longer than its factor was measured for.",
        edited("inside.borrowed", ("me = threading.get_ident()", "me = 0")),
        (f"{DIGITS}::test_every_thread_has_a_buffer_of_its_own",),
    ),
    Defect(
        "constants-are-added-as-they-come",
        AREA,
        "The constant column's sums are added in the order in which threads turn the blocks.",
        "The same fit gives other digits, and who compares two of them learns how busy the machine was.",
        edited("inside.design.constant", ("sums[part.start or 0] =", "sums[len(sums)] =")),
        (f"{DIGITS}::test_constants_are_added_in_the_order_of_the_rows",),
    ),
    Defect(
        "helpers-are-heard",
        AREA,
        "What a helper thread warns of is shown, though the fit itself is silent.",
        "A warning tells of a record.",
        edited("inside.threads", ("unseen if PRESENCE.here() else nullcontext", "nullcontext")),
        (f"{THREADS}::test_warnings_of_helpers_are_heard_where_those_of_the_caller_are",),
    ),
    Defect(
        "helpers-have-settings-of-their-own",
        AREA,
        "Helper threads do not take over how the caller's thread treats special numbers.",
        "A number that overflows is warned of, or raised, because of a record.",
        edited("inside.threads", ("pool.submit(copy_context().run, work, some)", "pool.submit(work, some)")),
        (f"{THREADS}::test_settings_of_numpy_are_those_of_the_caller",),
    ),
    Defect(
        "a-later-error-hides-the-first",
        AREA,
        "A block whose work fails is left out of the sum.",
        "A table that was written to during the fit is not noticed, and records are lost without a word.",
        edited(
            "inside.threads",
            (
                "        found = begun.popleft().result()\n",
                "        first = begun.popleft()\n        found = [] if first.exception() else first.result()\n",
            ),
            ("return together if found[0].nbytes", "return together if found and found[0].nbytes"),
        ),
        (
            f"{DIGITS}::test_rows_that_are_written_to_are_noticed_whichever_thread_meets_them",
            f"{DIGITS}::test_an_error_in_a_block_is_that_of_the_pass",
        ),
    ),
)
