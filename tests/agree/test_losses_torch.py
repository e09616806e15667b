"""Value, gradient and Hessian diagonal of every loss agree with torch's autograd on the bare definition."""

from __future__ import annotations

import numpy as np
import pytest

from agree import torch_losses
from properties.loss_cases import VARIANTS, Ragged, identity
from rankproof.losses import LOSSES, Loss

pytestmark = pytest.mark.torch

SIZES = (1, 2, 3, 4, 7, 12, 25)


def test_every_loss_has_a_definition_in_torch() -> None:
    assert set(torch_losses.DEFINITIONS) == set(LOSSES)


@pytest.mark.parametrize("spread", [0.3, 1.0, 6.0])
@pytest.mark.parametrize("loss", VARIANTS, ids=identity)
def test_derivatives_agree(loss: Loss, spread: float) -> None:
    rng = np.random.default_rng([int(10 * spread), *identity(loss).encode()])
    data = Ragged.draw(loss, rng, SIZES)
    scores = spread * data.scores
    exact = loss.claims.value("hessian") == "exact"
    found = loss.evaluate(scores, data.targets, data.offsets, hessian=exact)
    for q, (a, b) in enumerate(data.queries()):
        value, gradient, diagonal = torch_losses.derivatives(loss, scores[a:b], data.targets[a:b])
        np.testing.assert_allclose(found.per_query[q], value, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(found.gradient[a:b], gradient, rtol=1e-9, atol=1e-10)
        if exact:
            np.testing.assert_allclose(found.hessian[a:b], diagonal, rtol=1e-8, atol=1e-9)
