"""The forms are the models: their scores are the engine's, to the bit, on rows at every edge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from exports.trained import MODELS, lightgbm_model
from rankproof.errors import ArgumentError
from rankproof.exports.forms.evaluate import tree_scores
from rankproof.exports.forms.thresholds import down32, next32, thresholds_at_most, thresholds_below, up32
from rankproof.exports.forms.trees import MOST_LEAVES, ZERO_BELOW, BoostedTree, TreeForm
from rankproof.exports.read.files import read_source
from rankproof.exports.rows import Domain, made_rows


def tree(**changed: Any) -> BoostedTree:
    """``x0 <= 0.5`` with leaves 1 and 2."""
    parts: dict[str, Any] = {
        "feature": np.array([0, -1, -1]),
        "threshold": np.array([0.5, np.nan, np.nan]),
        "left": np.array([1, -1, -1]),
        "right": np.array([2, -1, -1]),
        "default_left": np.array([True, False, False]),
        "missing": np.array([1, 0, 0], dtype=np.uint8),
        "value": np.array([0.0, 1.0, 2.0]),
        "categories": {},
    }
    return BoostedTree(**(parts | changed))


@pytest.mark.parametrize("kind", MODELS)
def test_the_scores_are_those_of_the_engine_to_the_bit(kind: str) -> None:
    source, _ = read_source(MODELS[kind]())
    form = source.form
    assert isinstance(form, TreeForm)
    domain = Domain(form.precision, True, source.infinite, source.tiny, form.categorical)
    X = made_rows(form, domain, least=2000, most=20_000)
    assert np.isnan(X).any()
    assert (tree_scores(form, X) == source.scores(X)).all()


def test_zero_as_missing_is_read_as_lightgbm_means_it() -> None:
    source, _ = read_source(lightgbm_model(zero_as_missing=True))
    form = source.form
    assert isinstance(form, TreeForm)
    X = made_rows(form, Domain("float64", True, True, ZERO_BELOW, form.categorical), least=2000, most=20_000)
    assert 2 in form.missing_kinds()
    assert (tree_scores(form, X) == source.scores(X)).all()


def test_a_random_forest_is_the_mean_of_its_trees() -> None:
    model = lightgbm_model(boosting="rf", bagging_freq=1, bagging_fraction=0.7)
    source, _ = read_source(model)
    form = source.form
    assert isinstance(form, TreeForm)
    X = made_rows(form, Domain("float64", True, True, ZERO_BELOW, form.categorical), least=500, most=5000)
    assert np.allclose(tree_scores(form, X), model.predict(X), rtol=1e-13, atol=1e-13)


def test_a_split_by_hand() -> None:
    rows = np.array([[0.5], [np.nextafter(0.5, 1)], [np.nan]])
    assert tree_scores(TreeForm(("a",), (tree(),), base=10.0), rows).tolist() == [11, 12, 11]
    assert tree_scores(TreeForm(("a",), (tree(),), strict=True), rows).tolist() == [2, 2, 1]
    # In float32 the neighbour of 0.5 in float64 is 0.5.
    assert tree_scores(TreeForm(("a",), (tree(),), precision="float32"), rows).tolist() == [1, 1, 1]
    zero = tree(missing=np.array([0, 0, 0], dtype=np.uint8), threshold=np.array([-1.0, np.nan, np.nan]))
    assert tree_scores(TreeForm(("a",), (zero,)), rows).tolist() == [2, 2, 2]
    inside = tree(categories={0: (1, 3)}, default_left=np.zeros(3, dtype=bool))
    codes = np.array([[1.0], [2.0], [3.0], [np.nan]])
    assert tree_scores(TreeForm(("a",), (inside,)), codes).tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"left": np.array([0, -1, -1])}, "reached in two ways or from itself"),
        ({"right": np.array([1, -1, -1])}, "reached in two ways"),
        ({"right": np.array([7, -1, -1])}, "leads to node 7, which is not there"),
        ({"feature": np.array([3, -1, -1])}, "splits feature 3, but there are 1"),
        ({"threshold": np.full(3, np.nan)}, "the threshold is not a number"),
        ({"value": np.array([0.0, np.inf, 1.0])}, "the value of leaf 1 is inf"),
    ],
)
def test_what_is_no_tree_is_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        TreeForm(("a",), (tree(**changed),))


def test_a_million_leaves_are_refused() -> None:
    splits = MOST_LEAVES
    nodes = 2 * splits + 1
    numbers = np.arange(splits)
    # A chain: every split has a leaf on its left.
    feature = np.concatenate([np.zeros(splits, np.int64), np.full(splits + 1, -1)])
    left = np.concatenate([splits + numbers, np.full(splits + 1, -1)])
    right = np.concatenate([numbers + 1, np.full(splits + 1, -1)])
    right[splits - 1] = nodes - 1
    long = BoostedTree(
        feature,
        np.where(feature == 0, 0.5, np.nan),
        left,
        right,
        np.zeros(nodes, bool),
        np.ones(nodes, np.uint8),
        np.zeros(nodes),
        {},
    )
    with pytest.raises(ArgumentError, match="more than 1000000 leaves"):
        TreeForm(("a",), (long,))


def test_thresholds_send_every_float32_to_the_same_side() -> None:
    random = np.random.default_rng(1)
    thresholds = [*random.normal(size=300), *(random.normal(size=300) * 1e9), 0.0, 0.1, 0.5, 1e-40, -1e-40]
    for strict in (False, True):
        form = TreeForm(("a",), (), strict=strict)
        for t in thresholds:
            low, high = down32(t), up32(t)
            assert float(low) <= t <= float(high)
            assert high in (low, next32(low))
            for x in (np.nextafter(low, np.float32(-np.inf)), low, high, next32(high)):
                wanted = float(x) < t if strict else float(x) <= t
                assert (x < thresholds_below(form, t)) == wanted
                assert (x <= thresholds_at_most(form, t)) == wanted
