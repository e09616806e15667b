"""All pairs of systems: every number beside the function that makes it, and winners only where shown."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.effect import difference_interval, effect_size
from rankproof.evaluation.holm import holm, holm_levels
from rankproof.evaluation.pair_result import PairResult
from rankproof.evaluation.paired import paired_t_test, randomisation_test, wilcoxon_test
from rankproof.evaluation.pairs import compare_pairs, correct_together, paired_tests
from rankproof.threads import using

NAN = float("nan")


@pytest.fixture
def systems() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    base = rng.random(60)
    values = {
        "weak": base + rng.normal(0.0, 0.1, 60),
        "same": base + rng.normal(0.0, 0.1, 60),
        "good": base + rng.normal(0.1, 0.1, 60),
    }
    values["same"][[3, 7]] = NAN
    return values


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon"])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_number_is_that_of_its_own_function(
    systems: dict[str, np.ndarray], test: str, weighted: bool
) -> None:
    weights = np.random.default_rng(1).random(60) if weighted else None
    results = compare_pairs(
        systems,
        test=test,
        level=0.1,
        seed=4,
        samples=3000,
        weights=weights,  # type: ignore[arg-type]
    )
    assert [(r.a, r.b) for r in results] == list(combinations(systems, 2))
    ps = []
    for r in results:
        a, b = systems[r.a], systems[r.b]
        assert r.tests == {
            "randomisation": randomisation_test(a, b, weights=weights, seed=4, samples=3000),
            "t": paired_t_test(a, b, weights=weights),
            "wilcoxon": wilcoxon_test(a, b, weights=weights),
        }
        assert r.effect == effect_size(a, b, weights=weights)
        both = ~(np.isnan(a) | np.isnan(b))
        assert r.difference == pytest.approx(
            np.average((a - b)[both], weights=None if weights is None else weights[both]), rel=1e-12
        )
        assert (r.wins, r.ties, r.losses) == ((a > b).sum(), (a == b).sum(), (a < b).sum())
        assert (r.n, r.dropped) == (both.sum(), 60 - both.sum())
        assert r.p == r.tests[test].p
        ps.append(r.p)
    assert [r.adjusted for r in results] == holm(ps).tolist()
    for r, step in zip(results, holm_levels(ps, 0.1), strict=True):
        a, b = systems[r.a], systems[r.b]
        assert r.interval == difference_interval(a, b, weights=weights, level=1.0 - step)


def test_winner_is_named_only_where_the_adjusted_test_says_so(systems: dict[str, np.ndarray]) -> None:
    found = {(r.a, r.b): r for r in compare_pairs(systems)}
    assert found["weak", "good"].winner == "good"
    assert found["same", "good"].winner == "good"
    assert found["weak", "same"].winner is None
    assert not found["weak", "same"].significant


def test_a_raw_p_below_the_level_is_not_enough() -> None:
    # Six wins in six: p = 2/64 alone, three times that among three pairs of which two show nothing.
    a = np.array([0.5, 0.4, 0.6, 0.7, 0.2, 0.9])
    b = a - 0.1
    (alone,) = compare_pairs({"a": a, "b": b})
    assert (alone.p, alone.adjusted, alone.winner) == (2 / 64, 2 / 64, "a")
    among = compare_pairs({"a": a, "b": b, "c": a})
    assert [r.p for r in among] == [2 / 64, 1.0, 2 / 64]
    assert [r.adjusted for r in among] == [6 / 64, 1.0, 6 / 64]
    assert [r.winner for r in among] == [None, None, None]


def test_the_smaller_wins_when_smaller_is_better(systems: dict[str, np.ndarray]) -> None:
    for r in compare_pairs(systems, greater_is_better=False):
        assert r.winner == {("weak", "good"): "weak", ("same", "good"): "same"}.get((r.a, r.b))


def test_swapped_systems_have_the_same_winner(systems: dict[str, np.ndarray]) -> None:
    there = compare_pairs(systems)
    back = {(r.b, r.a): r for r in compare_pairs(dict(reversed(systems.items())))}
    for r in there:
        other = back[r.a, r.b]
        assert other.winner == r.winner
        assert other.adjusted == r.adjusted
        assert (other.losses, other.ties, other.wins) == (r.wins, r.ties, r.losses)
        assert other.difference == -r.difference
        assert (-other.interval).low == pytest.approx(r.interval.low, abs=1e-12)


def test_no_winner_when_ranks_and_mean_disagree() -> None:
    # Nineteen small wins against one loss that outweighs them all.
    a = np.array([0.01 * i for i in range(1, 20)] + [0.0])
    b = np.array([0.0] * 19 + [9.0])
    (pair,) = compare_pairs({"a": a, "b": b}, test="wilcoxon")
    assert pair.significant
    assert (pair.tests["wilcoxon"].direction, pair.difference < 0) == (1, True)
    assert pair.winner is None


def test_family_over_metrics_is_one_correction(systems: dict[str, np.ndarray]) -> None:
    squares = {name: values**2 for name, values in systems.items()}
    first, second = compare_pairs(systems, test="t"), compare_pairs(squares, test="t")
    drawn = [
        paired_tests(one, seed=0, samples=10, weights=None, greater_is_better=True, baseline=None)
        for one in (systems, squares)
    ]
    together = correct_together(drawn, test="t", level=0.05)
    expected = holm([r.p for r in first + second]).tolist()
    assert [r.adjusted for family in together for r in family] == expected
    assert [(r.a, r.b) for r in together[1]] == [(r.a, r.b) for r in second]
    assert all(new.adjusted >= old.adjusted for new, old in zip(together[0], first, strict=True))


def test_same_results_on_any_number_of_threads(systems: dict[str, np.ndarray]) -> None:
    results = []
    for threads in (1, 2, 4):
        with using(threads):
            results.append(compare_pairs(systems, samples=4000))
    one, two, four = results
    assert one == two == four


def test_identical_systems_and_systems_without_common_queries() -> None:
    same: PairResult
    (same,) = compare_pairs({"a": [0.5, 0.25], "b": [0.5, 0.25]})
    assert (same.p, same.winner, same.ties, same.interval.width) == (1.0, None, 2, 0.0)
    (apart,) = compare_pairs({"a": [0.5, NAN], "b": [NAN, 0.25]})
    assert (apart.n, apart.dropped, apart.p, apart.winner) == (0, 2, 1.0, None)


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ArgumentError, match=r"at least two systems, got \['a'\]"):
        compare_pairs({"a": [1.0]})
    with pytest.raises(ArgumentError, match="one of randomisation, t, wilcoxon, got 'sign'"):
        compare_pairs({"a": [1.0], "b": [1.0]}, test="sign")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"Systems 'a' \(a\) and 'b' \(b\) .* got 1 and 2 values"):
        compare_pairs({"a": [1.0], "b": [1.0, 2.0]})
    with pytest.raises(ArgumentError, match="Argument level"):
        compare_pairs({"a": [1.0], "b": [1.0]}, level=0)
    with pytest.raises(
        DataError, match=r"Systems 'a' \(a\) and 'b' \(b\) .* Argument b holds inf at query 0"
    ):
        compare_pairs({"a": [1.0], "b": [float("inf")]})
