"""What the tests of forks run in processes of their own: ``python forked_work.py STARTED_BY WORK``.

The process uses the library first, then has others do the same; it prints whether all agree. Where one of
them waits for ever, it says so and where, after `PATIENCE` seconds. No timer may run when a process is
forked: the child would wait for the timer's thread, which it does not have.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import rankproof as rp

# A child that works takes a second or so; on a crowded machine it may take many.
PATIENCE = 100
ITEMS, SIZE = 60_000, 20
os.environ["RANKPROOF_THREADS"] = "3"

random = np.random.default_rng(3)
X = random.normal(size=(ITEMS, 3))
LABELS = np.clip(np.round(X[:, 0] + random.normal(size=ITEMS)), 0, 3)
QUERIES = np.arange(ITEMS) // SIZE
DATA = rp.RankingData(labels=LABELS, offsets=np.arange(0, ITEMS + 1, SIZE))


def evaluate() -> Any:
    """Our own threads."""
    return dict(rp.evaluate(X[:, 0], DATA, ["nDCG@10", "AP"]).mean)


def compare() -> Any:
    """Our own threads, and a table."""
    return str(rp.compare({"a": X[:, 0], "b": X[:, 1]}, DATA, "nDCG@10", samples=200))


def fit(ranker: Any) -> Any:
    """Train, predict, save, load, pickle."""
    import pickle

    fitted = ranker.fit(X[:4000], LABELS[:4000], qid=QUERIES[:4000])
    asked = {"qid": QUERIES[:4000]}
    with TemporaryDirectory() as folder:
        fitted.save(Path(folder) / "model")
        loaded = rp.load_model(Path(folder) / "model")
    several = [fitted, loaded, pickle.loads(pickle.dumps(fitted))]  # noqa: S301
    found = {one.predict(X[:4000], **asked).tobytes() for one in several}
    assert len(found) == 1
    return found


def linear() -> Any:
    """Our own threads, and those of a BLAS."""
    return fit(rp.LinearRanker("nDCG@10", max_iter=5))


def lightgbm() -> Any:
    """OpenMP."""
    return fit(rp.BoostedRanker("nDCG@10", engine="lightgbm", n_estimators=5))


def xgboost() -> Any:
    """OpenMP."""
    return fit(rp.BoostedRanker("nDCG@10", engine="xgboost", n_estimators=5))


def catboost() -> Any:
    """Threads of CatBoost."""
    return fit(rp.BoostedRanker("nDCG@10", engine="catboost", n_estimators=5))


def neural() -> Any:
    """OpenMP, by torch."""
    return fit(rp.NeuralRanker("nDCG@10", max_iter=2, random_state=0))


WORKS: dict[str, Callable[[], Any]] = {
    one.__name__: one for one in (evaluate, compare, linear, lightgbm, xgboost, catboost, neural)
}


def do(name: str) -> Any:
    """One work, in a process that ends when it takes too long."""
    faulthandler.dump_traceback_later(PATIENCE, exit=True)
    result = WORKS[name]()
    faulthandler.cancel_dump_traceback_later()
    return result


def bare_fork(name: str) -> list[Any]:
    """Workers of a server that loads and computes first, then forks."""
    expected = do(name)
    found = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            os._exit(0 if do(name) == expected else 1)
        found.append(child)
    return [expected if os.waitpid(child, 0)[1] == 0 else "failed" for child in found]


def by_multiprocessing(method: str) -> Callable[[str], list[Any]]:
    """A pool of ``multiprocessing``."""

    def start(name: str) -> list[Any]:
        with multiprocessing.get_context(method).Pool(2) as pool:
            return pool.map(do, [name] * 3)

    return start


def futures(name: str) -> list[Any]:
    """A pool of ``concurrent.futures``."""
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        return list(pool.map(do, [name] * 3))


def by_joblib(backend: str) -> Callable[[str], list[Any]]:
    """A pool of joblib."""

    def start(name: str) -> list[Any]:
        from joblib import Parallel, delayed  # type: ignore[import-untyped]

        # Threads share the one timer of `do`, so they call the work itself.
        work = WORKS[name] if backend == "threading" else do
        return list(
            Parallel(n_jobs=2, backend=backend)(
                delayed(work)(*([] if backend == "threading" else [name])) for _ in range(3)
            )
        )

    return start


def beside_a_thread(name: str) -> list[Any]:
    """Forks while another thread is in the middle of the same work, twenty times."""
    expected = do(name)
    stop = threading.Event()

    def go_on() -> None:
        while not stop.is_set():
            WORKS[name]()

    threading.Thread(target=go_on, daemon=True).start()
    found: list[Any] = []
    for _ in range(20):
        child = os.fork()
        if child == 0:
            os._exit(0 if do(name) == expected else 1)
        found.append(expected if os.waitpid(child, 0)[1] == 0 else "failed")
    stop.set()
    return found


def beside(busy: Callable[[], Any]) -> Callable[[str], list[Any]]:
    """Forks while another thread is ``busy`` with a lock of the compiler; the child needs that lock."""

    def start(name: str) -> list[Any]:
        expected = do(name)
        stop = threading.Event()

        def go_on() -> None:
            while not stop.is_set():
                busy()

        threading.Thread(target=go_on, daemon=True).start()
        found: list[Any] = []
        for _ in range(5):
            child = os.fork()
            if child == 0:
                faulthandler.dump_traceback_later(PATIENCE, exit=True)
                # A kernel that the parent has not loaded.
                rp.evaluate(X[:, 0], DATA, "RBP")
                os._exit(0 if do(name) == expected else 1)
            found.append(expected if os.waitpid(child, 0)[1] == 0 else "failed")
        stop.set()
        return found

    return start


def compile_something() -> None:
    """Code of others that compiles with numba."""
    import numba

    numba.njit(lambda x: x + 1)(1)


def ask_llvm() -> None:
    """Code of others that uses LLVM without numba."""
    from llvmlite import binding

    for _ in range(1000):
        binding.address_of_symbol("malloc")


STARTED_BY: dict[str, Callable[[str], list[Any]]] = {
    "os.fork": bare_fork,
    "fork": by_multiprocessing("fork"),
    "forkserver": by_multiprocessing("forkserver"),
    "spawn": by_multiprocessing("spawn"),
    "futures": futures,
    "joblib-loky": by_joblib("loky"),
    "joblib-multiprocessing": by_joblib("multiprocessing"),
    "joblib-threading": by_joblib("threading"),
    "beside-a-thread": beside_a_thread,
    "beside-a-compiler": beside(compile_something),
    "beside-llvm": beside(ask_llvm),
}

if __name__ == "__main__":
    started_by, what = sys.argv[1:]
    before = do(what)
    results = STARTED_BY[started_by](what)
    agree = all(result == before for result in results)
    said = "agree" if agree else f"differ: {[str(result)[:60] for result in results]}"
    os.write(1, f"{said}\n".encode())
    # Threads that go on in the background are not waited for.
    os._exit(0 if agree else 1)
