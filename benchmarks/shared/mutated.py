"""Mutated files for every reader: each gives data or an error of rankproof, and none takes for ever."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import rankproof as rp
from rankproof.data.scores import read_scores
from rankproof.errors import RankproofError
from rankproof.runs.run_folder import check_model, read_run
from rankproof.runs.search_folder import Search
from rankproof.runs.trials import Trial
from rankproof.theory.replay.replay import replay_file
from shared.table import Losses

__all__ = ["mutated_inputs"]

# A reader that takes longer than this many seconds on a few kilobytes hangs.
PATIENCE = 30
TOKENS = [
    *(b"", b"0", b"-1", b"nan", b"inf", b"1e309", b"9" * 40, b"\0", b"\n", b"\r\n", b" ", b"\t", b"#", b":"),
    *(
        b"qid:",
        b"Q0",
        b"\xff\xfe",
        b"\xf0\x9f\x8e\x89",
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"null",
        b"true",
        b"1:",
    ),
    *(b"1e-300000000", b"\x1f\x8b", b"-0", b"0x10", b"\\u0000", b",", b"../../etc/passwd"),
]
# What a search is about.
SEARCHED = {"settings": {"metric": "nDCG@10", "trials": 3}}
Reader = Callable[[Path], Any]


def mutated(content: bytes, draw: random.Random) -> bytes:
    """One to four changes: a byte, a token, a cut, a doubled or a dropped piece, two lines exchanged."""
    text = bytearray(content)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(text) + 1)
        kind = draw.randrange(7)
        if kind == 0 and at < len(text):
            text[at] = draw.randrange(256)
        elif kind == 1:
            text[at:at] = draw.choice(TOKENS)
        elif kind == 2:
            del text[at : at + draw.randint(1, 12)]
        elif kind == 3:
            text[at:at] = text[at : at + draw.randint(1, 60)]
        elif kind == 4 and draw.random() < 0.2:
            del text[at:]
        elif kind == 5:
            text[at : at + draw.randint(1, 8)] = draw.choice(TOKENS)
        else:
            lines = bytes(text).split(b"\n")
            a, b = draw.randrange(len(lines)), draw.randrange(len(lines))
            lines[a], lines[b] = lines[b], lines[a]
            text = bytearray(b"\n".join(lines))
    return bytes(text)


def _seeds(folder: Path) -> dict[str, tuple[Reader, list[Path]]]:
    """Every reader with files that it reads; of a folder, one file at a time is mutated."""
    labels, offsets = np.array([2.0, 0, 1, 0, 1]), np.array([0, 3, 5])
    X = np.array([[0.5, 1], [0, 2], [1, 0], [3, 0.25], [0, 0]])
    data = rp.RankingData(
        labels=labels, offsets=offsets, X=X, query_ids=np.array(["q1", "q2"]), doc_ids=np.array(list("abcde"))
    )
    rp.write_letor(data, folder / "items.txt")
    rp.write_run(folder / "run.trec", ["q1", "q2"], list("abcde"), [5.0, 4, 3, 2, 1], offsets)
    rp.write_qrels(folder / "qrels.txt", ["q1", "q2"], list("abcde"), labels, offsets)
    (folder / "scores.txt").write_text("0.5\n-1e-3\n2\n0\n1\n")
    (folder / "evidence.json").write_text(rp.certify("softmax", "DCG@2").to_json())
    (folder / "against.json").write_text(rp.certify("listmle", "nDCG@2").to_json())
    train, test = rp.samples.diabetes_wards()
    run = rp.train(train, test=test, metric="nDCG@10", l2=1.0, out=folder / "linear")
    del run
    trees = rp.BoostedRanker("nDCG@10", engine="xgboost", n_estimators=2, num_leaves=3)
    trees.fit(train.X, train.labels, qid=train.qids).save(folder / "trees")
    (folder / "rows.txt").write_text("2 1:0.5 2:1\n0 2:2\n1 1:1\n0 1:3\n1 1:0\n")
    (folder / "rows.query").write_text("3\n2\n")
    _sizes(folder / "rows.query")
    search = Search(folder / "search", SEARCHED)
    for number in range(3):
        search.add(Trial(number, 0.1, 7, 1.0, "softmax", 10, 0.5, (0.25, 0.75)))
    linear, boosted = folder / "linear", folder / "trees"
    return {
        "LETOR": (rp.read_letor, [folder / "items.txt"]),
        "TREC runs": (rp.read_run, [folder / "run.trec"]),
        "TREC judgments": (rp.read_qrels, [folder / "qrels.txt"]),
        "scores": (read_scores, [folder / "scores.txt"]),
        "evidence": (replay_file, [folder / "evidence.json", folder / "against.json"]),
        "models": (_model, [linear / "model.json", linear / "weights.npz"]),
        "models of engines": (_model, [boosted / "model.json"]),
        "query sizes": (_sizes, [folder / "rows.query"]),
        "trials": (_trials, [folder / "search" / "trials.jsonl"]),
        "results.json": (_results, [linear / "results.json"]),
    }


def _model(file: Path) -> Any:
    return rp.load_model(file.parent)


def _sizes(file: Path) -> Any:
    return rp.read_letor(file.with_name("rows.txt"), query_file=file)


def _trials(file: Path) -> Any:
    return Search(file.parent, SEARCHED)


def _results(file: Path) -> Any:
    check_model(file.parent)
    return read_run(file.parent)


def mutated_inputs(folder: Path, count: int, seed: int) -> Iterator[Losses]:
    """A row per reader; two processes share the work, so that a crash of one is seen."""
    seeds = _seeds(folder)
    # What takes a millisecond gets more tries than what takes ten.
    weights = {name: 1 if "model" in name or name in ("evidence", "results.json") else 4 for name in seeds}
    whole = sum(weights.values())
    context = multiprocessing.get_context("fork")
    for name, (read, files) in seeds.items():
        tries = -(-count * weights[name] // whole)
        parts = [tries // 2, tries - tries // 2]
        with context.Manager() as manager:
            wrong = manager.list()
            workers = [
                context.Process(target=_work, args=(name, read, files, part, seed * 2 + k, folder, wrong))
                for k, part in enumerate(parts)
            ]
            for one in workers:
                one.start()
            for one in workers:
                one.join()
            crashed = sum(one.exitcode != 0 for one in workers)
            for problem in list(wrong)[:5]:
                print(f"  {name}: {problem}", file=sys.stderr)
            yield Losses(f"mutated {name}: foreign errors, crashes, hangs", len(wrong) + crashed, tries)


def _work(
    name: str, read: Reader, files: list[Path], tries: int, seed: int, folder: Path, wrong: Any
) -> None:
    draw = random.Random(f"{name} {seed}")
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _hang)
    place = folder / f"mutated-{name.replace(' ', '-')}-{os.getpid()}"
    place.mkdir()
    # The other files of a folder, as they are.
    for beside in {one for file in files for one in file.parent.iterdir() if one.is_file()}:
        (place / beside.name).write_bytes(beside.read_bytes())
    contents = {file.name: file.read_bytes() for file in files}
    os.environ["RANKPROOF_THREADS"] = "1"
    for _ in range(tries):
        target = draw.choice(sorted(contents))
        content = mutated(contents[target], draw)
        (place / target).write_bytes(content)
        signal.alarm(PATIENCE)
        try:
            read(place / target)
        except RankproofError:
            pass
        except BaseException as error:
            wrong.append(f"{type(error).__name__}: {str(error)[:100]} {target} {content[:300]!r}")
        signal.alarm(0)
        (place / target).write_bytes(contents[target])


def _hang(number: int, frame: object) -> None:  # noqa: ARG001
    raise TimeoutError("the reader hangs")
