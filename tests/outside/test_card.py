from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import equipoise as eq
from equipoise.errors import InvalidInput
from equipoise.outside import Card, LinearModel
from equipoise.outside.card_words import ERRORS, NOT_COVERED, STRENGTHS
from equipoise.outside.origin import Account, Origin
from equipoise.outside.pages import at_most, readable
from equipoise.outside.uncertainty import COVERS, MINIMISER
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.mechanisms import EVERY, about
from equipoise.tuning import RandomSearch


def flat(card: Card) -> str:
    """The page without its line breaks."""
    return " ".join(card.text().split())


def test_card_states_the_guarantee(binary: LinearModel) -> None:
    page = flat(binary.card())
    for words in (
        "LogisticRegression",
        "classes no, yes",
        "unit of privacy one row",
        "adjacency replace-one: two tables of the same, public size that differ in one row",
        "epsilon (ε) 1 ",
        "delta (δ) 1e-6",
        "numeric delta 4.54747e-13",
        "mechanism output",
        "theorem output perturbation, Lemma A",
        "proof docs/proofs/output_perturbation.md",
        "secure bits from the operating system",
    ):
        assert words in page, words


def test_every_mechanism_is_described_and_its_proof_page_exists() -> None:
    assert len({each.name for each in EVERY}) == len(EVERY)
    for each in EVERY:
        assert about(each.name) is each
        assert each.words
        assert (Path(__file__).parents[2] / each.proof).is_file(), each.proof


def test_a_mechanism_that_is_not_known_has_no_card(binary: LinearModel) -> None:
    strange = replace(binary, guarantee=replace(binary.guarantee, mechanism="outputt"))
    with pytest.raises(InvalidInput, match=r"outputt.*not known"):
        str(strange.card())


def test_card_says_what_was_minimised(binary: LinearModel, regressor: LinearModel) -> None:
    assert "minimised mean logistic loss" in flat(binary.card())
    assert regressor.card().to_json()["minimised"] == "mean squared residual"
    assert "minimised" not in flat(replace(binary, loss=None).card())


def test_card_states_every_constant(binary: LinearModel) -> None:
    page = flat(binary.card())
    for words in ("sensitivity 0.0123", "noise scale 0.0456", "records 3000", "row norm 1.5", "alpha 0.017"):
        assert words in page, words
    for name in binary.guarantee.constants:
        assert name in page


def test_card_says_why_and_says_it_once(binary: LinearModel) -> None:
    card = replace(binary.card(), why=("least predicted excess risk", *binary.guarantee.notes))
    assert "least predicted excess risk" in flat(card)
    assert flat(card).count(binary.guarantee.notes[0]) == 1


def test_card_says_what_is_not_covered(binary: LinearModel) -> None:
    page = flat(binary.card())
    for line in NOT_COVERED:
        assert line in page
    for word in ("Side channels", "ledger", "the unit is the row", "population", "bounds, classes", "libm"):
        assert word in page, word


def test_card_bounds_the_attacker(binary: LinearModel) -> None:
    page = flat(binary.card())
    gain = (math.e - 1 + 2e-6) / (math.e + 1)
    assert binary.card().advantage == pytest.approx(gain, abs=1e-9)
    assert binary.card().true_positives == pytest.approx(math.e / 100 + 1e-6, abs=1e-9)
    assert "at most 73.11% of the time" in page
    assert "at most 0.4622" in page
    assert "right at most 2.719% of the time" in page


def test_attacker_bound_counts_the_numeric_delta(guarantee: Guarantee) -> None:
    card = Card("LogisticRegression", "classifier", 1, (0, 1), replace(guarantee, delta=0.0, delta_numeric=0.01))
    assert card.true_positives == pytest.approx(math.e / 100 + 0.01, abs=1e-9)


def test_plain_words_name_the_neighbouring_table(binary: LinearModel) -> None:
    other = replace(binary, guarantee=replace(binary.guarantee, adjacency=Adjacency.ADD_REMOVE))
    assert "had any one row held other values" in flat(binary.card())
    assert "had any one row been left out or put in" in flat(other.card())


def test_pure_privacy_is_stated_without_a_delta(guarantee: Guarantee) -> None:
    card = Card("LogisticRegression", "classifier", 1, (0, 1), replace(guarantee, delta=0.0, delta_numeric=0.0))
    assert "2.72 times (e^ε) what it would have been then. An attacker" in flat(card)


def test_seeded_card_says_not_private_first(binary: LinearModel) -> None:
    card = replace(binary, guarantee=replace(binary.guarantee, seeded=True)).card()
    assert "NOT PRIVATE" in card.text().splitlines()[3]
    page = flat(card)
    assert "SEEDED: not private, for tests only" in page
    assert "secure bits" not in page
    assert "e^ε" not in page
    assert "NOT PRIVATE" in card.html()
    assert card.to_json()["private"] is False
    assert card.to_json()["attacker"]["advantage_at_most"] == 1.0


def test_a_guarantee_without_a_bound_says_not_private_first(binary: LinearModel) -> None:
    card = replace(binary, guarantee=replace(binary.guarantee, epsilon=math.inf)).card()
    assert "NOT PRIVATE: no bound" in card.text().splitlines()[3]
    assert "seed" not in flat(card)
    assert "epsilon (ε) no bound" in flat(card)
    data = json.loads(json.dumps(card.to_json(), allow_nan=False))
    assert (data["private"], data["epsilon"], data["attacker"]["advantage_at_most"]) == (False, None, 1.0)


def test_regressor_card_states_the_clipping_rule_and_no_classes(regressor: LinearModel) -> None:
    page = flat(regressor.card())
    assert "a label outside the public label bounds is moved to the nearer bound" in page
    assert "classes " not in page.split("What is not covered")[0]


def test_card_says_what_standard_errors_cover(noisy: LinearModel, regressor: LinearModel) -> None:
    assert "standard errors available" in flat(noisy.card())
    assert "privacy noise only, neither sampling nor ridge" in flat(noisy.card())
    assert noisy.card().to_json()["standard_errors_cover"] == MINIMISER
    assert "standard errors" not in flat(regressor.card())
    assert regressor.card().to_json()["standard_errors_cover"] is None
    assert set(ERRORS) == set(COVERS)


def test_json_holds_the_exact_numbers(binary: LinearModel) -> None:
    card = binary.card()
    data = json.loads(json.dumps(card.to_json(), allow_nan=False))
    assert data == card.to_json()
    assert data["constants"] == binary.guarantee.constants
    assert (data["epsilon"], data["delta"], data["delta_numeric"]) == (1.0, 1e-6, 2.0**-41)
    assert (data["adjacency"], data["unit"], data["generator"]) == ("replace-one", "one row", "secure")
    assert data["model"]["classes"] == ["no", "yes"]
    assert data["not_covered"] == list(NOT_COVERED)


def test_json_writes_no_bound_as_null(binary: LinearModel) -> None:
    guarantee = replace(binary.guarantee, constants={"coefficient norm": math.inf})
    card = replace(binary, guarantee=guarantee).card()
    assert json.loads(json.dumps(card.to_json(), allow_nan=False))["constants"] == {"coefficient norm": None}
    assert "coefficient norm no bound" in flat(card)


def test_text_fits_a_page(binary: LinearModel) -> None:
    assert max(len(line) for line in binary.card().text().splitlines()) <= 100
    assert str(binary.card()) == binary.card().text()


def test_html_escapes_what_it_shows(binary: LinearModel) -> None:
    page = replace(binary.card(), classes=("<script>", "b&c")).html()
    assert "<script>" not in page
    assert "&lt;script&gt;, b&amp;c" in page
    assert page.count("<section") == page.count("</section>") == 1


def test_html_is_a_page_of_its_own_and_the_fragment_is_not(binary: LinearModel) -> None:
    page = binary.card().html()
    assert page.startswith("<!DOCTYPE html>")
    assert all(
        word in page for word in ("<style>", "viewport", "prefers-color-scheme: dark", "@media print", "<title>")
    )
    assert not [word for word in ("http:", "https:", "<script", "src=") if word in page]
    assert "<html" not in binary.card().fragment()
    assert binary.card().fragment() in page


@pytest.mark.parametrize(
    ("epsilon", "word"),
    [(0.1, "strong"), (1.0, "good"), (2.0, "moderate"), (5.0, "weak"), (20.0, "next to nothing")],
)
def test_the_words_stay_true_at_every_epsilon(binary: LinearModel, epsilon: float, word: str) -> None:
    card = replace(binary, guarantee=replace(binary.guarantee, epsilon=epsilon)).card()
    sentence = next(said for _, name, said in STRENGTHS if name == word)
    assert sentence in flat(card)
    assert card.to_json()["strength"] == word
    assert "about as likely" not in flat(card)


def test_an_epsilon_of_fifty_promises_next_to_nothing_and_says_so(binary: LinearModel) -> None:
    page = flat(replace(binary, guarantee=replace(binary.guarantee, epsilon=50.0)).card())
    assert "5.19e21 times" in page
    assert "It promises next to nothing: do not rely on it to protect anybody." in page


def test_strengths_cover_every_guess_in_order() -> None:
    ends = [most for most, _, _ in STRENGTHS]
    assert ends == sorted(ends)
    assert ends[0] > 0.5
    assert ends[-1] > 1


def test_a_delta_that_was_not_needed_is_not_stated(binary: LinearModel) -> None:
    pure = replace(binary.guarantee, notes=("pure noise is smaller here: this holds with delta=0",), delta_numeric=0.0)
    card = replace(binary, guarantee=pure).card()
    assert "delta (δ) 0 up to 1e-6 was allowed and not needed" in flat(card)
    assert "(δ, numeric δ included)" not in flat(card)
    assert (card.to_json()["delta"], card.to_json()["delta_allowed"]) == (0.0, 1e-6)


def test_every_note_of_pure_noise_is_understood() -> None:
    """Mechanisms say it in their own words; the card looks for these."""
    for model in (
        eq.LogisticRegression(1.0, 1e-200).fit([[0.1], [0.2]], [0, 1]),
        eq.LinearRegression(1.0, 1e-6, mechanism="functional", coef_norm=1, label_bounds=(0, 1)).fit(
            [[0.1]] * 9, [0] * 9
        ),
    ):
        assert isinstance(model.model_, LinearModel)
        assert ("delta=0" in str(model.guarantee_.notes)) == (model.card().to_json()["delta"] == 0.0)
    density = eq.HistogramDensity(1.0, 1e-6, bounds=(0, 1), bins=2).fit([[0.5]] * 9)
    assert density.card().to_json()["delta"] == 0.0


def test_a_card_names_columns_bounds_data_date_version_and_account() -> None:
    frame = pd.DataFrame({"age": [30.0, 40.0] * 20, "dose": [1.0, 2.0] * 20})
    ledger = eq.Ledger(3.0, 1e-6)
    model = eq.LinearRegression(1.0, label_bounds=(0, 1), column_bounds=[(0, 120), (0, 5)], ledger=ledger)
    page = flat(model.fit(frame, [0.0, 1.0] * 20).card(data="a clinic, 2024"))
    for words in (
        "features 2 age, dose",
        "bounds of columns age 0 to 120, dose 0 to 5",
        "bounds of labels 0 to 1",
        "data set a clinic, 2024",
        f"made by equipoise {eq.__version__}",
        "ledger account in memory limit epsilon 3, delta 1e-6",
        "account's total epsilon 1 at delta 1e-6",
    ):
        assert words in page, words
    assert re.search(r"date \d{4}-\d\d-\d\d", page)


def test_a_card_says_that_there_was_no_ledger(binary: LinearModel) -> None:
    card = replace(binary, origin=Origin("2026-01-31", "0.1.0")).card()
    assert "ledger account none: nothing adds this release up with others" in flat(card)
    paid = replace(binary, origin=Origin("2026-01-31", "0.1.0", account=Account("trial", 0.5, 0.0))).card()
    assert "ledger account trial no limit" in flat(paid)


def test_many_columns_do_not_fill_the_page(binary: LinearModel) -> None:
    names = tuple(f"c{place}" for place in range(100))
    card = replace(binary.card(), features=100, feature_names=names)
    assert "c39 and 60 more" in flat(card)
    assert card.to_json()["model"]["feature_names"] == list(names)


def test_searches_and_densities_have_cards() -> None:
    X = np.linspace(-1, 1, 200)[:, None]
    search = RandomSearch(eq.LogisticRegression(2.0), {"alpha": [0.1, 1.0]}, ledger=eq.Ledger(5.0)).fit(X, X[:, 0] > 0)
    page = flat(search.card(data="a line"))
    assert "mechanism random search" in page
    assert "account's total epsilon 2" in page
    assert "data set a line" in page
    density = eq.HistogramDensity(1.0, bounds=(-1, 1), bins=4).fit(X)
    page = flat(density.card())
    assert "HistogramDensity density" in page
    assert "bounds of columns column 1 -1 to 1" in page
    assert density.card().html().startswith("<!DOCTYPE html>")


def test_a_person_as_the_unit_is_in_the_words(binary: LinearModel) -> None:
    people = replace(binary.guarantee, unit="one person with at most 4 rows")
    page = flat(replace(binary, guarantee=people).card())
    assert "had all rows of any one person held other values" in page
    assert "the unit is the row" not in page


@pytest.mark.parametrize(
    ("value", "text"),
    [(4000.0, "4000"), (0.25, "0.25"), (1e-6, "1e-6"), (math.pi, "3.14159"), (1e22, "1e22"), (0.0, "0"), (-2.0, "-2")],
)
def test_numbers_are_readable(value: float, text: str) -> None:
    assert readable(value) == text


@pytest.mark.parametrize(("value", "text"), [(2.7101, "2.72"), (0.5, "0.5"), (1.0000001e-6, "1.01e-6"), (99.99, "100")])
def test_upper_bounds_round_up(value: float, text: str) -> None:
    assert at_most(value) == text
