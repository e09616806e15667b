"""A loss is one file and its registration: one that no file of the package knows goes through everything."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from inspect import unwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from adapters.engine_data import ranked
from properties import test_loss_claims as claims
from properties import test_loss_laws as laws
from properties.loss_cases import Ragged, variants
from properties.outside_loss import Quartic
from rankproof.adapters.gradients import Gradients
from rankproof.errors import ArgumentError, UnknownNameError
from rankproof.losses.base import LOSSES, Loss, registered
from rankproof.losses.supervision import Supervision

ROOT = Path(__file__).parents[2]
TRAIN = ranked(40, seed=1)


@pytest.fixture(autouse=True)
def in_the_registry() -> Iterator[None]:
    """The one line that a file of the package would have: the decorator."""
    registered(Quartic)
    yield
    LOSSES.remove("quartic")


def trained(ranker: Any) -> Any:
    return ranker.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)


def value_of(ranker: Any, loss: Loss) -> float:
    scores = (
        ranker.predict(TRAIN.X) if not hasattr(ranker, "network_") else ranker.predict(TRAIN.X, TRAIN.qid)
    )
    return loss.evaluate(scores, loss.targets(TRAIN.y, TRAIN.offsets), TRAIN.offsets).value


def test_it_is_found_by_its_names() -> None:
    loss = rp.loss("fourth-power(bend=2):nDCG@5")
    assert isinstance(loss, Quartic)
    assert str(loss) == "quartic(bend=2):normalised-gain@5"
    assert rp.loss(str(loss)) == loss
    with pytest.raises(UnknownNameError, match="Did you mean 'quartic'"):
        rp.loss("quartics")


def test_it_is_gone_when_it_is_taken_out() -> None:
    LOSSES.remove("fourth-power")
    try:
        assert "quartic" not in LOSSES
        with pytest.raises(UnknownNameError, match="Unknown loss 'fourth-power'"):
            rp.loss("fourth-power")
    finally:
        registered(Quartic)


@pytest.mark.parametrize("loss", variants(Quartic), ids=str)
def test_its_derivatives_are_those_of_its_value(loss: Loss) -> None:
    assert isinstance(loss, Quartic)
    data = Ragged.draw(loss, np.random.default_rng(7), (4, 0, 1, 6))
    weights = np.random.default_rng(8).random(11)

    def value(scores: np.ndarray) -> float:
        return loss.evaluate(scores, data.targets, data.offsets, item_weights=weights).value

    def gradient(scores: np.ndarray) -> np.ndarray:
        return loss.evaluate(scores, data.targets, data.offsets, item_weights=weights).gradient

    second = loss.hessian_diagonal(data.scores, data.targets, data.offsets, item_weights=weights)
    for i in range(11):
        assert gradient(data.scores)[i] == pytest.approx(laws.fourth_order(value, data.scores, i), abs=1e-8)
        assert second[i] == pytest.approx(laws.fourth_order(gradient, data.scores, i)[i], abs=1e-8)


@pytest.mark.parametrize("loss", variants(Quartic), ids=str)
def test_the_laws_of_the_registry_try_it(loss: Loss) -> None:
    """Those that a loss of the package is parametrised into by its name alone."""
    for law in (
        laws.test_query_weights_multiply,
        laws.test_item_weights_multiply_what_they_are_said_to,
        laws.test_scores_at_the_ends_of_the_scale_give_no_nan,
        laws.test_an_empty_query_costs_nothing,
        claims.test_a_convex_loss_stays_below_its_chords,
        claims.test_the_gradient_of_a_smooth_loss_never_jumps,
        claims.test_a_bounded_loss_never_falls_far_and_another_does,
    ):
        unwrap(law)(loss=loss)
    for items in (1, 2, 7):
        unwrap(laws.test_huge_scores_are_finite_where_the_loss_is)(loss=loss, n=items)


def test_a_linear_ranker_minimises_it() -> None:
    ranker = trained(rp.LinearRanker("nDCG@5", loss="quartic", l2=1e-3))
    assert ranker.loss_ == rp.loss("quartic", metric="nDCG@5")
    assert ranker.report_.converged
    zero = ranker.loss_.evaluate(
        np.zeros(TRAIN.y.size), ranker.loss_.targets(TRAIN.y, TRAIN.offsets), TRAIN.offsets
    )
    assert value_of(ranker, ranker.loss_) < zero.value
    assert ranker.score(TRAIN.X, TRAIN.y, qid=TRAIN.qid) > 0.75


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_trees_minimise_it_with_its_own_second_derivatives(engine: str) -> None:
    few, many = (
        trained(
            rp.BoostedRanker(
                "nDCG@5", engine=engine, loss="quartic", n_estimators=trees, min_data_in_leaf=3, threads=1
            )
        )
        for trees in (2, 40)
    )
    assert many.loss_ == rp.loss("quartic", metric="nDCG@5")
    assert value_of(many, many.loss_) < value_of(few, many.loss_) < 0
    assert many.score(TRAIN.X, TRAIN.y, qid=TRAIN.qid) > 0.9
    made = Gradients(Quartic(), Supervision(np.array([1.0, 0.0]), np.array([0, 2]), 1.0))
    # 3 s^2 + 1 at scores of 3 and 1; at 0 it is 1, which is brought to 1/16.
    assert made.at(np.array([3.0, 1.0]))[1].tolist() == [28 / 16, 4 / 16]


@pytest.mark.parametrize("adapter", ["lightgbm", "xgboost"])
def test_it_goes_into_training_code_of_users(adapter: str) -> None:
    made = getattr(rp, adapter).objective("nDCG@5", loss="quartic")
    assert repr(made) == f"{adapter}.objective(nDCG@5, loss=quartic:normalised-gain@5)"


def test_catboost_which_has_no_such_loss_says_what_it_has() -> None:
    with pytest.raises(ArgumentError, match=r"CatBoost has no loss that is quartic.*What it has: .*RMSE"):
        trained(rp.BoostedRanker("nDCG@5", engine="catboost", loss="quartic"))


@pytest.mark.torch
@pytest.mark.torch
def test_torch_runs_it_by_its_own_form() -> None:
    import torch

    module = rp.torch.loss("quartic(bend=3):nDCG@5")
    scores = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    targets, weights = [1.0, 0.0, 0.5], [1.0, 2.0, 3.0]
    expected = module.loss.evaluate([0.5, -1.0, 2.0], targets, [0, 3], item_weights=weights)
    # It does not claim that weights keep the order.
    with pytest.warns(rp.errors.ConsistencyWarning, match="quartic"):
        found = module(scores, torch.tensor(targets), [0, 3], item_weights=torch.tensor(weights))
    (gradient,) = torch.autograd.grad(found, scores)
    assert found.item() == pytest.approx(expected.value, rel=1e-14)
    assert gradient.tolist() == pytest.approx(expected.gradient, rel=1e-14)
    with pytest.warns(rp.errors.ConsistencyWarning, match="quartic"):
        padded = module(
            torch.tensor([[0.5, -1.0, 2.0, 9.0]]),
            torch.tensor([[*targets, 7.0]]),
            mask=torch.tensor([[True, True, True, False]]),
            item_weights=torch.tensor([[*weights, 5.0]]),
        )
    assert padded.item() == pytest.approx(expected.value, rel=1e-6)
    ranker = trained(rp.NeuralRanker("nDCG@5", loss="quartic", hidden=(8,), max_iter=5, valid_share=0.2))
    assert ranker.loss_ == rp.loss("quartic", metric="nDCG@5")
    assert np.isfinite(value_of(ranker, ranker.loss_))


def test_it_is_certified_by_its_claims_and_refuted_by_its_formula() -> None:
    verdict = rp.certify("quartic", "nDCG@10")
    assert (verdict.outcome, verdict.loss) == ("consistent", "quartic:normalised-gain@10")
    # That it is in the registry makes no claim of it true.
    assert verdict.conditions == ("what the class Quartic claims of quartic:normalised-gain@10 is true",)
    for aim, metric in (("gain", "nDCG"), ("satisfaction", "ERR")):
        verdict = rp.certify(f"quartic:{aim}", metric, grades=3)
        assert (verdict.outcome, verdict.rule) == ("inconsistent", "counterexample")
        assert any("the formula of the class Quartic is quartic" in text for text in verdict.conditions)


def test_the_command_line_knows_it(rankproof: Callable[..., Any]) -> None:
    listed, shown = rankproof("losses"), rankproof("losses", "quartic")
    assert (listed.status, shown.status) == (0, 0)
    assert "quartic" in listed.out
    assert Quartic.summary in " ".join(shown.out.split())


def test_the_reference_page_shows_it() -> None:
    loader = SourceFileLoader("make_reference", str(ROOT / "scripts" / "make-reference"))
    spec = spec_from_loader("make_reference", loader)
    assert spec is not None
    script = module_from_spec(spec)
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        loader.exec_module(script)
    finally:
        sys.dont_write_bytecode = before
    page = script.losses_page()
    assert "\n## quartic\n" in page
    assert Quartic.definition in page
    assert "| order_preserving | yes | b s^3 + s = E[u] at the minimum, rising in s |" in page


def test_no_file_of_the_package_knows_it() -> None:
    scripts = [path for path in (ROOT / "scripts").iterdir() if path.is_file()]
    files = [*(ROOT / "src").rglob("*.py"), *scripts]
    assert len(files) > 400
    assert [path for path in files if "quartic" in path.read_text(encoding="utf-8").casefold()] == []
