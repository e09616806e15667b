"""`certify`: every rule decides what it can and passes on the rest, and no `Consistent` can be refuted."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from every_case import every_case, few_cases
from rankproof.errors import RankproofError
from rankproof.feedback import Law
from rankproof.losses.base import Loss
from rankproof.targets import CONDITIONS
from rankproof.theory.base.counterexample import Counterexample
from rankproof.theory.base.risk import optimal_rankings, regret
from rankproof.theory.base.verdict import Consistent, Inconsistent, Verdict
from rankproof.theory.certify import as_loss, as_metric, certify, certify_metric
from rankproof.theory.noise import KINDS_OF, is_low_noise
from rankproof.theory.noise.membership import in_class
from rankproof.theory.rules import RULES
from theory.questions import (
    always_one,
    asked,
    first_two,
    name_of,
    reciprocal,
    share_of_pairs,
    success_at_2,
    worst_first,
)
from theory.refutation import drawn, refutes

# Each rule: what it decides, and what looks like it but is not covered ---------------------------------

RANKED = {"noise": "rank-differentiable"}
DECIDED = [
    ("constant", "RankNet", "judged@2", {}, "consistent"),
    ("constant", "RankNet", "P", {}, "consistent"),
    ("standardised", "softmax", "nDCG", {}, "consistent"),
    ("standardised", "softmax", "AP", {"noise": "independent"}, "consistent"),
    ("standardised", "softmax", "PD", {"noise": "binary"}, "consistent"),
    ("rank-differentiable", "RankNet", "nDCG", RANKED, "consistent"),
    ("rank-differentiable", "preorder(weight=gain-pairs)", first_two, RANKED, "consistent"),
    ("rising-target", "listnet", "ERR", RANKED, "consistent"),
    ("rising-target", "squared:gain", reciprocal, RANKED, "consistent"),
    ("target-exists", None, "nDCG", {}, "consistent"),
    ("target-exists", None, "ERR", {"noise": "independent"}, "consistent"),
    ("target-exists", None, first_two, {}, "consistent"),
    ("exhausted", "squared:relevance", "DCG", {"noise": "binary"}, "consistent"),
    ("exhausted", "squared:gain(gain=linear)", first_two, {}, "consistent"),
    ("counterexample", "squared:gain", "nDCG", {}, "inconsistent"),
    ("rest-points", "lambdarank", "nDCG", {}, "inconsistent"),
    ("rest-points", "lambdaloss", "P@2", {"grades": 3}, "inconsistent"),
    ("shipped-rest-points", "lightgbm:lambdarank(lambdarank_norm=false)", "nDCG", {}, "inconsistent"),
    ("same-values", None, reciprocal, {"noise": "independent"}, "consistent"),
    ("same-values", "softmax:relevance", reciprocal, {"noise": "one relevant"}, "consistent"),
    ("no-convex-loss", None, "AP", {}, "inconsistent"),
    ("no-convex-loss", None, reciprocal, {}, "inconsistent"),
    ("no-convex-loss", "RankNet", "ERR", {}, "inconsistent"),
]
PASSED = [
    ("constant", "RankNet", "P@2", {}),
    ("constant", None, "P", {}),
    ("standardised", "squared:gain", "nDCG", {}),
    ("standardised", "softmax", "AP", {}),
    ("standardised", "softmax", "AP", {"noise": "low noise"}),
    ("standardised", "softmax:balance", "PD", {"grades": 3}),
    ("standardised", "order-preserving(margin=hinge)", "nDCG", {}),
    # The hinge has a kink; the metric is not monotone; the noise is another.
    ("rank-differentiable", "RankSVM", "nDCG", RANKED),
    ("rank-differentiable", "RankNet", worst_first, RANKED),
    ("rank-differentiable", "RankNet", "nDCG", {"noise": "low noise"}),
    ("rank-differentiable", "RankNet", "PD", {**RANKED, "feedback": "preferences"}),
    # Relevance does not rise from grade 1 to 2.
    ("rising-target", "squared:relevance", "nDCG", RANKED),
    ("rising-target", "listnet", "nDCG", {}),
    ("rising-target", "listnet", worst_first, RANKED),
    ("target-exists", None, "AP", {}),
    ("target-exists", None, "AP", {"noise": "low noise"}),
    # A target on three items, none on four.
    ("target-exists", None, success_at_2, {}),
    ("exhausted", "squared:gain", "nDCG", {}),
    # The same on two grades, not on three.
    ("exhausted", "squared:relevance", "DCG", {}),
    ("standardised", "softmax", "PD", {}),
    # On three items R (n - R) is 2 for all labels that matter, on four it is 3 or 4.
    ("exhausted", "pointwise-logistic", "AUC", {}),
    ("exhausted", "squared:relevance", share_of_pairs, {}),
    # On so few items the cutoffs do nothing, or every ranking has the same value.
    ("exhausted", "squared:normalised-gain@10", "nDCG@5", {}),
    ("exhausted", "squared:normalised-gain", "nDCG@3", {}),
    ("exhausted", "squared:gain", "P@3", {}),
    ("exhausted", "squared", always_one, {}),
    # It has a minimum; it is right.
    ("rest-points", "RankNet", "nDCG", {}),
    ("rest-points", "lambdarank(cutoff=1)", "nDCG@1", {}),
    # One of the library; drawn at random.
    ("shipped-rest-points", "lambdarank", "nDCG", {}),
    ("shipped-rest-points", "catboost:YetiRank", "nDCG", {}),
    ("counterexample", None, "nDCG", {}),
    ("counterexample", "softmax", "nDCG", {}),
    # One of the library; not known under this noise; the values of no metric of the library.
    ("same-values", None, "RR", {"noise": "independent"}),
    ("same-values", None, reciprocal, {"noise": "low noise"}),
    ("same-values", None, worst_first, {"noise": "independent"}),
    ("no-convex-loss", None, "nDCG", {}),
    ("no-convex-loss", None, "AP", {"noise": "independent"}),
    # Not convex.
    ("no-convex-loss", "cosine", "AP", {}),
    ("no-convex-loss", "lambdarank", "AP", {}),
]


@pytest.mark.parametrize(("rule", "loss", "metric", "more", "outcome"), DECIDED, ids=name_of)
def test_a_rule_decides(rule: str, loss: str | None, metric: Any, more: Any, outcome: str) -> None:
    verdict = RULES[rule].apply(asked(loss, metric, **more))
    assert verdict is not None
    assert (verdict.outcome, verdict.rule) == (outcome, rule)
    assert verdict.evidence
    assert verdict.reason.endswith(".")


@pytest.mark.parametrize(("rule", "loss", "metric", "more"), PASSED, ids=name_of)
def test_a_rule_passes(rule: str, loss: str | None, metric: Any, more: Any) -> None:
    assert RULES[rule].apply(asked(loss, metric, **more)) is None


def test_every_rule_is_shown_both_ways() -> None:
    assert {case[0] for case in DECIDED} == {case[0] for case in PASSED} == set(RULES)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_what_it_needs(name: str) -> None:
    rule = RULES[name]
    assert rule.name == name
    assert rule.needs
    assert rule.concludes
    assert rule.reference


# What is known (R11, B11, C12, L12; theory section "What is consistent with what") ---------------------

ORDER_PRESERVING = [
    "softmax",
    "squared",
    "centred-squared",
    "kl",
    "bregman",
    "order-preserving",
    "lift",
    "query-ordinal",
    "relative",
    "duchi",
]
NOT_CONVEX = ["cosine", "q-family", "approx-ndcg"]
WITH_TARGET = ["DCG", "nDCG@10", "P@5", "R@5", "RBP", "AUC", "F@3"]


@every_case("loss", [*ORDER_PRESERVING, *NOT_CONVEX])
@every_case("metric", WITH_TARGET)
def test_losses_on_the_target_of_the_metric_are_consistent(loss: str, metric: str) -> None:
    verdict = certify(loss, metric)
    assert isinstance(verdict, Consistent)
    assert verdict.rule == "standardised"
    # Without a condition on laws, items or grades; but a solver must find the minimum.
    assert bool(verdict.conditions) == (loss in NOT_CONVEX)


@pytest.mark.parametrize("metric", WITH_TARGET)
def test_metrics_with_a_target(metric: str) -> None:
    verdict = certify_metric(metric, grades=3)
    assert isinstance(verdict, Consistent)
    assert verdict.conditions == ()


@pytest.mark.parametrize(
    "loss",
    ["listnet", "xe-ndcg", "squared:gain", "cosine(normalize=true):gain", "RankNet", "RankSVM", "RankBoost"],
)
def test_losses_that_do_not_optimise_ndcg(loss: str) -> None:
    verdict = certify(loss, "nDCG", grades=3)
    assert isinstance(verdict, Inconsistent)
    found = Counterexample.from_dict(verdict.evidence[0].data)
    # The witness by itself: what the loss converges to is not among the best rankings.
    assert not set(found.minimiser_rankings) & set(optimal_rankings("nDCG", found.law))
    assert min(regret("nDCG", found.law, ranking) for ranking in found.minimiser_rankings) == found.cost > 0
    assert verdict.way_out[0].startswith("softmax:normalised-gain is consistent with nDCG")


@few_cases
@pytest.mark.parametrize(
    "metric", ["AP", "ERR", "RR", "bpref", "Rprec", "MeanNDCG", "Success@2", "Success@4"]
)
def test_metrics_without_a_target(metric: str) -> None:
    verdict = certify_metric(metric)
    assert isinstance(verdict, Inconsistent)
    assert verdict.loss is None
    assert {piece.kind for piece in verdict.evidence} <= {"split", "contradiction"}


@pytest.mark.parametrize("metric", ["PD", "WPDL", "tau", "ZeroOne"])
def test_pairwise_metrics_have_a_target_on_two_grades_only(metric: str) -> None:
    assert isinstance(certify_metric(metric, grades=3), Inconsistent)
    # The default tries two grades, and one more.
    assert isinstance(certify_metric(metric), Inconsistent)
    if metric != "ZeroOne":
        verdict = certify_metric(metric, "binary", grades=2)
        assert verdict.conditions == (CONDITIONS["binary"],)


def test_c12_corollary_4_on_graphs() -> None:
    verdict = certify_metric("PD", feedback="preferences")
    assert isinstance(verdict, Inconsistent)
    assert verdict.find("split") is not None


@few_cases
@pytest.mark.parametrize(
    ("metric", "noise"),
    [
        ("ERR", "independent"),
        ("AP", "independent"),
        ("RR", "independent"),
        ("AP", "one relevant"),
        ("RR", "one relevant"),
        ("PD", "low noise"),
        ("PD", "rank-differentiable"),
        ("ZeroOne", "rank-differentiable"),
    ],
)
def test_conditions_that_give_a_target(metric: str, noise: str) -> None:
    assert not certify_metric(metric, grades=3)
    verdict = certify_metric(metric, noise, grades=3)
    assert verdict
    assert verdict.conditions[0] == CONDITIONS[noise]
    assert certify("softmax", metric, noise, grades=3)


def test_what_a_condition_means_for_the_metric_is_said() -> None:
    """Tau divides the preferences of every feedback: they must have low noise after that.

    Under this law the preferences themselves add up, but the target of tau is not best.
    """
    law = Law({(0, 0, 1): Fraction(1, 2), (2, 0, 1): Fraction(1, 4), (0, 1, 1): Fraction(1, 4)})
    assert is_low_noise(law)
    loss = as_loss("squared", as_metric("tau"), "low noise")
    assert isinstance(loss, Loss)
    assert refutes(loss, as_metric("tau"), law)
    for verdict in (
        certify(loss, "tau", "low noise", grades=3),
        certify_metric("tau", "low noise", grades=3),
    ):
        assert verdict.conditions == (CONDITIONS["low noise"], "low noise of the preferences divided by D")


def test_graded_ndcg_needs_its_own_target_under_independence_too() -> None:
    """E[G/Z], not E[G]."""
    assert isinstance(certify("squared:gain", "nDCG", "independent", grades=3), Inconsistent)
    assert isinstance(certify("squared", "nDCG", "independent", grades=3), Consistent)


@pytest.mark.parametrize("margin", ["squared-hinge", "huber", "logistic", "exponential"])
@pytest.mark.parametrize("weight", ["one", "pairs", "difference", "gain", "gain-pairs"])
def test_l12_theorem_5(margin: str, weight: str) -> None:
    verdict = certify(
        f"preorder(margin={margin},weight={weight})", "WPDL(weight=gain)", "rank-differentiable"
    )
    assert verdict.rule == "rank-differentiable"


def test_order_preserving_permutations() -> None:
    """B11 section 5.4."""
    verdict = certify("squared", "ZeroOne", "order-preserving", feedback="permutation")
    assert (verdict.outcome, verdict.loss) == ("consistent", "squared:rank-grade")
    assert certify("squared", "ZeroOne", feedback="permutation").outcome == "inconsistent"


# No `Consistent` can be refuted ------------------------------------------------------------------------

LOSSES = [
    *(
        "softmax",
        "squared",
        "kl",
        "bregman(p=1.2)",
        "order-preserving",
        "order-preserving(margin=hinge)",
        "lift",
        "query-ordinal",
        "relative",
    ),
    *("order-preserving(margin=logistic)", "duchi(penalty=cosh)", "cosine", "cosine(normalize=true)"),
    *("q-family(q=5)", "ordinal", "pointwise-logistic", "pointwise-logistic(rel=2)", "listnet", "xe-ndcg"),
    *("xe-ndcg(gamma=1)", "RankSVM", "RankNet", "RankBoost", "preorder(margin=huber,weight=gain)"),
    *("listmle", "squared:gain", "squared:relevance", "softmax:normalised-gain@1", "squared:pair-share"),
    *("squared:relevance-share", "softmax:balance", "duchi:rank-grade", "squared:satisfaction"),
    *("kl:pair-weight(weight=gain)", "squared:balance(normalize=pairs)", "squared:f-share@2"),
]
METRICS = [
    *("AP", "AP@1", "AP(rel=2)", "AP(denominator=min)@2", "AUC", "bpref", "DCG", "DCG@1", "DCG(gain=linear)"),
    *("DCG(gain=[0,1,1])", "ERR", "ERR@2", "ERR(max_grade=2)", "F@2", "F", "MeanNDCG", "nDCG", "nDCG@1"),
    *("nDCG@2", "nDCG(gain=[1,2,3])", "P@1", "P@2", "P(rel=2)@2", "R@2", "RBP", "Rprec", "RR", "RR@2"),
    *("Success@1", "Success@2", "PD", "PD(normalize=true)", "tau", "WPDL", "WPDL(weight=gain)", "ZeroOne"),
    *("WPDL(weight=difference,normalize=true)", "WPDL(ties=full)", "nDCG(discount=[1,0.5])", "DCG@5"),
]


@few_cases
@pytest.mark.parametrize("seed", range(4))
def test_no_law_refutes_a_consistent_verdict(seed: int) -> None:
    rng = random.Random(seed)
    held = 0
    for _ in range(60):
        loss, metric, noise = rng.choice(LOSSES), rng.choice(METRICS), rng.choice([None, *CONDITIONS])
        items, grades, kind = rng.choice([2, 3, 3, 4]), rng.choice([2, 3]), "graded"
        if rng.random() < 0.2:
            kind = rng.choice(["preferences", "permutation"])
        verdict = by_rules(loss, metric, noise, items=items, grades=grades, feedback=kind)
        if verdict is None:
            continue
        held += 1
        of = as_metric(metric)
        trained = as_loss(loss, of, noise)
        assert isinstance(trained, Loss)
        labels = {0, 1} if CONDITIONS["binary"] in verdict.conditions else set(range(grades))
        for law in drawn(noise, items, len(labels), kind, seed, 6):
            # Low noise of the metric's own preferences, where it divides them, as the condition says.
            assert not in_class(law, noise, of) or not refutes(trained, of, law), f"{verdict}\n{law}"
    assert held >= 5


def by_rules(loss: str, metric: str, noise: str | None, **where: Any) -> Verdict | None:
    """A verdict `Consistent`, if there is one; nothing is searched for."""
    if noise is not None and where["feedback"] not in KINDS_OF[noise]:
        return None
    try:
        question = asked(loss, metric, noise, **where)
    except RankproofError:
        return None
    found = (
        rule.apply(question)
        for name, rule in RULES.items()
        if name not in ("counterexample", "no-convex-loss")
    )
    return next((verdict for verdict in found if verdict is not None), None)


def test_the_refutation_can_succeed() -> None:
    """C12 Table 2: under this law 0 > 1 > 2 is best for AP, but item 2 is less often relevant than item 0."""
    law = Law({(1, 1, 0): Fraction(3, 5), (0, 0, 1): Fraction(2, 5)})
    loss = as_loss("squared:relevance", as_metric("ERR(max_grade=1)"))
    assert isinstance(loss, Loss)
    assert refutes(loss, as_metric("ERR(max_grade=1)"), law)
    assert not refutes(loss, as_metric("DCG"), law)
