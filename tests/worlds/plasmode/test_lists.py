"""Lists that are made keep the size, the constants and the frequent values of real ones."""

from __future__ import annotations

import numpy as np

from rankproof.worlds.plasmode.lists import ListMaker, MadeLists, centred, directions, normal_scores


def real_rows() -> tuple[np.ndarray, np.ndarray]:
    """Columns: continuous; constant within lists; mostly 0; whole numbers."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 12, 60)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    n = offsets[-1]
    X = np.column_stack(
        (
            rng.normal(size=n),
            np.repeat(rng.normal(size=60), sizes),
            np.where(rng.random(n) < 0.7, 0.0, rng.uniform(1, 2, n)),
            rng.integers(0, 500, n),
        )
    )
    return X.astype(np.float32), offsets


def made(queries: int, seed: int = 1) -> tuple[ListMaker, MadeLists]:
    X, offsets = real_rows()
    maker = ListMaker(X, offsets, topics=2)
    return maker, maker.make(queries, np.random.default_rng(seed))


def test_a_list_has_the_size_of_the_real_list_that_it_came_from() -> None:
    maker, lists = made(500)
    np.testing.assert_array_equal(np.diff(lists.offsets), maker.sizes[lists.bases])
    assert np.unique(lists.bases).size > 55


def test_what_is_constant_within_real_lists_is_constant_within_new_ones() -> None:
    _, lists = made(300)
    spread = [np.ptp(part[:, 1]) for part in np.split(lists.X, lists.offsets[1:-1])]
    assert max(spread) < 1e-6


def test_frequent_values_and_whole_numbers_stay() -> None:
    """A zero is a zero or a real value of the other item, never a value between 0 and 1."""
    maker, lists = made(500)
    sparse, whole = lists.X[:, 2], lists.X[:, 3]
    assert not ((sparse > 0) & (sparse < 1)).any()
    assert abs((sparse == 0).mean() - (maker.X[:, 2] == 0).mean()) < 0.06
    assert (whole == np.rint(whole)).all()
    assert (lists.X.min(axis=0) >= maker.X.min(axis=0)).all()
    assert (lists.X.max(axis=0) <= maker.X.max(axis=0)).all()


def test_new_lists_have_new_rows() -> None:
    maker, lists = made(500)
    real = {row.tobytes() for row in maker.X[:, [0, 3]]}
    repeated = np.mean([row.tobytes() in real for row in lists.X[:, [0, 3]]])
    assert repeated < 0.15
    assert len({row.tobytes() for row in lists.X}) > 0.95 * len(lists.X)


def test_the_same_seed_makes_the_same_lists() -> None:
    np.testing.assert_array_equal(made(20)[1].X, made(20)[1].X)
    assert not np.array_equal(made(20)[1].X[:5], made(20, seed=2)[1].X[:5])


def test_two_lists_with_one_item_each_are_enough() -> None:
    maker = ListMaker(np.array([[1.0, 2.0], [3.0, 2.0]], np.float32), np.array([0, 1, 2]), topics=2)
    lists = maker.make(50, np.random.default_rng(0))
    assert lists.X.shape == (50, 2)
    assert (lists.X[:, 1] == 2).all()
    assert np.isin(lists.X[:, 0], [1.0, 2.0, 3.0]).all()


def test_normal_scores_go_by_ranks_and_share_ties() -> None:
    """Of 1, 5, 5, 100 the ranks are 1, 2.5, 2.5, 4: probabilities 1/8, 1/2, 1/2, 7/8."""
    scores = normal_scores(np.array([[100.0], [5.0], [1.0], [5.0]], np.float32))[:, 0]
    np.testing.assert_allclose(scores, np.sqrt(2) * np.array([1, 0, -1, 0]), atol=1e-12)


def test_directions_are_principal_components_within_lists() -> None:
    rng = np.random.default_rng(0)
    offsets = np.arange(0, 201, 10)
    strong = rng.normal(size=200)
    scores = np.column_stack((strong, strong + 0.1 * rng.normal(size=200), rng.normal(size=200)))
    scores += np.repeat(rng.normal(size=(20, 3)) * 5, 10, axis=0)
    first, second = directions(scores, offsets, 2).T
    inner = centred(scores, offsets)
    assert abs(np.corrcoef(first, inner[:, 0] + inner[:, 1])[0, 1]) > 0.99
    assert abs(np.corrcoef(second, inner[:, 2])[0, 1]) > 0.95
    np.testing.assert_allclose([first.var(), second.var()], 1)


def test_frequent_values_come_from_one_list_or_the_other_for_all_items() -> None:
    """Half of the lists have the value 0, the other half 7; no new list has both, and every kind moves."""
    offsets = np.arange(0, 41, 4)
    X = np.column_stack((np.arange(40) % 4 * 0.25, np.repeat([0.0, 7.0] * 5, 4))).astype(np.float32)
    maker = ListMaker(X, offsets, topics=1)
    lists = maker.make(400, np.random.default_rng(0))
    own = X[maker.offsets[lists.bases], 1]
    values = lists.X[:, 1].reshape(400, 4)
    assert np.isin(values, [0.0, 7.0]).all()
    assert (values == values[:, :1]).all()
    assert 20 < (values[:, 0] != own).sum() < 200
