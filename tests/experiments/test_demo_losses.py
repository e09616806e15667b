"""The losses on real data: nobody is scored by a model that knew the query, and noise is called noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

import rankproof as rp
from rankproof.data.samples import diabetes_wards
from rankproof.evaluation.compare import Comparison, compare
from rankproof.experiments.demo.real_losses import (
    CONSISTENT,
    FOLDS,
    MOST_QUERIES,
    compare_losses,
    held_out_scores,
    losses_for,
    pooled,
)
from rankproof.experiments.demo.real_losses_text import difference_table, in_words
from rankproof.report.content import DataTable, Paragraphs
from rankproof.report.pages.demo import losses_section

METRIC = rp.metric("nDCG@10")


@pytest.fixture(scope="module")
def wards() -> rp.RankingData:
    return pooled(diabetes_wards())


@pytest.fixture(scope="module")
def comparison(wards: rp.RankingData) -> Comparison:
    return compare_losses(wards, METRIC)


def test_all_queries_of_all_parts_are_pooled(wards: rp.RankingData) -> None:
    train, test = diabetes_wards()
    assert wards.queries == train.queries + test.queries == 34
    assert wards.labels.tolist() == [*train.labels, *test.labels]
    assert np.array_equal(wards.X, np.concatenate([train.X, test.X]))
    sparse = [replace(part, X=csr_array(part.X)) for part in (train, test)]
    assert np.array_equal(pooled(sparse).X.toarray(), wards.X)  # type: ignore[union-attr]


def test_of_many_queries_some_are_drawn_by_the_seed() -> None:
    many = MOST_QUERIES + 50
    data = rp.RankingData(
        labels=np.tile([1.0, 0.0], many), offsets=range(0, 2 * many + 1, 2), X=np.eye(2 * many)
    )
    one, again, other = pooled([data], 1), pooled([data], 1), pooled([data], 2)
    assert one.queries == MOST_QUERIES
    assert np.array_equal(one.X, again.X)
    assert not np.array_equal(one.X, other.X)


def test_the_first_loss_is_proven_and_the_others_are_not() -> None:
    first, *others = losses_for(METRIC).values()
    assert rp.certify(first, METRIC).outcome == "consistent"
    assert [rp.certify(other, METRIC).outcome for other in others] == ["inconsistent"] * 5


def test_a_query_is_scored_by_models_that_never_saw_its_labels(wards: rp.RankingData) -> None:
    """Other labels of one query change the scores of others, but not its own."""
    turned = wards.labels.copy()
    turned[: wards.sizes[0]] = 4 - turned[: wards.sizes[0]]
    other, own = replace(wards, labels=turned), slice(0, wards.sizes[0])
    for spec in losses_for(METRIC).values():
        before, after = (held_out_scores(data, METRIC, spec) for data in (wards, other))
        assert np.array_equal(before[own], after[own]), spec
        assert not np.array_equal(before, after), spec


def test_the_table_has_every_loss_against_the_consistent_one(comparison: Comparison) -> None:
    table = difference_table(comparison)
    assert [row[0] for row in table.rows] == [*losses_for(METRIC), "(constant scorer)"]
    means = {name: float(results.mean["nDCG@10"]) for name, results in comparison.results.items()}
    for name, mean, _, difference, interval, p, adjusted in table.rows[1:-1]:
        assert mean == f"{means[name]:.4f}"
        assert float(difference) == pytest.approx(means[name] - means[CONSISTENT], abs=1e-4)
        low, high = map(float, interval.strip("[]").split(", "))
        assert low <= float(difference) <= high
        # Holm never lowers a p-value.
        assert float(adjusted.strip("<")) >= float(p.strip("<"))
    assert f"{FOLDS * 3} pairs" in table.notes[1]


def test_what_is_within_the_noise_is_called_so(comparison: Comparison) -> None:
    assert all(pair.winner is None for pair in comparison.pairs["nDCG@10"])
    text = in_words(comparison)
    assert "on these 34 queries no loss is significantly better than another by nDCG@10" in text
    assert "All differences are within the noise" in text
    # That nothing was shown does not show that there is nothing.
    assert "Real differences may exist" in text


def test_a_clear_difference_is_named() -> None:
    queries = 40
    data = rp.RankingData(labels=np.tile([1.0, 0.0], queries), offsets=np.arange(0, 2 * queries + 1, 2))
    right, wrong = np.tile([1.0, 0.0], queries), np.tile([0.0, 1.0], queries)
    found = in_words(compare({"good": right, "bad": wrong, "same": wrong}, data, "nDCG@10"))
    assert found == (
        "Some do, by nDCG@10 on these 40 queries: good is better than bad; good is better than same. The "
        "other 1 of 3 pairs are within the noise."
    )


def test_the_section_says_what_consistency_does_not_promise(comparison: Comparison) -> None:
    section = losses_section("About the data.", comparison)
    text = " ".join(p for block in section.blocks if isinstance(block, Paragraphs) for p in block.paragraphs)
    assert in_words(comparison) in text
    assert "unlimited data and a model that can represent any scores" in text
    tables = [block for block in section.blocks if isinstance(block, DataTable)]
    assert [len(block.table.rows) for block in tables] == [7, 15]
    (problem,) = losses_section("", "labels are too high").blocks
    assert isinstance(problem, Paragraphs)
    assert problem.paragraphs == ["The losses could not be compared: labels are too high"]
