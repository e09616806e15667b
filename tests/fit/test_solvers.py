"""Solutions of the solvers: closed forms, conditions of an optimum, an independent minimiser, all losses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge

import rankproof as rp
from every_case import every_case
from fit.made_data import Made, make
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.losses import LOSSES
from rankproof.losses.base import Loss
from rankproof.losses.parse import loss as parse_loss
from rankproof.losses.softmax import Softmax
from rankproof.losses.squared import CentredSquared, Squared

DATA = make(queries=60)


def objective_of(ranker: LinearRanker, data: Made, weights: NDArray[np.float64], shift: float) -> float:
    """The objective at raw weights, from the loss alone."""
    found = ranker.loss_.evaluate(
        data.X @ weights + shift, ranker.loss_.targets(data.y, data.offsets), data.offsets
    )
    return found.value / (data.offsets.size - 1) + 0.5 * ranker.l2 * float(weights @ weights)


def test_squared_loss_is_ridge_regression() -> None:
    # Q times (the mean over Q queries of |s - y|^2, plus l2/2 |w|^2) is Ridge's with alpha = Q l2 / 2.
    ours = LinearRanker(loss=Squared(), l2=0.4, scale="none", tol=1e-12).fit(DATA.X, DATA.y, DATA.qid)
    ridge = Ridge(alpha=60 * 0.4 / 2).fit(DATA.X, DATA.y)
    np.testing.assert_allclose(ours.coef_, ridge.coef_, rtol=1e-9)
    assert ours.intercept_ == pytest.approx(ridge.intercept_, rel=1e-9)
    np.testing.assert_allclose(ours.predict(DATA.X), ridge.predict(DATA.X), rtol=1e-9)


def test_centred_squared_loss_is_ridge_regression_on_centred_data() -> None:
    which = np.repeat(np.arange(60), np.diff(DATA.offsets))
    counts = np.bincount(which)

    def centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values - (np.bincount(which, values) / counts)[which]

    X = np.column_stack([centred(DATA.X[:, j]) for j in range(6)])
    ridge = Ridge(alpha=60 * 0.4 / 2, fit_intercept=False).fit(X, centred(DATA.y))
    ours = LinearRanker(loss=CentredSquared(), l2=0.4, scale="none", tol=1e-12).fit(DATA.X, DATA.y, DATA.qid)
    np.testing.assert_allclose(ours.coef_, ridge.coef_, rtol=1e-8)
    assert ours.intercept_ == 0


@pytest.mark.parametrize("loss", ["softmax", "order-preserving(margin=huber)", "kl"])
def test_solution_is_that_of_an_independent_minimiser(loss: str) -> None:
    ranker = LinearRanker("nDCG@5", loss=loss, l2=0.05, scale="none", tol=1e-9).fit(DATA.X, DATA.y, DATA.qid)
    seen = not ranker.loss_.claims.value("shift_invariant")
    found = minimize(
        lambda p: objective_of(ranker, DATA, p[:6], p[6] if seen else 0.0),
        np.zeros(6 + seen),
        method="BFGS",
        options={"gtol": 1e-8},
    )
    assert ranker.report_.value == pytest.approx(found.fun, rel=1e-9)
    np.testing.assert_allclose(ranker.coef_, found.x[:6], rtol=1e-3, atol=1e-4)
    assert ranker.report_.value == pytest.approx(
        objective_of(ranker, DATA, ranker.coef_, ranker.intercept_), rel=1e-12
    )


@pytest.mark.parametrize("scale", ["none", "standard", "query-minmax"])
@pytest.mark.parametrize("loss", [Squared(), Softmax()], ids=lambda loss: loss.name)
def test_no_direction_leads_down_from_the_solution(loss: Loss, scale: str) -> None:
    ranker = LinearRanker(loss=loss, l2=0.1, scale=scale, tol=1e-8).fit(DATA.X, DATA.y, DATA.qid)
    assert ranker.report_.converged
    # Or as small as the objective can tell: a step along g changes it by about g^2, lost in its rounding.
    resolved = math.sqrt(np.finfo(float).eps * ranker.report_.value)
    assert ranker.report_.gradient_norm <= max(1e-8, resolved)
    scaled = scaled_features(DATA, scale)

    def value(coef: NDArray[np.float64], shift: float) -> float:
        return objective_of(ranker, DATA._replace(X=scaled), coef, shift)

    best = value(ranker.coef_, ranker.intercept_)
    assert best == pytest.approx(ranker.report_.value, rel=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert value(ranker.coef_ + 1e-3 * rng.normal(size=6), ranker.intercept_) > best


def scaled_features(data: Made, scale: str) -> NDArray[np.float64]:
    if scale == "standard":
        return (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    out = data.X.copy()
    if scale == "query-minmax":
        for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True):
            low, width = out[a:b].min(axis=0), np.ptp(out[a:b], axis=0)
            out[a:b] = (out[a:b] - low) / np.where(width == 0, 1, width)
    return out


@pytest.mark.parametrize("loss", [Squared(), Softmax(), CentredSquared()], ids=lambda loss: loss.name)
def test_sgd_comes_close_to_lbfgs(loss: Loss) -> None:
    data = make(queries=300, seed=5)
    exact = LinearRanker(loss=loss, l2=0.05, scale="none", tol=1e-9).fit(data.X, data.y, data.qid)
    sgd = LinearRanker(loss=loss, l2=0.05, scale="none", solver="sgd", tol=1e-6).fit(data.X, data.y, data.qid)
    assert sgd.report_.converged
    at_zero = objective_of(exact, data, np.zeros(6), 0.0)
    left = (sgd.report_.value - exact.report_.value) / (at_zero - exact.report_.value)
    assert 0 <= left < 1e-3
    assert sgd.report_.value == pytest.approx(objective_of(sgd, data, sgd.coef_, sgd.intercept_), rel=1e-12)


def test_sgd_is_the_same_for_the_same_seed() -> None:
    def fit(seed: object) -> NDArray[np.float64]:
        return LinearRanker(solver="sgd", random_state=seed, max_iter=5, tol=0.5).fit(*DATA).coef_

    assert (fit(3) == fit(3)).all()
    assert (fit(3) != fit(4)).any()
    same = [fit(np.random.default_rng(9)), fit(np.random.default_rng(9))]
    assert (same[0] == same[1]).all()
    old = [fit(np.random.RandomState(9)), fit(np.random.RandomState(9))]
    assert (old[0] == old[1]).all()
    assert np.isfinite(fit(None)).all()


def made(name: str) -> Loss:
    """A loss of the registry, aimed at nDCG when it can be."""
    needs = LOSSES[name].needs
    return parse_loss(name) if needs == "labels" else parse_loss(name, metric="nDCG@5")


@every_case("solver", ["lbfgs", "sgd"])
@every_case("name", list(LOSSES))
def test_every_loss_can_be_fitted_and_falls(name: str, solver: str) -> None:
    ranker = LinearRanker(
        "nDCG@5", loss=made(name), l2=0.01, scale="none", solver=solver, max_iter=300, tol=1e-3
    )
    ranker.fit(DATA.X, DATA.y, DATA.qid)
    found = objective_of(ranker, DATA, ranker.coef_, ranker.intercept_)
    assert found == pytest.approx(ranker.report_.value, rel=1e-9)
    assert found < objective_of(ranker, DATA, np.zeros(6), 0.0)
    blind = rp.evaluate(np.zeros(DATA.y.size), DATA.y, "nDCG@5", qid=DATA.qid).mean["nDCG@5"]
    assert ranker.score(DATA.X, DATA.y, DATA.qid) > blind + 0.1


def test_a_limit_of_iterations_is_reported_and_warned_about() -> None:
    with pytest.warns(ConvergenceWarning, match="did not converge after 2 iterations.*raise max_iter or tol"):
        ranker = LinearRanker(l2=1e-4, max_iter=2, tol=1e-9).fit(*DATA)
    assert not ranker.report_.converged
    assert ranker.report_.iterations == ranker.n_iter_ == 2
    assert ranker.report_.evaluations >= 3
    with pytest.warns(ConvergenceWarning, match="limit of 1 passes"):
        LinearRanker(solver="sgd", max_iter=1).fit(*DATA)


def test_a_tolerance_of_zero_ends_at_the_last_digit() -> None:
    ranker = LinearRanker(l2=0.1, tol=0).fit(*DATA)
    assert ranker.report_.converged
    assert "no longer changes in any digit" in ranker.report_.message
    assert ranker.report_.gradient_norm < 1e-6


def test_data_without_information_give_weights_of_zero() -> None:
    flat = LinearRanker().fit(np.ones((4, 2)), [0, 1, 2, 0], ["a", "a", "b", "b"])
    assert flat.coef_.tolist() == [0, 0]
    assert flat.report_.converged
    assert flat.report_.iterations == 0
    assert flat.report_.message == "the start is a solution"
    sgd = LinearRanker(solver="sgd").fit(np.ones((4, 2)), [0, 1, 2, 0], ["a", "a", "b", "b"])
    assert sgd.coef_.tolist() == [0, 0]
    for solver in ("lbfgs", "sgd"):
        again = LinearRanker(warm_start=True, solver=solver).fit(*DATA)
        assert again.coef_.any()
        assert not again.fit(DATA.X, np.zeros_like(DATA.y), DATA.qid).coef_.any()
    unlabelled = LinearRanker().fit(DATA.X, np.zeros_like(DATA.y), DATA.qid)
    assert unlabelled.coef_.tolist() == [0] * 6


def test_features_of_very_different_size_are_no_harder() -> None:
    size = 10.0 ** np.arange(-4, 8, 2)
    plain = LinearRanker(l2=0.0, scale="none", tol=1e-8).fit(DATA.X, DATA.y, DATA.qid)
    uneven = LinearRanker(l2=0.0, scale="none", tol=1e-8).fit(DATA.X * size, DATA.y, DATA.qid)
    assert uneven.report_.iterations <= plain.report_.iterations + 2
    np.testing.assert_allclose(uneven.coef_ * size, plain.coef_, rtol=1e-5)


def test_a_feature_twice_shares_its_weight() -> None:
    twice = np.column_stack([DATA.X, DATA.X[:, 0]])
    ranker = LinearRanker(l2=0.01, scale="none", tol=1e-9).fit(twice, DATA.y, DATA.qid)
    assert ranker.report_.converged
    assert ranker.coef_[0] == pytest.approx(ranker.coef_[6], rel=1e-5)


def test_many_features_are_solved_with_variances_alone() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 600)) * rng.uniform(0.1, 10, 600)
    y = np.clip(np.round(X[:, 0] / X[:, 0].std() + rng.normal(size=400)), 0, 4)
    qid = np.repeat(np.arange(40), 10)
    ours = LinearRanker(loss=Squared(), l2=1.0, scale="none", tol=1e-9, max_iter=5000).fit(X, y, qid)
    ridge = Ridge(alpha=40 / 2).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), ridge.predict(X), atol=1e-6)
