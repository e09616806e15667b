"""Bad moments are good: wrong files, wrong words, no permission, a full disk.

Each ends in one clear line, a status that is not 0, no traceback, and nothing lost or half-written.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest

from cli.small_letor import content, rows
from every_case import exhaustive, few_cases
from rankproof.cli import metrics as metrics_command
from rights import as_nobody

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and /proc as on Linux")

Run = Callable[..., Any]


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


@few_cases
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("command", READERS)
def test_a_wrong_file_is_named(rankproof: Run, place: Path, model: Path, command: str, file: str) -> None:
    shutil.copytree(model, place / "model")
    line = wrong(rankproof, place, READERS[command].replace("FILE", f"~/data/{file}"))
    if file == "folds" and "holds" in line:
        # Tables may come as a folder of files; of LETOR text it must be said which.
        assert "folds' holds" in line
        assert line.endswith("Name the files one by one.\n")
        return
    assert FILES[file].removesuffix(":1: " if command == "replay" else "") in line


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from rankproof.fit.linear.ranker import LinearRanker

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


@few_cases
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
        ("fit x.txt -m AP --out ~/out/r --num-leaves 4", "--num-leaves does not apply to --model linear"),
        ("tune x.txt -m AP --out ~/out/r --trials 0", "--trials must be at least 1, got 0"),
        ("losses sofmax", "Did you mean 'softmax'?"),
        ("certify sofmax --metric AP", "Did you mean 'softmax'?"),
        ("certify softmax", "Give a metric, such as --metric nDCG@10"),
        ("certify softmax --metric AP --items 99", "items must be at most"),
        ("certify softmax --metric AP --evidence ~/no/why.json", "its folder does not exist"),
        ("evaluate ~/data/run.trec --qrels ~/data/qrels.txt --as trec", "Unknown convention 'trec'"),
        ("compare ~/data/run.trec ~/data/run.trec --qrels ~/data/qrels.txt", "given twice"),
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
    assert "few.txt has 4 queries, but the demo needs at least 8" in line


def test_a_fault_of_our_own_is_one_line_too(rankproof: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command("metrics")
    def broken() -> None:
        raise KeyError("a\nb")

    monkeypatch.setattr(metrics_command, "metrics", broken)
    ran = rankproof("metrics")
    assert ran.status == 3
    assert ran.err == (
        "rankproof: error: Unexpected KeyError: 'a\\nb'. This is a bug in rankproof; rankproof --debug "
        "shows the traceback.\n"
    )
    assert "in broken" in rankproof("--debug", "metrics").err


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("metrics nDGC", "UnknownNameError"),
        ("evaluate missing --qrels missing", "DataError"),
        ("fit --nope", "NoSuchOption"),
        ("fit x.txt -m AP --out /proc/no/way", "ArgumentError"),
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
QUICK_WRITERS = ("standardize", "packed", "predict", "predict-run", "fit", "compare", "report")


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
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for one in folders:
        one.chmod(0o555)
    try:
        with as_nobody():
            yield
    finally:
        for one in folders:
            one.chmod(0o755)


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


@pytest.mark.parametrize("command", [*QUICK_WRITERS, *exhaustive(*sorted(WRITERS.keys() - {*QUICK_WRITERS}))])
def test_nothing_is_lost_when_a_file_cannot_be_written(
    rankproof: Run, open_place: Path, command: str
) -> None:
    words = WRITERS[command].replace("OUT", "~/out").replace("~", str(open_place)).split()
    out = open_place / "out"
    shown = rankproof(*words)
    assert shown.status == (1 if command == "certify" else 0), shown.err
    before = content(out)
    assert before
    with full_disk():
        # A search that is there has nothing left to write.
        full = rankproof(*(word.replace("/out/search", "/out/more/search") for word in words))
    for path in [one for one in (out / "more", *(out / "more").rglob("*")) if one.is_dir()][::-1]:
        path.rmdir()  # folders alone, without a file in them
    assert content(out) == before
    with no_permission(out):
        refused = rankproof(*(word.replace("/out/search", "/out/more/search") for word in words))
    assert content(out) == before
    for ran, why in (
        (full, "cannot be written: File too large."),
        (refused, "ermission denied|write|written|not writable"),
    ):
        assert ran.status == 3
        assert ran.err.startswith("rankproof: error: ")
        assert ran.err.count("\n") == 1
        assert re.search(why, ran.err)
        if command == "certify" or (command == "compare" and ran is full):
            # What was computed is not lost with the file.
            assert ran.out
            assert shown.out.startswith(ran.out)


@pytest.mark.parametrize(
    "words", ["losses", *exhaustive("evaluate --example", "metrics --json", "certify softmax -m AP")]
)
def test_a_full_disk_behind_standard_output(words: str) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        ran = subprocess.run(
            [sys.executable, "-m", "rankproof", *words.split()],
            stdout=full,
            stderr=-1,
            text=True,
            check=False,
        )
    assert ran.returncode == 3
    assert ran.stderr == "rankproof: error: Cannot write the output: No space left on device.\n"


@pytest.mark.exhaustive
def test_no_standard_output_at_all() -> None:
    words = f"{sys.executable} -m rankproof evaluate --example"
    ran = subprocess.run(["sh", "-c", f"{words} >&-"], stderr=-1, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.exhaustive
def test_a_reader_that_went_away_is_told_by_the_status_alone(place: Path) -> None:
    """As of any program that SIGPIPE ends; a fit without its output is not one that went well."""
    fit = f"fit {place}/data/train.txt -m nDCG --l2 1 --out {place}/out/run"
    script = f"{sys.executable} -m rankproof {fit} | true; echo ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("141\n", "")
    assert content(place / "out") == {}


def test_text_that_the_terminal_cannot_show() -> None:
    """Calauzènes, for one, on a terminal that knows Cyrillic and ASCII alone."""
    words = [sys.executable, "-m", "rankproof", "losses", "lift"]
    environment = {**os.environ, "PYTHONIOENCODING": "iso8859-5"}
    ran = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Calauz\\xe8nes" in ran.stdout
