"""The demonstration: its world has the law it prints, and its curves are those of that law."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest

import rankproof as rp
from rankproof.data.samples import WARD, diabetes_wards
from rankproof.experiments.demo.convergence import LOSSES, regret_curves
from rankproof.experiments.demo.cost import PREMISES, cost_in_words, costly_curve
from rankproof.experiments.demo.tables import regret_table
from rankproof.experiments.demo.without_loss import independent_laws, without_loss
from rankproof.experiments.demo.world import ambiguous_laws, ambiguous_world, draw_counted
from rankproof.report.content import Facts, Section
from rankproof.report.html import render
from rankproof.report.pages.demo import demo_report

KINDS = 6


@pytest.fixture(scope="module")
def laws() -> list[rp.Law]:
    return ambiguous_laws(seed=3, kinds=KINDS)


def test_the_world_is_drawn_from_its_seed() -> None:
    assert ambiguous_laws(3) == ambiguous_laws(3)
    assert ambiguous_laws(3) != ambiguous_laws(4)
    for law in ambiguous_laws(5):
        assert 2 <= len(law) <= 3
        assert all(p.denominator in (1, 2, 5, 10) for p in law.probabilities)
        assert all(any(y) for y in law.support)


def test_a_counted_sample_has_the_frequencies_of_the_law(laws: list[rp.Law]) -> None:
    queries = 200_000
    data = draw_counted(ambiguous_world(laws), queries, np.random.default_rng(0))
    assert data.query_weights is not None
    assert data.query_weights.sum() == queries
    # Every reading of every kind, with a frequency within five standard deviations of its probability.
    expected = [Fraction(1, KINDS) * p for law in laws for p in law.probabilities]
    assert data.queries == len(expected)
    for weight, p in zip(data.query_weights, expected, strict=True):
        assert abs(weight - queries * p) < 5 * float(queries * p) ** 0.5


def test_the_limits_are_the_regrets_of_the_expected_loss(laws: list[rp.Law]) -> None:
    scene = regret_curves(laws, rp.metric("nDCG"), sizes=(100, 20_000), draws=1, boosted=False)
    found = {curve.name: curve for curve in scene.curves}
    assert set(found) == set(LOSSES)
    consistent = found["softmax on the nDCG target"]
    assert consistent.limit == 0
    assert consistent.consistent
    raw = found["regression on raw gains"]
    # Least squares on gains ends at E[2^y - 1]; all rankings are tried.
    lost = []
    for law in laws:
        mean = law.expect(lambda y: [2**grade - 1 for grade in y])
        worth = {r: float(law.expect(lambda y, r=r: _ndcg(y, r))) for r in permutations(range(law.items))}
        sorting = [r for r in worth if all(mean[a] >= mean[b] for a, b in pairwise(r))]
        lost.append(max(worth.values()) - sum(worth[r] for r in sorting) / len(sorting))
    assert raw.limit == pytest.approx(np.mean(lost), abs=1e-9)
    assert raw.missed == sum(value > 1e-12 for value in lost)
    for curve in scene.curves:
        assert curve.limit is not None
        assert curve.regrets[-1] == pytest.approx(curve.limit, abs=0.01)
    assert regret_table(scene).rows[0][0] == "softmax on the nDCG target"


def _ndcg(y: rp.Graded, ranking: tuple[int, ...]) -> float:
    discounts = 1 / np.log2(np.arange(2, len(ranking) + 2))
    gains = np.array([2.0 ** int(y[i]) - 1 for i in ranking])
    return float(gains @ discounts / (np.sort(gains)[::-1] @ discounts))


def test_independent_laws_keep_what_each_item_does(laws: list[rp.Law]) -> None:
    for law, other in zip(laws, independent_laws(laws), strict=True):
        assert rp.noise.check(other, "independent")
        assert all(law.marginal(i) == other.marginal(i) for i in range(law.items))


def test_a_metric_without_a_loss_is_served_by_independent_labels(laws: list[rp.Law]) -> None:
    scene = without_loss(rp.metric("ERR(max_grade=3)"), laws)
    assert (scene.verdict.outcome, scene.independent.outcome) == ("inconsistent", "consistent")
    assert scene.independent_regret == 0
    assert scene.dependent_regret >= 0
    page = render(
        demo_report(
            regret_curves(laws, rp.metric("nDCG"), sizes=(100, 1_000), draws=1, boosted=False),
            scene,
            Section("The same on real data", []),
            "rankproof demo",
            "rankproof fit",
        )
    )
    assert "No convex loss is consistent with ERR(max_grade=3)." in page
    assert "softmax on the nDCG target" in page


def test_the_page_opens_with_what_it_costs_and_ends_with_real_data(laws: list[rp.Law]) -> None:
    scene = regret_curves(laws, rp.metric("nDCG"), sizes=(100,), draws=1, boosted=False)
    real, losses = (
        Section("A model trained on real data", []),
        Section("Do the losses differ on real data?", []),
    )
    err = without_loss(rp.metric("ERR(max_grade=3)"), laws)
    report = demo_report(scene, err, real, "rankproof demo", "rankproof fit", losses)
    ranknet = next(curve for curve in scene.curves if curve.name == "RankNet")
    assert ranknet.limit
    # One number, with the premises it holds under.
    assert f"RankNet on these synthetic queries and report nDCG: even with {PREMISES}" in report.lead
    assert f"stays {ranknet.limit:.4f} below the best possible nDCG of {scene.best:.4f}" in report.lead
    assert PREMISES == "unlimited data and a model that can represent any scores"
    assert report.sections[0].title == "In short"
    explained = next(block for block in report.sections[0].blocks if isinstance(block, Facts))
    assert [word for word, _ in explained.rows] == ["consistent", "law", "target", "regret"]
    # What follows it is how to go on.
    assert [section.title for section in report.sections[-2:]] == [losses.title, "Next: your own data"]


def test_the_cost_is_never_made_up(laws: list[rp.Law]) -> None:
    scene = regret_curves(laws, rp.metric("nDCG"), sizes=(100,), draws=1, boosted=False)
    best = replace(scene, curves=tuple(curve for curve in scene.curves if curve.consistent))
    assert costly_curve(best) is None
    assert "every loss tried here reaches the best possible nDCG" in cost_in_words(best)
    worst = replace(scene, curves=tuple(curve for curve in scene.curves if curve.limit))
    assert "loses nothing" in cost_in_words(scene)
    assert "loses nothing" not in cost_in_words(worst)
    # Without RankNet the first that loses something is named.
    others = replace(scene, curves=tuple(curve for curve in scene.curves if curve.name != "RankNet"))
    assert cost_in_words(others).startswith("Train regression on raw gains on")


def test_the_wards_are_the_patients_of_scikit_learn() -> None:
    from sklearn.datasets import load_diabetes

    train, test = diabetes_wards(seed=1)
    assert train.items % WARD == test.items % WARD == 0
    X, progress = load_diabetes(return_X_y=True)
    rows = {tuple(row): value for row, value in zip(X.astype(np.float32).tolist(), progress, strict=True)}
    values, grades = [], []
    for data in (train, test):
        values += [rows[tuple(row)] for row in np.asarray(data.X).tolist()]
        grades += data.labels.tolist()
    assert len(values) == 442 // WARD * WARD
    # A higher grade never has a lower progression.
    order = np.argsort(values)
    assert (np.diff(np.array(grades)[order]) >= 0).all()
    assert set(grades) == {0, 1, 2, 3, 4}
