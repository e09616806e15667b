"""Every claim of every metric is attacked; a claim without a law here fails."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import examples
from every_case import every_case
from properties.positional import breaks_positional
from properties.strategies import ALL_VARIANTS, Ragged, metrics_named, plain, queries, ragged, values
from rankproof.claims import Claim
from rankproof.metrics import METRICS, Metric

TOLERANCE = 1e-12
SMALL = [found for found in ALL_VARIANTS if (getattr(found, "cutoff", None) or 0) <= 3]


def worth(found: Metric, value: float) -> float:
    """The value, turned so that more is better."""
    return value if found.direction == "higher" else -value


# Claims that hold on every query ------------------------------------------------------------------


def law_of_range(found: Metric, claim: Claim, data: st.DataObject) -> None:
    """No value lies outside, not by the last bit."""
    low, high = claim.value
    got = values(found, data.draw(ragged(found)))
    got = got[~np.isnan(got)]
    assert low is None or (got >= low).all()
    assert high is None or (got <= high).all()


def law_of_best(found: Metric, claim: Claim, data: st.DataObject) -> None:
    """Scoring items by their labels, in any strict or tied way that sorts them, gives just that value."""
    _, labels, _ = data.draw(queries(found, unjudged=False, missed=False))
    strict = np.argsort(np.argsort(labels, kind="stable"), kind="stable").astype(float).tolist()
    got = values(found, Ragged.of([(labels, labels, []), (strict, labels, [])]))
    assert all(math.isnan(v) or math.isclose(v, claim.value, rel_tol=0, abs_tol=TOLERANCE) for v in got)
    # And nothing is better.
    others = values(found, data.draw(ragged(found)))
    assert not (worth(found, others) > worth(found, claim.value) + TOLERANCE).any()  # type: ignore[attr-defined]


def law_of_monotone(found: Metric, claim: Claim, data: st.DataObject) -> None:
    """Neighbours exchanged so that the better grade comes first: never worse."""
    if not claim.value:
        return
    _, labels, _ = data.draw(queries(found, least=2, unjudged=False, missed=False))
    ranked = [plain(y) for y in labels]
    k = data.draw(st.integers(0, len(ranked) - 2))
    better = [*ranked[:k], *sorted(ranked[k : k + 2], reverse=True), *ranked[k + 2 :]]
    before, after = found.of_labels(ranked), found.of_labels(better)
    assert (before is None) == (after is None)
    assert before is None or worth(found, after) >= worth(found, before) - TOLERANCE


# Claims that are decided on all labels and rankings of a small size -------------------------------


def small_cases(found: Metric) -> list[tuple[int, tuple[float, ...]]]:
    """(items, grades) to list completely: three grades within the metric's domain, round the relevant one."""
    start = getattr(found, "rel", 1) - 1
    some = (start, start + 1, start + 2)
    return [(2, some), (3, some), (4, some), (5, some[:2])]


def decide_positional(found: Metric, claim: Claim) -> None:
    """The form const(y) + sum_k c_k u_i(y) holds on every small case, or breaks on one."""
    reasons = [breaks_positional(found.of_labels, n, grades) for n, grades in small_cases(found)]
    broken = [reason for reason in reasons if reason]
    assert bool(claim.value) == (not broken), f"{found} claims {claim}, but: {broken or 'nothing breaks it'}"


def decide_monotone(found: Metric, claim: Claim) -> None:
    """Every exchange that puts the better grade first, of every ranking of every small query."""
    worse = []
    for n, grades in small_cases(found)[:3]:
        for ranked in product(grades, repeat=n):
            for k in range(n - 1):
                if ranked[k] < ranked[k + 1]:
                    better = [*ranked[:k], ranked[k + 1], ranked[k], *ranked[k + 2 :]]
                    before, after = found.of_labels(list(ranked)), found.of_labels(better)
                    if before is not None and worth(found, after) < worth(found, before) - TOLERANCE:
                        worse.append((ranked, before, better, after))
    assert bool(claim.value) == (not worse), (
        f"{found} claims {claim}, but: {worse[:1] or 'nothing breaks it'}"
    )


def decide_best(found: Metric, claim: Claim) -> None:
    """The best ranking of every small query has that value, and no other has a better one."""
    for n, grades in small_cases(found)[:3]:
        for y in product(grades, repeat=n):
            every = [found.of_labels([y[i] for i in p]) for p in permutations(range(n))]
            if every[0] is not None:
                assert abs(max(worth(found, v) for v in every) - worth(found, claim.value)) <= TOLERANCE, (
                    found,
                    y,
                )


def decide_range(found: Metric, claim: Claim) -> None:
    """The ends are numbers in order, or open."""
    low, high = claim.value
    assert low is None or high is None or low < high


Law = Callable[[Metric, Claim, st.DataObject], None]
Decision = Callable[[Metric, Claim], None]
DRAWN: dict[str, Law] = {"range": law_of_range, "best": law_of_best, "monotone": law_of_monotone}
DECIDED: dict[str, Decision] = {
    "range": decide_range,
    "best": decide_best,
    "monotone": decide_monotone,
    "positional": decide_positional,
}
LAWS = {*DRAWN, *DECIDED}


def test_every_claim_has_a_law() -> None:
    without = {(str(found), claim) for found in ALL_VARIANTS for claim in found.claims if claim not in LAWS}
    assert not without
    unused = LAWS - {claim for found in ALL_VARIANTS for claim in found.claims}
    assert not unused


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_decides(name: str) -> None:
    """With some parameters a fact may be left open, with the defaults it may not."""
    assert {"range", "positional", "monotone"} <= set(METRICS[name]().claims)


@every_case("found", ALL_VARIANTS, ids=str)
def test_every_claim_has_a_reference(found: Metric) -> None:
    for name, claim in found.claims.items():
        assert claim.name == name
        assert claim.reference.strip()


@pytest.mark.parametrize("name", METRICS)
@examples(120)
@given(data=st.data())
def test_claims_hold_on_drawn_queries(name: str, data: st.DataObject) -> None:
    found = data.draw(metrics_named(name))
    for claim in found.claims.values():
        if claim.name in DRAWN:
            DRAWN[claim.name](found, claim, data)


@every_case("found", SMALL, ids=str, thin=True)
def test_claims_are_decided_on_small_queries(found: Metric) -> None:
    for claim in found.claims.values():
        DECIDED[claim.name](found, claim)


def test_the_positional_form_is_recognised() -> None:
    def dcg(ranked: list[int]) -> float:
        return sum(y / k for k, y in enumerate(ranked, 1))

    def pairs(ranked: list[int]) -> int:
        return sum(a > b for k, a in enumerate(ranked) for b in ranked[k + 1 :])

    assert not breaks_positional(dcg, 4, (0, 1, 2))
    assert not breaks_positional(pairs, 4, (0, 1))
    assert "does not add up" in breaks_positional(pairs, 3, (0, 1, 2))
    assert "depends on the others" in breaks_positional(lambda r: int(1 in r[:2]), 4, (0, 1))
    # Precision at the number of relevant items: the weight of a place depends on the labels.
    assert "depends on the labels" in breaks_positional(lambda r: sum(r[: sum(r)]), 3, (0, 1))
