"""The objective against its definition in numpy, and its gradient against differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from fit.made_data import Made, make
from rankproof.arrays import spans_by_items
from rankproof.data.ranking import ranking_data
from rankproof.fit.linear import objective as module
from rankproof.fit.linear.objective import LinearObjective
from rankproof.fit.matrix import as_matrix
from rankproof.losses.base import Loss
from rankproof.losses.softmax import Softmax
from rankproof.losses.squared import CentredSquared, Squared
from rankproof.losses.supervision import supervision
from rankproof.threads import using


def build(data: Made, loss: Loss, *, sparse: bool = False, **more: object) -> LinearObjective:
    rng = np.random.default_rng(1)
    columns = data.X.shape[1]
    intercept = not loss.claims.value("shift_invariant")
    return LinearObjective(
        as_matrix(csr_array(data.X) if sparse else data.X),
        loss,
        supervision(
            loss,
            ranking_data(data.y, data.offsets, None, more.get("query_weight"), more.get("sample_weight")),
        ),
        l2=0.3,
        centre=rng.normal(size=columns),
        divisor=rng.uniform(0.5, 2, columns),
        intercept=intercept,
    )


def by_definition(
    data: Made, objective: LinearObjective, parameters: np.ndarray, query_weights: np.ndarray
) -> float:
    """F as the module docstring writes it, with one loop over queries."""
    columns = data.X.shape[1]
    v, b = parameters[:columns], parameters[columns] if objective.intercept else 0.0
    s = ((data.X - objective.centre) / objective.divisor) @ v + b
    total, item_weights = 0.0, objective.data.item_weights
    for q, (start, end) in enumerate(zip(data.offsets[:-1], data.offsets[1:], strict=True)):
        u, scores = data.y[start:end], s[start:end]
        w = item_weights[start:end] if item_weights.size else np.ones(end - start)
        if isinstance(objective.loss, Squared):
            value = np.sum(w * (scores - u) ** 2)
        else:
            value = np.sum(w * u * (np.log(np.sum(np.exp(scores))) - scores))
        total += query_weights[q] * value
    return total / query_weights.sum() + 0.15 * v @ v


@pytest.mark.parametrize("loss", [Squared(), Softmax()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.filterwarnings("ignore:.* differs between items of one query")
def test_value_is_the_definition_and_gradient_its_derivative(loss: Loss, sparse: bool) -> None:
    data, rng = make(queries=15), np.random.default_rng(8)
    weights, items = rng.uniform(0, 3, 15), rng.uniform(0, 2, data.y.size)
    objective = build(data, loss, sparse=sparse, query_weight=weights, sample_weight=items)
    assert objective.size == 6 + (loss.name == "squared")
    point = 0.3 * rng.normal(size=objective.size)
    value, gradient = objective.evaluate(point)
    assert value == pytest.approx(by_definition(data, objective, point, weights), rel=1e-12)
    for k in range(objective.size):
        step = np.zeros(objective.size)
        step[k] = 1e-5
        up, down = (by_definition(data, objective, point + sign * step, weights) for sign in (1, -1))
        assert gradient[k] == pytest.approx((up - down) / 2e-5, rel=1e-6, abs=1e-8)


def test_blocks_groups_and_threads_do_not_change_the_objective(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make(queries=300, longest=30)
    point = np.random.default_rng(2).normal(size=6)
    whole = build(data, Softmax()).evaluate(point)
    monkeypatch.setattr(module, "_BLOCK_BYTES", 2000)
    monkeypatch.setattr(module, "_LEAST_ITEMS", 100)
    cut = {threads: build(data, Softmax()) for threads in (1, 2, 5)}
    assert len(cut[1]._work.groups) == 32
    assert sum(len(group) for group in cut[1]._work.groups) > 60
    found = []
    for threads, objective in cut.items():
        with using(threads):
            found.append(objective.evaluate(point))
    assert found[0][0] == pytest.approx(whole[0], rel=1e-14)
    np.testing.assert_allclose(found[0][1], whole[1], rtol=1e-12)
    # Losses that sort are called for a whole group, others for every block: the same sums.
    assert cut[1]._work.by_block
    cut[1]._work.by_block = False
    found.append(cut[1].evaluate(point))
    for value, gradient in found[1:]:
        assert value == found[0][0]
        assert (gradient == found[0][1]).all()


def test_every_query_is_in_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        sizes = rng.integers(0, 9, rng.integers(1, 30))
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        monkeypatch.setattr(module, "_LEAST_ITEMS", int(rng.integers(1, 40)))
        groups = module._deal(spans_by_items(offsets, int(rng.integers(1, 20))), offsets)
        queries = [q for group in groups for low, high in group for q in range(low, high)]
        assert queries == list(range(sizes.size))


def test_an_evaluation_leaves_nothing_behind() -> None:
    data = make(queries=20)
    objective = build(data, CentredSquared())
    one, other = np.ones(6), np.full(6, -2.0)
    first = objective.evaluate(one)
    objective.evaluate(other)
    again = objective.evaluate(one)
    assert again[0] == first[0]
    assert (again[1] == first[1]).all()


def test_a_penalty_is_all_that_with_l2_changes() -> None:
    data, point = make(queries=20), np.linspace(-1, 1, 6)
    objective = build(data, Softmax())
    other, fresh = objective.with_l2(0.7), replace(objective, l2=0.7)
    assert other.evaluate(point)[0] == pytest.approx(objective.evaluate(point)[0] + 0.2 * point @ point)
    assert other.evaluate(point)[0] == fresh.evaluate(point)[0]
    assert (other.preconditioner.into == fresh.preconditioner.into).all()
    assert (other.preconditioner.into != objective.preconditioner.into).any()


@pytest.mark.parametrize("loss", [Squared(), Softmax(), CentredSquared()], ids=lambda loss: loss.name)
def test_preconditioned_variables_are_parameters_in_other_words(loss: Loss) -> None:
    data, rng = make(queries=30), np.random.default_rng(3)
    objective = build(data, loss)
    preconditioner, p = objective.preconditioner, rng.normal(size=objective.size)
    np.testing.assert_allclose(preconditioner.parameters(preconditioner.variables(p)), p, rtol=1e-10)
    g, dp = rng.normal(size=objective.size), rng.normal(size=objective.size)
    assert preconditioner.gradient(g) @ preconditioner.variables(dp) == pytest.approx(g @ dp)


def test_the_hessian_is_about_one_in_these_variables() -> None:
    data = make(queries=200)
    centre = data.X.mean(axis=0)
    objective = replace(build(data, Squared()), centre=centre)
    preconditioner = objective.preconditioner
    columns = np.eye(objective.size)
    at_zero = preconditioner.gradient(objective.evaluate(np.zeros(objective.size))[1])
    hessian = np.array(
        [
            preconditioner.gradient(objective.evaluate(preconditioner.parameters(e))[1]) - at_zero
            for e in columns
        ]
    )
    np.testing.assert_allclose(hessian, np.eye(objective.size), atol=1e-9)
