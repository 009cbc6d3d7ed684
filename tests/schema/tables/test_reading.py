"""Tables enter as they are: the file's structure may be refused, no line or cell of it is an error."""

from __future__ import annotations

import datetime
import encodings.aliases
import gzip
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.schema.cells import days, numbers, places
from equipoise.schema.columns import Boolean, Category, Date, Number, Ordinal, Text
from equipoise.schema.tables import column_types, read_table

HEADER = "age,sex,ill"
LINES = ["31,f,no", "47,m,yes", "5,f,no"]


def written(path: Path, lines: list[str], header: str = HEADER) -> Path:
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


def cells(path: Path, name: str) -> list[Any]:
    found: list[Any] = read_table(path)[name].tolist()
    return found


def test_a_csv_file_is_read_plain_or_zipped(tmp_path: Path) -> None:
    plain, zipped = written(tmp_path / "a.csv", LINES), tmp_path / "a.csv.gz"
    with gzip.open(zipped, "wt", encoding="utf-8") as file:
        file.write(plain.read_text(encoding="utf-8"))
    for path in (plain, zipped):
        table = read_table(path)
        assert (len(table), table["age"].tolist(), table["ill"].tolist()) == (3, ["31", "47", "5"], ["no", "yes", "no"])
        assert column_types(path) == dict.fromkeys(["age", "sex", "ill"], "unknown")


def test_only_the_wanted_columns_are_kept(tmp_path: Path) -> None:
    table = read_table(written(tmp_path / "a.csv", LINES), ["ill", "age"])
    assert set(table.columns) == {"age", "ill"}
    with pytest.raises(eq.InvalidInput, match="has no column 'sex'"):
        table["sex"]


def refused(path: Path) -> bool:
    try:
        read_table(path)
    except Exception:  # noqa: BLE001 - any error would tell
        return True
    return False


def test_ragged_lines_quotes_blank_lines_and_odd_bytes_are_records_like_others(tmp_path: Path) -> None:
    lines = ["31", "47,m,yes,too,many", '"5, or so",f,"no', "", ",,,,"]
    path = written(tmp_path / "a.csv", lines)
    path.write_bytes(path.read_bytes() + b"\xff\xfe,\x00,no\n")
    assert not refused(path)
    assert cells(path, "age") == ["31", "47", "5, or so", "", "", "��"]
    assert cells(path, "ill") == ["", "yes", "no", "", "", "no"]


@given(line=st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), place=st.integers(0, 2))
def test_one_line_changes_one_row_and_nothing_else(
    line: str, place: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    left = read_table(written(folder / "left.csv", LINES))
    right = read_table(written(folder / "right.csv", [*LINES[:place], line, *LINES[place + 1 :]]))
    assert len(left) == len(right)
    for name in left.columns:
        assert np.delete(left[name], place).tolist() == np.delete(right[name], place).tolist()


def test_a_line_longer_than_any_reader_takes_is_read_cell_by_cell(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", ['"' + "x" * 200_000 + '",f,no', "31,f,no"])
    assert cells(path, "ill") == ["no", "no"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b"\n1,2\n", "the first line is blank"),
        ("a.csv", b"age;sex;ill\n1;f;no\n", "a semicolon in it, give delimiter="),
        ("a.csv", b"age\tsex\n1\tf\n", "a tab in it, give delimiter="),
        ("a.csv", "größe,sex\n1,f\n".encode("latin-1"), "give encoding="),
        ("a.csv", "age,sex\n1,f\n".encode("utf-16"), "save the file as UTF-8"),
        ("a.csv", b"age,sex,age\n1,f,2\n", "the column 'age' twice"),
        ("a.csv.gz", gzip.compress(b"age,sex\n" + b"1,f\n" * 9999, mtime=0)[:60], "cut short or damaged"),
        ("a.parquet", b"PAR1 not really", "no Parquet file, or damaged|cannot be read"),
        ("a.xlsx", b"PK", "the name must end with"),
    ],
    ids=["empty", "no header", "semicolons", "tabs", "latin-1", "utf-16", "twice", "cut", "no parquet", "excel"],
)
def test_a_file_that_is_wrong_as_a_whole_is_refused(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(eq.EquipoiseError, match=said) as told:
        read_table(tmp_path / name)
    assert "\n" not in str(told.value)


def test_a_missing_file_or_a_folder_is_named(tmp_path: Path) -> None:
    for name in ("none.csv", "none.parquet"):
        with pytest.raises(eq.UnreadableFile, match="no such file"):
            read_table(tmp_path / name)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(eq.UnreadableFile, match="cannot be read"):
        read_table(tmp_path / "folder.csv")


def test_delimiter_and_encoding_are_taken_at_their_word(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("größe;sex\n1,5;weiß\n".encode("latin-1"))
    table = read_table(tmp_path / "a.csv", delimiter=";", encoding="latin-1")
    assert table["größe"].tolist() == ["1,5"]
    assert table["sex"].tolist() == ["weiß"]
    for wrong in ({"delimiter": ";;"}, {"delimiter": '"'}, {"encoding": "latin-99"}):
        with pytest.raises(eq.InvalidInput):
            read_table(tmp_path / "a.csv", **wrong)
    (tmp_path / "b.csv").write_bytes(b"\xef\xbb\xbfage,sex\r\n1,f\r\n")
    assert read_table(tmp_path / "b.csv")["age"].tolist() == ["1"]


def frame() -> dict[str, Any]:
    return {
        "age": [31.0, None, 5.0],
        "grade": [1, 2, 3],
        "sex": ["f", None, "m"],
        "smoker": [True, False, None],
        "seen": [datetime.date(2020, 1, 2), None, datetime.date(2021, 1, 2)],
    }


TYPES = {"age": "number", "grade": "number", "sex": "text", "smoker": "boolean", "seen": "date"}


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table], ids=["polars", "pyarrow"])
def test_frames_are_read_by_their_types(make: Any, tmp_path: Path) -> None:
    source = make(frame())
    assert column_types(source) == TYPES
    table = read_table(source)
    np.testing.assert_array_equal(table["age"], [31.0, np.nan, 5.0])
    assert table["grade"].tolist() == [1, 2, 3]
    assert table["sex"].tolist() == ["f", None, "m"]
    assert table["smoker"].tolist() == [True, False, None]
    assert [str(day) for day in table["seen"].tolist()] == ["2020-01-02", "None", "2021-01-02"]


def test_parquet_is_read_with_its_types_and_no_row_for_them(tmp_path: Path) -> None:
    pl.DataFrame(frame()).write_parquet(tmp_path / "a.parquet")
    assert column_types(tmp_path / "a.parquet") == TYPES
    assert read_table(tmp_path / "a.parquet", ["sex"])["sex"].tolist() == ["f", None, "m"]


def test_a_pandas_column_of_objects_is_unknown_whatever_it_holds() -> None:
    for held in (["a", "b"], [1, 2], [True, "x"]):
        assert column_types(pd.DataFrame({"a": pd.Series(held, dtype=object)})) == {"a": "unknown"}
    source = pd.DataFrame({"age": [1.0, np.nan], "sex": pd.Categorical(["f", None]), "n": pd.array([1, None], "Int64")})
    assert column_types(source) == {"age": "number", "sex": "text", "n": "number"}
    assert read_table(source)["n"].tolist()[0] == 1


def test_a_dictionary_of_columns_is_a_table() -> None:
    table = read_table({"age": np.array([1, 2]), "sex": ["f", None], "ok": np.array([True, False])})
    assert dict(table.types) == {"age": "number", "sex": "unknown", "ok": "boolean"}
    for wrong in ({}, {1: [2]}, {"a": [1], "b": [1, 2]}, {"a": np.zeros((2, 2))}, [1, 2], None, 3):
        with pytest.raises(eq.InvalidInput, match=r"data|table"):
            read_table(wrong)


COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "arrow": pa.array,
    "arrow in chunks": lambda held: pa.chunked_array([pa.array(held)[:2], pa.array(held)[2:]]),
    "polars": lambda held: pl.Series(held, strict=False),
    "pandas of arrow": lambda held: pd.Series(held, dtype=pd.ArrowDtype(pa.array(held).type)),
}
FRAMES: dict[str, Callable[[Any], Any]] = {
    "arrow": pa.table,
    "arrow in chunks": pa.table,
    "polars": pl.DataFrame,
    "pandas of arrow": pd.DataFrame,
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_dictionary_of_a_librarys_columns_is_read_as_its_frame_is(name: str) -> None:
    columns = {column: COLUMNS[name](held) for column, held in frame().items()}
    apart, whole = read_table(columns), read_table(FRAMES[name](columns))
    assert dict(apart.types) == column_types(columns) == dict(whole.types) == TYPES
    for column in TYPES:
        assert repr(apart[column].tolist()) == repr(whole[column].tolist())
        assert int(pd.isna(apart[column]).sum()) <= 1, "not all missing"


KINDS: list[Any] = [
    *(Number((0, 1)), Category(("a", "b")), Ordinal(("a", "b")), Boolean(), Date(("2020-01-01", "2021-01-01"))),
    *(Text(),),
]
ARRAYS: dict[str, Any] = {
    "floats": np.array([0.5, np.nan]),
    "whole": np.array([1, 2]),
    "truths": np.array([True, False]),
    "days": np.array(["2020-01-01", "NaT"], dtype="datetime64[ns]"),
    "spans": np.array([1, 2], dtype="timedelta64[s]"),
    "objects": np.array(["a", 1], dtype=object),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_says_of_its_type_what_it_says_in_a_frame(name: str) -> None:
    held = {"a": ARRAYS[name]}
    assert column_types(held) == column_types(pd.DataFrame(held)) == column_types({"a": pd.Series(ARRAYS[name])})
    for kind in KINDS:
        schema = eq.Schema({"a": kind})
        assert schema.check(held).ok == schema.check(pd.DataFrame(held)).ok, kind


@pytest.mark.parametrize("column", ["ab", b"ab", {1, 2}, frozenset({1, 2}), {"x": 1, "y": 2}, 3, None, bytearray(2)])
def test_what_is_no_list_is_no_column(column: Any) -> None:
    with pytest.raises(eq.InvalidInput, match="a column must be a list or an array") as told:
        read_table({"a": column, "b": [1, 2]})
    assert "\n" not in str(told.value)
    assert read_table({"a": column, "b": [1, 2]}, ["b"])["b"].tolist() == [1, 2]


def test_the_types_of_a_dictionary_are_told_without_reading_a_cell() -> None:
    read: list[int] = []

    def cells() -> Iterator[int]:
        read.append(1)
        yield 1

    source = {"a": cells()}
    assert (column_types(source), read) == ({"a": "unknown"}, [])
    assert read_table(source)["a"].tolist() == [1]


def test_a_gap_in_a_masked_column_leaves_large_numbers_as_they_are() -> None:
    table = read_table({"a": np.ma.array([2**53, 2**53 + 1, 0], mask=[False, False, True])})
    assert places(table["a"], [2**53, 2**53 + 1], ()).tolist() == [0, 1, -2]


def test_cells_of_arrow_in_a_list_are_what_they_hold() -> None:
    """As `list(column)` gives them."""
    dates = pa.array([datetime.date(2020, 1, 2), None])
    held = {"n": list(pa.array([1.5, None])), "w": list(pa.array(["a", None])), "d": list(dates)}
    table = read_table(held)
    assert repr(numbers(table["n"], ()).tolist()) == "[1.5, nan]"
    assert places(table["w"], ["a"], ()).tolist() == [0, -2]
    assert np.isnan(days(table["d"], ())).tolist() == [False, True]


def test_importing_the_library_brings_neither_yaml_nor_polars() -> None:
    code = "import sys, equipoise; print(sorted({'yaml', 'polars'} & set(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


BYTES = [bytes([byte]) for byte in range(256) if byte not in b"\r\n"]
PAIRS = [b"+AA", b"~{", b"\x1b$B", b"\x0e", b"\x81", b"\xff\xfe", b"\xd8"]


@pytest.mark.parametrize("encoding", sorted(set(encodings.aliases.aliases.values())))
def test_no_bytes_of_a_line_change_another_in_any_encoding(encoding: str, tmp_path: Path) -> None:
    """Whatever Python knows: an encoding in which a line could is refused, by its name alone."""
    path, held = tmp_path / "a.csv", set()
    for lines in ([b"b"], [b"b", *BYTES, *PAIRS], *([odd] for odd in PAIRS)):
        path.write_bytes(b"name\n" + b"".join(odd + b"\nx\ny\n" for odd in lines))
        try:
            table = read_table(path, encoding=encoding)
        except (eq.EquipoiseError, LookupError) as error:
            held.add(str(error))
        else:
            cells = list(table["name"])
            assert len(cells) == 3 * len(lines)
            held |= {str(cells[place + 1 : place + 3]) for place in range(0, len(cells), 3)}
    assert len(held) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf_8_sig", "ascii", "latin-1", "cp1252", "iso8859-15", "koi8-r"])
def test_usual_encodings_are_read(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name\nb\n", encoding=encoding)
    assert list(read_table(tmp_path / "a.csv", encoding=encoding)["name"]) == ["b"]
