from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from equipoise.errors import InvalidInput
from equipoise.outside import Card, LinearModel
from equipoise.outside.card import ERRORS, NOT_COVERED
from equipoise.outside.pages import at_most, readable
from equipoise.outside.uncertainty import COVERS, MINIMISER
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.mechanisms import EVERY, about


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
    for word in ("Side channels", "ledger", "the unit is the row", "population", "bounds, classes", "Errors", "libm"):
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
    assert "2.72 times (e^ε) what it would have been. This" in flat(card)


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


@pytest.mark.parametrize(
    ("value", "text"),
    [(4000.0, "4000"), (0.25, "0.25"), (1e-6, "1e-6"), (math.pi, "3.14159"), (1e22, "1e22"), (0.0, "0"), (-2.0, "-2")],
)
def test_numbers_are_readable(value: float, text: str) -> None:
    assert readable(value) == text


@pytest.mark.parametrize(("value", "text"), [(2.7101, "2.72"), (0.5, "0.5"), (1.0000001e-6, "1.01e-6"), (99.99, "100")])
def test_upper_bounds_round_up(value: float, text: str) -> None:
    assert at_most(value) == text
