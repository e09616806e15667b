"""One number of threads for all that runs inside a context, and one thread when it says one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError
from rankproof.threads import chunks_by_items, run, setting, thread_count, using

MANY = [(k, k + 1) for k in range(40)]


def on_another_thread(work: Callable[[], object]) -> object:
    found: list[object] = []
    other = threading.Thread(target=lambda: found.append(work()))
    other.start()
    other.join()
    return found[0]


def test_the_context_counts_before_the_environment_and_that_before_the_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RANKPROOF_THREADS", "3")
    assert (thread_count(), setting()) == (3, None)
    with using(2):
        assert (thread_count(), setting()) == (2, 2)
    monkeypatch.setenv("RANKPROOF_THREADS", "many")
    with pytest.raises(ArgumentError, match="RANKPROOF_THREADS must be an int >= 1, got 'many'"):
        thread_count()
    monkeypatch.delenv("RANKPROOF_THREADS")
    assert thread_count() >= 1


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "2"])
def test_what_is_no_number_of_threads_is_refused(wrong: object) -> None:
    message = f"Argument threads must be an int >= 1 or None, got {wrong!r}."
    with using(3), pytest.raises(ArgumentError) as caught, using(wrong):  # type: ignore[arg-type]
        raise AssertionError
    assert str(caught.value) == message
    assert setting() is None


def test_contexts_nest_and_none_leaves_the_number_as_it_is() -> None:
    with using(np.int64(4)):  # type: ignore[arg-type]
        with using(2), using(None):
            assert thread_count() == 2
        assert thread_count() == 4
    assert setting() is None


def test_the_number_is_back_after_an_error() -> None:
    with using(3):
        with pytest.raises(ZeroDivisionError), using(5):
            1 / 0  # noqa: B018
        assert thread_count() == 3
        with pytest.raises(ArgumentError):
            rp.evaluate([1.0], [1.0], "no-such-metric", offsets=[0, 1], threads=7)
        assert thread_count() == 3


def test_a_context_holds_for_the_thread_that_opened_it() -> None:
    with using(7):
        assert on_another_thread(setting) is None


def test_a_context_without_a_number_leaves_the_one_of_the_caller() -> None:
    with using(2):
        assert rp.evaluate([1.0], [1.0], "AP", offsets=[0, 1]).threads == 2
        assert rp.evaluate([1.0], [1.0], "AP", offsets=[0, 1], threads=1).threads == 1


def test_work_inside_work_runs_alone_and_does_not_wait_for_its_own_pool() -> None:
    def outer(low: int, high: int) -> list[int]:
        assert thread_count() == 1
        return run(lambda a, b: a + b, [(low, high), (high, low)])

    with using(2):
        assert run(outer, MANY) == [[a + b, a + b] for a, b in MANY]


def test_the_callers_thread_works_too_and_no_more_threads_than_said() -> None:
    together = threading.Barrier(3)

    def work(_low: int, _high: int) -> str:
        # Passes only when three threads are at work at once.
        together.wait(timeout=60)
        return threading.current_thread().name

    with using(3):
        names = set(run(work, MANY[:30]))
    assert len(names) == 3
    assert threading.current_thread().name in names


def test_the_error_of_the_first_range_is_raised_and_nothing_runs_afterwards() -> None:
    begun: list[int] = []

    def work(low: int, _high: int) -> None:
        begun.append(low)
        if low in (3, 5):
            raise ValueError(f"range {low}")

    with using(2):
        for _ in range(50):
            begun.clear()
            with pytest.raises(ValueError, match="range 3"):
                run(work, MANY)
            assert len(begun) < len(MANY)
            assert run(lambda a, b: a + b, MANY) == [a + b for a, b in MANY]


def test_several_threads_use_pools_of_many_sizes_at_once() -> None:
    """More sizes than pools are kept, so that pools are dropped while others submit to them."""
    wrong: list[object] = []

    def user(first: int) -> None:
        try:
            for turn in range(60):
                with using(2 + (first + turn) % 7):
                    if run(lambda a, b: a * b, MANY) != [a * b for a, b in MANY]:
                        wrong.append(turn)
        except BaseException as error:
            wrong.append(error)

    users = [threading.Thread(target=user, args=(number,)) for number in range(4)]
    for one in users:
        one.start()
    for one in users:
        one.join(timeout=60)
    assert not any(one.is_alive() for one in users)
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_pools_of_its_own() -> None:
    script = """
import os
from rankproof.threads import run, using
spans = [(k, k + 1) for k in range(9)]
with using(2):
    run(lambda a, b: a, spans)
    child = os.fork()
    if child == 0:
        os._exit(0 if run(lambda a, b: a, spans) == list(range(9)) else 1)
    raise SystemExit(os.waitpid(child, 0)[1])
"""
    assert (
        subprocess.run([sys.executable, "-W", "ignore", "-c", script], timeout=60, check=False).returncode
        == 0
    )


def test_what_an_engine_calls_opens_its_own_context(monkeypatch: pytest.MonkeyPatch) -> None:
    """LightGBM may call back from a thread that has no context of ours."""
    import lightgbm

    seen: list[int] = []
    import rankproof.adapters.gradients as gradients
    import rankproof.metrics.ranked.lists as lists

    for module in (gradients, lists):
        monkeypatch.setattr(
            module,
            "run",
            lambda work, ranges: (seen.append(thread_count()), run(work, ranges))[1],  # type: ignore[func-returns-value]
        )
    monkeypatch.setenv("RANKPROOF_THREADS", "5")
    data = lightgbm.Dataset(np.eye(4), [1.0, 0.0, 2.0, 0.0], group=[2, 2]).construct()
    scores = np.arange(4.0)
    for made in (rp.lightgbm.objective("nDCG@5", threads=3), rp.lightgbm.eval_metric("nDCG@5", threads=3)):
        on_another_thread(lambda made=made: made(scores, data))
        assert seen
        assert set(seen) == {3}
        seen.clear()


def many_rows(path: Path) -> Path:
    """LETOR rows enough for every step to be cut into pieces."""
    rng = np.random.default_rng(5)
    X = rng.random((60_000, 3)).round(3)
    labels = rng.integers(0, 3, 60_000)
    path.write_text(
        "".join(
            f"{y} qid:{row // 10} 1:{a} 2:{b} 3:{c} #docid = d{row}\n"
            for row, (y, (a, b, c)) in enumerate(zip(labels, X, strict=True))
        )
    )
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A LETOR file, a run with judgments of it, and scores, all of some megabytes."""
    folder = tmp_path_factory.mktemp("threads")
    data = rp.read_letor(many_rows(folder / "train.txt"))
    scores = np.asarray(data.X)[:, 0].astype(float).round(2)
    ids = np.array([f"doc-{row}" for row in range(data.items)])
    rp.write_run(folder / "a.trec", data.query_ids, ids, scores, data.offsets)
    rp.write_run(folder / "b.trec", data.query_ids, ids, scores[::-1].copy(), data.offsets)
    rp.write_qrels(folder / "qrels.txt", data.query_ids, ids, data.labels, data.offsets)
    return folder


JUDGED = ("--qrels", "qrels.txt", "-m", "nDCG@10", "-m", "AP")
COMMANDS = {
    "evaluate": ("evaluate", "a.trec", *JUDGED),
    "evaluate as trec_eval": ("evaluate", "a.trec", *JUDGED, "--as", "trec_eval"),
    "compare": ("compare", "a.trec", "b.trec", *JUDGED, "--report", "report.html"),
    "explain": ("explain", "nDCG@10", "a.trec", "--qrels", "qrels.txt", "--query", "7"),
    "standardize": ("standardize", "train.txt", "-m", "nDCG@10", "-o", "targets.txt"),
    "fit": ("fit", "train.txt", "-m", "nDCG@10", "--l2", "1", "--max-iter", "9", "--force", "--out", "run"),
    "predict": ("predict", "run", "train.txt", "-o", "predicted.txt"),
}
# Counts the threads of our pool that each step starts; pools are dropped in between.
WATCH = """
import json, os, threading
import rankproof as rp
from rankproof import threads
from rankproof.cli.main import command_line
os.environ.pop("RANKPROOF_THREADS", None)
started, start = [], threading.Thread.start

def noted(thread):
    started.append(thread.name.startswith("rankproof"))
    start(thread)

threading.Thread.start = noted

def python(**argument):
    run, qrels = rp.read_run("a.trec", **argument), rp.read_qrels("qrels.txt", **argument)
    yield "read", None
    yield "evaluate", str(rp.evaluate(run, qrels, ["nDCG@10", "AP"], **argument))
    yield "compare", str(rp.compare({"a": run, "b": run}, qrels, "nDCG@10", **argument))
    data = rp.read_letor("train.txt", **argument)
    yield "read_letor", None
    ranker = rp.LinearRanker("nDCG@10", max_iter=9, **argument).fit(data.X, data.labels, qid=data.qids)
    yield "fit", None
    yield "predict", ranker.predict(data.X)
    yield "score", ranker.score(data.X, data.labels, qid=data.qids)
    yield "target", rp.target_for("nDCG@10").values(data.labels, data.offsets, **argument)

def commands(words, *more):
    for one, typed in words.items():
        command_line.main(args=[*typed, *more], prog_name="rankproof", standalone_mode=False)
        yield one, None

def counts(steps):
    seen = {}
    for done, _ in steps:
        seen[done] = sum(started)
        started.clear()
        threads._helpers.cache_clear()
    return seen

def counts_with(number, steps):
    with threads.using(number):
        return counts(steps)

def counts_in_environment(number, steps):
    os.environ["RANKPROOF_THREADS"] = number
    return counts(steps)
"""


def pool_threads(calls: str, folder: Path) -> list[dict[str, int]]:
    """How many threads of the pool each step of each call starts, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"{WATCH}\nprint(json.dumps([{calls}]))"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen: list[dict[str, int]] = json.loads(done.stdout.splitlines()[-1])
    return seen


@pytest.mark.exhaustive
def test_one_thread_is_one_thread_of_every_command(files: Path) -> None:
    # On two threads first, so that what is counted is known to be there: one beside the caller's own.
    calls = (f"counts(commands({COMMANDS!r}, '--threads', '{number}'))" for number in (2, 1))
    assert pool_threads(", ".join(calls), files) == [dict.fromkeys(COMMANDS, number) for number in (1, 0)]


def test_one_thread_is_one_thread_in_python(files: Path) -> None:
    two, *alone = pool_threads(
        "counts_with(2, python()), counts(python(threads=1)), counts_in_environment('1', python())", files
    )
    assert set(two.values()) == {1}
    assert alone == [dict.fromkeys(two, 0)] * 2


@pytest.mark.exhaustive
def test_the_bits_are_the_same_on_any_number_of_threads(files: Path) -> None:
    seen = set()
    for threads in (1, 2, 3):
        with using(threads):
            run_a, run_b = (rp.read_run(files / name) for name in ("a.trec", "b.trec"))
            qrels, data = rp.read_qrels(files / "qrels.txt"), rp.read_letor(files / "train.txt")
            assert len(chunks_by_items(data.offsets)) >= threads
            found = rp.compare({"a": run_a, "b": run_b}, qrels, ["nDCG@10", "AP"], samples=2000)
            ranker = rp.LinearRanker("nDCG@10", max_iter=20).fit(data.X, data.labels, qid=data.qids)
            parts = (run_a.scores, run_a.offsets, qrels.grades, data.labels, np.asarray(data.X), ranker.coef_)
            seen.add((b"".join(part.tobytes() for part in parts), found.to_json(per_query=True)))
    assert len(seen) == 1
