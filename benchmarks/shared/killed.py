"""Writers that are killed at any moment: what was there, or the new thing, is there, and no more."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import rankproof as rp
from rankproof.cli.demo_folder import demo_folder, replacing
from rankproof.cli.interrupts import is_interrupt, patiently
from rankproof.data.scores import read_scores, write_scores
from rankproof.report.content import Report
from rankproof.report.html import write_report
from rankproof.runs.run_folder import check_model, new_run, write_results
from shared.table import Losses

__all__ = ["kills"]

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGHUP)


@dataclass(frozen=True)
class Writer:
    """``write(turn)`` replaces what is in the place, ``check()`` raises when it is not whole."""

    write: Callable[[int], None]
    check: Callable[[], object]


class _NoDemoError(Exception):
    """Ends a demonstration before it has begun."""


def _writers(folder: Path) -> dict[str, Writer]:
    train, _ = rp.samples.diabetes_wards()
    rankers = [rp.LinearRanker("nDCG@10", l2=l2).fit(train.X, train.labels, qid=train.qids) for l2 in (1, 2)]
    known = {one.coef_.tobytes() for one in rankers}
    queries = [str(query) for query in train.query_ids]
    documents = [f"d{row}" for row in range(train.items)]
    scores = [np.full(train.items, float(turn)) for turn in range(2)]

    def model(turn: int) -> None:
        rankers[turn % 2].save(folder / "models" / "model")

    def check_saved() -> None:
        assert rp.load_model(folder / "models" / "model").coef_.tobytes() in known

    def run(turn: int) -> None:
        with new_run(folder / "runs" / "run", replace=True) as draft:
            rankers[turn % 2].save(draft / "inner")
            for file in (draft / "inner").iterdir():
                file.rename(draft / file.name)
            (draft / "inner").rmdir()
            write_results(draft, {"turn": turn})

    def check_run() -> None:
        check_model(folder / "runs" / "run")
        assert rp.load_model(folder / "runs" / "run").coef_.tobytes() in known

    def standardized(turn: int) -> None:
        rp.write_letor(train, folder / "standardize" / f"targets.txt{('', '.gz')[turn % 2]}")

    def check_letor() -> None:
        for file in (folder / "standardize").iterdir():
            if not file.name.startswith("."):
                assert rp.read_letor(file).items == train.items

    def predicted(turn: int) -> None:
        write_scores(scores[turn % 2], folder / "predict" / "scores.txt")
        rp.write_run(folder / "predict" / "run.trec", queries, documents, scores[turn % 2], train.offsets)

    def check_predicted() -> None:
        assert np.ptp(read_scores(folder / "predict" / "scores.txt")) == 0
        assert np.ptp(rp.read_run(folder / "predict" / "run.trec").scores) == 0

    page = Report(title="A page", sections=())

    def report(turn: int) -> None:  # noqa: ARG001
        write_report(page, folder / "reports" / "report.html")

    def check_report() -> None:
        assert (folder / "reports" / "report.html").read_text().rstrip().endswith("</html>")

    def demo(turn: int) -> None:
        with demo_folder(str(folder / "demos" / "demo")) as place, replacing(place):
            rankers[turn % 2].save(place / "run")
            (place / "train.txt").write_text(str(turn))
            write_report(page, place / "report.html")

    def check_demo() -> None:
        # The next one brings back what a killed one has put aside; it fails, so it leaves what it found.
        place = folder / "demos" / "demo"
        with suppress(_NoDemoError), demo_folder(str(place)), replacing(place):
            raise _NoDemoError
        turn = int((place / "train.txt").read_text())
        assert rp.load_model(place / "run").coef_.tobytes() == rankers[turn % 2].coef_.tobytes()
        assert (place / "report.html").read_text().rstrip().endswith("</html>")

    return {
        "models": Writer(model, check_saved),
        "runs": Writer(run, check_run),
        "standardize": Writer(standardized, check_letor),
        "predict": Writer(predicted, check_predicted),
        "reports": Writer(report, check_report),
        "demos": Writer(demo, check_demo),
    }


def kills(folder: Path, count: int, seed: int) -> Iterator[Losses]:
    """A row per writer, one for what is left behind, one for the kernel cache."""
    draw = random.Random(seed)
    writers = _writers(folder)
    # The cache is written by whole processes, which takes longer.
    few = max(4, count // 50)
    each = -(-(count - few) // len(writers))
    for name, writer in writers.items():
        (folder / name).mkdir()
        writer.write(0)
        lost = 0
        for turn in range(each):
            number = SIGNALS[turn % len(SIGNALS)]
            _killed(writer, number, draw.uniform(0, 0.02))
            try:
                writer.check()
            except Exception as error:
                lost += 1
                print(f"  {name}, {number.name}: {type(error).__name__}: {error}", file=sys.stderr)
                shutil.rmtree(folder / name)
                (folder / name).mkdir()
                writer.write(0)
        yield Losses(f"kills of what writes {name}: not whole afterwards", lost, each)
        writer.write(0)
        writer.write(1)
        left = list((folder / name).rglob(".*"))
        yield Losses(f"kills of what writes {name}: left behind after the next run", len(left), each)
    yield _kernel_cache(folder / "kernels", few, draw)


def _killed(writer: Writer, number: signal.Signals, seconds: float) -> None:
    """Write without pause in a process of its own, until it is killed."""
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for one in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(one, signal.SIG_DFL)
        # As the commands do.
        patiently()
        status = 1
        try:
            os.write(tell, b"x")
            turn = 1
            while True:
                writer.write(turn)
                turn += 1
        except BaseException as error:
            if is_interrupt(error):
                status = 128 + number
            else:
                traceback.print_exc()
        finally:
            os._exit(status)
    os.read(ready, 1)
    os.close(ready)
    os.close(tell)
    time.sleep(seconds)
    os.kill(child, number)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended in (-number, 128 + number), f"ended with {ended}"


def _kernel_cache(folder: Path, count: int, draw: random.Random) -> Losses:
    """Commands that are killed while they fill the cache; the next one runs, and at most says it compiles."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    words = [sys.executable, "-m", "rankproof", "evaluate", "--example", "-m", "RR"]
    for turn in range(count):
        with subprocess.Popen(
            words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as one:
            time.sleep(draw.uniform(0.5, 5))
            one.send_signal(SIGNALS[turn % len(SIGNALS)])
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    lost = done.returncode != 0 or len(done.stderr.splitlines()) > 1
    if lost:
        print(f"  kernel cache: status {done.returncode}: {done.stderr[-500:]}", file=sys.stderr)
    return Losses("kills while the kernel cache is filled", int(lost), count)
