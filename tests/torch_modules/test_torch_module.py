"""The module round a loss in torch: targets, weights, refusals, derivatives, compilers, pickles."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch

from properties.loss_cases import OWN_FUNCTIONS, VARIANTS, Ragged, draw_targets, identity, smooth_query
from rankproof import torch as engine
from rankproof.errors import ArgumentError, DataError
from rankproof.losses import LOSSES, Loss, Margin, OrderPreserving, Preorder
from rankproof.losses import loss as loss_of
from rankproof.torch.forms import FORMS
from torch_modules.torch_batches import kernel

pytestmark = pytest.mark.torch

DEFAULTS = [LOSSES[name]() for name in LOSSES]
every_default = pytest.mark.parametrize("loss", DEFAULTS, ids=identity)
OFFSETS = torch.tensor([0, 3, 3, 7])


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def doubles(*numbers: float) -> Any:
    return torch.tensor(numbers, dtype=torch.float64)


def drawn(loss: Loss, sizes: Any = (3, 0, 4)) -> tuple[Any, Any, Ragged]:
    data = Ragged.draw(loss, np.random.default_rng([*identity(loss).encode()]), sizes)
    return torch.tensor(data.scores, requires_grad=True), torch.tensor(data.targets), data


# Targets ------------------------------------------------------------------------------------------


def test_targets_are_made_of_labels_once_and_without_a_gradient() -> None:
    module = engine.loss("softmax:nDCG@10", reduction="none")
    # 3 / Z, 0, 1 / Z with Z = 3 + 1 / log2(3), and 1 / 1 for the second query.
    z = 3 + 1 / np.log2(3)
    found = module.targets([2, 0, 1, 0, 1], [0, 3, 5])
    assert found.dtype == torch.float32
    assert not found.requires_grad
    np.testing.assert_allclose(found.numpy(), [3 / z, 0, 1 / z, 0, 1], rtol=1e-6)
    exact = module.targets(doubles(2, 0, 1, 0, 1), torch.tensor([0, 3, 5]))
    assert exact.dtype == torch.float64
    np.testing.assert_allclose(exact.numpy(), [3 / z, 0, 1 / z, 0, 1], rtol=1e-15)
    mask = torch.tensor([[True, False, True, True], [True, True, False, False]])
    labels = doubles(2, 9, 0, 1, 0, 1, 9, 9).reshape(2, 4)
    rows = module.targets(labels, mask=mask, dtype=torch.float32)
    assert rows.dtype == torch.float32
    np.testing.assert_allclose(rows.numpy(), [[3 / z, 0, 0, 1 / z], [0, 1, 0, 0]], rtol=1e-6)


def test_labels_that_cannot_be_targets_are_refused() -> None:
    module = engine.loss("softmax:nDCG@10")
    with pytest.raises(DataError, match="NaN at item 1: an item without a judgment"):
        module.targets([1.0, float("nan")], [0, 2])
    with pytest.raises(ArgumentError, match="got neither"):
        module.targets([1.0, 0.0])
    with pytest.raises(ArgumentError, match="mask must hold bools"):
        module.targets([[1.0, 0.0]], mask=[[1, 0]])
    with pytest.raises(DataError, match="needs targets of at least 0, got -1"):
        engine.loss("softmax").targets([-1.0, 0.0], [0, 2])


# Reductions and weights ---------------------------------------------------------------------------


@every_default
def test_reductions_and_weights(loss: Loss) -> None:
    scores, targets, data = drawn(loss)
    values = kernel(loss, data.scores, data.targets, data.offsets).values
    weights = np.array([2.0, 5.0, 0.25])
    for given, w in ((None, np.ones(3)), (weights, weights)):
        wanted = {"none": values * w, "sum": (values * w).sum(), "mean": (values * w).sum() / w.sum()}
        for reduction, value in wanted.items():
            module = engine.loss(loss, reduction=reduction)
            found = module(scores, targets, OFFSETS, None if given is None else torch.tensor(given))
            np.testing.assert_allclose(found.detach().numpy(), value, rtol=1e-12)


@every_default
@pytest.mark.filterwarnings("ignore:.* differs between items of one query")
def test_item_weights_are_those_of_the_kernel_or_refused(loss: Loss) -> None:
    scores, targets, data = drawn(loss)
    v = np.array([0.5, 0.0, 2.0, 1.0, 3.0, 0.25, 1.5])
    if not loss.takes_item_weights:
        with pytest.raises(ArgumentError, match="takes no item weights"):
            engine.loss(loss)(scores, targets, OFFSETS, item_weights=torch.tensor(v))
        return
    wanted = loss.evaluate(data.scores, data.targets, data.offsets, item_weights=v)
    found = engine.loss(loss)(scores, targets, OFFSETS, item_weights=torch.tensor(v))
    (gradient,) = torch.autograd.grad(found, scores)
    assert found.item() == pytest.approx(wanted.value, rel=1e-12)
    np.testing.assert_allclose(gradient.numpy(), wanted.gradient, rtol=1e-10, atol=1e-12)


@every_default
def test_nothing_costs_nothing(loss: Loss) -> None:
    module = engine.loss(loss, reduction="mean")
    for offsets in ([0], [0, 0]):
        scores = torch.zeros(0, requires_grad=True)
        found = module(scores, torch.zeros(0), offsets)
        found.backward()
        assert found.item() == 0.0
    for shape in ((0, 3), (2, 0), (2, 3)):
        scores = torch.zeros(shape, requires_grad=True)
        found = module.forward_padded(scores, torch.zeros(shape), torch.zeros(shape, dtype=torch.bool))
        found.backward()
        assert found.item() == 0.0
        assert not scores.grad.any()


def test_scores_of_a_last_axis_of_one_and_of_half_precision_are_taken() -> None:
    module = engine.loss("softmax")
    scores, targets = torch.tensor([1.0, 2.0, 4.0]), torch.tensor([0, 1, 2])
    wanted = module(scores, targets, [0, 3])
    assert module(scores.unsqueeze(1), targets, [0, 3]) == wanted
    half = scores.bfloat16().requires_grad_()
    found = module(half, targets, [0, 3])
    found.backward()
    assert found.dtype == torch.float32
    assert found == wanted
    assert half.grad.dtype == torch.bfloat16


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ({"scores": [1.0, 2.0]}, ArgumentError, "scores must be a tensor of floats, got list"),
        (
            {"scores": torch.tensor([1, 2])},
            ArgumentError,
            r"scores must be a tensor of floats, got torch\.int64",
        ),
        (
            {"scores": torch.zeros(2, 2)},
            ArgumentError,
            r"scores must have 1 axes beside offsets=, got .*2, 2",
        ),
        (
            {"targets": torch.zeros(3)},
            ArgumentError,
            r"targets must have the shape of scores \(2,\), got \(3,\)",
        ),
        ({"offsets": None}, ArgumentError, "got neither"),
        ({"mask": torch.ones(1, 2, dtype=torch.bool)}, ArgumentError, "got both"),
        ({"offsets": [0, 1]}, ArgumentError, r"end at the number of items \(2\)"),
        ({"weights": torch.ones(2)}, ArgumentError, r"one number per query \(1\), got shape \(2,\)"),
        ({"weights": torch.tensor([-1.0])}, ArgumentError, "weights must be finite and not negative"),
        (
            {"item_weights": torch.tensor([1.0, -2.0])},
            DataError,
            "item_weights .* not negative, got -2.0 at 1",
        ),
        (
            {"scores": torch.tensor([1.0, np.nan])},
            DataError,
            "scores of the loss softmax must be finite, got nan",
        ),
        ({"targets": torch.tensor([np.inf, 1.0])}, DataError, "targets .* must be finite, got inf at 0"),
        ({"targets": torch.tensor([1.0, -1.0])}, DataError, "needs targets of at least 0, got -1 at item 1"),
    ],
)
def test_what_a_loss_is_not_defined_for_is_refused(words: dict[str, Any], error: Any, message: str) -> None:
    good = {"scores": torch.tensor([1.0, 2.0]), "targets": torch.tensor([0.0, 1.0]), "offsets": [0, 2]}
    with pytest.raises(error, match=message):
        engine.loss("softmax")(**{**good, **words})


def test_a_mask_must_be_bools_like_the_scores() -> None:
    with pytest.raises(ArgumentError, match=r"mask must be a bool tensor .* got torch\.int64"):
        engine.loss("softmax")(torch.zeros(1, 2), torch.zeros(1, 2), mask=torch.ones(1, 2).long())


def test_a_wrong_reduction_is_refused() -> None:
    with pytest.raises(ArgumentError, match="one of sum, mean, none, got 'average'"):
        engine.loss("softmax", reduction="average")


@pytest.mark.parametrize("loss", VARIANTS, ids=identity)
def test_without_checks_a_query_with_a_score_that_is_no_number_is_nan_and_alone(loss: Loss) -> None:
    scores, targets, data = drawn(loss, (60, 5))
    bad = scores.detach().clone()
    bad[2] = float("nan")
    bad.requires_grad_()
    found = engine.loss(loss, reduction="none", check=False)(bad, targets, data.offsets)
    found.sum().backward()
    assert found.isnan().tolist() == [True, False]
    assert bad.grad[:60].isnan().any()
    assert bad.grad[60:].isfinite().all()


def test_functions_of_a_user_that_need_numbers_are_refused() -> None:
    own = Margin(lambda t: 1.0 - t if t < 1.0 else 0.0, lambda t: -1.0 if t < 1.0 else 0.0, lambda _: 0.0)
    for cls in (OrderPreserving, Preorder):
        with pytest.raises(ArgumentError, match=r"value of margin 'custom'.*cannot run on tensors.*no if"):
            engine.loss(cls(margin=own))
    flat_slope = Margin(lambda t: 1.0 - t, lambda _: -1.0, lambda _: 0.0, name="linear")
    with pytest.raises(ArgumentError, match=r"derivative of margin 'linear'.*gives a float for a tensor"):
        engine.loss(OrderPreserving(margin=flat_slope))
    summed = Margin(lambda t: t.sum(), lambda t: t, lambda t: t, name="summed")  # type: ignore[attr-defined]
    with pytest.raises(ArgumentError, match=r"gives shape \(\) for 7 numbers"):
        engine.loss(OrderPreserving(margin=summed))
    mixed = Margin(lambda t: t - t.mean(), lambda t: t, lambda t: t, name="mixed")  # type: ignore[attr-defined]
    with pytest.raises(ArgumentError, match="other numbers for several points than for each alone"):
        engine.loss(OrderPreserving(margin=mixed))
    # Where it is no error, numpy's warning of tensors is followed by a float, which is refused too.
    with pytest.raises(ArgumentError, match="Argument conjugate of bregman cannot run on tensors"):
        engine.loss(OWN_FUNCTIONS[0])


def test_a_loss_without_a_form_is_refused_with_the_reason() -> None:
    class Unknown(type(loss_of("softmax"))):  # type: ignore[misc]
        name = "unknown"

    with pytest.raises(
        ArgumentError,
        match=r"Loss unknown of the class Unknown has no form .* torch_form, or use .*: approx-ndcg",
    ):
        engine.loss(Unknown())


def test_a_form_that_is_not_the_loss_is_refused() -> None:
    class Twice(type(loss_of("squared"))):  # type: ignore[misc]
        name = "twice"

        def torch_form(self, scores: Any, targets: Any, _: Any, layout: Any) -> Any:
            return 2 * layout.total((scores - targets).square())

    with pytest.raises(ArgumentError, match=r"torch_form of the loss twice must be the loss: its value 0 is"):
        engine.loss(Twice())

    class Constant(Twice):
        def torch_form(self, scores: Any, targets: Any, _: Any, layout: Any) -> Any:
            return layout.total((scores - targets).square()).detach()

    with pytest.raises(ArgumentError, match="must be differentiable"):
        engine.loss(Constant())

    class PerItem(Twice):
        def torch_form(self, scores: Any, targets: Any, _: Any, layout: Any) -> Any:  # noqa: ARG002
            return (scores - targets).square()

    with pytest.raises(ArgumentError, match=r"one number per query \(2\), got \(5,\)"):
        engine.loss(PerItem())


def test_without_torch_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from rankproof.errors import MissingDependencyError\n"
        "from rankproof import torch as engine\n"
        "try:\n    engine.loss('softmax')\n"
        "except MissingDependencyError as error:\n    print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install torch" in ran.stdout


# Derivatives --------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [one for one in VARIANTS if one.name[:6] != "lambda"], ids=identity)
def test_gradcheck(loss: Loss) -> None:
    rng = np.random.default_rng([*identity(loss).encode()])
    for n in (1, 4):
        data = smooth_query(loss, rng, n)
        scores = torch.tensor(data.scores, requires_grad=True)
        module = engine.loss(loss)
        assert torch.autograd.gradcheck(
            lambda s, m=module, d=data: m(s, torch.tensor(d.targets), d.offsets), scores
        )


@every_default
def test_sums_can_be_differentiated_twice_and_others_say_that_they_cannot(loss: Loss) -> None:
    scores, targets, data = drawn(loss)
    (gradient,) = torch.autograd.grad(engine.loss(loss)(scores, targets, OFFSETS), scores, create_graph=True)
    if FORMS[loss.name].kind == "sums":
        rows = [torch.autograd.grad(g, scores, retain_graph=True)[0] for g in gradient]
        wanted = loss.hessian_diagonal(data.scores, data.targets, data.offsets)
        np.testing.assert_allclose(
            [row[i].item() for i, row in enumerate(rows)], wanted, rtol=1e-9, atol=1e-12
        )
    else:
        with pytest.raises(ArgumentError, match="can be differentiated once"):
            (gradient * gradient).sum().backward()


# Devices, compilers, pickles ----------------------------------------------------------------------


@pytest.mark.parametrize("loss", VARIANTS, ids=identity)
@pytest.mark.parametrize("n", [5, 60])
def test_all_is_made_where_the_scores_are(loss: Loss, n: int) -> None:
    """The device without numbers refuses to meet tensors of any other."""
    scores = torch.empty(3, n, device="meta", requires_grad=True)
    mask = torch.empty(3, n, device="meta", dtype=torch.bool)
    engine.loss(loss)(scores, torch.empty(3, n, device="meta"), mask=mask).backward()
    assert scores.grad.device.type == "meta"


# The compiler warns of its own doings: of autograd functions it makes instances of, of gradients it looks at.
quiet_compiler = pytest.mark.filterwarnings("ignore")


def compiled(module: Any, backend: str, *, fullgraph: bool) -> Any:
    torch._dynamo.reset()
    return torch.compile(module, backend=backend, fullgraph=fullgraph)


def assert_compiles(loss: Loss, backend: str, n: int) -> None:
    rng, module = np.random.default_rng(4), engine.loss(loss)
    mask = torch.ones(2, n, dtype=torch.bool)
    mask[1, 2:] = False
    targets = torch.tensor(np.stack([draw_targets(loss, rng, n) for _ in range(2)]))
    scores = torch.tensor(rng.normal(size=(2, n)), requires_grad=True)
    wanted = module(scores, targets, mask=mask)
    found = compiled(module, backend, fullgraph=True)(scores, targets, mask=mask)
    assert found.item() == pytest.approx(wanted.item(), rel=1e-12)
    one, other = (torch.autograd.grad(value, scores)[0] for value in (wanted, found))
    np.testing.assert_allclose(other.numpy(), one.numpy(), rtol=1e-10, atol=1e-12)


@quiet_compiler
@every_default
def test_a_padded_batch_compiles_into_one_graph(loss: Loss) -> None:
    assert_compiles(loss, "eager", 6)


@quiet_compiler
@pytest.mark.parametrize("name", ["softmax", "listmle", "order-preserving"])
def test_a_padded_batch_compiles_with_its_backward_pass(name: str) -> None:
    assert_compiles(loss_of(name), "aot_eager", 6)


@quiet_compiler
def test_the_sweep_compiles() -> None:
    assert_compiles(OrderPreserving(margin="huber"), "eager", 60)


@quiet_compiler
@pytest.mark.parametrize(("name", "sums"), [("softmax", True), ("cosine", True), ("preorder", False)])
def test_a_flat_batch_compiles_in_one_graph_where_nothing_is_sorted(name: str, sums: bool) -> None:
    loss = loss_of(name)
    scores, targets, _ = drawn(loss)
    module = engine.loss(loss)
    found = compiled(module, "eager", fullgraph=sums)(scores, targets, OFFSETS)
    assert found.item() == pytest.approx(module(scores, targets, OFFSETS).item(), rel=1e-12)


def test_a_module_can_be_copied_pickled_and_printed() -> None:
    module = engine.loss("order-preserving(margin=huber):nDCG@10", reduction="mean")
    assert repr(module) == (
        "RankingLoss(order-preserving(margin=huber):normalised-gain@10, reduction='mean')"
    )
    assert isinstance(module, engine.RankingLoss)
    assert isinstance(module, torch.nn.Module)
    kept = io.BytesIO()
    torch.save(module, kept)
    kept.seek(0)
    scores, targets = torch.tensor([1.0, 3.0, 2.5]), torch.tensor([0.5, 0.0, 1.0])
    wanted = module(scores, targets, [0, 3])
    for other in (
        copy.deepcopy(module),
        pickle.loads(pickle.dumps(module)),  # noqa: S301
        torch.load(kept, weights_only=False),
    ):
        assert other.loss == module.loss
        assert other(scores, targets, [0, 3]) == wanted


def test_a_loss_is_aimed_as_elsewhere() -> None:
    assert engine.loss("softmax", metric="ERR", noise="independent").loss == loss_of("softmax:satisfaction")
    assert engine.loss("preorder", margin="hinge").loss == loss_of("RankSVM")
    assert not hasattr(engine, "no_such_name")
