"""Labels that are probably not meant are told, with the remedy; others are not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.cli.main import main
from rankproof.errors import DataWarning


def one(labels: list[float], metric: str, **more: object) -> rp.Results:
    return rp.evaluate(np.arange(len(labels)), labels, metric, offsets=[0, len(labels)], **more)  # type: ignore[arg-type]


def test_percentages_with_exponential_gains() -> None:
    with pytest.warns(DataWarning, match=r"nDCG@10: the highest label is 100.*nDCG\(gain=linear\)@10"):
        one([0, 50, 100], "nDCG@10")
    with pytest.warns(DataWarning, match=r"worth 1\.27e\+30"):
        one([0, 50, 100], "DCG")


def test_negative_labels_with_exponential_gains() -> None:
    with pytest.warns(DataWarning, match=r"nDCG: 2 labels are below 0 \(the lowest is -2\).*write nan"):
        one([-1, 1, -2], "nDCG")


def test_max_grade_unlike_the_data() -> None:
    text = r"ERR@20: max_grade is 4, but the highest label is 2.*write ERR\(max_grade=2\)@20"
    with pytest.warns(DataWarning, match=text):
        one([0, 1, 2], "ERR@20")


@pytest.mark.parametrize(
    ("labels", "metric", "convention"),
    [
        ([0, 1, 2, 3, 4], "nDCG@10", "rankproof"),
        ([0, 10], "nDCG", "rankproof"),
        ([0, 50, 100], "nDCG(gain=linear)", "rankproof"),
        ([0, 50, 100], "AP", "rankproof"),
        ([-1, 0, 1], "AP", "rankproof"),
        ([-1, 0, 1], "nDCG(gain=linear)", "rankproof"),
        ([0, 1, 2], "ERR(max_grade=2)", "rankproof"),
        ([0, 0], "ERR", "rankproof"),
        ([float("nan"), 1], "nDCG", "rankproof"),
    ],
)
def test_data_that_are_fine_are_not_told(labels: list[float], metric: str, convention: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one(labels, metric, convention=convention)


def test_trec_eval_reads_negative_grades_as_unjudged() -> None:
    run, qrels = rp.Run.from_dict({"q": {"a": 1.0, "b": 2.0}}), rp.Qrels.from_dict({"q": {"a": -1, "b": 1}})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rp.evaluate(run, qrels, "nDCG", convention="trec_eval")


def test_a_command_says_it_in_one_line_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data").write_text("100 qid:1 1:1\n-1 qid:1 1:2\n0 qid:2 1:3\n50 qid:2 1:4\n")
    for name in ("a", "b"):
        (tmp_path / name).write_text("1\n2\n3\n4\n")
    data, a, b = (str(tmp_path / name) for name in ("data", "a", "b"))
    main(["compare", a, b, "--data", data, "-m", "nDCG", "--report", str(tmp_path / "page.html")])
    lines = capsys.readouterr().err.splitlines()
    assert [line[:51] for line in lines] == [
        "rankproof: warning: nDCG: the highest label is 100.",
        "rankproof: warning: nDCG: 1 labels are below 0 (the",
    ]
    main(["evaluate", "--data", data, "--scores", a, "-m", "nDCG(gain=linear)"])
    assert capsys.readouterr().err == ""


X = np.array([[0.0], [1.0], [2.0], [3.0]])
ODD, QID = np.array([0.0, 100.0, -1.0, 50.0]), np.array([1, 1, 2, 2])
TOLD = ["nDCG@10: the highest label is 100", "nDCG@10: 1 labels are below 0 (th"]


def told(work: Callable[[], object]) -> list[str]:
    """The beginnings of the data warnings, in order."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    odd = [one for one in caught if issubclass(one.category, DataWarning)]
    assert {one.filename for one in odd} <= {__file__}
    return [str(one.message)[:33] for one in odd]


@pytest.mark.parametrize(
    "ranker",
    [
        rp.LinearRanker("nDCG@10", loss="squared"),
        rp.LinearRankerCV("nDCG@10", loss="squared", l2s=[1.0], folds=2),
        rp.BoostedRanker("nDCG@10", loss="squared", n_estimators=1, parameters={"min_data_in_leaf": 1}),
    ],
    ids=lambda ranker: type(ranker).__name__,
)
def test_a_ranker_says_it_once(ranker: Any) -> None:
    assert told(lambda: ranker.fit(X, ODD, qid=QID)) == TOLD
    assert told(lambda: ranker.fit(X, [0, 1, 2, 0], qid=QID)) == []


def test_a_loss_that_learns_the_labels_as_they_are_takes_any() -> None:
    ranker = rp.LinearRanker("nDCG@10", loss=rp.losses.Squared())
    assert told(lambda: ranker.fit(X, ODD, qid=QID)) == []


def test_so_does_a_training_run() -> None:
    data = rp.RankingData(labels=ODD, offsets=np.array([0, 2, 4]), X=X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = rp.train(data, metric="nDCG@10", loss="squared", l2=1)
    texts = [str(one.message)[:33] for one in caught if issubclass(one.category, DataWarning)]
    assert texts == TOLD
    assert not [text for text in run.warnings if "label" in text]


def test_and_the_command_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = zip(ODD, QID, X[:, 0], strict=True)
    (tmp_path / "data").write_text("".join(f"{y:g} qid:{q} 1:{x:g}\n" for y, q, x in rows))
    words = ["-m", "nDCG@10", "--loss", "squared", "--l2", "1", "--out", str(tmp_path / "run")]
    main(["fit", str(tmp_path / "data"), *words])
    lines = capsys.readouterr().err.splitlines()
    assert [line.removeprefix("rankproof: warning: ")[:33] for line in lines if "label" in line] == TOLD
