"""Every loss in torch has the values and gradients of its kernel: all layouts, types, ties and sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from agree import torch_losses
from properties.loss_cases import EVERY, OWN_FUNCTIONS, VARIANTS, Ragged, draw_targets, identity
from rankproof.losses import LOSSES, Loss, Margin, OrderPreserving, Preorder
from rankproof.losses import loss as loss_of
from rankproof.torch import pairwise as torch_pairwise
from rankproof.torch.forms import FORMS
from torch_modules.torch_batches import Found, assert_same, flat, kernel, padded

pytestmark = pytest.mark.torch

every_loss = pytest.mark.parametrize("loss", VARIANTS, ids=identity)
# Short and long ones, since long lists go another way; an empty one; one item.
SIZES = (1, 2, 3, 0, 7, 12, 25, 120)
HINGES = ("hinge", "squared-hinge", "huber")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def seeded(loss: Loss, number: int = 0) -> np.random.Generator:
    return np.random.default_rng([number, *identity(loss).encode()])


def test_every_loss_has_a_form_in_torch() -> None:
    assert set(FORMS) == set(LOSSES)


@every_loss
@pytest.mark.parametrize("spread", [0.3, 1.0, 6.0, 100.0])
def test_values_and_gradients_are_those_of_the_kernel(loss: Loss, spread: float) -> None:
    rng = seeded(loss, int(10 * spread))
    data = Ragged.draw(loss, rng, SIZES)
    scores = spread * data.scores
    wanted = kernel(loss, scores, data.targets, data.offsets)
    assert_same(flat(loss, scores, data.targets, data.offsets), wanted, data.offsets)
    assert_same(padded(loss, scores, data.targets, data.offsets, rng), wanted, data.offsets)


@every_loss
def test_tied_scores_and_corners_are_those_of_the_kernel(loss: Loss) -> None:
    """Scores in tenths: many are equal, and many differences are 1 up to rounding, where the hinge bends."""
    rng = seeded(loss)
    for step in (1.0, 10.0):
        data = Ragged.draw(loss, rng, SIZES)
        scores = rng.integers(-20, 21, data.scores.size) / step
        wanted = kernel(loss, scores, data.targets, data.offsets)
        assert_same(flat(loss, scores, data.targets, data.offsets), wanted, data.offsets)
        assert_same(padded(loss, scores, data.targets, data.offsets, rng), wanted, data.offsets)


@every_loss
def test_what_stands_beside_the_items_of_a_row_does_not_show(loss: Loss) -> None:
    """Far from 0, the zeros that fill a row would be far above the scores, or far below."""
    rng = seeded(loss)
    data = Ragged.draw(loss, rng, SIZES)
    for shift in (-20.0, 20.0) if loss.name in ("duchi", "kl") else (-2000.0, 2000.0):
        scores = data.scores + shift
        wanted = kernel(loss, scores, data.targets, data.offsets)
        assert_same(padded(loss, scores, data.targets, data.offsets, rng), wanted, data.offsets)


@every_loss
def test_equal_scores_and_zeros_are_those_of_the_kernel(loss: Loss) -> None:
    rng = seeded(loss)
    data = Ragged.draw(loss, rng, SIZES)
    for score in (0.0, -3.5):
        scores = np.full(data.scores.size, score)
        wanted = kernel(loss, scores, data.targets, data.offsets)
        assert_same(flat(loss, scores, data.targets, data.offsets), wanted, data.offsets)
    none = np.zeros(data.targets.size)
    assert_same(
        flat(loss, data.scores, none, data.offsets),
        kernel(loss, data.scores, none, data.offsets),
        data.offsets,
    )


@every_loss
@pytest.mark.parametrize("spread", [0.3, 6.0])
def test_float32_has_the_digits_of_float32(loss: Loss, spread: float) -> None:
    rng = seeded(loss)
    data = Ragged.draw(loss, rng, (1, 2, 30, 1500))
    scores, targets = (x.astype(np.float32).astype(np.float64) for x in (spread * data.scores, data.targets))
    wanted = kernel(loss, scores, targets, data.offsets)
    assert_same(flat(loss, scores, targets, data.offsets, torch.float32), wanted, data.offsets, 1e-4)


@every_loss
@pytest.mark.parametrize("n", [1, 2, 7, 90])
def test_huge_scores_are_those_of_the_kernel(loss: Loss, n: int) -> None:
    rng = seeded(loss)
    most = loss.finite_up_to
    for scale in (most, -most):
        targets = draw_targets(loss, rng, n)
        for scores in (np.full(n, scale), scale * rng.choice([-1.0, 0.0, 0.5, 1.0], n)):
            found, wanted = flat(loss, scores, targets, [0, n]), kernel(loss, scores, targets, [0, n])
            assert np.isfinite(found.values).all()
            # A value that overflows is held somewhere below 1e304, and not at the same place.
            over = np.abs(wanted.values) > 1e299
            np.testing.assert_allclose(found.values[~over], wanted.values[~over], rtol=1e-10)
            assert (np.abs(found.values[over]) > 1e299).all()
            size = np.abs(wanted.gradient).max()
            np.testing.assert_allclose(found.gradient, wanted.gradient, rtol=1e-10, atol=1e-10 * size)


@every_loss
def test_scores_at_the_ends_of_the_scale_give_no_nan(loss: Loss) -> None:
    # Losses that are finite everywhere are tried at the very end of the floats.
    rng, most = seeded(loss), loss.finite_up_to if loss.finite_up_to < Loss.finite_up_to else np.inf
    for dtype, scales in (
        (torch.float64, (1.7e308, 5e-324, 1e-160)),
        (torch.float32, (3e38, 1e-45, 1e-20)),
    ):
        for scale in scales:
            end = min(scale, most if dtype == torch.float64 else most**0.1)
            scores = end * rng.choice([-1.0, 0.0, 1.0], 60)
            found = flat(loss, scores, draw_targets(loss, rng, 60), [0, 60], dtype)
            assert not np.isnan(found.values).any()
            assert not np.isnan(found.gradient).any()


@pytest.mark.parametrize("name", ["order-preserving", "preorder", "listmle", "softmax", "lambdaloss"])
def test_scores_in_clusters_far_apart_lose_no_digits(name: str) -> None:
    rng = np.random.default_rng(3)
    for loss in (one for one in VARIANTS if one.name == name):
        scores = rng.choice([0.0, 1e8, -3e9], 300) + rng.normal(size=300)
        targets = draw_targets(loss, rng, 300)
        wanted = kernel(loss, scores, targets, [0, 300])
        assert_same(flat(loss, scores, targets, [0, 300]), wanted, [0, 300])


# The sweep ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("margin", HINGES)
@pytest.mark.parametrize("weight", ["one", "difference", "gain-pairs"])
def test_many_grades_are_swept_as_the_definition_says(margin: str, weight: str) -> None:
    rng = np.random.default_rng(11)
    loss = Preorder(margin=margin, weight=weight)
    for labels in (rng.normal(size=130), rng.integers(0, 40, 130) / 4.0, np.arange(130.0)):
        scores = 2.0 * rng.normal(size=130)
        value, gradient, _ = torch_losses.derivatives(loss, scores, labels)
        wanted = Found(np.array([value]), np.array(gradient))
        assert_same(flat(loss, scores, labels, [0, 130]), wanted, [0, 130])


@pytest.mark.parametrize("margin", HINGES)
def test_what_no_pair_costs_does_not_round_what_others_cost(margin: str) -> None:
    """An irrelevant item a billion below the rest costs nothing; its square would bury what others cost."""
    rng = np.random.default_rng(6)
    labels, scores = rng.integers(0, 4, 80).astype(float), rng.normal(size=80)
    labels[0], scores[0] = 0.0, -1e9
    loss = Preorder(margin=margin)
    wanted = kernel(loss, scores, labels, [0, 80])
    assert_same(flat(loss, scores, labels, [0, 80]), wanted, [0, 80], 1e-12)


@pytest.mark.parametrize("margin", HINGES)
@pytest.mark.parametrize("name", ["order-preserving", "preorder"])
def test_the_sweep_and_the_pairs_agree_on_short_lists(
    name: str, margin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loss = loss_of(name, margin=margin)
    data = Ragged.draw(loss, np.random.default_rng(5), (1, 2, 3, 0, 9, 30))
    pairs = flat(loss, data.scores, data.targets, data.offsets)
    monkeypatch.setattr(torch_pairwise, "PAIRS_UP_TO", 0)
    assert_same(flat(loss, data.scores, data.targets, data.offsets), pairs, data.offsets, 1e-12)


@pytest.mark.parametrize("n", [30, 90])
def test_pieces_of_a_user_with_a_jump_and_a_kink_are_swept(n: int) -> None:
    """3 + 2 (0.5 - t) below 0.5, (1.5 - t)^2 up to 1.5: at 0.5 the line starts 2 above the parabola's 1."""
    own = Margin(
        lambda t: 3.0 + 2.0 * (0.5 - t) if t < 0.5 else (1.5 - t) ** 2 if t < 1.5 else 0.0,
        lambda t: -2.0 if t < 0.5 else 2.0 * (t - 1.5) if t < 1.5 else 0.0,
        lambda t: 0.0 if t < 0.5 else 2.0 if t < 1.5 else 0.0,
        name="stairs",
        pieces=(0.5, 1.5, 1.0, 2.0, 3.0),
    )
    rng = np.random.default_rng(2)
    for loss in (OrderPreserving(margin=own), Preorder(margin=own)):
        scores, targets = rng.integers(-8, 9, n) / 4.0, rng.integers(0, 4, n).astype(float)
        wanted = _by_hand(loss, own, scores, targets)
        assert_same(flat(loss, scores, targets, [0, n]), wanted, [0, n])


def _by_hand(loss: Loss, margin: Any, scores: np.ndarray, targets: np.ndarray) -> Found:
    value, gradient = 0.0, np.zeros(scores.size)
    for i in range(scores.size):
        for j in range(scores.size):
            w = targets[i] if loss.name == "order-preserving" else float(targets[i] > targets[j])
            if i != j and w > 0:
                t = scores[i] - scores[j]
                value += w * margin.value(t)
                gradient[i] += w * margin.derivative(t)
                gradient[j] -= w * margin.derivative(t)
    return Found(np.array([value]), gradient)


# Functions of a user ------------------------------------------------------------------------------

TENSOR_MARGIN = Margin(
    lambda t: 1.0 / (1.0 + (t + 3.0) * (t + 3.0)),
    lambda t: -2.0 * (t + 3.0) / (1.0 + (t + 3.0) * (t + 3.0)) ** 2,
    lambda t: t * 0.0,
    name="bell",
)


@pytest.mark.parametrize("cls", [OrderPreserving, Preorder])
def test_a_margin_of_a_user_that_works_on_tensors_is_used(cls: Any) -> None:
    loss = cls(margin=TENSOR_MARGIN)
    data = Ragged.draw(loss, np.random.default_rng(8), (3, 1, 60))
    wanted = kernel(loss, data.scores, data.targets, data.offsets)
    assert_same(flat(loss, data.scores, data.targets, data.offsets), wanted, data.offsets)


def test_a_conjugate_of_a_user_that_works_on_tensors_is_used() -> None:
    def softplus(s: Any) -> Any:
        return torch.nn.functional.softplus(torch.as_tensor(s)).sum()

    loss = LOSSES["bregman"](conjugate=softplus, conjugate_gradient=lambda s: torch.as_tensor(s).sigmoid())  # type: ignore[call-arg]
    data = Ragged.draw(loss, np.random.default_rng(8), (3, 0, 1, 6))
    wanted = kernel(OWN_FUNCTIONS[0], data.scores, data.targets, data.offsets)
    # torch's softplus is a line from 20 on, and as exact as that below.
    assert_same(flat(loss, data.scores, data.targets, data.offsets), wanted, data.offsets, 1e-8)
    rng = np.random.default_rng(9)
    assert_same(padded(loss, data.scores, data.targets, data.offsets, rng), wanted, data.offsets, 1e-8)


def test_the_cases_cover_functions_of_users() -> None:
    assert [identity(loss) for loss in EVERY if loss not in VARIANTS] == ["own-function"]
