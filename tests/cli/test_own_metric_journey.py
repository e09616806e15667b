"""The journey of a user's metric: certify, evaluate, standardize, fit, predict, compare, explain, report."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp

Run = Callable[..., Any]

METRICS = """
import math

def cost_precision(ranking, feedback):
    # A good item is worth 1, a bad one costs 0.3.
    return sum((0, 1, -0.3)[feedback[item]] for item in ranking[:2]) / 2

def revenue_at_3(ranking, feedback):
    return sum((0, 1, 5)[feedback[item]] for item in ranking[:3])

def clean_page(ranking, feedback):
    # A hit (2) and no spam (1) on the first page.
    page = [feedback[item] for item in ranking[:2]]
    return int(2 in page and 1 not in page)

def own_ndcg(ranking, feedback):
    gains = [(0, 1, 5)[feedback[item]] for item in ranking]
    def dcg(ranked):
        return sum(gain / math.log2(k + 2) for k, gain in enumerate(ranked))
    best = dcg(sorted(gains, reverse=True))
    return dcg(gains) / best if best else None

def wasted(ranking, feedback):
    return sum(feedback[item] == 0 for item in ranking[:2])
"""
# Name, what is said of its worths, options of training, exit status of certify.
JOURNEYS = [
    ("cost_precision", "0 -> 0, 1 -> 1, 2 -> -0.3", (), 4),
    ("revenue_at_3", "0 -> 0, 1 -> 1, 2 -> 5", (), 4),
    ("clean_page", "0 -> 0, 1 -> -1, 2 -> 1", ("--nearest",), 1),
    ("own_ndcg", "0 -> 0, 1 -> 1, 2 -> 5, times a factor per query", (), 4),
]


def one_over_ideal(labels: np.ndarray) -> float:
    """The factor of a query for own_ndcg; of a query without relevant items nothing is learnt."""
    gains = np.sort(np.array([0.0, 1.0, 5.0])[labels.astype(int)])[::-1]
    ideal = float(gains @ (1.0 / np.log2(np.arange(2.0, gains.size + 2.0))))
    return 1.0 / ideal if ideal else 0.0


@pytest.fixture
def run(rankproof: Run) -> Run:
    return rankproof


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("own")
    (place / "mine.py").write_text(METRICS)
    random = np.random.default_rng(4)
    for name, queries in (("train.txt", 50), ("test.txt", 30)):
        offsets = np.concatenate(([0], np.cumsum(random.integers(4, 9, queries))))
        X = random.random((offsets[-1], 3))
        noisy = X[:, 0] + 0.15 * random.normal(size=len(X))
        labels = np.where(noisy > 0.75, 2.0, np.where(X[:, 1] > 0.6, 1.0, 0.0))
        rp.write_letor(rp.RankingData(labels=labels, offsets=offsets, X=X), place / name)
    return place


@pytest.mark.parametrize(
    ("name", "worths", "options", "status"), JOURNEYS, ids=[name for name, *_ in JOURNEYS]
)
def test_the_journey_of_a_metric(
    name: str, worths: str, options: tuple[str, ...], status: int, folder: Path, run: Run, tmp_path: Path
) -> None:
    metric, train, test = f"{folder}/mine.py:{name}", folder / "train.txt", folder / "test.txt"

    verdict = run("certify", "--metric", metric, "--grades", "3", "--evidence", tmp_path / "why.json")
    assert verdict.status == status
    said = " ".join(verdict.out.split())
    assert worths in said
    assert run("replay", tmp_path / "why.json").status == 0

    targets = tmp_path / "targets.txt"
    done = run("standardize", train, "--metric", metric, *options, "-o", targets)
    assert done.status == 0, done.err
    listed = [float(text.split("-> ")[1]) for text in worths.split(", ") if "->" in text]
    data = rp.read_letor(train)
    queries = [data.labels[a:b] for a, b in pairwise(data.offsets)]
    factors = [one_over_ideal(labels) if "factor" in worths else 1.0 for labels in queries]
    expected = [
        factor * listed[int(y)] for labels, factor in zip(queries, factors, strict=True) for y in labels
    ]
    # Alike labels have no order, whatever their target: their factor may be another one.
    told = np.concatenate([np.full(labels.size, np.ptp(labels) > 0) for labels in queries])
    written = rp.read_letor(targets).labels
    assert written[told].tolist() == pytest.approx(np.array(expected)[told].tolist(), abs=1e-12)

    refused = run("fit", train, "--metric", metric, "--out", tmp_path / "no", "-q")
    assert (refused.status != 0) == bool(options)
    out = tmp_path / "run"
    fitted = run(
        *("fit", train, "--test", test, "--metric", metric, *options, "--l2", "1,0.01", "--out", out, "-q")
    )
    assert fitted.status == 0, fitted.err
    text = " ".join(fitted.out.split())
    if options:
        assert "--nearest" in refused.err
        assert "loses at most" in " ".join(fitted.err.split())
        assert "not proven to be consistent" in text
    else:
        assert "proven on all lists of 2, 3, 4 items with grades 0, 1, 2" in text
        assert "checked on drawn exchanges, not proven" in text
        # The command that explains the choice agrees with it.
        (why,) = [line for line in fitted.out.splitlines() if line.startswith("why")]
        asked = run(*shlex.split(why)[2:])
        assert asked.status == 4, asked.err
        assert asked.out.startswith("Consistent: ")
        # And a loss by its name alone is aimed at the same target.
        file = tmp_path / "squared.json"
        named = run("certify", "squared", "--metric", metric, "--grades", "3", "--evidence", file)
        assert named.out.startswith("Consistent: squared:label-worth(")
        assert run("replay", file).status == run("replay", file, "--run-code").status == 0
        assert ("factor=query" in named.out.partition(" is consistent")[0]) == ("factor" in worths)
        if "-" in worths.split("-> ", 1)[1].replace("->", ""):
            refused = run(
                "fit", train, "--metric", metric, "--loss", "softmax", "--out", tmp_path / "not", "-q"
            )
            assert refused.status == 3
            assert "takes targets of at least 0" in refused.err
    facts = json.loads((out / "results.json").read_text())
    assert facts["choice"]["metric"] == metric
    (result,) = facts["results"]["test"]["metrics"]
    value = result["mean"]

    assert run("predict", out, test, "-o", tmp_path / "mine.scores").status == 0
    other = run("fit", train, "--metric", "nDCG@3", "--l2", "0.1", "--out", tmp_path / "ndcg", "-q")
    assert other.status == 0
    assert run("predict", tmp_path / "ndcg", test, "-o", tmp_path / "ndcg.scores").status == 0

    scores = tmp_path / "mine.scores"
    shown = run("evaluate", "--data", test, "--scores", scores, "-m", metric, "-m", "AP", "--json")
    first = json.loads(shown.out)["metrics"][0]
    assert (first["metric"], first["mean"]) == (metric, pytest.approx(value, abs=1e-12))
    latex = run("evaluate", "--data", test, "--scores", scores, "-m", metric, "--latex")
    assert name.replace("_", r"\_") in latex.out
    compared = run(
        *("compare", scores, tmp_path / "ndcg.scores", "--data", test, "-m", metric),
        *("--report", tmp_path / "c.html"),
    )
    assert compared.status == 0
    assert metric in compared.out
    assert metric in (tmp_path / "c.html").read_text()
    query = rp.read_letor(test).query_ids[0]
    explained = run("explain", metric, "--data", test, "--scores", scores, "--query", query)
    assert f"{metric} = " in explained.out

    page = (out / "report.html").read_text()
    assert metric in page
    assert ("loses at most" if options else "checked on drawn exchanges, not proven") in page


def test_reports_of_a_run_run_no_code_unless_told(folder: Path, run: Run, tmp_path: Path) -> None:
    code = tmp_path / "mine.py"
    code.write_text(METRICS)
    out = tmp_path / "run"
    words = ("--metric", f"{code}:revenue_at_3", "--l2", "0.1", "--out", out, "-q")
    assert run("fit", folder / "train.txt", "--test", folder / "test.txt", *words).status == 0
    whole = (out / "report.html").read_text()
    again = run("report", out, "--run-code", "-o", tmp_path / "again.html")
    assert again.status == 0
    assert "Query by query" in (tmp_path / "again.html").read_text()
    assert "Query by query" in whole
    marker = tmp_path / "ran"
    code.write_text(METRICS + f"\nopen({str(marker)!r}, 'w').close()\n")
    for command in (
        ("report", out, "-o", tmp_path / "without.html"),
        ("predict", out, folder / "test.txt", "-o", tmp_path / "s.txt"),
    ):
        assert run(*command).status == 0
    assert not marker.exists()
    without = (tmp_path / "without.html").read_text()
    assert "revenue_at_3" in without
    assert "no file is run because another file names it" in without
    assert run("report", out, "--run-code", "-o", tmp_path / "with.html").status == 0
    assert marker.exists()


def test_the_command_of_a_run_makes_it_again(folder: Path, run: Run, tmp_path: Path) -> None:
    from rankproof.cli.commands import fit_command

    place = f"{folder}/mine.py:wasted"
    words = ("--metric", place, "--lower-is-better", "--grades", "3", "--ties", "row", "--l2", "0.1", "-q")
    assert run("fit", folder / "train.txt", *words, "--out", tmp_path / "run").status == 0
    facts = json.loads((tmp_path / "run" / "results.json").read_text())
    command = fit_command(facts)
    for option in ("--lower-is-better", "--grades 3", "--ties row", place):
        assert option in command


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-m", "{folder}/none.py:f"), "There is no file"),
        (("-m", "{folder}/mine.py:nothing"), "has no 'nothing'"),
        (("-m", "{folder}/mine.py"), "Which function"),
        (("-m", "AP", "--lower-is-better"), "--lower-is-better is about a metric of your own"),
        (("-m", "{folder}/mine.py:revenue_at_3", "--bounds"), "--bounds"),
        (("-m", "{folder}/mine.py:revenue_at_3", "--as", "trec_eval"), "cannot be computed as trec_eval"),
    ],
)
def test_refusals_name_options(folder: Path, run: Run, tmp_path: Path, words: Any, message: str) -> None:
    scores = tmp_path / "s.txt"
    scores.write_text("\n".join(["1"] * rp.read_letor(folder / "test.txt").items) + "\n")
    given = [word.format(folder=folder) for word in words]
    refused = run("evaluate", "--data", folder / "test.txt", "--scores", scores, *given)
    assert refused.status != 0
    assert message in " ".join(refused.err.split())


@pytest.mark.exhaustive
def test_tuning_compares_trials_by_the_function(folder: Path, run: Run, tmp_path: Path) -> None:
    metric = f"{folder}/mine.py:wasted"
    words = ("--metric", metric, "--lower-is-better", "--grades", "3", "--trials", "2", "--folds", "2")
    done = run("tune", folder / "train.txt", *words, "-q", "--json", "--out", tmp_path / "search")
    assert done.status == 0, done.err
    command = json.loads(done.out)["command"]
    assert f"--metric {metric}" in command
    assert "--lower-is-better" in command
    assert "--grades 3" in command
