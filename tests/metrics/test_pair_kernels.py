"""The counters behind the pairwise metrics: every path gives the same whole numbers, the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.kernels.metrics.grades import number_labels
from rankproof.kernels.metrics.pairs import LOST, PAIRS, SCORE_TIES, TIED, count_pairs
from rankproof.kernels.metrics.rank_sums import weigh_pairs
from rankproof.metrics import METRICS
from rankproof.metrics.pairwise import pair_counts, pair_weights
from rankproof.metrics.ranked.lists import RankedLists, sort_by_score
from rankproof.threads import chunks_by_items, using


def some_lists(seed: int, sizes: list[int], *, grades: int, levels: int, missed: bool = False) -> RankedLists:
    """Queries of these sizes with whole labels and few score levels (0: all scores differ)."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    n = int(offsets[-1])
    scores = rng.integers(0, levels, n).astype(float) if levels else rng.permutation(n).astype(float)
    depth = rng.integers(0, np.array(sizes) + 1) if missed else np.array(sizes)
    order = sort_by_score(scores, offsets, depth)
    return RankedLists.from_order(order, rng.integers(0, grades, n).astype(float))


def counted_one_by_one(lists: RankedLists, q: int) -> list[int]:
    a, b = lists.offsets[q], lists.offsets[q + 1]
    labels, n = lists.labels[a:b], int(b - a)
    group = np.where(np.arange(n) < lists.depth[q], lists.ends[a:b], n)
    better = labels[:, None] > labels[None, :]
    below = group[:, None] > group[None, :]
    level = group[:, None] == group[None, :]
    return [
        int(2 * (better & below).sum() + (better & level).sum()),
        int((better & level).sum()),
        int(better.sum()),
        int((level.sum() - n) // 2),
    ]


def weighed_one_by_one(lists: RankedLists, q: int, exponential: bool, full: bool) -> tuple[float, float]:
    a, b = lists.offsets[q], lists.offsets[q + 1]
    labels, n = lists.labels[a:b], int(b - a)
    group = np.where(np.arange(n) < lists.depth[q], lists.ends[a:b], n)
    f = 2.0**labels if exponential else labels
    weight = np.maximum(f[:, None] - f[None, :], 0.0)
    tie = 1.0 if full else 0.5
    share = np.where(group[:, None] == group[None, :], tie, group[:, None] > group[None, :])
    return float((weight * share).sum()), float(weight.sum())


CASES = [(5, 0), (5, 6), (2, 3), (64, 0), (64, 9), (1, 4), (17, 1)]


@pytest.mark.parametrize("missed", [False, True])
@pytest.mark.parametrize(("grades", "levels"), CASES)
def test_counts_are_those_of_all_pairs(grades: int, levels: int, missed: bool) -> None:
    lists = some_lists(1, [0, 1, 2, 7, 40, 0, 130, 300], grades=grades, levels=levels, missed=missed)
    got = pair_counts(lists)
    assert (LOST, TIED, PAIRS, SCORE_TIES) == (0, 1, 2, 3)
    assert got.tolist() == [counted_one_by_one(lists, q) for q in range(lists.queries)]


@pytest.mark.parametrize("missed", [False, True])
@pytest.mark.parametrize(("grades", "levels"), CASES)
def test_weights_are_those_of_all_pairs(grades: int, levels: int, missed: bool) -> None:
    lists = some_lists(7, [0, 1, 2, 7, 40, 0, 130], grades=grades, levels=levels, missed=missed)
    # Whole numbers below 2^53 in every sum: equal to the last bit.
    for exponential in (False, True) if grades <= 17 else (False,):
        for full in (False, True):
            got = pair_weights(lists, exponential=exponential, full=full)
            weighed = [weighed_one_by_one(lists, q, exponential, full) for q in range(lists.queries)]
            assert list(zip(*map(np.ndarray.tolist, got), strict=True)) == weighed


@pytest.mark.parametrize("missed", [False, True])
@pytest.mark.parametrize(("grades", "levels"), CASES)
def test_any_labels_in_the_same_order_give_the_same_counts(grades: int, levels: int, missed: bool) -> None:
    """Whole grades in one word, whole grades in a tree, numbered labels in either: four paths."""
    lists = some_lists(2, [0, 1, 2, 9, 60, 500], grades=grades, levels=levels, missed=missed)
    expected = pair_counts(lists)
    for image in (
        lambda y: y + 0.5,
        lambda y: y - 70,
        lambda y: np.cbrt(y) * 1e9,
        lambda y: y + (63 - grades),
    ):
        moved = RankedLists(image(lists.labels), lists.ends, lists.offsets, lists.depth)
        assert pair_counts(moved).tolist() == expected.tolist()


def test_numbered_labels_and_whole_grades_are_one() -> None:
    lists = some_lists(3, [0, 3, 50, 200], grades=5, levels=20, missed=True)
    numbers = np.empty(lists.labels.size, np.int32)
    number_labels(lists.labels, lists.offsets, 0, lists.queries, numbers)
    marked = np.full((lists.queries, 4), -1)
    count_pairs(lists.labels, lists.ends, lists.offsets, lists.depth, numbers, 0, lists.queries, marked)
    assert marked.tolist() == pair_counts(lists).tolist()
    for exponential in (False, True):
        for full in (False, True):
            out = np.full((lists.queries, 2), -1.0)
            weigh_pairs(
                *(lists.labels, lists.ends, lists.offsets, lists.depth, numbers),
                *(exponential, full, 0, lists.queries, out),
            )
            lost, total = pair_weights(lists, exponential=exponential, full=full)
            assert out[:, 0].tobytes() == lost.tobytes()
            assert out[:, 1].tobytes() == total.tobytes()


def test_labels_are_numbered_from_the_lowest_up() -> None:
    labels, offsets = np.array([0.5, -1.0, 0.5, 3.0, 7.0, 7.0]), np.array([0, 4, 4, 6])
    numbers = np.empty(6, np.int32)
    number_labels(labels, offsets, 0, 3, numbers)
    assert numbers.tolist() == [1, 0, 1, 2, 0, 0]


def test_a_long_list_with_many_grades() -> None:
    """70,000 items need 17 bits a grade: beyond three grades the tree takes over; the counts are known."""
    n = 70_000
    for grades in (2, 3, 4, 60):
        labels = (np.arange(n) % grades).astype(float)
        order = sort_by_score(-labels + 0.0, np.array([0, n]))
        lists = RankedLists.from_order(order, labels)
        sizes = np.bincount(labels.astype(int)).tolist()
        pairs = (n * n - sum(c * c for c in sizes)) // 2
        ties = sum(c * (c - 1) // 2 for c in sizes)
        # Scored from worst to best, every pair is lost, and only equal labels are tied.
        assert pair_counts(lists).tolist() == [[2 * pairs, 0, pairs, ties]]


@pytest.mark.parametrize(
    "name", ["AUC", "PD", "WPDL(weight=gain)", "WPDL(weight=difference,ties=full)", "tau", "ZeroOne"]
)
def test_the_same_bits_for_any_number_of_threads(name: str) -> None:
    from rankproof.metrics import metric

    sizes = np.random.default_rng(4).integers(0, 60, 3000).tolist()
    one = some_lists(5, sizes, grades=4, levels=30, missed=True)
    odd = RankedLists(one.labels + 0.25, one.ends, one.offsets, one.depth)
    for lists in (one, odd):
        with using(1):
            alone = metric(name).per_query(lists)
        with using(3):
            assert len(chunks_by_items(lists.offsets)) > 1
            assert metric(name).per_query(lists).tobytes() == alone.tobytes()


def test_mixed_queries_each_take_their_own_path() -> None:
    """A query with a label like 0.5 does not change what its neighbours get."""
    lists = some_lists(6, [30] * 6, grades=4, levels=10)
    labels = lists.labels.copy()
    labels[30:60] += 0.5
    labels[150:] *= 100
    mixed = RankedLists(labels, lists.ends, lists.offsets, lists.depth)
    for name in ("PD", "tau", "ZeroOne"):
        assert METRICS[name]().per_query(mixed).tobytes() == METRICS[name]().per_query(lists).tobytes()
