"""A listed value is what it says, however the schema and the table spell it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from equipoise.schema import cells
from equipoise.schema.listed import Listed, meaning, number_in

SPELLINGS = ("{:d}", "{:.1f}", "+{:d}", "{:03d}", "{:.0e}", "{:d}.")
NUMBERS = st.integers(0, 999)


@given(NUMBERS, st.sampled_from(SPELLINGS), st.sampled_from(SPELLINGS))
def test_a_number_is_found_in_every_spelling(number: int, stated: str, written: str) -> None:
    value, cell = stated.format(number), written.format(number)
    wanted = 1 if number_in(value) == number_in(cell) else -1  # a short exponent rounds
    found = cells.places(np.array([cell, number_in(cell)], dtype=object), ("word", value), ())
    assert found.tolist() == [wanted, wanted]


@given(st.lists(NUMBERS, min_size=2, max_size=6), st.lists(st.sampled_from(SPELLINGS), min_size=6, max_size=6))
@example([1, 1], ["{:03d}", "{:d}"] * 3)
def test_what_is_listed_is_itself_whatever_else_is(numbers: list[int], spelt: list[str]) -> None:
    values = list(dict.fromkeys(form.format(number) for number, form in zip(numbers, spelt, strict=False)))
    found = cells.places(np.array(values, dtype=object), values, ("", "0", "1"))
    assert found.tolist() == list(range(len(values)))


def test_of_two_spellings_of_one_number_another_one_is_the_plain_one_or_none() -> None:
    held = np.array(["01", "1", "1.0", 1, 1.0, "001"], dtype=object)
    assert cells.places(held, ("01", "1"), ()).tolist() == [0, 1, 1, 1, 1, 1]
    assert cells.places(held, ("01", "0001"), ()).tolist() == [0, -1, -1, -1, -1, -1]
    assert cells.places(held, ("01", "x"), ()).tolist() == [0] * 6


def test_numbers_beyond_doubles_are_told_apart_by_their_digits() -> None:
    near = 2**53
    held = np.array([str(near), str(near + 1), near, near + 1], dtype=object)
    assert cells.places(held, (str(near), "x"), ()).tolist() == [0, -1, 0, -1]
    assert cells.places(held, (near + 1, "x"), ()).tolist() == [-1, 0, -1, 0]


def test_a_number_that_is_listed_is_not_missing_in_any_spelling() -> None:
    held = np.array(["-9", "-9.0", -9.0, "-8", "-8.0", -8], dtype=object)
    assert cells.places(held, ("-9.0", "x"), ("-9", "-8")).tolist() == [0, 0, 0, -2, -2, -2]


@pytest.mark.parametrize("stated", [True, "true", "True", "TRUE"])
def test_a_truth_is_one_in_every_spelling(stated: bool | str) -> None:
    held = np.array([True, "true", "True", "TRUE", np.True_], dtype=object)
    assert cells.places(held, ("x", stated), ()).tolist() == [1] * 5


@pytest.mark.parametrize("yes", ["1", "1.0", 1, "Y"])
def test_a_boolean_means_its_words_in_every_spelling_and_truths_besides(yes: str | int) -> None:
    no = "0" if yes != "Y" else "N"
    held = np.array([yes, no, True, False, "True", "FALSE", "maybe"], dtype=object)
    found = cells.truths(held, (yes,), (no,), ())
    np.testing.assert_array_equal(found, [1, 0, 1, 0, 1, 0, np.nan])


@pytest.mark.parametrize("word", ["", "nan", "inf", "-inf", "1_000", "x", "0x1", "1,5", "1e999"])
def test_what_is_no_number_means_nothing_but_itself(word: str) -> None:
    assert meaning(word) is None
    assert Listed({word: 1}).find(word, lambda: 0) == 1
