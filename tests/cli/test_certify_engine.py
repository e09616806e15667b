"""``rankproof certify ENGINE:OBJECTIVE``: the proof and the demonstration, printed and stored apart."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
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
    train = module.demonstrate

    def short(objective: str, metric: str, noise: Any = None, progress: Any = None) -> rp.Demonstration:
        return train(objective, metric, LAW, rates=[0.1], seeds=[0], trees=30, progress=progress)

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


def test_a_metric_of_ones_own_is_not_trained_for() -> None:
    verdict = rp.certify("listnet", "nDCG")
    found = certify_engine.engine_evidence(verdict, "lightgbm:lambdarank", "mine.py:f")
    assert found.demonstration is None
    assert "metrics of rankproof" in str(found.missing)


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
