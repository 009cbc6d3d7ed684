"""`equipoise audit` from end to end: files, estimators and a real HTTP server."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import equipoise as eq
from equipoise.cli.main import app
from equipoise.errors import EquipoiseError, InvalidInput, NotCertified

RNG = np.random.default_rng(3)
X = np.round(RNG.normal(size=(400, 2)) / 2, 6)
Y = RNG.integers(2, size=400)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["audit", *arguments], env={"COLUMNS": "160"})


def refused(*arguments: str) -> str:
    """The line that `main.run` would print with exit code 2."""
    result = run(*arguments)
    assert isinstance(result.exception, EquipoiseError), result.output
    return str(result.exception)


def people(path: Path, rows: slice) -> str:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "y"])
        writer.writerows([*row, label] for row, label in zip(X[rows].tolist(), Y[rows].tolist(), strict=True))
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Members and others, labelled by a coin: only memory can tell them apart."""
    return people(tmp_path / "in.csv", slice(0, 200)), people(tmp_path / "out.csv", slice(200, 400))


# --- models -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    eq.LogisticRegression(1.0, mechanism="output", classes=(0, 1)).fit(X[:200], Y[:200]).save(path)
    return path


def test_an_honest_model_survives_and_the_report_can_be_filed(
    saved: Path, files: tuple[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "deep" / "report"
    result = run(str(saved), "--out", str(out), "--data", files[0], "--others", files[1])
    assert result.exit_code == 0, result.output
    assert {path.name for path in out.iterdir()} == {"audit.html", "audit.json", "audit.png"}
    told = json.loads((out / "audit.json").read_text(encoding="utf-8"))
    assert told["survived"] is True
    assert told["claim"]["epsilon"] == 1.0
    assert len(told["claim"]["details"]["SHA-256 of the file"]) == 64
    assert {each["name"] for each in told["attempts"]} >= {"membership inference", "constants derived again"}
    page = (out / "audit.html").read_text(encoding="utf-8")
    assert "survived everything that was tried" in page
    assert "data:image/png" in page
    assert "http" not in page.replace("http-equiv", "")  # needs nothing from elsewhere


def test_an_edited_model_is_broken_with_exit_code_one(saved: Path, tmp_path: Path) -> None:
    saved.write_text(saved.read_text(encoding="utf-8").replace('"epsilon": 1.0', '"epsilon": 0.1'), encoding="utf-8")
    result = run(str(saved), "--out", str(tmp_path / "out"))
    assert result.exit_code == 1, result.output
    assert "noise against the claim" in json.loads((tmp_path / "out" / "audit.json").read_text())["verdict"]


def test_a_saved_density_is_audited_too(tmp_path: Path) -> None:
    path = tmp_path / "density.json"
    eq.HistogramDensity(1.0, bounds=(-3, 3), bins=4).fit(X[:, :1]).save(path)
    assert run(str(path), "--out", str(tmp_path / "out")).exit_code == 0


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `equipoise fit` writes: three classes, learnt from a table by its schema."""
    folder = tmp_path_factory.mktemp("fitted")
    rng = np.random.default_rng(3)
    ages, regions = rng.integers(18, 90, 400), rng.choice(["north", "south"], 400)
    rows = zip(ages, regions, np.digitize(ages, (40, 65)), strict=True)
    (folder / "t.csv").write_text("age,region,group\n" + "\n".join(f"{a},{r},{g}" for a, r, g in rows))
    schema = {
        "equipoise-schema": 1,
        "about": "made up",
        "target": {"column": "group", "classes": [0, 1, 2]},
        "columns": {
            "age": {"kind": "number", "bounds": [18, 90]},
            "region": {"kind": "category", "values": ["north", "south"]},
        },
    }
    model = eq.fit(folder / "t.csv", eq.Schema.from_dict(schema), epsilon=1.0, delta=1e-6)
    (folder / "model").mkdir()
    model.save(folder / "model" / "model.json")
    return folder / "model"


@pytest.mark.parametrize("part", ["", "model.json"])
def test_what_fit_writes_is_audited_as_a_folder_and_as_a_file(part: str, fitted: Path, tmp_path: Path) -> None:
    result = run(str(fitted / part), "--out", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    written = json.loads((tmp_path / "out" / "audit.json").read_text())["attempts"]
    found = {each["name"]: each["held"] for each in written}
    assert found["constants derived again"] is True


def test_records_are_asked_for_where_a_model_has_plain_columns_alone(fitted: Path, tmp_path: Path) -> None:
    result = run(str(fitted), "--data", "a.csv", "--others", "b.csv", "--out", str(tmp_path / "out"))
    assert isinstance(result.exception, InvalidInput)
    assert "leave them out" in str(result.exception)


# --- estimators -------------------------------------------------------------------------------------------------------


def test_an_estimator_of_ours_survives_a_quick_audit(tmp_path: Path) -> None:
    result = run("ThresholdPredictor", "--epsilon", "1", "--quick", "--samples", "60", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    told = json.loads((tmp_path / "audit.json").read_text())
    assert told["settings"]["samples"] == 60


class Leaky:
    """A stranger's estimator that claims ε and adds no noise."""

    def __init__(self, epsilon: float = 1.0, colour: str = "red") -> None:
        self.epsilon, self.colour = epsilon, colour

    def fit(self, rows: Any, labels: Any) -> Leaky:
        self.mean_ = np.mean(rows, axis=0)
        return self


def test_a_stranger_without_noise_is_broken_and_its_name_is_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import equipoise.audit.subjects.named as named

    monkeypatch.setattr(named, "find_class", lambda name: Leaky)
    result = run("<b>:Leaky", "--epsilon", "1", "--set", "colour=blue", "--samples", "100", "--out", str(tmp_path))
    assert result.exit_code == 1, result.output
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;:Leaky" in page
    assert "<b>" not in page


# --- services ---------------------------------------------------------------------------------------------------------

Predict = Callable[[Any], dict[str, Any]]


@contextmanager
def serving(predict: Predict, card: dict[str, Any] | None = None, headers: bool = False) -> Iterator[str]:
    """A server on a free port; its address as a model's."""
    asked = [0]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked[0] += 1
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._answer(200, json.dumps(predict(body["rows"])))

        def do_GET(self) -> None:
            self._answer(404 if card is None else 200, json.dumps(card))

        def _answer(self, status: int, text: str) -> None:
            self.send_response(status)
            if headers:
                self.send_header("X-Budget-Left", str(100 - asked[0]))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/models/clinic"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


CARD = {"epsilon": 0.5, "delta": 0.0, "mechanism": "output"}


def told_of(address: str, files: tuple[str, str], out: Path, *more: str) -> tuple[int, dict[str, Any]]:
    result = run(address, "--data", files[0], "--others", files[1], "--out", str(out), *more)
    assert result.exit_code in (0, 1), result.output
    return result.exit_code, json.loads((out / "audit.json").read_text(encoding="utf-8"))


def test_a_service_with_a_private_model_survives(saved: Path, files: tuple[str, str], tmp_path: Path) -> None:
    model = eq.load(saved)

    def predict(rows: Any) -> dict[str, Any]:
        return {"probabilities": model.predict_proba(np.array(rows)).tolist(), "classes": [0, 1]}

    with serving(predict, CARD) as address:
        code, told = told_of(f"{address}/predict", files, tmp_path / "out")
    assert code == 0
    assert told["claim"]["epsilon"] == 0.5
    assert told["claim"]["subject"] == address
    assert [each["outcome"] for each in told["attempts"]] == ["held", "held"]


def test_a_service_that_remembers_its_members_is_broken(files: tuple[str, str], tmp_path: Path) -> None:
    known = {tuple(row): int(label) for row, label in zip(X[:200].tolist(), Y[:200].tolist(), strict=True)}

    def predict(rows: Any) -> dict[str, Any]:
        return {"predictions": [known.get(tuple(row), 7) for row in rows]}

    with serving(predict) as address:
        code, told = told_of(address, files, tmp_path / "out", "--epsilon", "1")
    assert code == 1
    assert told["strongest"] == "membership inference"


@pytest.mark.parametrize(("headers", "outcome"), [(False, "BROKEN"), (True, "could not be checked")])
def test_fresh_noise_for_the_same_question_is_noticed(
    headers: bool, outcome: str, files: tuple[str, str], tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    with serving(lambda rows: {"predictions": rng.normal(size=len(rows)).tolist()}, CARD, headers) as address:
        code, told = told_of(address, files, tmp_path / "out")
    assert told["attempts"][1]["outcome"] == outcome
    assert code == (1 if outcome == "BROKEN" else 0)
    assert ("header X-Budget-Left" in told["claim"]["details"]) == headers


def test_services_that_cannot_be_audited_are_bad_input(files: tuple[str, str], tmp_path: Path) -> None:
    people_of = ["--data", files[0], "--others", files[1], "--out", str(tmp_path / "out")]
    with serving(lambda rows: {"predictions": [1]}) as address:
        assert "give the claim with --epsilon" in refused(address, *people_of)
        assert "must answer" in refused(address, *people_of, "--epsilon", "1")
    assert "cannot be reached" in refused("http://127.0.0.1:9/v1/models/x", *people_of, "--epsilon", "1")
    assert "must be an address" in refused("http://", *people_of)
    assert not (tmp_path / "out").exists()


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ([], "give a model, an estimator or a URL"),
        (["LinearSVC", "--table"], "give a model, an estimator or a URL"),
        (["Nobody"], "no such file, address or estimator"),
        (["missing.json"], "no such file"),
        (["LinearSVC", "--set", "alpha"], "must be name=value"),
        (["LinearSVC", "--set", "colour=1"], "not an option"),
        (["LinearSVC", "--epsilon", "-1"], "epsilon"),
        (["LinearSVC", "--out", __file__], "is a file, give a folder"),
        (["--table", "--out", "folder"], "written to a .md file"),
        (["http://127.0.0.1:9/v1/models/x"], "people's records"),
    ],
)
def test_bad_input_names_the_rule(arguments: list[str], rule: str) -> None:
    assert rule in refused(*arguments)


def test_bad_people_name_the_rule(saved: Path, files: tuple[str, str], tmp_path: Path) -> None:
    words = tmp_path / "words.csv"
    words.write_text("a,b,y\nred,1,0\nblue,2,1\n", encoding="utf-8")
    narrow = tmp_path / "narrow.csv"
    narrow.write_text("y\n1\n", encoding="utf-8")
    for others, rule in (
        (str(words), "must hold finite numbers"),
        (str(narrow), "at least one column"),
        (str(tmp_path / "x.csv"), "no such file"),
        (str(tmp_path / "x.txt"), ".csv or .parquet"),
    ):
        assert rule in refused(str(saved), "--data", files[0], "--others", others)
    assert "no such column" in refused(str(saved), "--data", files[0], "--others", files[1], "--label", "z")
    assert "give both" in refused(str(saved), "--data", files[0])


def test_parquet_is_read_as_csv_is(files: tuple[str, str], tmp_path: Path) -> None:
    import pandas as pd

    from equipoise.cli.audit.data import read_people

    pd.read_csv(files[0]).to_parquet(tmp_path / "in.parquet")
    here, there = read_people(Path(files[0]), None), read_people(tmp_path / "in.parquet", "y", ("a", "b"))
    assert np.array_equal(here[0], there[0])
    assert np.array_equal(here[1], there[1])
    with pytest.raises(InvalidInput, match="fitted with"):
        read_people(Path(files[0]), None, ("a", "c"))


class Refuser(eq.LogisticRegression):
    """A twin of ours, honest in all but one thing: it refuses tables that start with a negative label."""

    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        if y[0] < 0:
            raise NotCertified("the solver could not prove that it is close enough to the minimiser: raise alpha")
        return super().fit(X, y)


@pytest.mark.parametrize("home", ["equipoise.twin", "elsewhere"])
def test_an_estimator_that_refuses_one_of_two_neighbours_does_not_survive(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import equipoise.audit.subjects.named as named

    monkeypatch.setattr(Refuser, "__module__", home)
    monkeypatch.setattr(named, "find_class", lambda name: Refuser)
    settings = ["--set", "mechanism=output", "--set", "alpha=1.0", "--set", "classes=(-1, 1)", "--rows", "3"]
    small = ["--epsilon", "1", "--samples", "80", "--quick", "--out", str(tmp_path / "out")]
    result = run("somewhere:Refuser", *small, *settings)
    assert result.exit_code == 1, result.output
    told = json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))
    assert told["survived"] is False
    assert any("raised" in attempt["told"] for attempt in told["attempts"] if attempt["outcome"] == "BROKEN")
