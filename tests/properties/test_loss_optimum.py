"""The claim `order_preserving`: on random laws the expected loss is least in the order of E[targets]."""

from __future__ import annotations

import math

import numpy as np
import pytest

from drawn import is_exhaustive
from every_case import every_case
from properties.loss_cases import claiming, identity
from properties.loss_minimum import TargetLaw, disagreements, draw_law, minimiser
from properties.test_loss_laws import seeded
from rankproof.losses import KL, Bregman, Cosine, Duchi, ListNet, Loss, Softmax, Squared
from rankproof.losses import loss as loss_of


@every_case("loss", claiming("order_preserving", True), ids=identity, thin=True)
def test_the_minimiser_sorts_as_the_mean_target(loss: Loss) -> None:
    rng = seeded(loss, 4)
    # Without convexity the solver starts from every order, 24 of them for 4 items.
    for n in (2, 3, 4) if loss.claims.value("convex") else (2, 3):
        for _ in range(6 if is_exhaustive() else 2):
            law = draw_law(loss, rng, n, 4)
            found = minimiser(loss, law)
            assert not disagreements(found, law.mean), f"{law}: minimiser {found}, mean {law.mean}"


# Lambdas jump with the ranking of three items; with two, their weights are the same in both orders.
WITNESS_ITEMS = {"lambdaloss": 2, "lambdarank": 2}


@every_case("loss", claiming("order_preserving", False), ids=identity, thin=True)
def test_some_law_shows_that_the_order_is_lost(loss: Loss) -> None:
    rng = seeded(loss, 5)
    laws = (draw_law(loss, rng, WITNESS_ITEMS.get(loss.name, 3), 3) for _ in range(400))
    assert any(disagreements(minimiser(loss, law), law.mean) for law in laws)


# R11 §3.2.1: item 1 is graded a little higher, rarely; item 2 much higher, mostly.
RARE = np.array([[5.0, 4.0], [1.0, 3.0]]), np.array([0.3, 0.7])


@pytest.mark.parametrize(
    "name", ["squared", "centred-squared", "cosine", "q-family", "bregman", "kl", "softmax"]
)
def test_the_target_of_the_metric_decides_who_is_first(name: str) -> None:
    """E[gain] = (10, 9.4) puts item 1 first, E[gain / ideal DCG] = (0.3216, 0.7533) item 2."""
    labels, probabilities = RARE
    first = {}
    z = 31 + 15 / math.log2(3), 7 + 1 / math.log2(3)
    normalised = 0.3 * 31 / z[0] + 0.7 * 1 / z[1], 0.3 * 15 / z[0] + 0.7 * 7 / z[1]
    for metric, mean in {"DCG": (10, 9.4), "nDCG": normalised}.items():
        aimed = loss_of(name, metric=metric)
        law = TargetLaw(aimed.targets(labels.reshape(-1), [0, 2, 4]).reshape(2, 2), probabilities)
        np.testing.assert_allclose(law.mean, mean, rtol=1e-12)
        first[metric] = int(np.argmax(minimiser(aimed, law)))
    assert first == {"DCG": 0, "nDCG": 1}


# The minimisers themselves, where the docstrings give them ----------------------------------------

LAW = TargetLaw(np.array([[2.0, 0.5, 1.0], [0.0, 1.0, 3.0]]), np.array([0.25, 0.75]))
MEAN = np.array([0.5, 0.875, 2.5])


def test_the_mean_of_the_law() -> None:
    assert LAW.mean.tolist() == MEAN.tolist()


def softmax(x: np.ndarray) -> np.ndarray:
    return np.exp(x) / np.exp(x).sum()


def test_squared_is_least_at_the_mean() -> None:
    np.testing.assert_allclose(minimiser(Squared(), LAW), MEAN, atol=1e-7)


def test_kl_is_least_at_the_logarithm_of_the_mean() -> None:
    np.testing.assert_allclose(minimiser(KL(), LAW), np.log(MEAN), atol=1e-7)


def test_softmax_is_least_where_the_shares_are_those_of_the_mean() -> None:
    np.testing.assert_allclose(softmax(minimiser(Softmax(), LAW)), MEAN / 3.875, atol=1e-7)


def test_listnet_is_least_at_the_mean_softmax() -> None:
    wanted = 0.25 * softmax(LAW.outcomes[0]) + 0.75 * softmax(LAW.outcomes[1])
    np.testing.assert_allclose(softmax(minimiser(ListNet(), LAW)), wanted, atol=1e-7)


def test_cosine_is_least_along_the_mean() -> None:
    found = minimiser(Cosine(), LAW)
    np.testing.assert_allclose(found / np.linalg.norm(found), MEAN / np.linalg.norm(MEAN), atol=1e-6)


def test_plain_cosine_is_least_along_the_mean_direction() -> None:
    """R11 §3.2.2 with the Euclidean norm, as its proof has it."""
    wanted = LAW.probabilities @ (LAW.outcomes / np.linalg.norm(LAW.outcomes, axis=1)[:, None])
    found = minimiser(Cosine(normalize=True), LAW)
    np.testing.assert_allclose(found / np.linalg.norm(found), wanted / np.linalg.norm(wanted), atol=1e-6)


def test_bregman_is_least_at_the_gradient_of_half_the_norm_squared() -> None:
    """|s|_q^2 - 2 <s, v> is least at s = |v|_p^(2-p) v^(p-1)."""
    p = 1.5
    wanted = (MEAN**p).sum() ** ((2 - p) / p) * MEAN ** (p - 1)
    np.testing.assert_allclose(minimiser(Bregman(p=p), LAW), wanted, atol=1e-6)


def test_duchi_is_least_where_the_penalty_balances() -> None:
    np.testing.assert_allclose(minimiser(Duchi(nu=2), LAW), MEAN / 4, atol=1e-7)
    np.testing.assert_allclose(minimiser(Duchi(nu=2, penalty="cosh"), LAW), np.arcsinh(MEAN / 2), atol=1e-7)
