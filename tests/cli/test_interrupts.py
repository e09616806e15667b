"""Ctrl-C leaves nothing half-written, in one line that says how to go on."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.small_letor import content, rows
from every_case import exhaustive
from rankproof.cli.demo_folder import demo_folder, replacing
from rankproof.cli.interrupts import leave_interrupted
from rankproof.errors import DataError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and /proc as on Linux")

Run = Callable[..., Any]
Moment = Callable[["Started"], bool]
AGAIN = "rankproof: interrupted; no partial files were left; run the same command again.\n"


def heed_interrupts() -> None:
    """Also where the tests were started to ignore signals, as in the background of a shell or by nohup."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Started:
    """A command in a process of its own."""

    def __init__(self, words: tuple[object, ...], folder: Path, **environment: str) -> None:
        self.out, self.err = folder / "stdout", folder / "stderr"
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "rankproof", *map(str, words)],
                stdout=out,
                stderr=err,
                cwd=folder,
                env={**os.environ, **environment},
                preexec_fn=heed_interrupts,
            )

    def until(self, moment: Moment) -> None:
        """Wait for a moment; a command that ended before has missed it."""
        while not moment(self):
            assert self.process.poll() is None, f"ended too early: {self.err.read_text()}"
            time.sleep(0.002)

    def interrupt(self, times: int = 1) -> tuple[int, str]:
        """Press Ctrl-C; the status and what stands on standard error."""
        for _ in range(times):
            self.process.send_signal(signal.SIGINT)
            time.sleep(0.1 if times > 1 else 0)
        return self.process.wait(), self.err.read_text()


def computing(one: Started) -> bool:
    """Arrays are loaded, so the command is at work."""
    return "_multiarray_umath" in _maps(one)


def _maps(one: Started) -> str:
    return Path(f"/proc/{one.process.pid}/maps").read_text()


def says(text: str) -> Moment:
    return lambda one: text in one.out.read_text() + one.err.read_text()


def writes(pattern: str) -> Moment:
    return lambda one: any(one.out.parent.glob(pattern))


def endless(model: str) -> tuple[object, ...]:
    """A training that would go on for hours, into a folder that holds a run."""
    more: dict[str, tuple[object, ...]] = {
        "linear": ("--l2", ",".join(map(str, range(1, 20_000)))),
        "lightgbm": ("--n-estimators", 10**6, "--loss", "softmax"),
        "xgboost": ("--n-estimators", 10**6, "--loss", "softmax"),
        "catboost": ("--n-estimators", 10**6, "--loss", "softmax"),
    }
    valid = () if model == "linear" else ("--valid", "data/valid.txt", "--early-stopping-rounds", 10**6)
    words = ("fit", "data/train.txt", *valid, "-m", "nDCG@10", "--model", model, *more[model])
    return (*words, "--out", "out/run", "--force", "-vv")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("model", "moment"),
    [
        ("linear", says("iteration 1,")),
        ("lightgbm", says("tree 20,")),
        ("xgboost", says("tree 20,")),
        ("catboost", says("tree 20,")),
        ("lightgbm", computing),
    ],
)
def test_an_interrupted_fit_leaves_the_run_before_it(
    rankproof: Run, place: Path, model: str, moment: Moment
) -> None:
    fast = ("fit", place / "data" / "train.txt", "-m", "nDCG@10", "--l2", "1", "--out", place / "out" / "run")
    assert rankproof(*fast).status == 0
    before = content(place / "out")
    one = Started(endless(model), place)
    one.until(moment)
    status, err = one.interrupt()
    told = err.splitlines(keepends=True)
    # A line of -vv may have been cut short.
    assert (status, told[-1][-len(AGAIN) :]) == (130, AGAIN)
    assert "Traceback" not in err
    assert all(line.startswith(("LinearRanker", "BoostedRanker")) for line in told[:-1])  # what -vv says
    assert content(place / "out") == before


@pytest.mark.exhaustive
def test_an_interrupted_search_goes_on(rankproof: Run, place: Path) -> None:
    few = ("-m", "nDCG@10", "--n-estimators", 3, "--folds", 2, "--threads", 1, "--out")
    one = Started(("tune", "data/train.txt", *few, "out/search", "--trials", 10**6, "-v"), place)
    one.until(says("trial 2:"))
    status, err = one.interrupt()
    assert (status, err.splitlines()[-1]) == (
        130,
        "rankproof: interrupted; the finished trials are in out/search; run the same command to continue.",
    )
    assert "Traceback" not in err
    assert list(content(place / "out")) == ["search", "search/trials.jsonl"]
    on = rankproof("tune", place / "data" / "train.txt", *few, place / "out" / "search", "--trials", 3)
    assert (on.status, "3 of 3 trials are already in" in on.err) == (0, True)


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        *exhaustive(("demo --out out/demo", says("2. What the wrong loss costs"))),
        ("demo --out out/demo", computing),
        ("certify --matrix --evidence out/why.json --report out/matrix.html", computing),
        ("reproduce B11 --data data/folds --solver both --out out/b11", computing),
        ("evaluate --data data/pipe --scores data/scores.txt", computing),
        ("compare data/scores.txt data/more.txt --data data/pipe --report out/c.html", computing),
        ("standardize data/pipe -m nDCG@10 -o out/targets.txt", computing),
        ("fit data/pipe -m nDCG@10 --out out/run", computing),
        ("tune data/pipe -m nDCG@10 --out out/run", computing),
    ],
)
def test_an_interrupted_command_leaves_nothing(place: Path, words: str, moment: Moment) -> None:
    """A pipe that nobody writes to keeps a command reading for ever."""
    os.mkfifo(place / "data" / "pipe")
    one = Started(tuple(words.split()), place)
    one.until(moment)
    assert one.interrupt() == (130, AGAIN)
    assert content(place / "out") == {}


@pytest.mark.exhaustive
def test_an_interrupt_while_a_file_is_written_leaves_the_one_before(place: Path) -> None:
    (place / "data" / "large.txt").write_text("\n".join(rows(4, 6000)) + "\n")
    (place / "out" / "t.xz").write_bytes(b"of yesterday")
    one = Started(("standardize", "data/large.txt", "-m", "nDCG@10", "-o", "out/t.xz"), place)
    one.until(writes("out/.t.xz.*.tmp"))
    assert one.interrupt() == (130, AGAIN)
    assert content(place / "out") == {"t.xz": b"of yesterday"}


def test_an_interrupt_while_things_are_loaded(place: Path) -> None:
    """A slow disk: the command line itself is not there yet."""
    (place / "slow").mkdir()
    (place / "slow" / "click.py").write_text("import time\nprint('loading', flush=True)\ntime.sleep(600)\n")
    one = Started(("evaluate", "--example"), place, PYTHONPATH="slow")
    one.until(says("loading"))
    assert one.interrupt() == (130, AGAIN)


def test_an_impatient_user(place: Path) -> None:
    """Who presses the key again while Python is on its way out."""
    one = Started(("certify", "--matrix", "--evidence", "out/why.json"), place)
    one.until(computing)
    time.sleep(0.5)
    status, err = one.interrupt(times=3)
    # The last key may end Python itself, when all has been said: to a shell that is 130 as well.
    assert status in (130, -signal.SIGINT)
    assert err == AGAIN


@pytest.mark.exhaustive
def test_on_a_terminal_the_bar_goes_and_the_cursor_comes_back(place: Path) -> None:
    """The key itself, typed on a terminal of its own."""
    words = "tune data/train.txt -m nDCG@10 --n-estimators 3 --folds 2 --trials 1000000 --out out/search"
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(place)
        heed_interrupts()
        os.environ |= {"TERM": "xterm", "COLUMNS": "100"}
        os.execv(sys.executable, [sys.executable, "-m", "rankproof", *words.split()])  # noqa: S606
    text = b""
    while not re.search(rb"trial \d+,", text):
        text += os.read(terminal, 4096)
    os.write(terminal, b"\x03")
    try:
        while part := os.read(terminal, 4096):
            text += part
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 130
    # The last code is of colorama, which numba brings: it sets the colours back at the very end.
    shown = text.decode().replace("\r", "").removesuffix("\x1b[0m")
    assert "Traceback" not in shown
    assert shown.endswith(
        "rankproof: interrupted; the finished trials are in out/search; run the same command to continue.\n"
    )
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")


def test_a_demonstration_that_does_not_end_well_leaves_the_one_before(tmp_path: Path) -> None:
    for name in ("demo.json", "report.html", "train.txt", "notes of mine.txt"):
        (tmp_path / name).write_text("of yesterday")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "model.json").write_text("of yesterday")
    before = content(tmp_path)

    def new(error: type[BaseException]) -> None:
        with demo_folder(str(tmp_path)) as folder, replacing(folder):
            files = sorted(path.name for path in folder.iterdir() if path.is_file())
            assert files == ["demo.json", "notes of mine.txt"]
            (folder / "run").mkdir()
            for name in ("run/model.json", "train.txt", "test.txt"):
                (folder / name).write_text("of today")
            raise error("stopped")

    for error in (KeyboardInterrupt, DataError):
        with pytest.raises(error, match="stopped"):
            new(error)
        assert content(tmp_path) == before
    with demo_folder(str(tmp_path)) as folder, replacing(folder):
        (folder / "train.txt").write_text("of today")
    marked = {"demo.json": b"of yesterday", "notes of mine.txt": b"of yesterday"}
    assert content(tmp_path) == {**marked, "train.txt": b"of today"}


KILLED_DEMONSTRATION = """
import os, signal, sys
from rankproof.cli.demo_folder import demo_folder, replacing
with demo_folder(sys.argv[1]) as folder:
    if sys.argv[2] == "early":
        os.kill(os.getpid(), signal.SIGKILL)
    with replacing(folder):
        (folder / "run").mkdir()
        (folder / "train.txt").write_text("half")
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("moment", ["early", "late"])
@pytest.mark.parametrize("before", ["nothing", "an earlier one"])
def test_a_demonstration_that_was_killed_can_be_repeated(tmp_path: Path, before: str, moment: str) -> None:
    place = tmp_path / "demo"
    if before == "an earlier one":
        place.mkdir()
        (place / "demo.json").write_text("of yesterday")
        (place / "report.html").write_text("of yesterday")
    words = [sys.executable, "-c", KILLED_DEMONSTRATION, str(place), moment]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL
    with pytest.raises(KeyboardInterrupt), demo_folder(str(place)) as folder, replacing(folder):
        raise KeyboardInterrupt
    if before == "an earlier one":
        assert (place / "report.html").read_text() == "of yesterday"
    with demo_folder(str(place)) as folder, replacing(folder):
        (folder / "report.html").write_text("of today")
    assert sorted(content(place)) == ["demo.json", "report.html"]


@pytest.mark.parametrize(("number", "said"), [(signal.SIGTERM, "terminated"), (signal.SIGHUP, "hung up")])
def test_a_request_to_end_cleans_up_as_the_key_does(place: Path, number: signal.Signals, said: str) -> None:
    (place / "data" / "large.txt").write_text("\n".join(rows(4, 6000)) + "\n")
    one = Started(("standardize", "data/large.txt", "-m", "nDCG@10", "-o", "out/t.xz"), place)
    one.until(writes("out/.t.xz.*.tmp"))
    one.process.send_signal(number)
    assert one.process.wait() == 128 + number
    assert one.err.read_text() == AGAIN.replace("interrupted", said)
    assert content(place / "out") == {}


def test_what_nohup_ignores_stays_ignored(tmp_path: Path) -> None:
    script = """
import os, signal
signal.signal(signal.SIGHUP, signal.SIG_IGN)
from rankproof.cli.interrupts import patiently
patiently()
os.kill(os.getpid(), signal.SIGHUP)
print("goes on")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "goes on\n"


def test_the_end_of_a_file_is_not_a_key(rankproof: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """click takes an EOFError for Ctrl-C."""
    import rankproof.metrics.parse as parse

    def ended(*_: object, **__: object) -> None:
        raise EOFError("Ran out of input")

    monkeypatch.setattr(parse, "metric", ended)
    ran = rankproof("demo", "--metric", "nDCG")
    said = "rankproof: error: Unexpected EOFError: Ran out of input. This is a bug in rankproof; "
    assert (ran.status, ran.err) == (3, f"{said}rankproof --debug shows the traceback.\n")


def test_a_report_that_was_not_written_is_not_that_of_the_run_before(
    rankproof: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankproof.report import html as page

    words = (
        "fit",
        place / "data" / "train.txt",
        "-m",
        "nDCG@10",
        "--l2",
        "1",
        "--out",
        place / "out" / "run",
    )
    assert rankproof(*words).out.endswith("the model, results.json and report.html\n")
    assert (place / "out" / "run" / "report.html").exists()

    def stopped(error: type[BaseException]) -> None:
        def raising(*_: object, **__: object) -> None:
            raise error("no room")

        monkeypatch.setattr(page, "write_report", raising)

    stopped(KeyboardInterrupt)
    ran = rankproof(*words, "--force")
    folder = place / "out" / "run"
    told = f"rankproof: interrupted; the run in {folder} is complete; rankproof report {folder} writes its "
    assert (ran.status, ran.err) == (130, f"{told}report.\n")
    assert sorted(content(folder)) == [
        *("card.json", "card.md", "model.json", "results.json", "verdict.json", "weights.npz")
    ]
    stopped(DataError)
    ran = rankproof(*words, "--force")
    assert (ran.status, ran.err) == (0, "rankproof: warning: no report was written: no room\n")
    assert ran.out.endswith("the model and results.json\n")


def test_without_standard_error_the_status_still_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that was started with 2>&- has no standard error."""
    monkeypatch.setattr(sys, "stderr", None)
    with pytest.raises(SystemExit) as ended:
        leave_interrupted("run it again.", for_good=False)
    assert ended.value.code == 130
