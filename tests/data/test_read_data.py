"""Data in any form become the same `RankingData`; columns are taken as named, or by their usual names."""

from __future__ import annotations

import bz2
import gzip
import io
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankproof as rp
from data.written_forms import DOCS, LABELS, QUERIES, WRITERS, X, as_arrow_stream, as_csv, as_parquet, table
from rankproof.data.forms.columns import ColumnRequest
from rankproof.data.forms.content import form_of
from rankproof.data.forms.digest import digest_of
from rankproof.data.forms.read import read_in_order
from rankproof.errors import ArgumentError, DataWarning


def check(data: rp.RankingData) -> None:
    assert data.query_ids.tolist() == ["a", "b", "c"]
    assert data.offsets.tolist() == [0, 2, 5, 6]
    assert data.labels.tolist() == LABELS
    assert data.doc_ids is not None
    assert data.doc_ids.tolist() == DOCS
    assert data.X.dtype == np.float32
    assert np.array_equal(data.X, X)
    assert data.feature_names == ("f1", "f2")


@pytest.mark.parametrize("name", list(WRITERS))
@pytest.mark.parametrize("file", ["data", "data.txt", "data.csv"])
def test_every_form_is_read_whatever_its_name_is(name: str, file: str, tmp_path: Path) -> None:
    check(rp.read_data(WRITERS[name](tmp_path / file, table())))


def test_letor_text_is_read_as_read_letor_does(tmp_path: Path) -> None:
    path = tmp_path / "train.parquet.txt"
    path.write_text("2 qid:7 1:0.5 2:1 #docid = a\n0 qid:7 2:3 #docid = b\n")
    one, other = rp.read_data(path, features=3), rp.read_letor(path, features=3)
    assert np.array_equal(one.X, other.X)
    assert one.doc_ids.tolist() == other.doc_ids.tolist()
    side = tmp_path / "rank.train"
    side.write_text("1 1:2\n0 1:3\n")
    (tmp_path / "rank.train.query").write_text("2\n")
    assert rp.read_data(side).sizes.tolist() == [2]


def test_files_that_others_write_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame(table().to_pydict())
    frame.to_parquet(tmp_path / "pandas.parquet")
    frame.to_csv(tmp_path / "pandas.csv", index=False)
    pl.from_arrow(table()).write_parquet(tmp_path / "polars.parquet")
    pl.from_arrow(table()).write_ipc(tmp_path / "polars.arrow")
    for path in sorted(tmp_path.iterdir()):
        check(rp.read_data(path))


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_packed_text_is_unpacked(suffix: str, pack: object, tmp_path: Path) -> None:
    plain = as_csv(tmp_path / "plain", table()).read_bytes()
    path = tmp_path / f"data.csv{suffix}"
    path.write_bytes(pack(plain))
    check(rp.read_data(path))


@pytest.mark.parametrize("writer", [as_csv, as_parquet, as_arrow_stream])
def test_standard_input_is_read(writer: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = writer(tmp_path / "data", table()).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
    check(rp.read_data("-"))


def test_a_folder_is_one_data_set_in_the_order_of_its_names(tmp_path: Path) -> None:
    # The query b goes on in the second file.
    as_parquet(tmp_path / "part-0.parquet", table().slice(0, 4))
    as_parquet(tmp_path / "part-1.parquet", table().slice(4))
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".part-0.parquet.crc").write_bytes(b"crc")
    check(rp.read_data(tmp_path))
    check(rp.read_data([tmp_path / "part-0.parquet", tmp_path / "part-1.parquet"]))


def test_folders_that_are_keys_are_columns_but_no_features(tmp_path: Path) -> None:
    for fold in (1, 2):
        (tmp_path / f"fold={fold}" / "site=x").mkdir(parents=True)
        rows = table(query=[f"{q}{fold}" for q in QUERIES])
        as_parquet(tmp_path / f"fold={fold}" / "site=x" / "part.parquet", rows)
    data = rp.read_data(tmp_path)
    assert data.feature_names == ("f1", "f2")
    assert data.query_ids.tolist() == ["a1", "b1", "c1", "a2", "b2", "c2"]
    named = rp.read_data(tmp_path, features=["fold", "f1"])
    assert named.X[:, 0].tolist() == [1] * 6 + [2] * 6
    _, _, taken = read_in_order(tmp_path, ColumnRequest())
    assert taken is not None
    assert taken.left == {"fold": "key of the folder", "site": "key of the folder"}


def test_types_of_partitions_may_differ_in_width_but_not_in_kind(tmp_path: Path) -> None:
    as_parquet(tmp_path / "0.parquet", table(f2=pa.array([1, 2, 3, 4, 5, 6], pa.int8())).slice(0, 4))
    as_parquet(tmp_path / "1.parquet", table(f2=pa.array([1, 2, 3, 4, 5, 6], pa.float64())).slice(4))
    check(rp.read_data(tmp_path))


def test_rows_that_are_not_grouped_by_query_are_grouped_with_a_note(tmp_path: Path) -> None:
    order = [0, 2, 1, 5, 3, 4]
    path = as_parquet(tmp_path / "mixed.parquet", table().take(order))
    note = r"mixed.parquet: 6 rows in 5 pieces are now 3 queries, in the order of their first rows"
    with pytest.warns(DataWarning, match=note):
        data, rows, _ = read_in_order(path, ColumnRequest())
    check(data)
    assert rows is not None
    assert [order[row] for row in rows] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (pa.array([7, 7, 9, 9, 9, 3], pa.int8()), [7, 9, 3]),
        (pa.array([7.0, 7, 9, 9, 9, 3]), [7, 9, 3]),
        (pa.array([2**63 + 1] * 2 + [1] * 4, pa.uint64()), [str(2**63 + 1), "1"]),
        (pa.array([0.5, 0.5, 1, 1, 1, 1]), ["0.5", "1"]),
        (pa.array(QUERIES).dictionary_encode(), ["a", "b", "c"]),
        (pa.array(QUERIES, pa.large_string()), ["a", "b", "c"]),
        (pa.array([True, True, False, False, False, False]), ["true", "false"]),
    ],
)
def test_query_ids_of_any_type(ids: pa.Array, expected: list[object], tmp_path: Path) -> None:
    data = rp.read_data(as_parquet(tmp_path / "data", table(query=ids)))
    assert data.query_ids.tolist() == expected


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1, 2, 3, 4, 5, 6], pa.int8()),
        pa.array([1, 2, 3, 4, 5, 6], pa.uint64()),
        pa.array([1, 2, 3, 4, 5, 6], pa.float64()),
        pa.array(np.arange(1, 7, dtype=np.float16)),
        pa.array([1, 2, 3, 4, 5, 6]).cast(pa.decimal128(25, 2)),
        pa.array([1, 2, 3, 4, 5, 6]).dictionary_encode(),
    ],
    ids=lambda values: str(values.type),
)
def test_features_of_any_type_of_numbers(values: pa.Array, tmp_path: Path) -> None:
    check(rp.read_data(as_parquet(tmp_path / "data", table(f2=values))))


def test_truths_are_numbers_and_nulls_are_missing(tmp_path: Path) -> None:
    more = {"f2": [True, False, None, True, True, None], "label": [1, None, 0, float("nan"), 2, 3]}
    for name in ("parquet", "csv", "arrow file"):
        data = rp.read_data(WRITERS[name](tmp_path / name, table(**more)))
        assert np.array_equal(data.X[:, 1], [1, 0, np.nan, 1, 1, np.nan], equal_nan=True)
        assert np.array_equal(data.labels, [1, np.nan, 0, np.nan, 2, 3], equal_nan=True)


def test_float32_is_that_of_double_precision(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=6) * 1e-3
    whole = pa.array([2**24 + 1, 2**53 + 1, -(2**60) - 7, 5, 6, 7])
    path = as_parquet(tmp_path / "data", table(f1=values, f2=whole))
    data = rp.read_data(path)
    assert np.array_equal(data.X[:, 0], values.astype(np.float32))
    assert np.array_equal(data.X[:, 1], whole.to_numpy().astype(np.float64).astype(np.float32))


def test_columns_are_taken_as_named(tmp_path: Path) -> None:
    renamed = table().rename_columns(["session", "url", "clicks", "f1", "f2"])
    more = renamed.append_column("g1", pa.array(range(6))).append_column("w", pa.array([1.0] * 5 + [2.0]))
    path = as_parquet(tmp_path / "data", more.append_column("p", pa.array([1.0, 2, 3, 4, 5, 6])))
    data = rp.read_data(
        path, query="session", label="clicks", doc="url", features="f*", query_weight="w", item_weight="p"
    )
    check(data)
    assert data.query_weights.tolist() == [1, 1, 2]
    assert data.item_weights.tolist() == [1, 2, 3, 4, 5, 6]
    dropped = rp.read_data(path, query="session", label="clicks", drop=["f*", "p"])
    assert dropped.feature_names == ("g1", "w")
    order = rp.read_data(path, query="session", features=["g1", "f[12]", "f1"])
    assert order.feature_names == ("g1", "f1", "f2")
    assert np.isnan(order.labels).all()


def test_columns_that_look_like_answers_are_warned_of(tmp_path: Path) -> None:
    path = as_parquet(tmp_path / "data", table(score_old=[0.5] * 6))
    with pytest.warns(DataWarning, match=r"Reading .*data took column 'score_old' for a feature"):
        rp.read_data(path)
    assert rp.read_data(path, drop="score_*").feature_names == ("f1", "f2")


def test_the_index_of_pandas_is_no_feature(tmp_path: Path) -> None:
    frame = pd.DataFrame(table().to_pydict(), index=[5, 4, 3, 2, 1, 0])
    frame.to_parquet(tmp_path / "data")
    assert "__index_level_0__" in pq.read_schema(tmp_path / "data").names
    assert rp.read_data(tmp_path / "data").feature_names == ("f1", "f2")


def test_a_matrix_has_columns_by_their_numbers(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", np.array([[7, 1, 0.5, 2.5], [7, 0, 1.5, 3.5], [8, 2, 0, 0]]))
    data = rp.read_data(tmp_path / "m.npy", query="0", label="1")
    assert data.query_ids.tolist() == [7, 8]
    assert data.labels.tolist() == [1, 0, 2]
    assert data.feature_names == ("2", "3")
    assert data.X.tolist() == [[0.5, 2.5], [1.5, 3.5], [0, 0]]


def test_arrays_are_called_by_their_names(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=X, qid=np.array([1, 1, 2, 2, 2, 3]), y=np.array(LABELS))
    data = rp.read_data(tmp_path / "a.npz", label="y")
    assert data.feature_names == ("X0", "X1")
    assert data.labels.tolist() == LABELS
    assert data.query_ids.tolist() == [1, 2, 3]
    np.savez(tmp_path / "b.npz", X=X.astype(">f8"), qid=np.array(QUERIES), label=np.array(LABELS))
    assert np.array_equal(rp.read_data(tmp_path / "b.npz").X, X)


def test_many_rows_and_columns_are_put_where_they_belong(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    matrix = rng.random((70_001, 67), dtype=np.float32)
    columns = {f"f{k}": matrix[:, k].copy() for k in range(67)}
    data = pa.table({"qid": np.arange(70_001) // 9, "label": np.zeros(70_001), **columns})
    pq.write_table(data, tmp_path / "data", row_group_size=20_000)
    for threads in (1, 3):
        assert np.array_equal(rp.read_data(tmp_path / "data", threads=threads).X, matrix)


def test_the_digest_is_that_of_the_files(tmp_path: Path) -> None:
    import hashlib

    folder = tmp_path / "folder"
    folder.mkdir()
    path = as_csv(folder / "part", table())
    one = hashlib.sha256(path.read_bytes()).hexdigest()
    assert digest_of(path) == one
    assert digest_of(folder) == hashlib.sha256(f"{one}  part\n".encode()).hexdigest()
    path.write_bytes(path.read_bytes() + b"\n")
    assert digest_of(folder) != hashlib.sha256(f"{one}  part\n".encode()).hexdigest()


def test_the_number_of_features_can_be_asked_for(tmp_path: Path) -> None:
    path = as_csv(tmp_path / "data", table())
    check(rp.read_data(path, features=2))
    with pytest.raises(rp.errors.DataError, match=r"has 2 feature columns .*but there must be 3"):
        rp.read_data(path, features=3)


def test_content_decides_the_form(tmp_path: Path) -> None:
    texts = {
        "letor": ["1 qid:1", "# comment\n\n1 qid:1 1:0.5", "0 3:1", "-1.5\tqid:x\t1:2", "what is this"],
        "delimited": ["qid,label", "a\tb", "qid;f1", "a|b", "\ufeffqid,label,x"],
        "run": ["q Q0 d 1 0.5 tag", "q\tQ0\td\t1\t0.5\ttag"],
        "qrels": ["q 0 d 1", "q\t0\td\t1"],
    }
    for form, lines in texts.items():
        for line in lines:
            (tmp_path / "data").write_text(line + "\n", encoding="utf-8")
            assert form_of(tmp_path / "data") == form, line


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_text("2 qid:7 1:0.5\n")
    with pytest.raises(ArgumentError, match="Argument query names columns, but LETOR text has none"):
        rp.read_data(path, query="qid")
    with pytest.raises(ArgumentError, match="must be a path or a list of paths"):
        rp.read_data([])
    with pytest.raises(ArgumentError, match="Argument drop must be a name or a list of names"):
        rp.read_data(path, drop=[3])
    with pytest.raises(rp.errors.DataError, match="must have one form"):
        rp.read_data([path, as_csv(tmp_path / "a.csv", table())])
