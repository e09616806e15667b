"""Model files that somebody changed, checksums included: every change is a model or our error."""

from __future__ import annotations

import hashlib
import json
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import RankproofError

ODD: list[Any] = [None, -1, 1e400, "", "nonsense", [], [1], {}, {"loss": 3}, True, "9" * 5000]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every entry of plain data."""
    if path:
        yield path
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, entry in entries:
        yield from places(entry, (*path, key))


def tampered(folder: Path, path: tuple[Any, ...], value: Any) -> None:
    """Put a value into ``model.json``, or take the entry out, and make its checksum fit."""
    content = json.loads((folder / "model.json").read_text())
    del content["sha256"]
    at = content
    for key in path[:-1]:
        at = at[key]
    if value == "gone":
        del at[path[-1]]
    else:
        at[path[-1]] = value
    content["sha256"] = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    (folder / "model.json").write_text(json.dumps(content))


def saved(kind: str, folder: Path) -> rp.RankingData:
    rng = np.random.default_rng(0)
    data = rp.RankingData(
        labels=rng.integers(0, 3, 60), offsets=np.arange(0, 61, 10), X=rng.normal(size=(60, 3))
    )
    ranker: Any = rp.LinearRanker("nDCG") if kind == "linear" else rp.BoostedRanker("nDCG", n_estimators=3)
    ranker.fit(data.X, data.labels, qid=data.qids).save(folder)
    return data


@pytest.mark.parametrize("kind", ["linear", "lightgbm"])
def test_every_change_of_the_text_is_a_model_or_our_error(tmp_path: Path, kind: str) -> None:
    data = saved(kind, tmp_path / "model")
    content = json.loads((tmp_path / "model" / "model.json").read_text())
    refused = 0
    for number, path in enumerate(places({k: v for k, v in content.items() if k != "sha256"})):
        for value in (ODD[number % len(ODD)], ODD[(3 * number + 1) % len(ODD)], "gone"):
            folder = tmp_path / "changed"
            shutil.copytree(tmp_path / "model", folder)
            tampered(folder, path, value)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    rp.load_model(folder).predict(data.X, qid=data.qids)
            except RankproofError:
                refused += 1
            except ValueError as problem:
                # scikit-learn's own word on a matrix that is not as wide as the model says it is.
                if "features, but" not in str(problem):
                    raise
            shutil.rmtree(folder)
    assert refused > 20


def test_text_that_is_nested_without_an_end_is_refused(tmp_path: Path) -> None:
    saved("linear", tmp_path / "model")
    for text in ("[" * 100_000, "9" * 100_000, '{"format": ' + "[" * 100_000):
        (tmp_path / "model" / "model.json").write_text(text)
        with pytest.raises(RankproofError, match=r"model\.json"):
            rp.load_model(tmp_path / "model")
