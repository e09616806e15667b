"""Losses in float32 keep the digits of float32 on long queries too, where thousands of numbers are added."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from properties.loss_cases import Ragged
from rankproof.losses import Loss
from rankproof.losses import loss as loss_of
from rankproof.torch.forms import FORMS
from torch_modules.torch_batches import flat, kernel

pytestmark = pytest.mark.torch

LONG = [loss_of(name) for name in FORMS if FORMS[name].kind != "rows"]


@pytest.mark.parametrize("loss", LONG, ids=str)
def test_a_long_query_of_a_flat_batch_loses_no_digits(loss: Loss) -> None:
    """Added one after the other in float32, 50,000 numbers would lose up to four digits of their sum."""
    data = Ragged.draw(loss, np.random.default_rng(4), (50_000,))
    scores, targets = (x.astype(np.float32) for x in (data.scores, data.targets))
    wanted = kernel(loss, scores.astype(np.float64), targets.astype(np.float64), data.offsets)
    found = flat(loss, scores, targets, data.offsets, torch.float32)
    assert found.values == pytest.approx(wanted.values, rel=1e-6)
    assert np.abs(found.gradient - wanted.gradient).max() <= 1e-6 * np.abs(wanted.gradient).max()
