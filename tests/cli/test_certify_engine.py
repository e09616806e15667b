"""``rankproof certify ENGINE:OBJECTIVE``: the proof and the demonstration, printed and stored apart."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rankproof as rp
from rankproof.cli import certify_engine
from rankproof.experiments.engines import demonstrate as module

Run = Callable[..., Any]
LAW = rp.Law({(2, 1): "3/5", (0, 1): "2/5"})


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """One short run on one law instead of nine long ones."""
    train = rp.demonstrate

    def short(objective: str, metric: str, law: Any = None, **words: Any) -> rp.Demonstration:
        del words["noise"]
        return train(objective, metric, law or LAW, rates=[0.1], seeds=[0], trees=30, **words)

    monkeypatch.setattr(module, "demonstrate", short)


def hide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)


@pytest.mark.usefixtures("quick")
def test_both_answers_are_printed_stored_and_checked_again(
    rankproof: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "why.json"
    ran = rankproof("certify", "lightgbm:lambdarank", "--metric", "nDCG", "--evidence", file)
    # The exit status is that of the verdict.
    assert ran.status == 1, ran.err
    proven, shown = ran.out.split("Shown by training (a demonstration, not a proof)")
    assert proven.startswith("Inconsistent: lightgbm:lambdarank is not consistent with nDCG.")
    assert "1 of 1 runs ended at an order that is not best" in " ".join(shown.split())
    plain = json.loads(file.read_text(encoding="utf-8"))
    assert plain["verdict"]["outcome"] == "inconsistent"
    assert plain["demonstration"]["wrong_runs"] == 1
    again = rankproof("replay", file)
    assert again.status == 0, again.out
    assert "all hold" in again.out
    assert "trained again  repeated: 1 runs" in again.out
    # A demonstration that did not happen is found out, and the proof beside it still holds.
    forged = json.loads(file.read_text(encoding="utf-8"))
    forged["demonstration"]["runs"][0]["orders"] = [[1, [[1], [0]], 0.0]]
    forged["demonstration"].update(wrong_runs=0, wrong_iterations=0.0, lost=0.0)
    file.write_text(json.dumps(forged), encoding="utf-8")
    ran = rankproof("replay", file, "--json")
    assert ran.status == 1
    found = json.loads(ran.out)
    assert (found["holds"], found["proof"]["holds"], found["demonstration"]["holds"]) == (False, True, False)
    # One of another metric does not belong to the verdict.
    forged["demonstration"] = rp.demonstrate(
        "lightgbm:lambdarank", "DCG", LAW, rates=[0.1], seeds=[0], trees=2
    ).to_dict()
    file.write_text(json.dumps(forged), encoding="utf-8")
    ran = rankproof("replay", file)
    assert ran.status == 3
    assert "do not belong together" in ran.err
    # Without the engine nothing is confirmed.
    file.write_text(json.dumps(plain), encoding="utf-8")
    hide(monkeypatch)
    ran = rankproof("replay", file)
    assert ran.status == 2
    assert "NOT trained again" in ran.out
    assert "pip install lightgbm" in ran.out


def test_without_the_engine_the_proof_is_still_there(rankproof: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch)
    ran = rankproof("certify", "lightgbm:lambdarank", "--metric", "nDCG", "--json")
    assert ran.status == 1
    plain = json.loads(ran.out)
    assert plain["verdict"]["outcome"] == "inconsistent"
    assert plain["demonstration"] is None
    assert "pip install lightgbm" in plain["missing"]


def test_a_demonstration_alone_can_be_replayed(rankproof: Run, tmp_path: Path) -> None:
    shown = rp.demonstrate("xgboost:rank:ndcg", "nDCG", LAW, rates=[0.1], seeds=[0], trees=30)
    (tmp_path / "shown.json").write_text(shown.to_json(), encoding="utf-8")
    ran = rankproof("replay", tmp_path / "shown.json")
    assert ran.status == 0
    assert "a demonstration, not a proof" in ran.out


def test_an_unknown_objective_is_refused(rankproof: Run) -> None:
    ran = rankproof("certify", "lightgbm:lamdarank", "--metric", "nDCG")
    assert ran.status == 3
    assert "Did you mean 'lambdarank'" in ran.err


OWN = """
from fractions import Fraction

def mine(ranking, feedback):
    return Fraction((0, 1, 5)[feedback[ranking[0]]])

def wasted(ranking, feedback):
    return 5 - mine(ranking, feedback)

def long_lists(ranking, feedback):
    return sum(feedback[item] for item in ranking[:3])
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(OWN)
    return file


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("name", "options"), [("mine", ()), ("wasted", ("--lower-is-better",))])
def test_a_metric_of_ones_own_is_demonstrated_under_the_law_of_the_proof(
    name: str, options: tuple[str, ...], place: Path, rankproof: Run, tmp_path: Path
) -> None:
    file = tmp_path / "why.json"
    metric = ("--metric", f"{place}:{name}", "--grades", "3", *options)
    ran = rankproof("certify", "lightgbm:lambdarank", *metric, "--evidence", file)
    assert ran.status == 1, ran.err
    assert "Shown by training (a demonstration, not a proof)" in ran.out
    plain = json.loads(file.read_text())
    proven, shown = plain["verdict"], plain["demonstration"]
    law = rp.Law.from_dict(shown["law"])
    assert law == rp.Law.from_dict(proven["evidence"][0]["law"])
    assert shown["metric"] == proven["metric"] == f"{place}:{name}"
    # The first item counts 0, 1 or 5, by its label; or what is wasted of 5.
    means = [sum(p * (0, 1, 5)[int(y[i])] for y, p in law.pairs()) for i in range(law.items)]  # type: ignore[index]
    best = max(means) if name == "mine" else 5 - max(means)
    assert shown["best_value"] == pytest.approx(float(best))
    assert f"{shown['best_value']:.4f}" in ran.out
    for words in ((), ("--run-code",)):
        again = rankproof("replay", file, *words)
        assert again.status == 0, again.out
        assert "trained again  repeated" in again.out
    # Another function gives other values, which shows only when it may run.
    place.write_text(OWN.replace("(0, 1, 5)", "(0, 1, 4)"))
    assert rankproof("replay", file).status == 0
    again = rankproof("replay", file, "--run-code")
    assert again.status == 1
    assert again.out.count("gives other values today than those that are stored") == 2


@pytest.mark.usefixtures("quick")
def test_stored_values_of_a_demonstration_are_checked(place: Path, rankproof: Run, tmp_path: Path) -> None:
    file = tmp_path / "shown.json"
    shown = rp.demonstrate("lightgbm:lambdarank", f"{place}:mine", LAW, rates=[0.1], seeds=[0], trees=30)

    def replayed(change: Callable[[dict[str, Any]], None]) -> str:
        plain = json.loads(shown.to_json())
        change(plain)
        file.write_text(json.dumps(plain))
        ran = rankproof("replay", file)
        assert (ran.status == 0) == ("NOT repeated" not in ran.out), ran.out
        return str(ran.out)

    assert "NOT" not in replayed(lambda plain: plain.update(missing=None))
    assert "its best rankings" in replayed(lambda plain: plain["values"]["rows"].reverse())
    assert "are not stored" in replayed(lambda plain: plain.pop("values"))
    assert "could be computed" in replayed(lambda plain: plain.update(metric="nDCG"))
    assert "cannot be read" in replayed(lambda plain: plain["values"].pop("rows"))
    assert "cannot be read" in replayed(lambda plain: plain["values"]["space"].update(items=3))
    assert "its best rankings" in replayed(lambda plain: plain["values"].update(direction="lower"))


def test_a_function_is_demonstrated_and_its_file_can_be_replayed() -> None:
    def first(ranking: tuple[int, ...], feedback: Any) -> int:
        return int(feedback[ranking[0]])

    shown = rp.demonstrate("lightgbm:lambdarank", first, LAW, rates=[0.1], seeds=[0], trees=30)
    # E[label] is 6/5 and 1: to put item 0 first is best.
    assert (shown.metric, shown.best_rankings, shown.best_value) == ("function first", ((0, 1),), 1.2)
    again = rp.Demonstration.from_json(shown.to_json())
    assert again == shown
    assert again.replay().holds


def test_a_metric_that_no_known_law_tells_apart_says_so(place: Path) -> None:
    verdict = rp.certify("listnet", "nDCG")
    evidence = certify_engine.engine_evidence(
        replace(verdict, evidence=()), "lightgbm:lambdarank", f"{place}:long_lists"
    )
    assert evidence.demonstration is None
    assert "tells rankings apart" in str(evidence.missing)


def test_a_file_without_proof_and_demonstration_holds_nothing(rankproof: Run, tmp_path: Path) -> None:
    parts = dict.fromkeys(("verdict", "demonstration", "missing"))
    plain = {"format": "rankproof.engine-evidence", "version": 1, **parts}
    (tmp_path / "none.json").write_text(json.dumps(plain), encoding="utf-8")
    ran = rankproof("replay", tmp_path / "none.json")
    assert ran.status == 3
    assert "neither a verdict nor a demonstration" in ran.err


@pytest.mark.exhaustive
def test_the_demonstration_keeps_to_the_condition(rankproof: Run) -> None:
    ran = rankproof("certify", "lightgbm:lambdarank", "-m", "nDCG", "--noise", "one relevant", "--json")
    plain = json.loads(ran.out)
    assert plain["verdict"]["noise"] == "one relevant"
    if plain["demonstration"] is None:
        assert "one relevant" in plain["missing"]
    else:
        assert rp.noise.check(rp.Law.from_dict(plain["demonstration"]["law"]), "one relevant")
