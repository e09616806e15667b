"""Splits by query: parts, folds, the scikit-learn splitter, and folds on disk."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankproof.data.letor.folds import FoldPaths, find_folds, read_folds
from rankproof.data.ranking import RankingData
from rankproof.data.split import QueryKFold, query_folds, split_queries
from rankproof.errors import ArgumentError, DataError


def numbered(sizes: list[int]) -> RankingData:
    """Queries of these sizes; the label of an item is its number, its feature the number of its query."""
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    return RankingData(
        labels=np.arange(offsets[-1]),
        offsets=offsets,
        X=np.repeat(np.arange(len(sizes)), sizes)[:, None],
        query_ids=[f"q{k}" for k in range(len(sizes))],
    )


sizes = st.lists(st.integers(1, 4), min_size=5, max_size=30)


@given(sizes, st.integers(0, 9))
def test_every_query_is_in_exactly_one_part_with_all_its_items(sizes: list[int], seed: int) -> None:
    data = numbered(sizes)
    parts = split_queries(data, seed=seed)
    ids = [query for part in parts for query in part.query_ids.tolist()]
    assert sorted(ids) == sorted(data.query_ids.tolist())
    for part in parts:
        assert part.query_ids.tolist() == sorted(part.query_ids.tolist(), key=lambda name: int(name[1:]))
        for query in part:
            assert query.labels.tolist() == data.query(query.query_ids[0]).labels.tolist()


@pytest.mark.parametrize(
    ("queries", "shares", "expected"),
    [
        (10, (0.6, 0.2, 0.2), (6, 2, 2)),
        (10, (0.7, 0.2, 0.1), (7, 2, 1)),
        (11, (0.6, 0.2, 0.2), (7, 2, 2)),  # 6.6, 2.2, 2.2
        (7, (0.5, 0.25, 0.25), (3, 2, 2)),  # 3.5, 1.75, 1.75
        (5, (0.8, 0.0, 0.2), (4, 0, 1)),
        (3, (1 / 3, 1 / 3, 1 / 3), (1, 1, 1)),
        (4, (1, 0, 0), (4, 0, 0)),
        (100, (0.29, 0.57, 0.14), (29, 57, 14)),  # 28.999999999999996, 56.99999999999999, 14.000000000000002
    ],
)
def test_sizes_are_the_shares_rounded(
    queries: int, shares: tuple[float, float, float], expected: tuple[int, int, int]
) -> None:
    train, valid, test = shares
    parts = split_queries(numbered([1] * queries), train=train, valid=valid, test=test)
    assert (parts.train.queries, parts.valid.queries, parts.test.queries) == expected


def test_a_seed_is_a_split() -> None:
    data = numbered([1] * 20)
    order = np.random.Generator(np.random.PCG64(5)).permutation(20)
    parts = split_queries(data, seed=5)
    assert parts.train.labels.tolist() == sorted(order[:12].tolist())
    assert parts.valid.labels.tolist() == sorted(order[12:16].tolist())
    assert parts.test.labels.tolist() == sorted(order[16:].tolist())
    assert split_queries(data, seed=6).train.labels.tolist() != parts.train.labels.tolist()


@pytest.mark.parametrize(
    ("shares", "error", "text"),
    [
        ({"train": 0.5}, ArgumentError, "sum 1, got train=0.5, valid=0.2, test=0.2"),
        (
            {"train": -0.1, "test": 0.9},
            ArgumentError,
            "train of split_queries must be a share from 0 to 1, got -0.1",
        ),
        ({"valid": "a"}, ArgumentError, "got 'a'"),
        (
            {"train": 0.98, "valid": 0.01, "test": 0.01},
            DataError,
            "valid part .* no query: 0.01 of 10 queries",
        ),
        ({"seed": -1}, ArgumentError, "seed must be an int >= 0, got -1"),
    ],
)
def test_shares_are_checked(shares: dict[str, float], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        split_queries(numbered([1] * 10), **shares)  # type: ignore[arg-type]


@given(sizes, st.integers(2, 5), st.integers(0, 9))
def test_folds_partition_the_queries(sizes: list[int], folds: int, seed: int) -> None:
    data = numbered(sizes)
    numbers = query_folds(data, folds, seed, index=True)
    assert np.sort(np.concatenate([test for _, test in numbers])).tolist() == list(range(data.queries))
    lengths = [test.size for _, test in numbers]
    assert max(lengths) - min(lengths) <= 1
    for (train, test), (train_data, test_data) in zip(numbers, query_folds(data, folds, seed), strict=True):
        assert np.sort(np.concatenate((train, test))).tolist() == list(range(data.queries))
        assert train_data.query_ids.tolist() == data.query_ids[train].tolist()
        assert test_data.query_ids.tolist() == data.query_ids[test].tolist()


@given(sizes, st.integers(2, 5), st.integers(0, 9))
def test_the_splitter_gives_the_items_of_query_folds(sizes: list[int], folds: int, seed: int) -> None:
    data = numbered(sizes)
    splitter = QueryKFold(folds, seed)
    assert splitter.get_n_splits() == folds
    pairs = list(splitter.split(data.X, data.labels, groups=data.qids))
    for (train, test), (train_data, test_data) in zip(pairs, query_folds(data, folds, seed), strict=True):
        assert train.tolist() == train_data.labels.tolist()
        assert test.tolist() == test_data.labels.tolist()


def test_the_splitter_takes_queries_that_lie_apart() -> None:
    apart = np.array(["b", "a", "b", "c", "a"])
    together = list(QueryKFold(3).split(groups=["b", "a", "c"]))
    for (_, test), (_, test_queries) in zip(QueryKFold(3).split(groups=apart), together, strict=True):
        names = {["b", "a", "c"][k] for k in test_queries}
        assert test.tolist() == [item for item, name in enumerate(apart) if name in names]


def test_the_splitter_works_in_scikit_learn() -> None:
    from sklearn.base import clone
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV, cross_val_score

    rng = np.random.default_rng(0)
    X, qid = rng.standard_normal((30, 2)), np.repeat(np.arange(10), 3)
    y = X @ [1.0, -1.0]
    assert len(cross_val_score(Ridge(), X, y, groups=qid, cv=QueryKFold(5))) == 5
    search = clone(GridSearchCV(Ridge(), {"alpha": [0.1, 100.0]}, cv=QueryKFold(3, seed=1)))
    assert search.fit(X, y, groups=qid).best_params_ == {"alpha": 0.1}


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: query_folds(numbered([1] * 3), 5), DataError, "5 folds need at least 5 queries, got 3"),
        (lambda: query_folds(numbered([1] * 3), 1), ArgumentError, "folds must be an int >= 2, got 1"),
        (lambda: QueryKFold(1), ArgumentError, "folds of QueryKFold must be an int >= 2, got 1"),
        (lambda: next(QueryKFold().split([[1]])), ArgumentError, "needs groups="),
        (lambda: next(QueryKFold().split([[1]], groups=[1, 2])), ArgumentError, r"per row of X \(1\), got 2"),
        (lambda: next(QueryKFold().split(groups=[[1, 2]])), ArgumentError, "one-dimensional"),
    ],
)
def test_folds_are_checked(call: Callable[[], object], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def make_folds(root: Path, names: tuple[str, str, str], folds: int = 5, directory: str = "Fold") -> None:
    for number in range(1, folds + 1):
        fold = root / f"{directory}{number}"
        fold.mkdir()
        for name in names:
            (fold / name).touch()


@pytest.mark.parametrize(
    "names",
    [
        ("train.txt", "vali.txt", "test.txt"),
        ("Train.TXT", "Valid.txt.gz", "TEST.txt.zst"),
        ("trainingset.txt", "validationset.txt", "testset.txt.bz2"),
        ("train.txt.xz", "validation.txt", "test.txt"),
    ],
)
@pytest.mark.parametrize("directory", ["Fold", "fold", "FOLD_"])
def test_folds_are_found_whatever_their_spelling(
    tmp_path: Path, names: tuple[str, str, str], directory: str
) -> None:
    make_folds(tmp_path, names, folds=11, directory=directory)
    (tmp_path / "README.txt").touch()
    (tmp_path / f"{directory}1" / "readme.md").touch()
    assert find_folds(tmp_path) == [
        FoldPaths(*(tmp_path / f"{directory}{number}" / name for name in names)) for number in range(1, 12)
    ]
    assert find_folds(str(tmp_path))[9].train == tmp_path / f"{directory}10" / names[0]


def test_what_is_missing_or_doubtful_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="must be a directory"):
        find_folds(tmp_path / "none")
    (tmp_path / "S1.txt").touch()
    with pytest.raises(DataError, match=r"no directory Fold1, Fold2, \.\.\.; it holds S1\.txt"):
        find_folds(tmp_path)
    make_folds(tmp_path, ("train.txt", "vali.txt", "test.txt"), folds=3)
    (tmp_path / "Fold2" / "vali.txt").unlink()
    with pytest.raises(
        DataError, match=r"Fold2: the valid part is missing: .*vali\.txt.*only test\.txt, train\.txt"
    ):
        find_folds(tmp_path)
    (tmp_path / "Fold2" / "vali.txt").touch()
    (tmp_path / "Fold2" / "vali.txt.gz").touch()
    with pytest.raises(DataError, match=r"Fold2: more than one .*valid part: vali\.txt, vali\.txt\.gz"):
        find_folds(tmp_path)
    for path in sorted((tmp_path / "Fold2").iterdir()):
        path.unlink()
    (tmp_path / "Fold2").rmdir()
    with pytest.raises(DataError, match="without a gap, got Fold1, Fold3; Fold2 is missing"):
        find_folds(tmp_path)


def test_one_fold_twice_is_refused(tmp_path: Path) -> None:
    make_folds(tmp_path, ("train.txt", "vali.txt", "test.txt"), folds=1)
    make_folds(tmp_path, ("train.txt", "vali.txt", "test.txt"), folds=1, directory="Fold0")
    with pytest.raises(DataError, match="fold 1 is there twice, Fold01 and Fold1"):
        find_folds(tmp_path)


def test_folds_are_read(tmp_path: Path) -> None:
    for number in (1, 2):
        fold = tmp_path / f"Fold{number}"
        fold.mkdir()
        (fold / "train.txt").write_text(f"{number} qid:1 1:0.5\n0 qid:1 1:0.25\n0 qid:2 1:1\n")
        (fold / "vali.txt.gz").write_bytes(gzip.compress(b"1 qid:3 1:0.5\n"))
        (fold / "test.txt").write_text("0 qid:4 1:0.5\n")
    parts = list(read_folds(tmp_path))
    assert [split.train.labels.tolist() for split in parts] == [[1, 0, 0], [2, 0, 0]]
    assert [part.queries for part in parts[1]] == [2, 1, 1]
    (tmp_path / "Fold2" / "test.txt").unlink()
    with pytest.raises(DataError, match="Fold2: the test part is missing"):
        read_folds(tmp_path)
