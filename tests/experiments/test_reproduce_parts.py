"""The parts of an experiment: means and tests over folds, tasks, files, and the command."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.experiments.reproduce import experiment
from rankproof.experiments.reproduce.experiment import FoldScores, run_experiment
from rankproof.experiments.reproduce.measured import Measured, Outcome, against
from rankproof.experiments.reproduce.tasks import StoppedError, run_all
from rankproof.files import check_folder, write_files
from rankproof.threads import using

Run = Callable[..., Any]
NAN = float("nan")


def one_fold(root: Path, features: tuple[int, int, int] = (2, 2, 2)) -> Path:
    """One fold of a few queries."""
    rng = np.random.default_rng(0)
    (root / "Fold1").mkdir(parents=True)
    for name, width in zip(("train", "vali", "test"), features, strict=True):
        X = rng.random((40, width)).astype(np.float32)
        labels = (X[:, 0] > 0.5).astype(float) + (X[:, 0] > 0.8)
        data = RankingData(labels=labels, offsets=np.arange(0, 41, 4), X=X)
        rp.write_letor(data, root / "Fold1" / f"{name}.txt")
    return root


def measured(**folds: list[list[float]]) -> Measured:
    return Measured({name: {"m": Outcome([np.array(f) for f in some])} for name, some in folds.items()})


def test_the_mean_is_over_folds_and_the_weights_say_the_same() -> None:
    outcome = Outcome([np.array([1.0, NAN, 0.5]), np.array([0.25])])
    assert outcome.fold_means == [0.75, 0.25]
    assert outcome.mean == 0.5
    counts = ~np.isnan(outcome.pooled)
    weights = outcome.weights
    assert weights.tolist() == [0.5, 0.0, 0.5, 1.0]
    assert np.average(outcome.pooled[counts], weights=weights[counts]) == outcome.mean


def test_versus_is_the_randomisation_test_of_the_reported_difference() -> None:
    """p by listing all sign patterns of the weighted differences; Holm over two tests by hand."""
    base = [[0.1, 0.2, 0.3], [0.2, NAN]]
    found = measured(base=base, up=[[0.5, 0.3, 0.4], [0.6, NAN]], odd=[[0.5, 0.1, 0.3], [0.1, NAN]])
    tests = found.versus("base", ["up", "odd"], ["m"], level=0.2, seed=0)
    weights = np.array([1 / 3, 1 / 3, 1 / 3, 1.0])
    expected = {"up": np.array([0.4, 0.1, 0.1, 0.4]), "odd": np.array([0.4, -0.1, 0.0, -0.1])}
    for test in tests:
        d = expected[test.ranker] * weights
        sums = [
            abs(sum(s * x for s, x in zip(signs, d, strict=True))) for signs in product((1, -1), repeat=4)
        ]
        assert test.p == np.mean([value >= abs(d.sum()) - 1e-12 for value in sums])
        assert test.difference == pytest.approx(found.mean(test.ranker, "m") - found.mean("base", "m"))
    assert [test.p for test in tests] == [1 / 8, 1.0]
    assert [test.adjusted for test in tests] == [1 / 4, 1.0]
    assert [test.verdict for test in tests] == ["same", "same"]
    alone = found.versus("base", ["up"], ["m"], level=0.2, seed=0)
    assert [test.verdict for test in alone] == ["better"]
    turned = found.versus("up", ["base"], ["m"], level=0.2, seed=0)
    assert [test.verdict for test in turned] == ["worse"]


def test_the_best_is_held_against_the_others() -> None:
    rng = np.random.default_rng(1)
    low = rng.random(20)
    found = measured(
        low=[list(low)], high=[list(low + 0.5)], near=[list(low + 0.5 + rng.normal(0, 1e-3, 20))]
    )
    best = found.best("m", ["low", "high"])
    assert best == "high"
    pairs = found.pairs("m", ["low", "high", "near"], level=0.05, seed=0)
    assert against(pairs, "high") == {"low": "worse", "near": "same"}
    assert against(pairs, "low") == {"high": "better", "near": "better"}


def test_a_fold_in_which_nothing_counts_is_an_error() -> None:
    with pytest.raises(DataError, match=r"Fold 2 has no test query that counts for m \(2 queries\)"):
        measured(a=[[0.5], [NAN, NAN]])


def test_tasks_return_in_order_and_tick_once_each() -> None:
    ticks: list[int] = []
    tasks = [lambda _stop, n=n: n * n for n in range(7)]
    with using(3):
        assert run_all(tasks, tick=ticks.append) == [n * n for n in range(7)]
    assert sorted(ticks) == list(range(7))


def test_an_error_stops_the_other_tasks_and_is_raised() -> None:
    started, told = threading.Event(), threading.Event()

    def waits(stop: Callable[[], bool]) -> None:
        started.set()
        while not stop():
            threading.Event().wait(0.001)
        told.set()
        raise StoppedError

    def fails(stop: Callable[[], bool]) -> None:
        started.wait()
        raise DataError("bad fold")

    with using(2), pytest.raises(DataError, match="bad fold"):
        run_all([waits, fails])
    assert told.is_set()


def test_an_interrupt_stops_the_tasks() -> None:
    running, held = threading.Event(), threading.Event()
    ran: list[int] = []

    def piece(stop: Callable[[], bool], number: int) -> None:
        ran.append(number)
        if number == 1:
            # Runs while the interrupt comes in, so that later pieces are still waiting then.
            running.set()
            while not stop():
                threading.Event().wait(0.001)
            held.set()

    def tick(number: int) -> None:
        running.wait()
        raise KeyboardInterrupt

    with using(1), pytest.raises(KeyboardInterrupt):
        run_all([lambda stop, n=n: piece(stop, n) for n in range(5)], tick=tick)
    assert held.is_set()
    assert ran == [0, 1]


def test_files_are_written_all_or_none(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    paths = write_files(out, {"a.txt": b"one", "b.txt": b"two"})
    assert [path.read_bytes() for path in paths] == [b"one", b"two"]
    with pytest.raises(TypeError):
        write_files(out, {"a.txt": b"three", "b.txt": "text, not bytes"})  # type: ignore[dict-item]
    assert {path.name: path.read_bytes() for path in out.iterdir()} == {"a.txt": b"one", "b.txt": b"two"}


def test_a_place_that_cannot_hold_files_is_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(ArgumentError, match="not a writable directory"):
        check_folder(file / "out")
    check_folder(tmp_path / "a" / "b")
    assert not (tmp_path / "a").exists()


def test_parts_that_end_at_different_features_are_brought_together(tmp_path: Path) -> None:
    widths = []

    def fit(ranker: str, fold: Any, stop: Callable[[], bool]) -> FoldScores:
        widths.append([p.features for p in fold])
        narrow = fold.valid.X if isinstance(fold.valid.X, np.ndarray) else fold.valid.X.toarray()
        assert not narrow[:, 2:].any()
        return FoldScores({"m": np.ones(fold.test.queries)}, {"m": 0.0}, 0)

    found = run_experiment(one_fold(tmp_path, (3, 2, 4)), ["r"], fit)
    assert widths == [[4, 4, 4]]
    assert found.folds[0].features == 4
    assert found.measured.mean("r", "m") == 1.0


def test_sparse_parts_are_widened_too() -> None:
    from scipy.sparse import csr_array

    data = RankingData(labels=[1.0, 0.0], offsets=[0, 2], X=csr_array(np.eye(2, dtype=np.float32)))
    wide = experiment._widened(data, 5)
    assert wide.X.toarray().tolist() == [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]]


def test_progress_counts_every_ranker_of_every_fold(tmp_path: Path) -> None:
    seen: list[tuple[int, int, str]] = []

    def fit(ranker: str, fold: Any, stop: Callable[[], bool]) -> FoldScores:
        return FoldScores({"m": np.ones(fold.test.queries)}, {"m": 0.0}, 0)

    with using(1):
        run_experiment(one_fold(tmp_path), ["a", "b"], fit, progress=lambda *told: seen.append(told))
    assert seen == [(1, 2, "fold 1: a"), (2, 2, "fold 1: b")]


@pytest.mark.exhaustive
@pytest.mark.parametrize("paper", ["B11", "R11"])
def test_the_command_writes_what_it_prints(rankproof: Run, tmp_path: Path, paper: str) -> None:
    data, out = one_fold(tmp_path / "data"), tmp_path / "out"
    ran = rankproof("reproduce", paper, "--data", data, "--l2", "0.1", "--out", out, "--json")
    assert (ran.status, ran.err) == (0, "")
    printed = json.loads(ran.out)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert f"The experiments of {paper}" in page
    assert f"rankproof reproduce {paper} --data" in page
    assert printed == json.loads((out / f"{paper.lower()}.json").read_text())
    assert printed["settings"]["seed"] == 0
    assert printed["data"]["folds"][0]["queries"] == {"train": 10, "valid": 10, "test": 10}
    shown = rankproof("reproduce", paper.lower(), "--data", data, "--l2", "0.1")
    assert (shown.status, shown.err) == (0, "")
    assert f"{paper} {'Table' if paper == 'B11' else 'Figure'} 1" in shown.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["X11", "--data", "."], "X11"),
        (["B11"], "--data"),
        (["B11", "--data", "no/such/folder"], "no/such/folder"),
        (["B11", "--data", ".", "--as", "letor4"], "--as is only for R11"),
        (["R11", "--data", ".", "--solver", "sgd"], "--solver and --max-grade are only for B11"),
        (["R11", "--data", ".", "--as", "letor5"], "letor5"),
        (["R11", "--data", ".", "--scale", "log"], "scale"),
        (["B11", "--data", ".", "--out", __file__], "not a writable directory"),
    ],
)
def test_wrong_use_is_one_line_and_status_3(rankproof: Run, words: list[str], said: str) -> None:
    ran = rankproof("reproduce", *words)
    assert ran.status == 3
    assert said in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.exhaustive
def test_an_interrupt_leaves_no_file(rankproof: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import rankproof.experiments.reproduce.paths as paths

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(paths, "evaluate", interrupted)
    out = tmp_path / "out"
    ran = rankproof("reproduce", "B11", "--data", one_fold(tmp_path / "data"), "--out", out)
    assert ran.status == 130
    assert "interrupted" in ran.err
    assert not out.exists()
