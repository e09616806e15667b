"""The card of a run: all that it takes to defend a reported number, as data and as a page.

``card.json`` and ``card.md`` lie beside ``results.json``, whose SHA-256 the card has; ``verdict.json`` is the
verdict on the loss and the metric with its evidence, which ``rankproof replay`` checks. A card is a function
of the results, the verdict and the exports, so that a change of one of the files is noticed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankproof.errors import ArgumentError, DataError
from rankproof.files import StrPath, as_path, read_whole, sha256_of, sha256_of_bytes, write_files
from rankproof.runs.card_text import card_text
from rankproof.runs.fit_command import fit_command
from rankproof.runs.run_folder import CARD, CARD_TEXT, RESULTS, VERDICT, check_model, read_run

__all__ = ["card_of", "read_card", "record_export", "write_card"]

SCHEMA = "rankproof.card/1"
# What a verdict is about; never what a model of finite size does with finite data.
_PRESUMES = (
    "unlimited data, and a model that can represent any scores",
    "the minimum of the mean loss is reached",
    "queries that are served follow the law of those that were trained on",
)


def card_of(facts: Mapping[str, Any], digest: str, verdict: Mapping[str, Any]) -> dict[str, Any]:
    """The card of the run with these results, whose file has this SHA-256; the exports are none yet.

    ``verdict`` is what `rankproof.runs.review.verdict_facts` tells.
    """
    choice, settings = facts["choice"], facts["settings"]
    return {
        "schema": SCHEMA,
        "results_sha256": digest,
        "metric": choice["metric"],
        "target": choice["target"],
        "loss": choice["loss"],
        "model": settings["model"],
        "verdict": dict(verdict),
        "presumes": [*_PRESUMES, *verdict.get("conditions", ())],
        "data": dict(facts["data"]),
        "results": {part: _numbers(one) for part, one in facts["results"].items()},
        "warnings": [text for text in (choice.get("warning"), *facts["warnings"]) if text],
        "settings": dict(settings),
        "solver": dict(facts["solver"]),
        "versions": dict(facts["versions"]),
        "files": dict(facts["model"]),
        "command": fit_command(facts) if any(one["files"] for one in facts["data"].values()) else None,
        "exports": [],
    }


def _numbers(results: Mapping[str, Any]) -> dict[str, Any]:
    """What is reported of a part, and by which convention."""
    (row,) = results["metrics"]
    words = ("as", "direction", "mean", "interval", "level", "constant", "queries", "empty")
    return {
        "convention": results["convention"],
        **{word: row[word] for word in words},
        "tied_queries": results["tied_queries"],
        "unjudged_items": results["unjudged_items"],
    }


def write_card(draft: Path, verdict: Mapping[str, Any], evidence: str | None) -> None:
    """Write the card, and the verdict with its evidence, beside the results in the draft of a run."""
    about = {**verdict, "evidence": None, "sha256": None}
    if evidence is not None:
        raw = f"{evidence}\n".encode()
        (draft / VERDICT).write_bytes(raw)
        about |= {"evidence": VERDICT, "sha256": sha256_of_bytes(raw)}
    raw = (draft / RESULTS).read_bytes()
    for name, content in _as_files(card_of(json.loads(raw), sha256_of_bytes(raw), about)).items():
        (draft / name).write_bytes(content)


def _as_files(card: Mapping[str, Any]) -> dict[str, bytes]:
    plain = json.dumps(card, ensure_ascii=False, indent=2, allow_nan=False)
    return {CARD: f"{plain}\n".encode(), CARD_TEXT: card_text(card).encode()}


def read_card(path: StrPath) -> dict[str, Any]:
    """The card of a run, when it is that of its results, its model and its verdict.

    Raises
    ------
    DataError
        A file of the run is not the one that the card was written for; it says which, and what differs.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rankproof as rp
    >>> wards, _ = rp.samples.diabetes_wards()
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "run"
    >>> _ = rp.train(wards, metric="nDCG@10", l2=0.1).save(folder)
    >>> read_card(folder)["verdict"]["outcome"]
    'consistent'
    """
    return read_whole(as_path(path), _read_card)


def _read_card(folder: Path) -> dict[str, Any]:
    facts = read_run(folder)
    check_model(folder)
    card = _stored(folder)
    digest = sha256_of(folder / RESULTS)
    renewed = card_of(facts, str(digest), card["verdict"])
    differences = [
        f"{name}: {RESULTS} says {_short(renewed[name])}, {CARD} says {_short(card.get(name))}"
        for name in renewed
        if name not in ("exports", "results_sha256") and renewed[name] != card.get(name)
    ]
    if differences or digest != card["results_sha256"]:
        what = "; ".join(differences) or "the parts that the card has are the same"
        raise DataError(
            f"Card of run {str(folder)!r} is not that of its results: the SHA-256 of {RESULTS} "
            f"{'differs' if digest != card['results_sha256'] else 'is the same'}. {what}. "
            "One of the files was changed. Fit the run again."
        )
    if not _is_evidence(folder / VERDICT, card["verdict"]):
        raise DataError(
            f"{str(folder / VERDICT)!r} is not the evidence that the card is about: its SHA-256 differs, or "
            "it is missing. Fit the run again."
        )
    text = folder / CARD_TEXT
    if not text.is_file() or text.read_text(encoding="utf-8") != card_text(card):
        raise DataError(
            f"{str(text)!r} does not say what {CARD} says: one of them was changed, or it is missing. Fit "
            "the run again."
        )
    return card


def _is_evidence(file: Path, verdict: Mapping[str, Any]) -> bool:
    """Whether a file is the one that a verdict cites, and says the same; without evidence there is none."""
    if verdict.get("evidence") is None:
        return verdict.get("outcome") is None
    if sha256_of(file) != verdict["sha256"]:
        return False
    proven = json.loads(file.read_bytes())
    return all(proven[word] == verdict.get(word) for word in ("outcome", "reason", "reference", "conditions"))


def _stored(folder: Path) -> dict[str, Any]:
    file = folder / CARD
    if not file.is_file():
        raise DataError(
            f"Run {str(folder)!r} has no card: {CARD} is missing, as in runs of versions that wrote none. "
            "Fit it again."
        )
    try:
        card = json.loads(file.read_bytes())
        complete = card["schema"] == SCHEMA and isinstance(card["exports"], list)
        complete = complete and isinstance(card["verdict"], dict) and isinstance(card["results_sha256"], str)
    except (ValueError, KeyError, TypeError):
        complete = False
    if not complete:
        raise DataError(
            f"{str(file)!r} is not a card of the form {SCHEMA!r}. Update rankproof, or fit again."
        )
    whole: dict[str, Any] = card
    return whole


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}..."


def record_export(path: StrPath, parity: Mapping[str, Any]) -> dict[str, Any]:
    """Add the parity of an export to the card of a run; that of the same file and format is replaced.

    Whoever exports a model of a run calls it when the export is written, with what the sidecar says.

    Parameters
    ----------
    path : path
        The folder of the run.
    parity : mapping
        At least ``file`` and ``format``; what else there is, numbers and words, is shown as it is: such as
        ``sha256``, ``rows``, ``largest_difference``, ``orders_changed``.

    Returns
    -------
    dict
        The card.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rankproof as rp
    >>> wards, _ = rp.samples.diabetes_wards()
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "run"
    >>> _ = rp.train(wards, metric="nDCG@10", l2=0.1).save(folder)
    >>> parity = {"file": "model.onnx", "format": "onnx", "rows": 1000, "orders_changed": 0}
    >>> record_export(folder, parity)["exports"] == read_card(folder)["exports"] == [parity]
    True
    """
    missing = [word for word in ("file", "format") if not isinstance(parity.get(word), str)]
    if missing:
        raise ArgumentError(f"Argument parity must name {' and '.join(missing)}, got {dict(parity)!r}.")
    # Only a card that holds is added to: what was changed by hand must not be signed again.
    card = read_card(path)
    same = (parity["file"], parity["format"])
    others = [one for one in card["exports"] if (one["file"], one["format"]) != same]
    card["exports"] = [*others, dict(parity)]
    write_files(path, _as_files(card))
    return card
