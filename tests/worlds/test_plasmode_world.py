"""Worlds that are fitted: like their data, the same by seed and from a file, with clear refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError, DataError, MissingDependencyError
from rankproof.worlds import PlasmodeWorld

Arrays = tuple[np.ndarray, np.ndarray]


def real_data(queries: int = 120, seed: int = 0) -> rp.RankingData:
    """Grades 0, 1 and 2.5 from two of four features, with a level per query."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(5, 15, queries)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    X = rng.normal(size=(offsets[-1], 4))
    latent = 1.5 * X[:, 0] + X[:, 1] + np.repeat(1.2 * rng.normal(size=queries), sizes)
    latent += rng.logistic(size=latent.size)
    return rp.RankingData(
        labels=np.array([0.0, 1.0, 2.5])[np.digitize(latent, [1.0, 2.5])], offsets=offsets, X=X
    )


@pytest.fixture(scope="module")
def world() -> PlasmodeWorld:
    return PlasmodeWorld.fit(real_data())


def relevant_share(data: rp.RankingData) -> np.ndarray:
    return np.add.reduceat((data.labels > 0).astype(float), data.offsets[:-1]) / data.sizes


def test_samples_are_like_the_data(world: PlasmodeWorld) -> None:
    """Grades and list lengths within five standard errors; relevant items vary as much between queries."""
    real, made = real_data(), world.sample(1500, seed=3)
    assert set(made.labels) == {0.0, 1.0, 2.5}
    assert made.features == 4
    assert abs(made.sizes.mean() - real.sizes.mean()) < 5 * real.sizes.std() / np.sqrt(1500)
    between = relevant_share(real).std()
    for grade in (1.0, 2.5):
        error = between / np.sqrt(1500)
        assert abs((made.labels >= grade).mean() - (real.labels >= grade).mean()) < 5 * error
    assert relevant_share(made).std() == pytest.approx(between, rel=0.12)
    np.testing.assert_allclose(np.asarray(made.X).std(axis=0), np.asarray(real.X).std(axis=0), rtol=0.15)


def test_the_law_follows_the_features_that_matter(world: PlasmodeWorld) -> None:
    """Ranking by what the labels were made from beats any of the features; noise is worth little (what the
    trees made of it by chance)."""
    drawn = world.sample_with_draws(400, seed=4, draws=32)
    X = np.asarray(drawn.data.X)
    value = {
        name: drawn.means("nDCG(empty=0)@5", scores)["nDCG(empty=0)@5"]
        for name, scores in (
            ("both", 1.5 * X[:, 0] + X[:, 1]),
            ("first", X[:, 0]),
            ("second", X[:, 1]),
            ("none", X[:, 2]),
            ("constant", np.zeros(X.shape[0])),
        )
    }
    assert value["both"] > value["first"] + 0.02 > value["second"] + 0.02
    assert value["second"] > value["constant"] + 0.02
    assert abs(value["none"] - value["constant"]) < (value["second"] - value["constant"]) / 2
    assert value["both"] < drawn.best_values("nDCG(empty=0)@5")["nDCG(empty=0)@5"].mean()


def test_trees_reach_in_the_world_what_they_reach_on_the_data(world: PlasmodeWorld) -> None:
    """With other samples than those that the signal was scaled with; a ranker of another kind, five folds."""
    real = real_data()
    values = []
    for rest, held in rp.query_folds(real, 5, seed=1):
        ranker = rp.LinearRanker("nDCG").fit(rest.X, rest.labels, qid=rest.qids)
        values.append(rp.evaluate(ranker.predict(held.X), held, "nDCG(empty=0)").mean["nDCG(empty=0)"])
    train, drawn = world.sample(96, seed=9), world.sample_with_draws(1000, seed=10, draws=16)
    ranker = rp.LinearRanker("nDCG").fit(train.X, train.labels, qid=train.qids)
    reached = drawn.means("nDCG(empty=0)", ranker.predict(drawn.data.X))["nDCG(empty=0)"]
    assert reached == pytest.approx(np.mean(values), abs=0.05)


def test_the_same_seed_draws_the_same(world: PlasmodeWorld) -> None:
    first, again, other = world.sample(5, seed=1), world.sample(5, seed=1), world.sample(5, seed=2)
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.labels, again.labels)
    assert not np.array_equal(np.asarray(first.X)[:5], np.asarray(other.X)[:5])


def test_label_vectors_are_drawn_independently(world: PlasmodeWorld) -> None:
    """The features do not depend on how many label vectors there are; the label vectors differ."""
    few, many = (world.sample_with_draws(30, seed=5, draws=k) for k in (1, 40))
    np.testing.assert_array_equal(few.data.X, many.data.X)
    assert np.isnan(many.data.labels).all()
    assert np.unique(many.draws, axis=0).shape[0] == 40


def test_a_saved_world_draws_the_same(world: PlasmodeWorld, tmp_path: Path) -> None:
    world.save(tmp_path / "a.world")
    again = PlasmodeWorld.load(tmp_path / "a.world")
    assert again.digest == world.digest
    assert repr(again) == repr(world) == f"PlasmodeWorld(of 120 queries, {real_data().items} items, 3 grades)"
    for which in (world.sample(20, seed=1), world.sample_with_draws(20, seed=1, draws=2).drawn(0)):
        assert which.queries == 20
    np.testing.assert_array_equal(again.sample(20, seed=1).labels, world.sample(20, seed=1).labels)
    np.testing.assert_array_equal(again.sample(20, seed=1).X, world.sample(20, seed=1).X)


def test_worlds_with_another_law_have_another_digest(world: PlasmodeWorld) -> None:
    assert world._with_signal(1.01).digest != world.digest


def test_a_file_that_is_no_world_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "b.world"
    path.write_text("nothing")
    with pytest.raises(DataError, match=r"b\.world: this is not a plasmode world"):
        PlasmodeWorld.load(path)
    np.savez(tmp_path / "c.npz", X=np.zeros(2))
    with pytest.raises(DataError, match=r"c\.npz: this is not a plasmode world"):
        PlasmodeWorld.load(tmp_path / "c.npz")
    with pytest.raises(DataError, match="cannot be read"):
        PlasmodeWorld.load(tmp_path / "missing.world")


def changed(X: np.ndarray | None = None, labels: np.ndarray | None = None) -> rp.RankingData:
    data = real_data(12)
    return rp.RankingData(
        labels=data.labels if labels is None else labels,
        offsets=data.offsets,
        X=data.X if X is None else X,
    )


def test_what_is_refused() -> None:
    data = real_data(12)
    with pytest.raises(ArgumentError, match="have no X"):
        PlasmodeWorld.fit(rp.RankingData(labels=data.labels, offsets=data.offsets))
    with pytest.raises(DataError, match="at least 10 queries to fit a law to, got 9"):
        PlasmodeWorld.fit(real_data(9))
    unjudged = np.array(data.labels)
    unjudged[7] = np.nan
    with pytest.raises(DataError, match="item 7 has no judgment"):
        PlasmodeWorld.fit(changed(labels=unjudged))
    with pytest.raises(DataError, match="2 to 32 different grades, got 1"):
        PlasmodeWorld.fit(changed(labels=np.ones(data.items)))
    missing = np.array(data.X)
    missing[3, 2] = np.nan
    with pytest.raises(DataError, match="feature 2 of item 3 is nan"):
        PlasmodeWorld.fit(changed(X=missing))
    empty = rp.RankingData(
        labels=data.labels, offsets=np.append(data.offsets, data.items), X=data.X, query_ids=range(13)
    )
    with pytest.raises(DataError, match="query 12 has no items"):
        PlasmodeWorld.fit(empty)


def test_a_missing_engine_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr("importlib.import_module", absent)
    with pytest.raises(MissingDependencyError, match=r"PlasmodeWorld needs the package lightgbm.*pip"):
        PlasmodeWorld.fit(real_data(12))


def test_a_grade_that_only_one_query_has_is_taken() -> None:
    """The folds that do not see it still have a threshold for it."""
    labels = np.array(changed().labels)
    labels[0] = 4.0
    world = PlasmodeWorld.fit(changed(labels=labels))
    assert world.grades.tolist() == [0.0, 1.0, 2.5, 4.0]
    assert (world.sample(300).labels == 4.0).mean() < 0.05
