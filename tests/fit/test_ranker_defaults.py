"""The parameters of rankers have one default each, which classes and commands read from one place."""

from __future__ import annotations

import ast
import inspect
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import rankproof as rp
from rankproof.fit import defaults
from rankproof.fit.ranker import Ranker

# Parameters of one linear ranker only.
ONLY_CV, ONLY_SINGLE = {"l2s", "folds"}, {"l2"}


def signature_of(ranker: type[Ranker]) -> dict[str, Any]:
    return {name: one.default for name, one in inspect.signature(ranker).parameters.items()}


@pytest.mark.parametrize(
    ("ranker", "values", "others"),
    [
        (rp.LinearRanker, defaults.LINEAR, ONLY_CV),
        (rp.LinearRankerCV, defaults.LINEAR, ONLY_SINGLE),
        (rp.BoostedRanker, defaults.BOOSTED, set()),
        (rp.NeuralRanker, defaults.NEURAL, set()),
    ],
)
def test_a_signature_shows_the_defaults(ranker: type[Ranker], values: Any, others: set[str]) -> None:
    shown = signature_of(ranker)
    expected = {name: value for name, value in asdict(values).items() if name not in others}
    assert {name: shown[name] for name in expected} == expected
    assert not others & shown.keys()


def test_features_are_scaled_unless_told_otherwise() -> None:
    """One tolerance and one penalty would mean something else for every unit of a feature."""
    assert signature_of(rp.LinearRanker)["scale"] == signature_of(rp.LinearRankerCV)["scale"] == "standard"


def test_defaults_can_be_shown_without_loading_a_solver() -> None:
    tree = ast.parse(Path(inspect.getfile(defaults)).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert {node.module for node in imports if isinstance(node, ast.ImportFrom)} == {
        "__future__",
        "dataclasses",
    }
    assert not any(isinstance(node, ast.Import) for node in imports)
