"""Written runs and qrels read back bit for bit, and nothing is written that could not be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.trec_checks import ids
from drawn import examples
from rankproof.data.trec.read import Qrels, Run, read_qrels, read_run
from rankproof.data.trec.write import write_qrels, write_run
from rankproof.errors import ArgumentError, DataError

written = st.dictionaries(
    ids, st.dictionaries(ids, st.floats(allow_nan=False), min_size=1, max_size=5), min_size=1, max_size=4
)


@examples(50)
@given(written, st.sampled_from(["", ".gz", ".zst"]))
def test_what_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory, lists: dict[str, dict[str, float]], suffix: str
) -> None:
    run = Run.from_dict(lists)
    path = tmp_path_factory.getbasetemp() / f"written{suffix}"
    write_run(path, run.query_ids, run.doc_ids, run.scores, run.offsets, "tag")
    assert repr(read_run(path).to_dict()) == repr(lists)
    finite = {q: {d: min(max(s, -1e308), 1e308) for d, s in of.items()} for q, of in lists.items()}
    qrels = Qrels.from_dict(finite)
    write_qrels(path, qrels.query_ids, qrels.doc_ids, qrels.grades, qrels.offsets)
    assert repr(read_qrels(path).to_dict()) == repr(finite)


def test_written_lines(tmp_path: Path) -> None:
    write_run(tmp_path / "r", [7, 8], ["a", "b", "c", "a"], [1.0, 3.5, 3.5, 0.0], [0, 3, 4], "me")
    assert (
        tmp_path / "r"
    ).read_text() == "7 Q0 a 3 1.0 me\n7 Q0 b 1 3.5 me\n7 Q0 c 2 3.5 me\n8 Q0 a 1 0.0 me\n"
    write_qrels(tmp_path / "q", ["x"], [1, 2], [2, -0.5], [0, 2])
    assert (tmp_path / "q").read_text() == "x 0 1 2\nx 0 2 -0.5\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["q", "r"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"query_ids": ["a b"]}, "query id in a TREC file must be text without blanks, got 'a b'"),
        ({"doc_ids": ["d", "e\u00a0f"]}, "document id"),
        ({"doc_ids": ["d", ""]}, "got ''"),
        ({"doc_ids": ["d", "e\0"]}, "without blanks"),
        ({"doc_ids": ["d", 1.5]}, "text or a whole number, got 1.5"),
        ({"doc_ids": "de"}, "one-dimensional"),
        ({"doc_ids": ["d", "\x01"]}, "without blanks"),
        ({"doc_ids": ["d", "d"]}, "Document 'd' comes more than once in query 'q'"),
        ({"doc_ids": ["d"]}, "1 query ids and 2 document ids, got 1 and 1"),
        ({"doc_ids": ["d", "x" * 4097]}, "4097 bytes"),
        ({"doc_ids": ["d", "\ud800"]}, "surrogate"),
        ({"doc_ids": [["d", "e"]]}, "one-dimensional"),
        ({"query_ids": ["q", "q"], "offsets": [0, 1, 2]}, "'q' is given to more than one query"),
        ({"scores": [1.0, float("nan")]}, "NaN"),
        ({"offsets": [0, 1]}, "end at the number of items"),
        ({"tag": "two words"}, "tag"),
        ({"doc_ids": [], "scores": [], "offsets": [0, 0]}, "no items"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, change: dict[str, object], words: str) -> None:
    good = {"query_ids": ["q"], "doc_ids": ["d", "e"], "scores": [1.0, 2.0], "offsets": [0, 2], "tag": "t"}
    (tmp_path / "r").write_text("before")
    with pytest.raises((ArgumentError, DataError), match=words):
        write_run(tmp_path / "r", **{**good, **change})  # type: ignore[arg-type]
    assert (tmp_path / "r").read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_grades_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="finite, got inf at item 1"):
        write_qrels(tmp_path / "q", ["q"], ["d", "e"], [1, float("inf")], [0, 2])
