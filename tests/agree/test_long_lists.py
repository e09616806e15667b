"""Lists too long to list all rankings of: strict ones for all metrics, tied ones for pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from agree.brute import Oracle
from agree.brute_pairs import disagreement, kendall
from drawn import is_exhaustive
from every_case import every_case, exhaustive
from properties.strategies import Ragged, accepts, plain, values, variants
from rankproof.metrics import METRICS, metric

# Few grades; all that a table of 64 holds; fractions and negative ones; all different.
LABELS: dict[str, np.ndarray] = {
    "few": np.array([0.0, 0.0, 0.0, 1.0, 2.0, 3.0]),
    "many": np.arange(64.0),
    "odd": np.array([-1.5, -1.0, 0.0, 0.25, 1.0, 1.5, 66.0]),
    "different": np.arange(0.0, 50.0, 0.07),
}


def close(got: float, wanted: Any) -> bool:
    if wanted is None:
        return math.isnan(got)
    return math.isclose(got, float(wanted), rel_tol=1e-12, abs_tol=1e-12)


@every_case("kind", LABELS)
@every_case("name", METRICS, thin=True)
def test_strict_lists(name: str, kind: str) -> None:
    rng = np.random.default_rng(150)
    items, missed = (90, 12) if is_exhaustive() else (30, 12)
    labels = [plain(y) for y in rng.choice(LABELS[kind], items).tolist()]
    tail = [plain(y) for y in rng.choice(LABELS[kind], missed).tolist()]
    scores = rng.permutation(items).astype(float)
    ranked = [labels[i] for i in np.argsort(-scores)]
    for found in variants(METRICS[name]):
        if not accepts(found, (*labels, *tail)):
            continue
        oracle = Oracle.of(found)
        rest = [] if oracle.tail_is_ranked else tail
        got = values(found, Ragged.of([(scores.tolist(), labels, rest)]))[0]
        assert close(got, oracle.strict(ranked, rest)), found


PAIRS = {
    "PD": {"ties": "half", "normalize": False},
    "PD(ties=full,normalize=true)": {"ties": "full", "normalize": True},
    "WPDL(weight=difference)": {"weight": "difference", "ties": "half", "normalize": False},
    "WPDL(weight=difference,normalize=true)": {"weight": "difference", "ties": "half", "normalize": True},
    "WPDL(weight=gain)": {"weight": "gain", "ties": "half", "normalize": False},
    "WPDL(weight=gain,ties=full,normalize=true)": {"weight": "gain", "ties": "full", "normalize": True},
    "tau": {"ties": "average"},
    "tau(ties=b)": {"ties": "b"},
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("items", [40, *exhaustive(160)])
@pytest.mark.parametrize("levels", [2, 9, *exhaustive(100)])
def test_tied_pairs(kind: str, items: int, levels: int) -> None:
    """Pair by pair: a tied pair counts half, all or nothing; missed items share the last level."""
    rng = np.random.default_rng(items + levels)
    missed = items // 8
    labels = [plain(y) for y in rng.choice(LABELS[kind], items + missed).tolist()]
    level = rng.integers(0, levels, items).tolist()
    data = Ragged.of([([-float(k) for k in level], labels[:items], labels[items:])])
    everything = [*level, *[levels] * missed]
    for spec, parameters in PAIRS.items():
        definition = kendall if spec.startswith("tau") else disagreement
        got = values(metric(spec), data)[0]
        assert close(got, definition(everything, labels, **parameters)), spec
    relevant = [int(y >= 1) for y in labels]
    lost = disagreement(everything, relevant, ties="half", normalize=True)
    assert close(values(metric("AUC"), data)[0], None if lost is None else 1 - lost)
