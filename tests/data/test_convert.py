"""Data written in another form read back as the same data, some rows at a time, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankproof as rp
from data.written_forms import DOCS, LABELS, QUERIES, WRITERS, X, as_csv, as_npz, as_parquet, table
from rankproof.data.forms import convert as convert_module
from rankproof.data.forms.write import write_data
from rankproof.errors import ArgumentError, DataError, DataWarning

LETOR = "".join(
    f"{label:g} qid:{query} 1:{x[0]:g} 2:{x[1]:g} #docid = {doc}\n"
    for label, query, x, doc in zip(LABELS, QUERIES, X.tolist(), DOCS, strict=True)
)
TABLES = ("parquet", "arrow", "csv", "tsv", "npz")


def check(path: Path) -> None:
    data = rp.read_data(path)
    assert data.query_ids.tolist() == ["a", "b", "c"]
    assert data.labels.tolist() == LABELS
    assert data.doc_ids.tolist() == DOCS
    assert np.array_equal(data.X, X)


@pytest.mark.parametrize("form", [*TABLES, "letor"])
@pytest.mark.parametrize("source", [*WRITERS, "letor"])
def test_every_form_becomes_every_other(source: str, form: str, tmp_path: Path) -> None:
    here = tmp_path / "data"
    if source == "letor":
        here.write_text(LETOR)
    else:
        WRITERS[source](here, table())
    if source == form == "letor":
        with pytest.raises(ArgumentError, match="is LETOR text already"):
            rp.convert(here, tmp_path / "out", to=form)
        return
    assert rp.convert(here, tmp_path / "out", to=form).rows == 6
    check(tmp_path / "out")
    if form == "letor":
        assert (tmp_path / "out").read_text() == LETOR


def test_the_name_says_the_form_and_the_packing(tmp_path: Path) -> None:
    here = as_parquet(tmp_path / "data", table())
    for name in ("a.csv", "a.tsv.gz", "a.feather", "a.npz", "a.txt.bz2", "a.pq", "a.svm"):
        rp.convert(here, tmp_path / name)
        check(tmp_path / name)
    assert b"\t" in __import__("gzip").decompress((tmp_path / "a.tsv.gz").read_bytes())
    with pytest.raises(ArgumentError, match=r"Argument to of convert must be one of .*a.xyz' says none"):
        rp.convert(here, tmp_path / "a.xyz")


def test_all_columns_of_a_table_are_kept_but_those_that_are_dropped(tmp_path: Path) -> None:
    more = table(title=["t"] * 6, day=pa.array([1, 2, 3, 4, 5, 6], pa.date32()), none=pa.nulls(6, pa.int8()))
    here = as_parquet(tmp_path / "data", more)
    rp.convert(here, tmp_path / "a.arrow")
    assert pa.ipc.open_file(str(tmp_path / "a.arrow")).read_all().equals(more)
    rp.convert(here, tmp_path / "b.parquet", drop=["d*", "none"])
    assert pq.read_table(tmp_path / "b.parquet").equals(more.drop_columns(["doc", "day", "none"]))
    rp.convert(here, tmp_path / "c.parquet", features=["f2"], query="query")
    assert pq.read_schema(tmp_path / "c.parquet").names == ["query", "label", "doc", "f2"]


def test_partitions_become_one_file_with_their_keys(tmp_path: Path) -> None:
    for fold in (1, 2):
        (tmp_path / "in" / f"fold={fold}").mkdir(parents=True)
        as_parquet(tmp_path / "in" / f"fold={fold}" / "part", table())
    rp.convert(tmp_path / "in", tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet")["fold"].to_pylist() == [1] * 6 + [2] * 6


def test_runs_and_judgments_are_written_and_read(tmp_path: Path) -> None:
    scored = table(score=[0.5, 1.5, 3.0, 1.0, 2.0, 7.0])
    here = as_csv(tmp_path / "data.csv", scored)
    rp.convert(here, tmp_path / "run.trec", tag="mine")
    lines = (tmp_path / "run.trec").read_text().splitlines()
    assert lines[:3] == ["a Q0 d1 2 0.5 mine", "a Q0 d2 1 1.5 mine", "b Q0 d3 1 3.0 mine"]
    rp.convert(here, tmp_path / "q.qrels")
    assert (tmp_path / "q.qrels").read_text().splitlines()[0] == "a 0 d1 2"
    rp.convert(tmp_path / "run.trec", tmp_path / "back.parquet")
    back = pq.read_table(tmp_path / "back.parquet")
    assert back.to_pydict() == {"query": QUERIES, "doc": DOCS, "score": [0.5, 1.5, 3.0, 1.0, 2.0, 7.0]}
    rp.convert(tmp_path / "q.qrels", tmp_path / "labels.csv")
    assert rp.read_data(tmp_path / "labels.csv").labels.tolist() == LABELS
    (tmp_path / "data.txt").write_text(LETOR)
    rp.convert(tmp_path / "data.txt", tmp_path / "p.qrels")
    assert (tmp_path / "p.qrels").read_bytes() == (tmp_path / "q.qrels").read_bytes()


def test_rows_of_a_run_may_lie_apart(tmp_path: Path) -> None:
    here = as_csv(tmp_path / "data.csv", table(score=LABELS).take([0, 2, 1, 3, 4, 5]))
    rp.convert(here, tmp_path / "run.trec")
    queries = [line.split()[0] for line in (tmp_path / "run.trec").read_text().splitlines()]
    assert queries == QUERIES


@pytest.mark.parametrize("rows_at_once", [1, 100])
def test_rows_that_lie_apart_are_grouped_for_letor_text(
    rows_at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankproof.data.forms.tables._ROWS_AT_ONCE", rows_at_once)
    here = as_parquet(tmp_path / "data", table().take([0, 2, 1, 3, 4, 5]))
    with pytest.warns(DataWarning, match="stood apart"):
        rp.convert(here, tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == LETOR


def test_queries_go_on_in_the_next_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankproof.data.forms.tables._ROWS_AT_ONCE", 1)
    # Nothing is read whole.
    monkeypatch.setattr("rankproof.data.forms.convert.assemble", None)
    for source in ("parquet", "npz", "arrow file"):
        rp.convert(WRITERS[source](tmp_path / source, table()), tmp_path / "a.txt")
        assert (tmp_path / "a.txt").read_text() == LETOR


def test_large_letor_text_is_read_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankproof.data.letor.rows._RANGE_BYTES", 1000)
    monkeypatch.setattr("rankproof.data.forms.letor_pieces._CELLS_AT_ONCE", 60)
    rng = np.random.default_rng(0)
    lines = [f"{k % 3} qid:{k // 7} " + f"1:{rng.random():.4f} 3:{k}" for k in range(500)]
    (tmp_path / "a.txt").write_text("\n".join(lines))
    seen = []
    done = rp.convert(tmp_path / "a.txt", tmp_path / "a.parquet", progress=lambda *step: seen.append(step))
    assert done.rows == 500
    assert len(seen) > 10
    assert seen[-1] == (500, 500, "rows")
    one, other = rp.read_data(tmp_path / "a.parquet"), rp.read_letor(tmp_path / "a.txt")
    assert np.array_equal(one.X, other.X)
    assert np.array_equal(one.labels, other.labels)
    assert one.query_ids.tolist() == other.query_ids.tolist()
    # An id that is text makes all of them text.
    lines[450] = "1 qid:x 1:2"
    (tmp_path / "a.txt").write_text("\n".join([*lines[:441], lines[450]]) + "\n")
    rp.convert(tmp_path / "a.txt", tmp_path / "a.parquet")
    assert rp.read_data(tmp_path / "a.parquet").query_ids.tolist() == [*map(str, range(63)), "x"]


def test_sizes_of_queries_may_be_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "rank.train").write_text("1 1:2\n0 1:3\n2 2:4\n")
    (tmp_path / "rank.train.query").write_text("2\n1\n")
    done = rp.convert(tmp_path / "rank.train", tmp_path / "a.parquet")
    data = rp.read_data(tmp_path / "a.parquet")
    assert data.sizes.tolist() == [2, 1]
    assert data.X.tolist() == [[2, 0], [3, 0], [0, 4]]
    assert done.columns == pq.read_schema(tmp_path / "a.parquet").names
    (tmp_path / "rank.train.query").unlink()
    with pytest.raises(DataError, match="the row has no qid"):
        rp.convert(tmp_path / "rank.train", tmp_path / "b.parquet")


def test_a_wrong_line_of_letor_text_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 qid:1 1:2\n0 qid:1 1:abc\n")
    with pytest.raises(DataError, match=r"a.txt:2: feature value 'abc' of feature 1 is not a number"):
        rp.convert(tmp_path / "a.txt", tmp_path / "a.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt"]


@pytest.mark.parametrize("form", [*TABLES, "letor", "run", "qrels"])
def test_a_failure_leaves_what_was_there(form: str, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("before")
    as_parquet(tmp_path / "0", table(score=LABELS))
    path = as_parquet(tmp_path / "1", table(score=LABELS, query=[*QUERIES[:5], "z"]))
    path.write_bytes(path.read_bytes()[:200] + bytes(200) + path.read_bytes()[400:])
    (tmp_path / "in").mkdir()
    for name in ("0", "1"):
        (tmp_path / name).rename(tmp_path / "in" / name)
    with pytest.raises(DataError):
        rp.convert(tmp_path / "in", tmp_path / "out", to=form)
    assert (tmp_path / "out").read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]


def test_whole_numbers_of_csv_may_turn_out_to_be_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankproof.data.forms.tables._TEXT_AT_ONCE", 64)
    rows = [f"{k // 5},{k % 2},{k}" for k in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["qid,label,f", *rows, "12,0,1.5"]) + "\n")
    rp.convert(tmp_path / "a.csv", tmp_path / "a.parquet")
    assert rp.read_data(tmp_path / "a.parquet").X[-1].tolist() == [1.5]
    (tmp_path / "b.csv").write_text("\n".join(["qid,label,f", *rows, "12,0,what"]) + "\n")
    with pytest.raises(DataError, match=r"b.csv: .*invalid value 'what'"):
        rp.convert(tmp_path / "b.csv", tmp_path / "b.parquet")


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    here = as_parquet(tmp_path / "data", table())
    (tmp_path / "a.txt").write_text(LETOR)
    for out, more, message in (
        ("r.trec", {}, "Argument score names the column 'score', which"),
        ("r.trec", {"score": "f3"}, r"Argument score names the column 'f3'"),
        ("q.qrels", {"doc": "url"}, r"Argument doc names the column 'url'"),
    ):
        with pytest.raises(ArgumentError, match=message):
            rp.convert(here, tmp_path / out, **more)
    with pytest.raises(ArgumentError, match="has labels and no scores"):
        rp.convert(tmp_path / "a.txt", tmp_path / "r.trec")
    with pytest.raises(ArgumentError, match="has no named columns"):
        rp.convert(tmp_path / "a.txt", tmp_path / "b.csv", query="qid")
    (tmp_path / "q.qrels").write_text("a 0 d1 2\n")
    with pytest.raises(ArgumentError, match="cannot be written as letor"):
        rp.convert(tmp_path / "q.qrels", tmp_path / "b.txt")
    lists = as_parquet(tmp_path / "lists", table(l=pa.array([[1]] * 6)))
    with pytest.raises(DataError, match=r"b.csv' cannot be written in this form: "):
        rp.convert(lists, tmp_path / "b.csv")
    nulls = as_parquet(tmp_path / "nulls", table(doc=["x", None, "x", "x", "x", "x"]))
    with pytest.raises(DataError, match="null among text, which NumPy files cannot hold"):
        rp.convert(nulls, tmp_path / "b.npz")


def test_row_groups_hold_about_as_many_cells_whatever_the_width(tmp_path: Path) -> None:
    columns = {f"f{k}": np.zeros(9000, np.float32) for k in range(2000)}
    here = tmp_path / "wide.npz"
    np.savez(here, qid=np.arange(9000) // 10, **columns)
    rp.convert(here, tmp_path / "wide.parquet")
    metadata = pq.read_metadata(tmp_path / "wide.parquet")
    assert metadata.num_row_groups > 1
    assert metadata.row_group(0).num_rows * 2001 <= 2**23


def test_ranking_data_become_a_table(tmp_path: Path) -> None:
    data = rp.read_data(as_npz(tmp_path / "a.npz", table()))
    weighted = rp.RankingData(
        labels=data.labels,
        offsets=data.offsets,
        X=data.X,
        query_ids=data.query_ids,
        query_weights=[1, 2, 3],
        item_weights=np.arange(6),
    )
    write_data(tmp_path / "a.parquet", weighted, "parquet")
    back = rp.read_data(tmp_path / "a.parquet")
    assert back.query_weights.tolist() == [1, 2, 3]
    assert back.item_weights.tolist() == list(range(6))
    assert np.array_equal(back.X, X)
    assert back.feature_names == ("f1", "f2")


def test_the_public_function_is_that_of_the_module() -> None:
    assert rp.convert is convert_module.convert
