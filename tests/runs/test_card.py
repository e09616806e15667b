"""The card of a run says what its results say, and is refused where a file of the run was changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankproof as rp
from rankproof.errors import ArgumentError, DataError
from rankproof.files import sha256_of, sha256_of_bytes
from rankproof.runs.card import read_card, record_export
from rankproof.runs.run_folder import read_run

TRAIN, TEST = rp.samples.diabetes_wards()
FILES = ["card.json", "card.md", "model.json", "results.json", "verdict.json", "weights.npz"]


def run_in(folder: Path, **more: Any) -> dict[str, Any]:
    """What ``results.json`` of a new run says."""
    rp.train(TRAIN, test=TEST, metric="nDCG@10", l2=0.1, out=folder, **more)
    return read_run(folder)


def test_a_run_has_a_card_with_the_numbers_of_its_results(tmp_path: Path) -> None:
    facts = run_in(tmp_path / "run")
    assert sorted(file.name for file in (tmp_path / "run").iterdir()) == FILES
    card = read_card(tmp_path / "run")
    (row,) = facts["results"]["test"]["metrics"]
    told = card["results"]["test"]
    for word in ("mean", "interval", "level", "constant", "queries", "empty", "direction"):
        assert told[word] == row[word]
    assert told["convention"] == facts["results"]["test"]["convention"] == "rankproof"
    assert (card["metric"], card["loss"]) == ("nDCG@10", "softmax:normalised-gain@10")
    assert card["target"] == "normalised-gain@10"
    for word in ("data", "settings", "versions", "solver"):
        assert card[word] == facts[word]
    assert card["files"] == facts["model"]
    assert card["results_sha256"] == sha256_of(tmp_path / "run" / "results.json")
    assert card["command"] is None, "arrays have no file names"
    page = (tmp_path / "run" / "card.md").read_text()
    interval = f"[{row['interval'][0]:.4f}, {row['interval'][1]:.4f}], 95%"
    assert f"| test | {row['mean']:.4f} | {interval} | {row['constant']:.4f} | 10 | 0 | 0 |" in page
    assert "consistent" in page
    assert all(f"`{name}` | {digest}" in page for name, digest in facts["model"].items())


def test_the_verdict_has_evidence_that_can_be_replayed(tmp_path: Path) -> None:
    run_in(tmp_path / "run")
    card = read_card(tmp_path / "run")
    text = (tmp_path / "run" / "verdict.json").read_text()
    assert card["verdict"]["evidence"] == "verdict.json"
    assert card["verdict"]["sha256"] == sha256_of_bytes(text.encode())
    verdict = rp.Verdict.from_json(text)
    assert verdict.outcome == card["verdict"]["outcome"] == "consistent"
    assert rp.replay(verdict).holds
    assert card["presumes"][0] == "unlimited data, and a model that can represent any scores"


@pytest.mark.filterwarnings("ignore::rankproof.errors.ConsistencyWarning")
def test_a_loss_that_is_not_consistent_is_called_so(tmp_path: Path) -> None:
    run_in(tmp_path / "run", loss="listnet")
    card = read_card(tmp_path / "run")
    assert card["verdict"]["outcome"] == "inconsistent"
    assert "**not consistent**" in (tmp_path / "run" / "card.md").read_text()
    assert any("listnet is not proven to optimise nDCG@10" in text for text in card["warnings"])
    verdict = rp.Verdict.from_json((tmp_path / "run" / "verdict.json").read_text())
    assert rp.replay(verdict).holds


@pytest.mark.filterwarnings("ignore::rankproof.errors.ConsistencyWarning")
def test_a_condition_is_among_what_is_presumed(tmp_path: Path) -> None:
    rp.train(TRAIN, metric="ERR@10", noise="independent", l2=0.1, out=tmp_path / "run")
    card = read_card(tmp_path / "run")
    assert card["verdict"]["conditions"]
    assert card["presumes"][3:] == card["verdict"]["conditions"]
    assert all(f"- {one}" in (tmp_path / "run" / "card.md").read_text() for one in card["presumes"])


def changed_json(name: str, change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        content = json.loads((folder / name).read_text())
        change(content)
        (folder / name).write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n")

    return apply


def better_results(content: dict[str, Any]) -> None:
    content["results"]["test"]["metrics"][0]["mean"] = 0.99


def better_card(content: dict[str, Any]) -> None:
    content["results"]["test"]["mean"] = 0.99


def other_verdict(content: dict[str, Any]) -> None:
    content["verdict"]["outcome"] = "undecided"


def hidden_verdict(content: dict[str, Any]) -> None:
    content["verdict"]["evidence"] = None


def fewer_premises(content: dict[str, Any]) -> None:
    content["presumes"] = content["presumes"][1:]


def no_results(content: dict[str, Any]) -> None:
    del content["results_sha256"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            changed_json("results.json", better_results),
            r"SHA-256 of results\.json differs\. results: results\.json says .*0\.99.*card\.json says .*0\.8",
        ),
        (changed_json("card.json", better_card), r"is the same\. results: .* card\.json says .*0\.99"),
        (changed_json("card.json", fewer_premises), r"presumes: results\.json says .*unlimited"),
        (changed_json("card.json", other_verdict), "not the evidence that the card is about"),
        (changed_json("card.json", hidden_verdict), "not the evidence that the card is about"),
        (changed_json("card.json", no_results), "is not a card of the form"),
        (lambda folder: (folder / "card.json").write_text("[]"), "is not a card of the form"),
        (lambda folder: (folder / "card.json").unlink(), "has no card"),
        (
            lambda folder: (folder / "card.md").write_text(
                (folder / "card.md").read_text().replace("0.86", "0.96")
            ),
            r"card\.md' does not say what card\.json says",
        ),
        (lambda folder: (folder / "card.md").unlink(), "does not say what"),
        (lambda folder: (folder / "verdict.json").unlink(), "not the evidence"),
        (lambda folder: (folder / "weights.npz").write_bytes(b""), "does not belong to the model"),
    ],
)
def test_what_was_changed_is_refused(change: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    run_in(tmp_path / "run")
    change(tmp_path / "run")
    with pytest.raises(DataError, match=message):
        read_card(tmp_path / "run")
    with pytest.raises(DataError):
        record_export(tmp_path / "run", {"file": "m.onnx", "format": "onnx"})


def test_exports_are_recorded(tmp_path: Path) -> None:
    run_in(tmp_path / "run")
    first = {
        "file": "m.onnx",
        "format": "onnx",
        "rows": 100_000,
        "largest_difference": 0.0,
        "orders_changed": 0,
    }
    other = {"file": "m.json", "format": "solr", "versions": {"solr": "9.7"}, "a|b": "c\nd"}
    record_export(tmp_path / "run", first)
    record_export(tmp_path / "run", other)
    again = {**first, "rows": 5}
    assert record_export(tmp_path / "run", again)["exports"] == [other, again]
    assert read_card(tmp_path / "run")["exports"] == [other, again]
    page = (tmp_path / "run" / "card.md").read_text()
    assert "- `m.onnx` (onnx): rows 5, largest_difference 0.0, orders_changed 0\n" in page
    assert "c d" in page
    with pytest.raises(ArgumentError, match="parity must name format"):
        record_export(tmp_path / "run", {"file": "m"})
    # Nothing else of the run changed.
    assert rp.load_model(tmp_path / "run").predict(TEST.X).size == TEST.items


def test_a_run_that_is_replaced_has_a_new_card(tmp_path: Path) -> None:
    run_in(tmp_path / "run")
    record_export(tmp_path / "run", {"file": "m.onnx", "format": "onnx"})
    run_in(tmp_path / "run", seed=7, replace=True)
    card = read_card(tmp_path / "run")
    assert (card["settings"]["seed"], card["exports"]) == (7, [])
    assert sorted(file.name for file in (tmp_path / "run").iterdir()) == FILES
