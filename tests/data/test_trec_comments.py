"""What trec_eval reads, we read: comment lines, and text after the tag of a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import DataError, FileFormatError


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_text_after_the_tag_is_passed_over(tmp_path: Path) -> None:
    run = rp.read_run(written(tmp_path, "run", "q1 Q0 d1 1 0.5 mine and more\nq1 Q0 d2 2 0.25 mine\n"))
    assert run.to_dict() == {"q1": {"d1": 0.5, "d2": 0.25}}
    assert run.tag == "mine"


def test_lines_that_start_with_a_hash_are_comments(tmp_path: Path) -> None:
    text = "# made by hand\nq1 0 d1 1\n  # blanks first\nq1 0 d#2 0\n#q2 0 d1 1\n\nq3 0 d1 2\n#"
    qrels = rp.read_qrels(written(tmp_path, "qrels", text))
    assert qrels.to_dict() == {"q1": {"d1": 1.0, "d#2": 0.0}, "q3": {"d1": 2.0}}
    run = rp.read_run(written(tmp_path, "run", "# a b c d e f\nq1 Q0 d1 1 0.5 mine\n#q1 Q0 d1 1 0.5 mine\n"))
    assert run.to_dict() == {"q1": {"d1": 0.5}}
    assert run.tag == "mine"


def test_lines_are_counted_with_the_comments(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r":3: the grade of document 'd2'"):
        rp.read_qrels(written(tmp_path, "bad", "# one\nq1 0 d1 1\nq1 0 d2 high\n"))
    with pytest.raises(
        FileFormatError, match=r":4: document 'd1' of query 'q1' is on line 2 and again on line 4"
    ):
        rp.read_qrels(written(tmp_path, "twice", "# one\nq1 0 d1 1\n# three\nq1 0 d1 0\n"))
    with pytest.raises(FileFormatError, match="the file has no lines"):
        rp.read_qrels(written(tmp_path, "none", "# one\n# two\n"))


def test_comments_hide_nothing_from_several_threads(tmp_path: Path) -> None:
    lines = [f"q{k // 50} Q0 d{k} 1 {k} tag {'text ' * (k % 3)}" for k in range(60_000)]
    plain = rp.read_run(written(tmp_path, "plain", "\n".join(lines)))
    mixed = [line for k, row in enumerate(lines) for line in ([f"# {k}", row] if k % 7 == 0 else [row])]
    path = written(tmp_path, "mixed", "\n".join(mixed))
    for threads in (1, 2):
        run = rp.read_run(path, threads=threads)
        np.testing.assert_array_equal(run.scores, plain.scores)
        np.testing.assert_array_equal(run.doc_ids, plain.doc_ids)
        np.testing.assert_array_equal(run.offsets, plain.offsets)


@pytest.mark.parametrize("columns", ["q1 Q0 d1 1 0.5", "q1 0 d1 1"])
def test_a_run_needs_its_six_columns(tmp_path: Path, columns: str) -> None:
    with pytest.raises(FileFormatError, match="columns, but a run has 6 or more"):
        rp.read_run(written(tmp_path, "run", columns + "\n"))


def test_a_query_id_that_reads_back_as_a_comment_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'#1' starts with '#'"):
        rp.write_qrels(tmp_path / "qrels", ["#1"], ["d1"], [1], [0, 1])
    with pytest.raises(DataError, match="'#1' starts with '#'"):
        rp.write_run(tmp_path / "run", ["#1"], ["d1"], [1], [0, 1])
    rp.write_qrels(tmp_path / "qrels", ["q"], ["#1"], [1], [0, 1])
    assert rp.read_qrels(tmp_path / "qrels").to_dict() == {"q": {"#1": 1.0}}
