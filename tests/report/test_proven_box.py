"""The box of a loss that claims settle is the one that the verdict of the theory gives."""

from __future__ import annotations

import pytest

import rankproof as rp
from rankproof.errors import ArgumentError
from rankproof.losses.choose import PREFERRED, choose_loss
from rankproof.metrics.base import METRICS
from rankproof.report.pages.verdict import proven_box, verdict_box
from rankproof.runs.review import verdict_on
from rankproof.targets.base import CONDITIONS
from rankproof.targets.choose import why_none
from rankproof.theory.certify import certify

CUT = [f"{name}@2" for name, kind in METRICS.items() if hasattr(kind, "cutoff")]


@pytest.mark.parametrize("metric", [*METRICS, *CUT])
@pytest.mark.parametrize("engine", PREFERRED)
def test_claims_say_what_the_theory_says(metric: str, engine: str | None) -> None:
    try:
        choice = choose_loss(metric, engine=engine)
    except ArgumentError:
        return
    if choice.proof is not None:
        assert proven_box(choice) == verdict_box(certify(choice.loss, choice.metric, grades=3))
        # A run that is read again has the loss as a text.
        assert proven_box(choose_loss(metric, str(choice.loss))) == proven_box(choice)


def test_claims_settle_the_metrics_that_have_a_target() -> None:
    settled = {name for name in METRICS if why_none(name) is None and choose_loss(name).proof is not None}
    # F, P, R and Success without a cutoff are the same for every ranking, which another theorem settles.
    assert settled == {"nDCG", "DCG", "AUC", "RBP"}


@pytest.mark.parametrize(
    ("metric", "loss"), [("ERR@20", "auto"), ("nDCG", "listnet"), ("nDCG", "cosine"), ("P", "auto")]
)
def test_the_theory_is_asked_for_what_claims_leave_open(metric: str, loss: str) -> None:
    assert choose_loss(metric, loss).proof is None


@pytest.mark.parametrize("noise", CONDITIONS)
def test_a_condition_is_a_question_to_the_theory(noise: str) -> None:
    loss, metric = choose_loss("nDCG@10").loss, rp.metric("nDCG@10")
    assert verdict_on(loss, metric, None, 3) == choose_loss(metric, loss)
    verdict = verdict_on(loss, metric, noise, 3)
    assert getattr(verdict, "noise", None) == noise or "could not be asked" in str(verdict)
