"""The claim linear_in_target: the gradient at a mean of targets is the mean of the gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankproof.errors import DataError
from rankproof.losses.base import LOSSES, Loss
from rankproof.losses.bregman import Bregman
from rankproof.losses.cosine import Cosine
from rankproof.losses.order_preserving import OrderPreserving
from rankproof.losses.preorder import Preorder

ALL = [
    *(cls() for cls in LOSSES.values()),
    *(Cosine(normalize=True), Bregman(p=1.5), OrderPreserving(margin="logistic"), Preorder(margin="hinge")),
]


def gap(loss: Loss) -> float:
    """How far the gradient at half of two labellings is from half of the gradients, at most."""
    rng = np.random.default_rng(0)
    worst = 0.0
    for _ in range(50):
        n = int(rng.integers(2, 6))
        scores = rng.normal(size=n)
        u, v = rng.integers(0, 5, n).astype(float), rng.integers(0, 5, n).astype(float)

        def gradient(targets: Any, scores: Any = scores) -> Any:
            return loss.evaluate(scores, targets, [0, scores.size]).gradient

        share = float(rng.uniform(0.1, 0.9))
        mixed = gradient(share * u + (1 - share) * v)
        off = mixed - share * gradient(u) - (1 - share) * gradient(v)
        worst = max(worst, float(np.abs(off).max() / (1 + np.abs(mixed).max())))
    return worst


@pytest.mark.parametrize("loss", ALL, ids=str)
def test_the_claim_is_true_whichever_it_is(loss: Loss) -> None:
    claim = loss.linearity()
    assert claim is not None, "every loss of the library says it"
    assert claim.name == "linear_in_target"
    try:
        off = gap(loss)
    except DataError:
        # It takes no mean of labels at all.
        assert claim.value is False
        return
    assert off < 1e-12 if claim.value else off > 1e-3


def test_the_counterexample_of_the_published_cosine() -> None:
    draws = np.array([[2.0, 0.0], [0.0, 1.0]])
    loss, scores = Cosine(normalize=True), [1.0, 2.0]
    by_draw = np.mean([loss.evaluate(scores, u, [0, 2]).value for u in draws])
    at_mean = loss.evaluate(scores, draws.mean(axis=0), [0, 2]).value
    # 1 - <(1, 2), (1/2, 1/2)> / sqrt 5 and 1 - <(1, 2), (1, 1/2)> / (sqrt 5 sqrt 5/4)
    assert by_draw == pytest.approx(1 - 1.5 / np.sqrt(5))
    assert at_mean == pytest.approx(1 - 2 / 2.5)


def test_what_a_loss_claims_is_not_inherited() -> None:
    class Mine(Cosine):
        """Perhaps another kernel."""

    assert Cosine().declared("linearity")().value is True
    assert Mine().declared("linearity")() is None
