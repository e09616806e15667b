"""A loss class from outside the package has claims and loops, and a formula only if it brings one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

import rankproof as rp
from rankproof.claims import Claim, Claims
from rankproof.feedback import Law
from rankproof.losses.softmax import Softmax
from rankproof.losses.squared import Squared
from rankproof.targets.parse import target as target_of
from rankproof.theory.arithmetic.functions import cosh, log
from rankproof.theory.base.minimum import Minimum
from rankproof.theory.formulas.formula import formula, has_formula
from rankproof.theory.formulas.table import theory_of
from rankproof.theory.minima.enclosure import check_minimum, enclose
from rankproof.theory.minima.minimise import minimise


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


@pytest.mark.exhaustive
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


@dataclass(frozen=True, kw_only=True, repr=False)
class WithFormula(LogCosh):
    """The same loss, which brings its definition in any arithmetic."""

    name: ClassVar[str] = "log-cosh-with-formula"

    def formula(self, scores: Any, targets: Any) -> Any:
        return sum((log(cosh(s - u)) for s, u in zip(scores, targets, strict=True)), scores[0] * 0)


def test_a_class_from_outside_brings_its_formula() -> None:
    loss = WithFormula(target=rp.target_for("nDCG"))
    assert has_formula(loss)
    verdict = rp.certify(loss, "nDCG", grades=3)
    assert (verdict.outcome, verdict.rule) == ("inconsistent", "counterexample")
    found = verdict.find("counterexample")
    assert found is not None
    law, minimum = Law.from_dict(found.data["law"]), Minimum.from_dict(found.data["minimum"])
    assert minimum.method == "ball"
    assert check_minimum(loss, law, minimum) is None
    assert verdict.conditions == (
        f"what the class WithFormula claims of {loss} is true",
        f"the formula of the class WithFormula is {loss}, as it was where it was tried",
    )


def test_its_minimum_is_where_the_loop_is_least() -> None:
    loss, law = WithFormula(), Law({(3, 0): "1/3", (0, 1): "2/3"})
    near = minimise(loss, law)
    proven = enclose(loss, law, near.scores.tolist())
    assert proven is not None
    # Two labels of probability 1/3 and 2/3: tanh(3 - s) / 3 = 2 tanh(s) / 3 and 2 tanh(1 - s) = tanh(s).
    first, second = (float(x) for x in proven.center)
    assert np.tanh(3 - first) == pytest.approx(2 * np.tanh(first), abs=1e-9)
    assert 2 * np.tanh(1 - second) == pytest.approx(np.tanh(second), abs=1e-9)


@dataclass(frozen=True, kw_only=True, repr=False)
class WrongFormula(WithFormula):
    """The formula is that of another loss."""

    def formula(self, scores: Any, targets: Any) -> Any:
        return sum(((s - u) ** 2 for s, u in zip(scores, targets, strict=True)), scores[0] * 0)


def test_a_formula_of_another_loss_is_refused() -> None:
    with pytest.raises(rp.errors.ArgumentError, match="class WrongFormula must be the loss itself"):
        rp.certify(WrongFormula(target=rp.target_for("nDCG")), "nDCG")


@dataclass(frozen=True, kw_only=True, repr=False)
class Rounding(WithFormula):
    """Its formula rounds the targets to floats, so nothing can be proven with it."""

    def formula(self, scores: Any, targets: Any) -> Any:
        u = np.array([float(x) for x in targets])
        return sum(((s - x) ** 2 for s, x in zip(scores, u, strict=True)), scores[0] * 0)

    def kernel(self, scores: Any, targets: Any, offsets: Any, item_weights: Any) -> Any:
        return Squared().kernel(scores, targets, offsets, item_weights)


def test_a_formula_that_rounds_proves_nothing() -> None:
    assert rp.certify("squared:gain", "nDCG").outcome == "inconsistent"
    assert rp.certify(Rounding(target=target_of("gain")), "nDCG", effort=0.3).outcome == "undecided"
    with pytest.raises(rp.errors.RankproofError, match=r"functions of rankproof\.arithmetic"):
        formula(Rounding(), [Fraction(1), Fraction(0)], (1, 0))
    assert formula(Rounding(), [1.0, 0.0], (0, 0)) == 1.0


def test_a_class_derived_from_one_of_the_library_has_none_of_its_theory() -> None:
    class Derived(Softmax):
        pass

    assert theory_of(Softmax()).formula is not None
    assert theory_of(Derived()).formula is None
