"""From a CSV to a model; and every kind of bad input: one line, nothing quoted, nothing lost."""

from __future__ import annotations

import gzip
import json
import os
import resource
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.clinic import HEAD, MARK, SCHEMA, spent, write
from tests.cli.running import ENVIRONMENT, PROGRAM, equipoise, here

import equipoise as eq
from equipoise.cli.exit_codes import Code
from equipoise.ledger import Entry, SQLLedger
from equipoise.outside.table.model import TableModel

FIT = ("fit", "clinic.csv", "--epsilon", "1", "--delta", "1e-6", "--ledger", "privacy.db", "--yes")


def leftovers(room: Path) -> list[str]:
    return [path.name for path in room.iterdir() if path.name.startswith(".") or path.name.startswith("equipoise-")]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    room = tmp_path_factory.mktemp("fitted")
    write(room)
    SQLLedger(room / "privacy.db", 3.0, 1e-5)
    return room, equipoise(*FIT, "--public-test", "clinic.csv", folder=room)


Fitted = tuple[Path, subprocess.CompletedProcess[str]]


def test_fit_writes_model_card_report_and_schema(fitted: Fitted) -> None:
    room, ran = fitted
    assert ran.returncode == Code.DONE, ran.stderr
    names = {path.name for path in (room / "model").iterdir()}
    assert names == {"model.json", "report.html", "card.html", "card.txt", "card.json", "schema.yaml"}
    assert isinstance(eq.load(room / "model" / "model.json"), TableModel)
    assert "accuracy" in ran.stdout
    assert leftovers(room) == []
    assert spent(room) == 1


def test_the_report_says_everything_and_needs_nothing_from_elsewhere(fitted: Fitted) -> None:
    page = (fitted[0] / "model" / "report.html").read_text(encoding="utf-8")
    for words in (
        "Good",
        "at most 73.11%",
        "one row",
        "bounds 120, 220",
        "human life",
        "Predicted from public facts",
        "accuracy",
        "privacy.db",
        "spent in all",
        "Papers to cite",
        "What is not covered",
        f"equipoise {eq.__version__}",
        "prefers-color-scheme: dark",
        "@media print",
        "max-width: 40rem",
    ):
        assert words in page, words
    assert "http" not in page
    assert "<script" not in page
    assert str(fitted[0]) not in page


def test_predict_and_card_read_what_fit_wrote(fitted: Fitted) -> None:
    room = fitted[0]
    told = here("predict", "clinic.csv", "--proba", folder=room)
    assert told.returncode == Code.DONE, told.stderr
    lines = told.stdout.splitlines()
    assert lines[0] == "predicted high_dose,probability of no,probability of yes"
    assert len(lines) == 301
    assert {line.split(",")[0] for line in lines[1:]} <= {"no", "yes"}
    assert json.loads(here("card", "--json", folder=room).stdout)["epsilon"] == 1.0
    assert "clinic.csv" in here("card", folder=room).stdout, "the card of a saved model forgets the data set"
    assert "<html" in here("card", "model", "--html", folder=room).stdout


def test_a_model_of_numbers_has_no_probabilities(room: Path) -> None:
    schema = SCHEMA.replace('classes: ["no", "yes"]', "bounds: [0, 1]")
    (room / "schema.yaml").write_text(schema, encoding="utf-8")
    assert here(*FIT, folder=room).returncode == Code.DONE
    ran = here("predict", "clinic.csv", "--proba", folder=room)
    assert (ran.returncode, ran.stdout) == (Code.BAD_INPUT, "")
    assert one_line(ran), ran.stderr
    assert "has no probabilities" in ran.stderr


def test_predictions_are_written_whole_and_never_over_a_file(fitted: Fitted, tmp_path: Path) -> None:
    out = tmp_path / "said.csv"
    arguments = ("predict", "clinic.csv", "--out", str(out))
    assert here(*arguments, folder=fitted[0]).returncode == Code.DONE
    assert len(out.read_text(encoding="utf-8").splitlines()) == 301
    again = here(*arguments, folder=fitted[0])
    assert (again.returncode, "the file exists" in again.stderr) == (Code.BAD_INPUT, True)


def test_plan_spends_nothing_and_tells_what_fit_would_do(room: Path) -> None:
    told = json.loads(
        here("plan", "clinic.csv", "--epsilon", "1", "--ledger", "privacy.db", "--json", folder=room).stdout
    )
    assert told["constants"]["records"] == 300
    assert told["fits_the_ledger"] is True
    page = here("plan", "--rows", "5000", "--epsilon", "50", "--report", "plan.html", folder=room)
    assert page.returncode == Code.DONE, page.stderr
    assert "Next to nothing" in (room / "plan.html").read_text(encoding="utf-8")
    assert spent(room) == 0


def test_gzip_and_parquet_give_the_plan_of_the_csv(room: Path) -> None:
    import pandas as pd

    (room / "zipped.csv.gz").write_bytes(gzip.compress((room / "clinic.csv").read_bytes()))
    pd.read_csv(room / "clinic.csv").to_parquet(room / "clinic.parquet")
    found = [
        here("plan", name, "--epsilon", "1", "--json", folder=room).stdout
        for name in ("clinic.csv", "zipped.csv.gz", "clinic.parquet")
    ]
    assert found[0]
    assert found.count(found[0]) == 3


def test_tune_chooses_and_fits_for_one_price(room: Path) -> None:
    told = here("tune", *FIT[1:], "--try", "alpha=0.01,0.1", "--method", "data-split", "--json", folder=room)
    assert told.returncode == Code.DONE, told.stderr
    found = json.loads(told.stdout)
    assert found["chosen"]["alpha"] in (0.01, 0.1)
    assert spent(room) == 1
    assert (room / "model" / "model.json").is_file()


def test_tune_says_before_the_question_that_its_choice_would_be_mostly_noise(room: Path) -> None:
    told = here("tune", *FIT[1:-1], "--try", "alpha=0.0001,0.1", folder=room)
    assert told.returncode == Code.DECLINED
    assert "Hardly better than chance" in told.stdout
    assert "`equipoise fit` finds alpha by itself" in told.stdout
    assert one_line(told), told.stderr
    assert "The choice would be hardly better than chance. Spend ε = 1, δ = 1e-06 all the same?" in told.stderr
    assert "nothing was spent" in told.stderr
    assert spent(room) == 0


def test_a_search_without_such_a_plan_asks_for_its_price_alone(room: Path) -> None:
    told = here("tune", *FIT[1:-1], "--try", "alpha=1,100", "--method", "data-split", folder=room)
    assert told.returncode == Code.DECLINED
    assert told.stderr.startswith("equipoise: Spend ε = 1, δ = 1e-06? Nobody is there to answer")
    assert spent(room) == 0


def persons(room: Path) -> None:
    """Every three rows are one person's, of which two count."""
    lines = (room / "clinic.csv").read_text(encoding="utf-8").splitlines()
    told = [f"who,{lines[0]}", *(f"p{place // 3},{line}" for place, line in enumerate(lines[1:]))]
    (room / "clinic.csv").write_text("\n".join(told) + "\n", encoding="utf-8")
    (room / "schema.yaml").write_text(f"{SCHEMA}person: {{column: who, rows_per_person: 2}}\n", encoding="utf-8")
    (room / "privacy.db").unlink()
    SQLLedger(room / "privacy.db", 3.0, 1e-5, unit="person")


def test_a_plan_for_one_row_is_refused_as_a_fit_of_one_is(room: Path) -> None:
    told = here("plan", "--rows", "1", "--epsilon", "1", folder=room)
    assert told.returncode == Code.BAD_INPUT
    assert told.stderr == "equipoise: rows=1: at least two are needed to learn from\n"
    secret = ("--estimator", "LogisticRegression", "--set", "adjacency=add-remove", "--set", "public_n=50")
    assert here("plan", "--rows", "1", "--epsilon", "1", *secret, folder=room).returncode == Code.DONE


def test_a_plan_counts_the_rows_of_persons_that_are_used(room: Path) -> None:
    persons(room)
    told = here("plan", "clinic.csv", "--epsilon", "1", folder=room)
    assert "of each the first 2 rows are used" in told.stdout, told.stderr
    assert "The plan is for 200 rows" in told.stdout
    assert "The plan is for 500 rows" in here("plan", "--rows", "500", "--epsilon", "1", folder=room).stdout
    assert here(*FIT, folder=room).returncode == Code.DONE
    card = json.loads((room / "model" / "card.json").read_text(encoding="utf-8"))
    assert (card["unit"], card["constants"]["records"]) == ("one person with at most 2 rows", 200.0)


def test_tune_protects_the_persons_of_the_schema(room: Path) -> None:
    persons(room)
    told = here("tune", *FIT[1:], "--try", "alpha=0.01,0.1", "--method", "data-split", "--json", folder=room)
    assert told.returncode == Code.DONE, told.stderr
    assert json.loads(told.stdout)["card"]["unit"] == "one group of at most 2 rows"
    assert spent(room) == 1


def test_an_additive_model_has_its_shapes_in_the_report(room: Path) -> None:
    told = here(*FIT, "--model", "additive", folder=room)
    assert told.returncode == Code.DONE, told.stderr
    assert "best additive model" in told.stdout
    page = (room / "model" / "report.html").read_text(encoding="utf-8")
    for words in ("Effect of decades", "Effect of height", "vkorc1=A/A", "each with a shape", "class='band'"):
        assert words in page, words
    assert page.count("<html") == 1
    assert (room / "model" / "card.html").read_text(encoding="utf-8").count("<html") == 1
    assert len(here("predict", "clinic.csv", folder=room).stdout.splitlines()) == 301
    wrong = here(*FIT, "--model", "cubic", "--force", folder=room)
    assert (wrong.returncode, "model='cubic'" in wrong.stderr) == (Code.BAD_INPUT, True)


# --- asking, limits ---------------------------------------------------------------------------------------------------


def test_without_yes_and_without_a_person_nothing_is_spent(room: Path) -> None:
    ran = here(*FIT[:-1], folder=room, answer="y\n")
    assert ran.returncode == Code.DECLINED
    assert "at most 73.11%" in ran.stdout
    assert spent(room) == 0
    assert not (room / "model").exists()
    assert leftovers(room) == []


@pytest.mark.parametrize(("answer", "code"), [("y\n", Code.DONE), ("\n", Code.DECLINED)])
def test_a_person_at_a_terminal_is_asked(answer: str, code: Code, room: Path) -> None:
    master, slave = os.openpty()
    program = subprocess.Popen(
        [*PROGRAM, *FIT[:-1]], cwd=room, stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
    )
    os.write(master, answer.encode())
    errors = program.communicate()[1].decode()
    os.close(master)
    os.close(slave)
    assert program.returncode == code, errors
    assert "Spend ε = 1" in errors
    assert spent(room) == (code == Code.DONE)


def test_over_the_limit_is_told_before_the_question(room: Path) -> None:
    ran = here("fit", "clinic.csv", "--epsilon", "9", "--ledger", "privacy.db", folder=room)
    assert ran.returncode == Code.OVER_LIMIT
    assert one_line(ran)
    assert "exceeds what the ledger has left" in ran.stderr
    assert spent(room) == 0


METHODS = ("stability", "data-split", "budget-split", "random")


@pytest.mark.parametrize("method", METHODS)
def test_what_a_search_cannot_be_paid_is_told_before_the_question(method: str, room: Path) -> None:
    """Too much for the account, an account of persons, a setting that no fit takes."""
    SQLLedger(room / "persons.db", 3.0, 1e-5, unit="person")
    tried = ("--try", "alpha=0.01,0.1", "--method", method)
    for arguments, code, rule in (
        (("--epsilon", "9", "--ledger", "privacy.db", *tried), Code.OVER_LIMIT, "exceeds what the ledger has left"),
        (("--epsilon", "1", "--ledger", "persons.db", *tried), Code.BAD_INPUT, "the account protects persons"),
        (("--epsilon", "1", "--ledger", "privacy.db", *tried[:1], "alpha=0.1,-1", *tried[2:]), Code.BAD_INPUT, "alpha"),
    ):
        ran = here("tune", "clinic.csv", *arguments, folder=room)
        assert ran.returncode == code, ran.stderr
        assert one_line(ran), ran.stderr
        assert rule in ran.stderr
        assert "nothing was spent" in ran.stderr
        assert ran.stdout == ""
    assert spent(room) == 0


def test_a_plan_says_that_its_fit_would_be_refused(room: Path) -> None:
    SQLLedger(room / "persons.db", 3.0, 1e-5, unit="person")
    for epsilon, book, code, rule in (
        ("9", "privacy.db", Code.OVER_LIMIT, "exceeds what the ledger has left"),
        ("1", "persons.db", Code.BAD_INPUT, "the account protects persons"),
    ):
        asked = ("clinic.csv", "--epsilon", epsilon, "--ledger", book)
        told = here("plan", *asked, folder=room)
        assert told.returncode == Code.DONE
        assert f"A fit would be refused: {'epsilon=9: ' if epsilon == '9' else 'unit: '}" in told.stdout
        assert rule in told.stdout
        assert "nothing was spent" not in told.stdout
        plain = json.loads(here("plan", *asked, "--json", folder=room).stdout)
        assert (plain["fits_the_ledger"], rule in plain["refused_because"]) == (False, True)
        assert here("fit", *asked, "--yes", folder=room).returncode == code
    assert (
        "would be refused"
        not in here("plan", "clinic.csv", "--epsilon", "1", "--ledger", "privacy.db", folder=room).stdout
    )


def one_line(ran: subprocess.CompletedProcess[str]) -> bool:
    return ran.stderr.startswith("equipoise: ") and ran.stderr.count("\n") == 1


# --- bad input --------------------------------------------------------------------------------------------------------


def bad(room: Path, name: str, text: str | bytes) -> str:
    path = room / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (None, "no such file"),
        ("", "empty"),
        ("\n" + HEAD + f"5,170,{MARK},G/G,no\n", "the first line is blank"),
        (HEAD.replace("weight", '"weight') + f'in kg",5,170,{MARK},G/G,no\n', "a quote in the header is open"),
        (HEAD.replace("\n", ",,\n") + f"5,170,{MARK},G/G,no,,\n", "2 columns have no name"),
        (b"PK\x03\x04" + MARK.encode(), "zip archive"),
        (HEAD, "holds no rows"),
        (HEAD + f"5,170,{MARK},G/G,no\n", "holds one row"),
        (HEAD.replace(",", ";") + f"5;170;{MARK};G/G;no\n", "semicolon"),
        ((HEAD.replace("height", "größe") + "5,170,80,G/G,no\n").encode("utf-16"), "save the file as UTF-8"),
        ((HEAD.replace("height", "größe") + "5,170,80,G/G,no\n").encode("latin-1"), "give encoding="),
        (HEAD.replace("weight", "mass") + f"5,170,{MARK},G/G,no\n", "'weight'"),
        (HEAD.replace("weight", "height") + f"5,170,{MARK},G/G,no\n", "twice"),
        (b"\x1f\x8b" + MARK.encode(), "damaged"),
    ],
    ids=[
        "missing",
        "empty",
        "blank",
        "quote",
        "no names",
        "zip",
        "no rows",
        "one row",
        "delimiter",
        "utf-16",
        "encoding",
        "column",
        "twice",
        "gzip",
    ],
)
def test_a_bad_file_is_one_line_before_anything_is_spent(text: str | bytes | None, rule: str, room: Path) -> None:
    name = "nowhere.csv" if text is None else bad(room, "bad.csv", text)
    ran = here("fit", name, *FIT[2:], folder=room)
    assert ran.returncode == Code.BAD_INPUT, ran.stderr
    assert one_line(ran), ran.stderr
    assert rule in ran.stderr
    assert "nothing was spent" in ran.stderr
    assert MARK not in ran.stderr + ran.stdout
    assert spent(room) == 0
    assert not (room / "model").exists()
    assert leftovers(room) == []
    assert here("plan", name, "--epsilon", "1", folder=room).stderr == ran.stderr, "plan says it in other words"


@pytest.mark.parametrize("rows", [0, 1])
def test_where_the_number_of_rows_is_secret_no_command_tells_that_there_are_few(rows: int, room: Path) -> None:
    few = (room / "clinic.csv").read_text(encoding="utf-8").splitlines(keepends=True)[: rows + 1]
    secret = ("--estimator", "LogisticRegression", "--set", "adjacency=add-remove", "--set", "public_n=200")
    SQLLedger(room / "secret.db", 3.0, 1e-5, adjacency="add-remove")
    ran = here(
        "fit", bad(room, "few.csv", "".join(few)), "--epsilon", "1", "--ledger", "secret.db", "--yes", *secret,
        folder=room,
    )  # fmt: skip
    assert ran.returncode == Code.DONE, ran.stderr


def test_a_folder_without_tables_is_refused_for_free(room: Path) -> None:
    (room / "visits").mkdir()
    ran = here("fit", "visits", *FIT[2:], folder=room)
    assert ran.returncode == Code.BAD_INPUT, ran.stderr
    assert one_line(ran), ran.stderr
    assert "holds no .parquet or .pq; nothing was spent" in ran.stderr
    assert spent(room) == 0


def test_a_damaged_public_test_is_noticed_before_anything_is_spent(room: Path) -> None:
    """Its footer is whole: only whoever reads the rows notices."""
    import pandas as pd

    path = room / "tests.parquet"
    pd.read_csv(room / "clinic.csv").to_parquet(path)
    held = bytearray(path.read_bytes())
    held[8:1000] = b"\xff" * 992
    path.write_bytes(held)
    ran = here(*FIT, "--public-test", "tests.parquet", folder=room)
    assert ran.returncode == Code.BAD_INPUT, ran.stderr
    assert "damaged; nothing was spent" in ran.stderr
    assert spent(room) == 0


def test_odd_cells_and_ragged_rows_are_settled_and_never_quoted(room: Path) -> None:
    odd = f"{MARK},170,80,{MARK},{MARK}\n5,1e999,,G/G,no\n5,170\n5,170,80,G/G,no,{MARK},{MARK}\n"
    (room / "clinic.csv").write_text(HEAD + odd * 50, encoding="utf-8")
    ran = here(*FIT, folder=room)
    assert ran.returncode == Code.DONE, ran.stderr
    everything = ran.stdout + ran.stderr + "".join(path.read_text() for path in (room / "model").iterdir())
    assert MARK not in everything
    checked = here("schema", "check", "clinic.csv", "--count-not-private", folder=room)
    assert checked.returncode == Code.DONE
    assert MARK not in checked.stdout
    assert "NOT PRIVATE" in checked.stdout


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (("bounds: [120, 220]", "bounds: [220, 120]"), "must be below"),
        (("bounds: [120, 220]", "bounds: [fill in low, fill in high]"), "public knowledge"),
        (("bounds: [120, 220], ", ""), "is missing"),
        (('classes: ["no", "yes"]', 'classes: ["no"]'), "classes"),
        (("kind: number", "kind: nummer"), "must be one of"),
        (("columns:", "columns"), "YAML"),
    ],
)
def test_an_impossible_schema_is_one_line(change: tuple[str, str], rule: str, room: Path) -> None:
    (room / "schema.yaml").write_text(SCHEMA.replace(*change), encoding="utf-8")
    ran = here(*FIT, folder=room)
    assert ran.returncode == Code.BAD_INPUT, ran.stderr
    assert one_line(ran)
    assert rule in ran.stderr
    assert spent(room) == 0


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (("--ledger", "typo.db"), "does not exist"),
        (("--account", "Default"), "no such account"),
        (("--no-ledger",), "ledger"),
        (("--epsilon", "-1"), "epsilon"),
        (("--estimator", "Nobody"), "must be one of"),
        (("--estimator", "LinearRegression"), "asks for a classifier"),
        (("--set", "alpha=1"), "--estimator"),
        (("--estimator", "LinearSVC", "--set", "colour=1"), "has the settings"),
        (("--estimator", "LinearSVC", "--set", "epsilon=9"), "option of its own"),
        (("--out", "clinic.csv"), "is a file"),
        (("--out", "held"), "the folder exists"),
        (("--out", "held", "--force"), "holds no model"),
    ],
)
def test_a_bad_option_is_one_line_before_anything_is_spent(arguments: tuple[str, ...], rule: str, room: Path) -> None:
    (room / "held").mkdir()
    (room / "held" / "something").touch()
    before = sorted(path.name for path in room.iterdir())
    ran = here(*FIT, *arguments, folder=room)
    assert ran.returncode == Code.BAD_INPUT, ran.stderr
    assert one_line(ran)
    assert rule in ran.stderr
    assert spent(room) == 0
    assert sorted(path.name for path in room.iterdir()) == before


def test_a_fit_says_who_pays_or_that_nobody_does(room: Path) -> None:
    silent = here("fit", "clinic.csv", "--epsilon", "1", "--yes", folder=room)
    assert (silent.returncode, "--no-ledger" in silent.stderr) == (Code.BAD_INPUT, True)
    assert here("fit", "clinic.csv", "--epsilon", "1", "--yes", "--no-ledger", folder=room).returncode == Code.DONE
    assert "No ledger recorded this release" in (room / "model" / "report.html").read_text(encoding="utf-8")


def test_a_folder_that_exists_is_replaced_only_on_demand(fitted: Fitted, tmp_path: Path) -> None:
    import shutil

    room = tmp_path / "room"
    shutil.copytree(fitted[0], room)
    first = (room / "model" / "model.json").read_text(encoding="utf-8")
    refused = here(*FIT, folder=room)
    assert (refused.returncode, "the folder exists" in refused.stderr) == (Code.BAD_INPUT, True)
    assert spent(room) == 1
    assert here(*FIT, "--force", folder=room).returncode == Code.DONE
    assert (room / "model" / "model.json").read_text(encoding="utf-8") != first
    assert spent(room) == 2
    assert leftovers(room) == []


@pytest.mark.parametrize("out", [".", "..", "model/..", "sub/../", "../fitted"])
def test_the_folder_that_one_is_in_is_not_replaced(out: str, fitted: Fitted, tmp_path: Path) -> None:
    import shutil

    room = tmp_path / "fitted"
    shutil.copytree(fitted[0] / "model", room)
    write(room)
    SQLLedger(room / "privacy.db", 3.0, 1e-5)
    ran = here(*FIT, "--out", out, "--force", folder=room)
    assert ran.returncode == Code.BAD_INPUT, ran.stderr
    assert one_line(ran)
    assert "name one of its own; nothing was spent" in ran.stderr
    assert spent(room) == 0


def test_predictions_are_written_as_the_schema_lists_them(room: Path) -> None:
    (room / "schema.yaml").write_text(SCHEMA.replace('["no", "yes"]', "[false, true]"), encoding="utf-8")
    text = (room / "clinic.csv").read_text(encoding="utf-8").replace(",yes", ",true").replace(",no", ",false")
    (room / "clinic.csv").write_text(text, encoding="utf-8")
    assert here(*FIT, folder=room).returncode == Code.DONE
    lines = here("predict", "clinic.csv", "--proba", folder=room).stdout.splitlines()
    assert lines[0] == "predicted high_dose,probability of false,probability of true"
    assert {line.partition(",")[0] for line in lines[1:]} <= {"false", "true"}
    said = json.loads(here("predict", "clinic.csv", "--json", folder=room).stdout)
    assert {each["predicted high_dose"] for each in said} <= {False, True}


@pytest.mark.parametrize("copies", [1, 200])
def test_a_closed_pipe_ends_a_command_as_it_ends_others(copies: int, fitted: Fitted, tmp_path: Path) -> None:
    """Few lines are noticed when they are flushed, many while they are printed."""
    head, *lines = (fitted[0] / "clinic.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "many.csv").write_text(head + "".join(lines) * copies, encoding="utf-8")
    program = subprocess.Popen(
        [*PROGRAM, "predict", "many.csv", "--model", str(fitted[0] / "model")],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT,
    )  # fmt: skip
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdout.close()
    errors = program.stderr.read()
    program.stderr.close()
    assert (program.wait(), errors) == (Code.CLOSED_PIPE, b"")


def test_a_tab_may_be_written_as_a_shell_hands_it_over(room: Path) -> None:
    text = (room / "clinic.csv").read_text(encoding="utf-8").replace(",", "\t")
    (room / "tabs.txt").write_text(text, encoding="utf-8")
    for mark in ("\\t", "\t"):
        assert here("schema", "check", "tabs.txt", "--delimiter", mark, folder=room).returncode == Code.DONE


# --- full disks and Ctrl-C --------------------------------------------------------------------------------------------


def limited(room: Path, size: int) -> subprocess.CompletedProcess[str]:
    """`fit` in a process whose files may not grow beyond `size`, as on a full disk."""

    def narrow() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return subprocess.run(
        [*PROGRAM, *FIT], cwd=room, capture_output=True, text=True, check=False, env=ENVIRONMENT, preexec_fn=narrow
    )


def test_a_disk_without_room_is_noticed_before_anything_is_spent(room: Path) -> None:
    ran = limited(room, 300_000)
    assert ran.returncode == Code.FILES, ran.stderr
    assert one_line(ran)
    assert ran.stderr.startswith("equipoise: model: ")
    assert "nothing was spent" in ran.stderr
    assert spent(room) == 0
    assert not (room / "model").exists()
    assert leftovers(room) == []


def test_a_model_that_was_paid_for_survives_a_folder_that_cannot_be_written(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from equipoise.cli.table import folder

    model = eq.fit({"decades": [1.0, 9.0] * 50, "high_dose": ["no", "yes"] * 50}, small_schema(), epsilon=1.0)
    monkeypatch.chdir(room)
    with folder.prepared(room / "model", False, 1000) as staging:
        (room / "model").mkdir()
        (room / "model" / "somebody else's").write_text("x", encoding="utf-8")

        def full(path: Path) -> None:
            if path.parent == staging:
                raise OSError(28, "No space left on device", str(path))
            model.save(path)

        with (
            pytest.raises(OSError, match="the release is paid for, the model was saved as") as caught,
            folder.paid_for(staging, room / "model", full),
        ):
            pass
    kept = Path(str(caught.value.strerror).rpartition(" saved as ")[2])
    assert isinstance(eq.load(kept), TableModel)
    assert [path.name for path in (room / "model").iterdir()] == ["somebody else's"]


def small_schema() -> eq.Schema:
    return eq.Schema.from_dict(
        {
            "target": {"column": "high_dose", "classes": ["no", "yes"]},
            "columns": {"decades": {"kind": "number", "bounds": [0, 10]}},
        }
    )


@pytest.mark.parametrize("pause", [0.5, 2.5])
def test_ctrl_c_at_any_time_leaves_the_ledger_truthful(pause: float, room: Path) -> None:
    """Whatever the moment: a model is there only if it was paid for, and nothing is half there."""
    write(room, 4000)
    program = subprocess.Popen(
        [*PROGRAM, *FIT], cwd=room, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    time.sleep(pause)
    program.send_signal(signal.SIGINT)
    errors = program.communicate()[1]
    done = (room / "model" / "model.json").is_file()
    assert program.returncode in (Code.DONE, Code.INTERRUPTED, -signal.SIGINT), errors
    assert spent(room) >= done
    assert spent(room) <= 1
    assert leftovers(room) == []
    if done:
        assert len(list((room / "model").iterdir())) == 6


def test_ctrl_c_just_after_the_debit_leaves_it_spent_and_no_model(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = SQLLedger.reserve

    def reserve(*arguments: Any, **named: Any) -> Entry:
        entry = honest(*arguments, **named)
        signal.raise_signal(signal.SIGINT)
        return entry

    monkeypatch.setattr(SQLLedger, "reserve", reserve)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        ran = here(*FIT, folder=room)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ran.returncode == Code.INTERRUPTED
    assert one_line(ran)
    assert [entry.state for entry in SQLLedger(room / "privacy.db").entries()] == ["reserved"]
    assert not (room / "model").exists()
    assert leftovers(room) == []


def test_ctrl_c_between_release_and_file_waits_for_the_file() -> None:
    from equipoise.cli.table.folder import uninterrupted

    reached = []

    def finish() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            reached.append("the file is written")

    with pytest.raises(KeyboardInterrupt):
        finish()
    assert reached == ["the file is written"]
