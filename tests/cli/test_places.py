"""Where commands write: nothing is replaced unasked, what a command reads never, and no fit is paid for in vain."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.clinic import spent, write
from tests.cli.running import here
from tests.cli.test_every_command import FROM_A_CHECKOUT, commands

from equipoise.cli.exit_codes import Code
from equipoise.cli.places import is_input
from equipoise.ledger import SQLLedger
from equipoise.studies.common.resumable import CACHE

PRICE = ("--epsilon", "1", "--delta", "1e-6", "--ledger", "privacy.db")
FIT = ("fit", "clinic.csv", *PRICE, "--yes")

FILES: dict[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...], bool]] = {
    ("plan", "report"): (("plan", "clinic.csv", *PRICE), ("clinic.csv", "schema.yaml", "privacy.db"), True),
    ("schema new", "out"): (("schema", "new", "clinic.csv"), ("clinic.csv",), True),
    ("predict", "out"): (("predict", "clinic.csv", "--model", "old"), ("clinic.csv", "old/model.json"), False),
    ("demo", "table"): (("demo", "--patients", "100"), (), False),
    ("audit", "out"): (("audit", "--table", "--quick"), (), True),
}
"""Commands that write one file: how to call them, what they read, and whether they have --force."""

FOLDERS: dict[tuple[str, str], tuple[tuple[str, ...], str]] = {
    ("fit", "out"): (FIT, "model.json"),
    ("tune", "out"): (("tune", "clinic.csv", *PRICE, "--yes", "--try", "alpha=0.01,0.1"), "model.json"),
    ("demo", "out"): (("demo", "--patients", "100", "--repetitions", "2", "--epsilons", "1"), "report.html"),
    ("audit", "out"): (("audit", "old/model.json", "--quick"), "audit.json"),
    **{
        (f"reproduce {study}", "out"): (("reproduce", study, "--quick", "--simulated"), "report.html")
        for study in ("warfarin", "tuning", "prediction", "dimension", "stability")
    },
}
"""Commands that write a folder, and a file that may be there already."""


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model in `old`, paid for by nobody."""
    room = tmp_path_factory.mktemp("fitted")
    write(room)
    ran = here("fit", "clinic.csv", "--epsilon", "1", "--no-ledger", "--yes", "--out", "old", folder=room)
    assert ran.returncode == Code.DONE, ran.stderr
    return room / "old"


@pytest.fixture
def place(room: Path, fitted: Path) -> Path:
    """The room with a model in it."""
    shutil.copytree(fitted, room / "old")
    return room


def held(room: Path) -> dict[str, str]:
    """Everything in the room, links as what they say."""
    found = {}
    for path in sorted(room.rglob("*")):
        if path.is_symlink():
            found[str(path.relative_to(room))] = f"-> {path.readlink()}"
        elif path.is_file():
            found[str(path.relative_to(room))] = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            found[str(path.relative_to(room))] = "folder"
    return found


def refused(room: Path, *arguments: str, told: str = "") -> None:
    before = held(room)
    ran = here(*arguments, folder=room)
    assert ran.returncode == Code.BAD_INPUT, (arguments, ran.stdout, ran.stderr)
    assert ran.stderr.count("\n") == 1
    assert told in ran.stderr
    assert held(room) == before, arguments
    assert spent(room) == 0


def test_every_option_that_names_a_place_to_write_is_tried_here() -> None:
    """A path that need not exist is one to read unless it is called as these are."""
    found = {
        (name, each.name)
        for name, command in commands()
        for each in command.params
        if each.name in ("out", "report", "table", "save", "to", "write") and not each.is_flag
    }
    assert {each for each in found if not each[0].startswith(FROM_A_CHECKOUT)} == {*FILES, *FOLDERS}


def named(option: str) -> str:
    return f"--{option}"


@pytest.mark.parametrize("which", FILES, ids=" ".join)
def test_no_file_is_replaced_unasked_and_what_is_read_never(which: tuple[str, str], place: Path) -> None:
    call, inputs, forced = FILES[which]
    end = ".md" if which == ("audit", "out") else ".html"
    (place / f"mine{end}").write_text("mine", encoding="utf-8")
    (place / f"nowhere{end}").symlink_to("gone")
    (place / f"linked{end}").symlink_to(f"mine{end}")
    (place / f"folder{end}").mkdir()
    for name in ("mine", "nowhere", "linked"):
        refused(place, *call, named(which[1]), f"{name}{end}", told="exists")
    refused(place, *call, named(which[1]), f"folder{end}")
    flags: tuple[tuple[str, ...], ...] = ((), ("--force",)) if forced else ((),)
    for flag in flags:
        if end == ".html":
            refused(place, *call, *flag, named(which[1]), os.devnull)
            assert Path(os.devnull).is_char_device()
        for place_read in inputs:
            (place / "link").unlink(missing_ok=True)
            (place / "hard").unlink(missing_ok=True)
            (place / "link").symlink_to(place_read)
            (place / "hard").hardlink_to(place / place_read)
            for name in (place_read, "link", "hard", f"./old/../{place_read}", str(place / place_read)):
                refused(
                    place, *call, *flag, named(which[1]), name, told="is read by this command" if forced else "give"
                )


def test_a_ledgers_own_files_are_never_replaced(place: Path) -> None:
    for end in ("-journal", "-wal", "-shm"):
        for ledger in ("privacy.db", f"sqlite:///{place}/privacy.db"):
            call = "plan", "--rows", "100", "--epsilon", "1", "--ledger", ledger
            refused(place, *call, "--force", "--report", f"privacy.db{end}", told="is read by this command")


def test_what_lies_in_a_folder_that_is_read_is_read(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    assert is_input(tmp_path / "parts" / "new.html", [tmp_path / "parts"])
    assert not is_input(tmp_path / "parts.html", [tmp_path / "parts", None])


def test_with_force_a_plan_is_written_over_another(place: Path) -> None:
    for _ in range(2):
        ran = here("plan", "clinic.csv", *PRICE, "--report", "plan.html", "--force", folder=place)
        assert ran.returncode == Code.DONE, ran.stderr
    assert "<html" in (place / "plan.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("which", FOLDERS, ids=" ".join)
def test_no_file_in_a_folder_is_replaced_unasked(which: tuple[str, str], place: Path) -> None:
    call, name = FOLDERS[which]
    (place / "mine").mkdir()
    (place / "mine" / name).write_text("mine", encoding="utf-8")
    (place / "nowhere").symlink_to("gone")
    (place / "round").symlink_to("round")
    for out in ("mine", "nowhere", "round", "clinic.csv", os.devnull):
        refused(place, *call, "--out", out)


def test_a_study_goes_on_from_its_own_folder(place: Path) -> None:
    from equipoise.cli.places import refuse_replacing_in

    (place / "report.html").write_text("mine", encoding="utf-8")
    (place / CACHE).write_text("", encoding="utf-8")
    refuse_replacing_in("out", place, ("report.html",), (place / CACHE).is_file())


@pytest.mark.parametrize("command", ["fit", "tune"])
@pytest.mark.parametrize("kept", ["clinic.csv", "schema.yaml", "privacy.db", "notes.txt"])
def test_force_never_takes_what_is_read_or_what_no_fit_wrote(command: str, kept: str, place: Path) -> None:
    """A folder with a model in it may hold the table, the schema or the very ledger."""
    call = [*FOLDERS[command, "out"][0], "--out", "old", "--force"]
    if kept == "notes.txt":
        (place / "old" / kept).write_text("mine", encoding="utf-8")
    else:
        shutil.move(place / kept, place / "old" / kept)
    if kept == "clinic.csv":
        call[1] = "old/clinic.csv"
    elif kept == "schema.yaml":
        call += ["--schema", "old/schema.yaml"]
    elif kept == "privacy.db":
        call[call.index("privacy.db")] = "old/privacy.db"
    before = held(place)
    ran = here(*call, folder=place)
    assert ran.returncode == Code.BAD_INPUT, ran.stderr
    assert "nothing was spent" in ran.stderr
    assert held(place) == before
    book = place / "old" / "privacy.db" if kept == "privacy.db" else place / "privacy.db"
    assert len(SQLLedger(book).entries()) == 0


def test_a_folder_behind_a_link_is_replaced_and_the_link_stays(place: Path) -> None:
    (place / "current").symlink_to("old")
    old = (place / "old" / "model.json").read_text(encoding="utf-8")
    refused(place, *FIT, "--out", "current", told="--force")
    ran = here(*FIT, "--out", "current", "--force", folder=place)
    assert ran.returncode == Code.DONE, ran.stderr
    assert (place / "current").is_symlink()
    assert (place / "old" / "model.json").read_text(encoding="utf-8") != old
    assert [path.name for path in place.iterdir() if path.name.startswith(".")] == []
    assert spent(place) == 1


def test_what_cannot_be_renamed_is_noticed_before_anything_is_spent(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = here(*FIT, "--out", "m" * 300, folder=place)
    assert (ran.returncode, ran.stderr.count("\n"), spent(place)) == (Code.FILES, 1, 0)
    mounted: Any = lambda path: path.name == "old"  # noqa: E731
    monkeypatch.setattr(Path, "is_mount", mounted)
    refused(place, *FIT, "--out", "old", "--force", told="nothing was spent")
