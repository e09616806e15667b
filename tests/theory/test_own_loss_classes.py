"""A loss class of the user's own has claims and loops, but no formula in exact arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import rankproof as rp
from rankproof.claims import Claim, Claims
from rankproof.losses.softmax import Softmax
from rankproof.theory.formulas.formula import formula, has_formula


@dataclass(frozen=True, kw_only=True, repr=False)
class LogCosh(rp.Loss):
    """Convex and smooth, but it follows something between mean and median."""

    name: ClassVar[str] = "log-cosh"
    summary: ClassVar[str] = "log of the cosh of each error"
    definition: ClassVar[str] = r"\sum_i \log\cosh(s_i - u_i)"
    reference: ClassVar[str] = "none"
    needs: ClassVar[Any] = "target"

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("convex", value=True, reference="the second derivative is 1 - tanh^2"),
            Claim("smooth", value=True, reference="log and cosh"),
            Claim("shift_invariant", value=False, reference="one item"),
            Claim("bounded_below", value=True, reference="cosh >= 1"),
            Claim("order_preserving", value=False, reference="near the median for large errors"),
            Claim("hessian", value=None, reference="not given"),
        )

    def kernel(self, scores: Any, targets: Any, offsets: Any, item_weights: Any) -> Any:  # noqa: ARG002
        def fill(low: int, high: int, values: Any, gradient: Any, hessian: Any) -> None:
            for q in range(low, high):
                rows = slice(offsets[q], offsets[q + 1])
                errors = scores[rows] - targets[rows]
                values[q] = np.log(np.cosh(errors)).sum()
                gradient[rows] = np.tanh(errors)

        return fill


@dataclass(frozen=True, kw_only=True, repr=False)
class NotSoftmax(LogCosh):
    """Has the name of a loss of the registry, and nothing else of it."""

    name: ClassVar[str] = Softmax.name


@pytest.mark.parametrize("kind", [LogCosh, NotSoftmax])
@pytest.mark.parametrize("noise", [None, "independent"])
def test_without_a_formula_nothing_is_proven(kind: type[rp.Loss], noise: str | None) -> None:
    verdict = rp.certify(kind(target=rp.target_for("nDCG")), "nDCG", noise, grades=3)
    assert verdict.outcome == "undecided"
    assert "its formula is not known" in verdict.short
    assert "as a function" in verdict.way_out[0]


def test_its_function_is_refuted_where_the_class_is_not() -> None:
    def log_cosh(scores: Any, labels: Any) -> Any:
        u = np.array([float(x) for x in rp.target_for("nDCG").of_labels(labels)])
        return float(np.log(np.cosh(scores - u)).sum())

    assert rp.certify(log_cosh, "nDCG", grades=3, convex=True).outcome == "inconsistent"


def test_what_holds_of_every_convex_loss_holds_of_it() -> None:
    verdict = rp.certify(LogCosh(), "AP")
    assert (verdict.outcome, verdict.rule) == ("inconsistent", "no-convex-loss")
    # That it is convex is its own word.
    assert verdict.conditions == ("what the class LogCosh claims of log-cosh is true",)
    assert rp.certify("softmax", "AP").conditions == ()


@dataclass(frozen=True, kw_only=True, repr=False)
class Boasting(LogCosh):
    """Claims what is not true of it."""

    name: ClassVar[str] = "boasting"

    @property
    def claims(self) -> Claims:
        claims = [claim for name, claim in LogCosh().claims.items() if name != "order_preserving"]
        return Claims(*claims, Claim("order_preserving", value=True, reference="it says so"))


def test_a_claim_of_ones_own_is_a_condition_of_the_verdict() -> None:
    verdict = rp.certify(Boasting(target=rp.target_for("nDCG")), "nDCG")
    assert verdict.outcome == "consistent"
    assert verdict.conditions == ("what the class Boasting claims of boasting:normalised-gain is true",)
    assert "holds if" in str(verdict)


def test_a_borrowed_name_does_not_borrow_the_formula() -> None:
    assert has_formula(Softmax())
    assert not has_formula(NotSoftmax())
    with pytest.raises(rp.errors.ArgumentError, match="has no formula"):
        formula(NotSoftmax(), [0.0, 0.0], (1, 0))
