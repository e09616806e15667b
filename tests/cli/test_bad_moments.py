"""Bad moments are good: Ctrl-C, wrong files, wrong words, no permission, a full disk.

Each ends in one clear line, a status that is not 0, no traceback, and nothing lost or half-written.
"""

from __future__ import annotations

import os
import pty
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest

from cli.small_letor import rows, write_parts
from rankproof.cli import metrics as metrics_command
from rankproof.cli.demo_folder import demo_folder, replacing
from rankproof.errors import DataError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and /proc as on Linux")

Run = Callable[..., Any]
Moment = Callable[["Started"], bool]
AGAIN = "rankproof: interrupted; nothing was left half-written, run the same command again.\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """``data`` with small files, good and bad, and an empty ``out``."""
    data = tmp_path / "data"
    data.mkdir()
    (tmp_path / "out").mkdir()
    write_parts(data)
    (data / "empty.txt").write_text("")
    (data / "binary.txt").write_bytes(bytes(range(256)))
    (data / "line.txt").write_text("1 qid:1 1:0.5\n0 qid:1 1:abc\n")
    (data / "useless.txt").write_text("".join(f"0 qid:{q} 1:{i}\n" for q in range(9) for i in range(3)))
    (data / "run.trec").write_text("q1 Q0 a 1 3.0 t\nq1 Q0 b 2 2.0 t\n")
    (data / "other.trec").write_text("q1 Q0 a 1 1.0 t\nq1 Q0 b 2 2.0 t\n")
    (data / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\n")
    (data / "useless-qrels.txt").write_text("q1 0 a 0\nq1 0 b 0\n")
    (data / "folds").mkdir()
    for fold in (1, 2):
        folder = data / "folds" / f"Fold{fold}"
        folder.mkdir()
        for number, name in enumerate(("train", "vali", "test")):
            (folder / f"{name}.txt").write_text("\n".join(rows(10 * fold + number, 12)) + "\n")
    return tmp_path


def content(folder: Path) -> dict[str, bytes | None]:
    """All that a folder holds, hidden things too."""
    found = sorted(folder.rglob("*"))
    return {str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes() for path in found}


# Ctrl-C: a real process, a real signal.


class Started:
    """A command in a process of its own."""

    def __init__(self, words: tuple[object, ...], folder: Path) -> None:
        self.out, self.err = folder / "stdout", folder / "stderr"
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "rankproof", *map(str, words)], stdout=out, stderr=err, cwd=folder
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


def running(one: Started) -> bool:
    """The command line is there; from here on Python itself is out of the way."""
    return "_datetime" in _maps(one) or computing(one)


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
        "linear": ("--solver", "sgd", "--max-iter", 10**8, "--tol", 0, "--l2", "0.01"),
        "lightgbm": ("--n-estimators", 10**6, "--loss", "softmax"),
        "xgboost": ("--n-estimators", 10**6, "--loss", "softmax"),
        "catboost": ("--n-estimators", 10**6, "--loss", "softmax"),
    }
    valid = () if model == "linear" else ("--valid", "data/valid.txt", "--early-stopping-rounds", 10**6)
    words = ("fit", "data/train.txt", *valid, "-m", "nDCG@10", "--model", model, *more[model])
    return (*words, "--out", "out/run", "--force", "-vv")


@pytest.mark.parametrize(
    ("model", "moment"),
    [
        ("linear", says("iteration 20,")),
        ("lightgbm", says("tree 20,")),
        ("xgboost", says("tree 20,")),
        ("catboost", says("tree 20,")),
        ("lightgbm", computing),
    ],
)
def test_an_interrupted_fit_leaves_the_run_before_it(
    rankproof: Run, place: Path, model: str, moment: Moment
) -> None:
    pytest.importorskip(model if model != "linear" else "scipy")
    fast = ("fit", place / "data" / "train.txt", "-m", "nDCG@10", "--l2", "1", "--out", place / "out" / "run")
    assert rankproof(*fast).status == 0
    before = content(place / "out")
    one = Started(endless(model), place)
    one.until(moment)
    status, err = one.interrupt()
    told = err.splitlines(keepends=True)
    assert (status, told[-1]) == (130, AGAIN)
    assert "Traceback" not in err
    assert all(line.startswith(("LinearRanker", "BoostedRanker")) for line in told[:-1])  # what -vv says
    assert content(place / "out") == before


def test_an_interrupted_search_goes_on(rankproof: Run, place: Path) -> None:
    pytest.importorskip("lightgbm")
    few = ("-m", "nDCG@10", "--n-estimators", 3, "--folds", 2, "--threads", 1, "--out")
    one = Started(("tune", "data/train.txt", *few, "out/search", "--trials", 10**6, "-v"), place)
    one.until(says("trial 2:"))
    status, err = one.interrupt()
    assert (status, err.splitlines()[-1]) == (
        130,
        "rankproof: interrupted; the finished trials are in out/search, the same command goes on.",
    )
    assert "Traceback" not in err
    assert list(content(place / "out")) == ["search", "search/trials.jsonl"]
    on = rankproof("tune", place / "data" / "train.txt", *few, place / "out" / "search", "--trials", 3)
    assert (on.status, "3 of 3 trials are known" in on.err) == (0, True)


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("demo --out out/demo", says("1. What losses converge to")),
        ("demo --out out/demo", computing),
        ("certify --matrix --evidence out/why.json --report out/matrix.html", computing),
        ("reproduce B11 --data data/folds --solver both --out out/b11", computing),
        ("evaluate --data data/pipe --scores data/scores.txt", computing),
        ("compare data/scores.txt data/more.txt --data data/pipe --report out/c.html", computing),
        ("standardize data/pipe -m nDCG@10 -o out/targets.txt", computing),
        ("fit data/pipe -m nDCG@10 --out out/run", computing),
        ("tune data/pipe -m nDCG@10 --out out/run", computing),
        ("evaluate --data data/pipe --scores data/scores.txt", running),
    ],
)
def test_an_interrupted_command_leaves_nothing(place: Path, words: str, moment: Moment) -> None:
    """A pipe that nobody writes to keeps a command reading for ever."""
    os.mkfifo(place / "data" / "pipe")
    one = Started(tuple(words.split()), place)
    one.until(moment)
    assert one.interrupt() == (130, AGAIN)
    assert content(place / "out") == {}


def test_an_interrupt_while_a_file_is_written_leaves_the_one_before(place: Path) -> None:
    (place / "data" / "large.txt").write_text("\n".join(rows(4, 6000)) + "\n")
    (place / "out" / "t.xz").write_bytes(b"of yesterday")
    one = Started(("standardize", "data/large.txt", "-m", "nDCG@10", "-o", "out/t.xz"), place)
    one.until(writes("out/.t.xz.*.tmp"))
    assert one.interrupt() == (130, AGAIN)
    assert content(place / "out") == {"t.xz": b"of yesterday"}


def test_an_impatient_user(place: Path) -> None:
    one = Started(("certify", "--matrix", "--evidence", "out/why.json"), place)
    one.until(computing)
    time.sleep(0.5)
    assert one.interrupt(times=3) == (130, AGAIN)


def test_on_a_terminal_the_line_stands_alone(place: Path) -> None:
    """The key itself, with a progress bar on the screen."""
    pytest.importorskip("lightgbm")
    parent, child = pty.openpty()
    words = "tune data/train.txt -m nDCG@10 --n-estimators 3 --folds 2 --trials 1000000 --out out/search"
    with subprocess.Popen(
        [sys.executable, "-m", "rankproof", *words.split()],
        stdin=child,
        stdout=child,
        stderr=child,
        cwd=place,
        start_new_session=True,
        # The terminal sends the signal to the group that owns it.
        preexec_fn=lambda: _own_terminal(),
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        os.close(child)
        text = b""
        while b"trial 1" not in text:
            text += os.read(parent, 4096)
        os.write(parent, b"\x03")
        while True:
            try:
                part = os.read(parent, 4096)
            except OSError:
                break
            if not part:
                break
            text += part
    os.close(parent)
    assert process.returncode == 130
    shown = text.decode().replace("\r", "")
    assert "Traceback" not in shown
    assert shown.endswith(
        "rankproof: interrupted; the finished trials are in out/search, the same command goes on.\n"
    )
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")  # the cursor is back


def _own_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_a_demonstration_that_does_not_end_well_leaves_the_one_before(tmp_path: Path) -> None:
    for name in ("demo.json", "report.html", "train.txt", "notes of mine.txt"):
        (tmp_path / name).write_text("of yesterday")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "model.json").write_text("of yesterday")
    before = content(tmp_path)

    def new(error: type[BaseException]) -> None:
        with demo_folder(str(tmp_path)) as folder, replacing(folder):
            assert [path.name for path in folder.iterdir() if path.is_file()] == ["notes of mine.txt"]
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
    assert content(tmp_path) == {"notes of mine.txt": b"of yesterday", "train.txt": b"of today"}


def test_a_report_that_was_not_written_is_not_that_of_the_run_before(
    rankproof: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankproof.report.pages import run as page

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
    assert (ran.status, ran.err) == (
        130,
        f"rankproof: interrupted; the run in {folder} is complete, rankproof report {folder} writes its "
        "report.\n",
    )
    assert sorted(content(folder)) == ["model.json", "results.json", "weights.npz"]
    stopped(DataError)
    ran = rankproof(*words, "--force")
    assert (ran.status, ran.err) == (0, "rankproof: warning: no report was written: no room\n")
    assert ran.out.endswith("the model and results.json\n")


# Wrong files, wrong words, empty data.


def wrong(rankproof: Run, place: Path, words: str) -> str:
    """The one line that a command ends with."""
    before = content(place)
    ran = rankproof(*(word.replace("~", str(place)) for word in words.split()))
    assert ran.status == 3
    assert ran.err.startswith("rankproof: error: ")
    assert ran.err.count("\n") == 1
    assert content(place) == before
    line: str = ran.err
    return line


# Every command that reads a file, with that file in the place of FILE.
READERS = {
    "evaluate": "evaluate FILE --qrels ~/data/qrels.txt",
    "qrels": "evaluate ~/data/run.trec --qrels FILE",
    "data": "evaluate --data FILE --scores ~/data/run.trec",
    "scores": "evaluate --data ~/data/test.txt --scores FILE",
    "compare": "compare ~/data/run.trec FILE --qrels ~/data/qrels.txt",
    "explain": "explain nDCG FILE --qrels ~/data/qrels.txt --query q1",
    "fit": "fit FILE -m nDCG@10 --out ~/out/run",
    "fit-test": "fit ~/data/train.txt --test FILE -m nDCG@10 --out ~/out/run",
    "tune": "tune FILE -m nDCG@10 --out ~/out/search",
    "predict": "predict ~/model FILE -o ~/out/s.txt",
    "standardize": "standardize FILE -m nDCG@10 -o ~/out/t.txt",
    "replay": "replay FILE",
    "demo": "demo --data FILE --out ~/out/demo",
}
FILES = {
    "missing.txt": "missing.txt' does not exist",
    "folds": "folds' is a folder",
    "empty.txt": "empty.txt",
    "binary.txt": "binary.txt:1: ",
    "line.txt": "line.txt:",
}


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("command", READERS)
def test_a_wrong_file_is_named(rankproof: Run, place: Path, model: Path, command: str, file: str) -> None:
    shutil.copytree(model, place / "model")
    line = wrong(rankproof, place, READERS[command].replace("FILE", f"~/data/{file}"))
    assert FILES[file].removesuffix(":1: " if command == "replay" else "") in line


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from rankproof.fit.linear import LinearRanker

    folder = tmp_path_factory.mktemp("saved") / "model"
    LinearRanker().fit([[0.0] * 5, [1.0] * 5], [0, 1], qid=[1, 1]).save(folder)
    return folder


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("predict ~/data/folds ~/data/test.txt -o ~/out/s.txt", "there is no model here"),
        ("report ~/data/folds", "holds no run"),
        ("report ~/data/missing", "does not exist"),
        ("reproduce B11 --data ~/data/missing", "data/missing' does not exist"),
        ("reproduce B11 --data ~/data/test.txt", "data/test.txt' is a file"),
        ("reproduce B11 --data ~/data", "there is no directory Fold1"),
        ("certify RankNet --metric ~/missing.py:mine", "There is no file"),
    ],
)
def test_a_wrong_folder_is_named(rankproof: Run, place: Path, words: str, told: str) -> None:
    assert told in wrong(rankproof, place, words)


@pytest.mark.parametrize(
    "words",
    [
        "evaluate ~/data/missing --qrels ~/data/qrels.txt -m nDGC@10",
        "compare ~/data/missing ~/data/run.trec --qrels ~/data/qrels.txt -m nDGC@10",
        "explain nDGC@10 ~/data/run.trec --qrels ~/data/qrels.txt --query q1",
        "metrics nDGC",
        "fit ~/data/missing -m nDGC@10 --out ~/out/run",
        "tune ~/data/missing -m nDGC@10 --out ~/out/search",
        "standardize ~/data/missing -m nDGC@10 -o ~/out/t.txt",
        "certify softmax --metric nDGC@10",
        "demo --metric nDGC --out ~/out/demo",
    ],
)
def test_a_wrong_metric_is_found_first(rankproof: Run, place: Path, words: str) -> None:
    assert "Unknown metric 'nDGC'. Did you mean 'nDCG'?" in wrong(rankproof, place, words)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("evalute", "No such command 'evalute'. Did you mean 'evaluate'? See rankproof --help."),
        ("fit", "Missing argument 'TRAIN...'. See rankproof fit --help."),
        ("fit x.txt -m AP --out ~/out/r --froce", "No such option '--froce'"),
        ("fit x.txt -m AP --out ~/out/r --model liner", "'liner' is not one of 'linear', 'lightgbm'"),
        ("fit x.txt -m AP --out ~/out/r --loss sofmax", "Unknown loss 'sofmax'. Did you mean 'softmax'?"),
        ("fit x.txt -m AP --out ~/out/r --l2 much", "got 'much'"),
        ("fit x.txt -m AP --out ~/out/r --seed x", "'x' is not a valid int"),
        ("fit x.txt -m AP --out ~/out/r --noise loud", "got 'loud'"),
        ("fit x.txt -m AP --out ~/out/r --num-leaves 4", "--num-leaves is not one of --model linear"),
        ("tune x.txt -m AP --out ~/out/r --trials 0", "--trials must be at least 1, got 0"),
        ("losses sofmax", "Did you mean 'softmax'?"),
        ("certify sofmax --metric AP", "Did you mean 'softmax'?"),
        ("certify softmax", "Name the metric with --metric"),
        ("certify softmax --metric AP --items 99", "items must be at most"),
        ("certify softmax --metric AP --evidence ~/no/why.json", "its folder does not exist"),
        ("evaluate ~/data/run.trec --qrels ~/data/qrels.txt --as trec", "Unknown convention 'trec'"),
        ("compare ~/data/run.trec ~/data/run.trec --qrels ~/data/qrels.txt", "named twice"),
        ("compare ~/data/run.trec --qrels ~/data/qrels.txt", "at least two runs"),
        ("explain AP ~/data/run.trec --qrels ~/data/qrels.txt --query q9", "no query 'q9'"),
        ("reproduce B12 --data ~/data/folds", "'B12' is not one of"),
        ("reproduce B11 --data ~/data/folds --scale big", "got 'big'"),
        ("standardize ~/data/train.txt -m nDCG -o ~/no/t.txt", "its folder does not exist"),
        ("standardize ~/data/train.txt -m ERR -o ~/out/t.txt", "No target standardises ERR"),
        ("demo --seed -1 --out ~/out/demo", "--seed must be from 0"),
    ],
)
def test_wrong_words_are_one_line(rankproof: Run, place: Path, words: str, told: str) -> None:
    assert told in wrong(rankproof, place, words)


@pytest.mark.parametrize(
    "words",
    [
        "evaluate ~/data/run.trec --qrels ~/data/useless-qrels.txt",
        "compare ~/data/run.trec ~/data/other.trec --qrels ~/data/useless-qrels.txt --report ~/out/c.html",
        "fit ~/data/useless.txt -m nDCG@10 --out ~/out/run",
        "fit ~/data/train.txt --valid ~/data/useless.txt -m nDCG@10 --out ~/out/run",
        "fit ~/data/train.txt --test ~/data/useless.txt -m nDCG@10 --model lightgbm --out ~/out/run",
        "demo --data ~/data/useless.txt --out ~/out/demo",
    ],
)
def test_data_without_a_relevant_item(rankproof: Run, place: Path, words: str) -> None:
    line = wrong(rankproof, place, words)
    assert "useless" in line
    assert "no query counts for nDCG@10" in line
    assert "Give data with relevant items" in line


def test_too_few_queries_to_show(rankproof: Run, place: Path) -> None:
    (place / "data" / "few.txt").write_text("\n".join(rows(1, 4)) + "\n")
    line = wrong(rankproof, place, "demo --data ~/data/few.txt --out ~/out/demo")
    assert "few.txt has 4 queries; the demonstration needs 8 or more" in line


def test_a_fault_of_our_own_is_one_line_too(rankproof: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command("metrics")
    def broken() -> None:
        raise KeyError("a\nb")

    monkeypatch.setattr(metrics_command, "metrics", broken)
    ran = rankproof("metrics")
    assert ran.status == 3
    assert ran.err == (
        "rankproof: error: Unexpected KeyError: 'a\\nb'. This is a fault of rankproof; rankproof --debug shows "
        "where it is.\n"
    )
    assert "in broken" in rankproof("--debug", "metrics").err


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("metrics nDGC", "UnknownNameError"),
        ("evaluate missing --qrels missing", "DataError"),
        ("fit --nope", "NoSuchOption"),
        ("fit x.txt -m AP --out /proc/no/way", "DataError"),
    ],
)
def test_debug_shows_where_it_was(rankproof: Run, words: str, error: str) -> None:
    ran = rankproof("--debug", *words.split())
    assert ran.status == 3
    assert ran.err.startswith("Traceback (most recent call last):\n")
    assert error in ran.err.splitlines()[-1]


# No permission, no room, nobody who reads.

# Every command that writes, with the folder in the place of OUT, and the files that it writes there.
WRITERS = {
    "standardize": "standardize ~/data/train.txt -m nDCG -o OUT/t.txt",
    "packed": "standardize ~/data/train.txt -m nDCG -o OUT/t.txt.gz",
    "predict": "predict ~/model ~/data/train.txt -o OUT/scores.txt",
    "predict-run": "predict ~/model ~/data/train.txt -o OUT/scores.trec",
    "fit": "fit ~/data/train.txt -m nDCG --l2 1 --out OUT/run --force",
    "tune": "tune ~/data/train.txt -m nDCG --trials 1 --folds 2 --n-estimators 3 --out OUT/search",
    "certify": "certify RankNet -m nDCG --evidence OUT/why.json",
    "compare": "compare ~/data/run.trec ~/data/other.trec --qrels ~/data/qrels.txt --report OUT/c.html",
    "reproduce": "reproduce R11 --data ~/data/folds --out OUT/r11",
    "report": "report ~/run -o OUT/report.html",
}


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may grow beyond some bytes: what a full disk does to one that writes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def no_permission(folder: Path) -> Iterator[None]:
    """A folder that one may look at only; root gives up its rights for so long."""
    folder.chmod(0o555)
    root = os.geteuid() == 0
    try:
        if root:
            try:
                os.setresuid(65534, 65534, 0)
            except OSError as error:
                pytest.skip(f"root, which may write everywhere, cannot be left here: {error}")
        yield
    finally:
        if root:
            os.setresuid(0, 0, 0)
        folder.chmod(0o755)


@pytest.fixture
def open_place(place: Path, model: Path, rankproof: Run) -> Iterator[Path]:
    """`place` where every user can look, with a model and a run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(place, folder, dirs_exist_ok=True)
        shutil.copytree(model, folder / "model")
        fast = ("-m", "nDCG", "--l2", "1", "--out", folder / "run")
        assert rankproof("fit", folder / "data" / "train.txt", *fast).status == 0
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield folder


@pytest.mark.parametrize("command", WRITERS)
def test_nothing_is_lost_when_a_file_cannot_be_written(
    rankproof: Run, open_place: Path, command: str
) -> None:
    if command == "tune":
        pytest.importorskip("lightgbm")
    words = WRITERS[command].replace("OUT", "~/out").replace("~", str(open_place)).split()
    out = open_place / "out"
    shown = rankproof(*words)
    assert shown.status == (1 if command == "certify" else 0), shown.err
    before = content(out)
    assert before
    with full_disk():
        full = rankproof(*(word.replace("/out/search", "/out/more/search") for word in words))
    for path in [one for one in (out / "more", *(out / "more").rglob("*")) if one.is_dir()][::-1]:
        path.rmdir()  # folders alone, without a file in them
    assert content(out) == before
    if command != "tune":
        with no_permission(out):
            refused = rankproof(*words)
        # A folder of its own in there may be written to; what stands beside it may not.
        if command in ("fit", "reproduce"):
            assert refused.status == 3 or os.access(out / words[-1], os.W_OK)
        else:
            assert refused.status == 3
            assert "ermission denied" in refused.err or "may not be written to" in refused.err
            assert refused.err.count("\n") == 1
        assert content(out) == before
    assert full.status == 3
    assert full.err.startswith("rankproof: error: ")
    assert full.err.count("\n") == 1
    assert "cannot be written: File too large." in full.err
    if command in ("certify", "compare"):
        # What was computed is not lost with the file.
        assert full.out
        assert shown.out.startswith(full.out)
