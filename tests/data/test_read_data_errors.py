"""What is wrong with a table is named by file, column, row and value."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import rankproof as rp
from data.written_forms import WRITERS, as_arrow_file, as_csv, as_parquet, table
from rankproof.data.forms.columns import ColumnRequest
from rankproof.data.forms.read import read_in_order
from rankproof.errors import DataError, MissingDependencyError

NAN, INF = float("nan"), float("inf")
WRONG = {
    "a label that is infinite": (
        {"label": [1, 0, 2, INF, 0, 0]},
        r"data: column 'label', row 3 \(counted from 0\): a label must be finite.* got inf",
    ),
    "text among features": (
        {"f1": ["1", "2", "abc", "4", "5", "6"]},
        r"data: column 'f1', row 2 \(counted from 0\): 'abc' is not a number, as a feature must be",
    ),
    "text in labels": (
        {"label": ["1", "x", "1", "1", "1", "1"]},
        r"data: column 'label', row 1 \(counted from 0\): 'x' is not a number",
    ),
    "a query id that is null": (
        {"query": ["a", "a", None, "b", "b", "b"]},
        r"data: column 'query', row 2 \(counted from 0\): there is no query id \(null\)",
    ),
    "a query id that is NaN": (
        {"query": [1.0, 1, 1, NAN, 2, 2]},
        r"data: column 'query', row 3 \(counted from 0\): (nan is not a query id|there is no query id)",
    ),
    "a feature that is too large": (
        {"f2": [1.0, 2, 3, 4, 1e300, 6]},
        r"data: column 'f2', row 4 \(counted from 0\): the feature 1e\+300 is more than float32 can hold",
    ),
    "a weight below 0": (
        {"item_weight": [1.0, 1, 1, 1, 1, -2]},
        r"data: column 'item_weight', row 5 \(counted from 0\): an item weight must be .* got -2.0",
    ),
    "weights that differ in a query": (
        {"query_weight": [1.0, 1, 1, 1, 3, 1]},
        r"data: column 'query_weight' must have one weight per query, but query 'b' has 1 and 3",
    ),
}


@pytest.mark.parametrize("wrong", list(WRONG))
@pytest.mark.parametrize("form", ["parquet", "csv", "arrow stream"])
def test_a_wrong_value_is_named(wrong: str, form: str, tmp_path: Path) -> None:
    more, message = WRONG[wrong]
    path = WRITERS[form](tmp_path / "data", table(**more))
    with pytest.raises(DataError, match=message):
        rp.read_data(path, features=["f1", "f2"])


def test_the_row_is_that_of_the_file(tmp_path: Path) -> None:
    rows = 150_000
    labels = np.zeros(rows)
    labels[140_003] = INF
    data = pa.table({"query": np.arange(rows) // 10, "label": labels, "f1": np.zeros(rows)})
    as_parquet(tmp_path / "0", table(query=[0] * 6, f2=None, doc=None))
    as_parquet(tmp_path / "1", data)
    with pytest.raises(DataError, match=r"1: column 'label', row 140003 "):
        rp.read_data(tmp_path, features="f1")


def test_an_item_without_a_label_is_named_where_one_is_needed(tmp_path: Path) -> None:
    path = as_parquet(tmp_path / "data", table(label=[1, 2, None, 1, 1, 1]))
    with pytest.raises(DataError, match=r"column 'label', row 2 .*there is no label \(null or NaN\)"):
        read_in_order(path, ColumnRequest(), judged=True)
    bare = as_parquet(tmp_path / "bare", table(label=None))
    with pytest.raises(DataError, match=r"bare: no column is called label .* Columns: 'query', 'doc', 'f1'"):
        read_in_order(bare, ColumnRequest(), judged=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": "qeury"}, r"Argument query names the column 'qeury', which .* Did you mean 'query'\?"),
        ({"label": "grade"}, r"Argument label names the column 'grade', which .* does not have\. Columns: "),
        ({"features": "g*"}, r"Argument features: no column of .* matches 'g\*'"),
        (
            {"features": ["f1", "f3"]},
            r"Argument features names the column 'f3', which .* does not have. Columns",
        ),
        ({"drop": "nothing"}, r"Argument drop names the column 'nothing'"),
        ({"drop": "lab*"}, r"Argument drop matches the column 'label' of .*, which is taken for something"),
        ({"features": ["label", "f1"]}, r"Argument features names the column 'label' of .* something else"),
        ({"label": "query"}, r"Column 'query' of .* is named for two things"),
        ({"features": ["doc"], "doc": "f1"}, r"column 'doc', row 0 .*'d1' is not a number"),
    ],
)
def test_a_wrong_column_is_named(arguments: dict[str, object], message: str, tmp_path: Path) -> None:
    path = as_parquet(tmp_path / "data", table())
    with pytest.raises(DataError if "d1" in message else rp.errors.ArgumentError, match=message):
        rp.read_data(path, **arguments)


def test_a_missing_or_unclear_column_of_queries_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no column is called query or qid or query_id"):
        rp.read_data(as_parquet(tmp_path / "none", table(query=None)))
    with pytest.raises(DataError, match="the columns 'query' and 'qid' could both be the query"):
        rp.read_data(as_parquet(tmp_path / "two", table(qid=[1] * 6)))


def test_values_that_are_neither_numbers_nor_text(tmp_path: Path) -> None:
    lists = pa.array([[1.0]] * 6)
    path = as_parquet(tmp_path / "data", table(f2=lists))
    assert rp.read_data(path).feature_names == ("f1",)
    with pytest.raises(DataError, match=r"column 'f2', row 0 .*holds list<.*, a feature must be a number"):
        rp.read_data(path, features=["f1", "f2"])
    with pytest.raises(DataError, match="query ids must be numbers or text"):
        rp.read_data(as_parquet(tmp_path / "ids", table(query=lists)))


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"f2": ["x"] * 6}, r"1: column 'f2' is of type string, in .*0 it is of type float"),
        ({"f2": None}, r"1: there is no column 'f2', which .*0 has"),
        ({"query": [1] * 6}, r"1: column 'query' is of type int64, in .*0 it is of type string"),
    ],
)
def test_files_of_a_folder_must_be_alike(second: dict[str, object], message: str, tmp_path: Path) -> None:
    as_parquet(tmp_path / "0", table())
    as_parquet(tmp_path / "1", table(**second))
    with pytest.raises(DataError, match=message):
        rp.read_data(tmp_path)


def test_folders_that_are_no_data(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no data: no file in it"):
        rp.read_data(tmp_path)
    as_parquet(tmp_path / "0", table())
    as_csv(tmp_path / "1", table())
    with pytest.raises(DataError, match=r"files of different forms: .*0' is parquet, .*1' is delimited"):
        rp.read_data(tmp_path)
    (tmp_path / "1").unlink()
    (tmp_path / "fold=1").mkdir()
    as_parquet(tmp_path / "fold=1" / "a", table())
    with pytest.raises(DataError, match=r"is not partitioned alike: .* has the keys none, .* has fold"):
        rp.read_data(tmp_path)
    other = tmp_path / "text"
    other.mkdir()
    (other / "a.txt").write_text("1 qid:1 1:2\n")
    with pytest.raises(DataError, match="holds text without named columns"):
        rp.read_data(other)


@pytest.mark.parametrize("form", ["parquet", "arrow file", "arrow stream", "npz", "structured npy"])
def test_half_a_file_is_an_error_wherever_it_ends(form: str, tmp_path: Path) -> None:
    path = WRITERS[form](tmp_path / "data", table())
    whole = path.read_bytes()
    for end in np.linspace(12, len(whole) - 9, 25).astype(int).tolist():
        path.write_bytes(whole[:end])
        with pytest.raises(DataError, match="data"):
            rp.read_data(path)


def test_text_of_arrow_files_that_points_elsewhere_is_not_followed(tmp_path: Path) -> None:
    path = as_arrow_file(tmp_path / "data", table())
    places = np.arange(5, dtype=np.int32).tobytes()
    whole = path.read_bytes()
    assert places in whole
    path.write_bytes(whole.replace(places, np.array([0, 1, 2, 10**9, 4], np.int32).tobytes()))
    with pytest.raises(DataError, match=r"data: the file is damaged \("):
        rp.read_data(path)


@pytest.mark.parametrize("form", ["parquet", "arrow file", "npz"])
def test_damaged_bytes_never_end_in_another_error(form: str, tmp_path: Path) -> None:
    path = WRITERS[form](tmp_path / "data", table())
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(40):
        damaged = bytearray(whole)
        for at in rng.integers(8, len(whole), 8).tolist():
            damaged[at] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        try:
            rp.read_data(path)
        except rp.errors.RankproofError:
            pass
        except UserWarning:
            pass


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.feather", "x.npy", "x.npz", "x.pq"])
@pytest.mark.parametrize("content", [b"", b"hello", b"1 qid:1 1:2\n", b"a,b\n1,2\n", bytes(range(256))])
def test_bytes_of_another_kind_under_a_name_of_tables(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    state = "is empty" if not content else "does not start as"
    with pytest.raises(DataError, match=rf"{name}: the file {state}.* though its name ends in"):
        rp.read_data(tmp_path / name)


def test_other_formats_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PARE" + bytes(20))
    (tmp_path / "a.feather").write_bytes(b"FEA1" + bytes(20))
    for name, message in (("a.parquet", "is encrypted"), ("a.feather", "version 1 of Feather")):
        with pytest.raises(DataError, match=message):
            rp.read_data(tmp_path / name)


def test_missing_files_and_names_twice(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing.parquet' does not exist"):
        rp.read_data(tmp_path / "nothing.parquet")
    twice = pa.table([[1], [2], [3]], names=["query", "f", "f"])
    with pytest.raises(DataError, match="more than one column 'f'"):
        rp.read_data(as_parquet(tmp_path / "twice", twice))
    with pytest.raises(DataError, match="there are no rows"):
        rp.read_data(as_arrow_file(tmp_path / "empty", table().slice(0, 0)))


def test_rows_of_text_with_too_few_values(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("qid,label,f\n1,0,2\n1,0\n")
    with pytest.raises(DataError, match=r"a.csv: the file is damaged \(CSV .*Expected 3 columns, got 2"):
        rp.read_data(tmp_path / "a.csv")


def test_what_no_memory_can_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # 10^12 cells: nothing but their number is in the file.
    rows = 1_000_000
    zeros = pa.array(np.zeros(rows, np.int8)).dictionary_encode()
    wide = pa.table({"query": zeros, **{f"f{k}": zeros for k in range(3)}})
    path = as_parquet_in_one(tmp_path / "wide", wide)
    monkeypatch.setattr("os.sysconf", lambda name: 1 if name == "SC_PAGE_SIZE" else 1_000_000)
    with pytest.raises(DataError, match="A matrix of 1000000 rows and 3 features would take"):
        rp.read_data(path)


def as_parquet_in_one(path: Path, data: pa.Table) -> Path:
    pa.parquet.write_table(data, path)
    return path


def test_an_archive_of_zeros_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez_compressed(tmp_path / "bomb.npz", X=np.zeros((20_000, 100), np.float32), qid=np.zeros(20_000))
    assert (tmp_path / "bomb.npz").stat().st_size < 50_000
    monkeypatch.setenv("RANKPROOF_LARGEST_INPUT", "1000000")
    with pytest.raises(DataError, match=r"holds more than 1,000,000 bytes when unpacked \(8,160,\d+\)"):
        rp.read_data(tmp_path / "bomb.npz")


def test_objects_are_not_read(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="Python objects, which are not read, since that runs code"):
        rp.read_data(tmp_path / "a.npy")


def test_arrays_that_do_not_fit_together(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=np.zeros((3, 2)), qid=np.zeros(2))
    with pytest.raises(DataError, match="array 'qid' has 2 rows, but 'X0' has 3"):
        rp.read_data(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", X=np.zeros((3, 2, 2)))
    with pytest.raises(DataError, match=r"array 'X' has shape \(3, 2, 2\)"):
        rp.read_data(tmp_path / "b.npz")
    np.savez(tmp_path / "c.npz", X=np.zeros((3, 2)), feature_names=np.array(["a"]))
    with pytest.raises(DataError, match="feature_names must name the columns of one matrix"):
        rp.read_data(tmp_path / "c.npz")


def test_without_pyarrow_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = as_csv(tmp_path / "a.csv", table())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match=r"need pyarrow.*: pip install 'rankproof\[parquet\]'$"):
        rp.read_data(path)
