"""`replay` accepts what was found and nothing that was changed since, and uses nothing that finds."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import examples
from every_case import every_case
from rankproof.errors import RankproofError
from rankproof.feedback import Law
from rankproof.feedback.spaces import space_from_plain
from rankproof.losses.parse import loss as loss_of
from rankproof.theory.base.proofs import SplitLaw
from rankproof.theory.base.rest_points import RestPoints
from rankproof.theory.base.shipped_rest_points import ShippedRestPoints
from rankproof.theory.base.stored_values import metric_from_plain
from rankproof.theory.base.values import value_table
from rankproof.theory.base.verdict import OUTCOMES, Verdict
from rankproof.theory.certify import as_metric
from rankproof.theory.existence.checks import check_split
from rankproof.theory.replay.replay import replay
from theory.mean_field import MeanFieldByHand, rests_best
from theory.refutation import refutes
from theory.shipped_by_hand import rests_in, weigh_ndcg
from theory.stored_verdicts import MADE, changed, leaves, stored, why_not

Plain = dict[str, Any]


def holds(plain: Plain) -> bool:
    """Whether the evidence is accepted; a refusal to read it is none."""
    try:
        return replay(plain).holds
    except RankproofError:
        return False


@pytest.mark.parametrize("name", MADE)
def test_what_was_found_is_accepted(name: str) -> None:
    _, outcome, kinds = MADE[name]
    plain = stored(name)
    found = replay(plain)
    assert plain["outcome"] == outcome
    assert tuple(piece["kind"] for piece in plain["evidence"]) == kinds
    assert found.holds, found
    # The verdict on the metric of the library is replayed, too.
    more = ["theorem"] if "same-values" in kinds else []
    assert [piece.kind for piece in found.pieces] == [*kinds, *more]
    assert all(piece.what for piece in found.pieces)


def test_every_kind_and_method_is_among_them() -> None:
    pieces = [piece for name in MADE for piece in stored(name)["evidence"]]
    assert {piece["kind"] for piece in pieces} == {
        "theorem",
        "target",
        "split",
        "contradiction",
        "clash",
        "counterexample",
        "rest-points",
        "shipped-rest-points",
        "same-values",
    }
    assert {piece["minimum"]["method"] for piece in pieces if "minimum" in piece} == {
        *("ball", "exact", "direction", "mean")
    }
    assert {stored(name)["rule"] for name in MADE} == {
        *("constant", "standardised", "rank-differentiable", "rising-target", "exhausted", "target-exists"),
        *("counterexample", "no-convex-loss", "rest-points", "shipped-rest-points", "same-values", None),
    }


@pytest.mark.parametrize("name", MADE)
def test_a_verdict_comes_back_from_its_file(name: str) -> None:
    plain = stored(name)
    assert Verdict.from_dict(plain).to_dict() == plain
    assert str(Verdict.from_dict(plain)).startswith(plain["outcome"].capitalize())


# Changes by hand ---------------------------------------------------------------------------------------


def flip_outcome(outcome: str) -> Callable[[Plain], None]:
    return lambda plain: plain.update(outcome=outcome)


def put(*path: Any) -> Callable[[Plain], None]:
    """Set the last of ``path`` at the place that the others name."""

    def change(plain: Plain) -> None:
        place: Any = plain
        for key in path[:-2]:
            place = place[key]
        place[path[-2]] = path[-1]

    return change


def drop(*path: Any) -> Callable[[Plain], None]:
    def change(plain: Plain) -> None:
        place: Any = plain
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]

    return change


def swap_rankings(plain: Plain) -> None:
    piece = plain["evidence"][0]
    piece["best_rankings"], piece["minimiser_rankings"] = piece["minimiser_rankings"], piece["best_rankings"]


def fewer_feedbacks(plain: Plain) -> None:
    for key in ("support", "target", "shadow"):
        plain["evidence"][1][key].pop()


def wide_slack(plain: Plain) -> None:
    """With so much rounding everything would be the same."""
    plain["evidence"][0]["values"]["slack"] = "1000"
    plain["evidence"][0]["target"] = [["0", "0", "0"]] * 8


CHANGES: list[tuple[str, Callable[[Plain], None], str]] = [
    # Another loss, metric, condition or answer.
    ("standardised", put("loss", "softmax:gain"), "no claim says that the minimiser of softmax:gain"),
    ("standardised", put("loss", "softmx"), "Did you mean 'softmax'"),
    ("standardised", put("loss", None), "the minimiser of None"),
    ("standardised", put("metric", "DCG"), "standardises DCG"),
    ("standardised", put("metric", "nDCG@1"), "standardises nDCG@1"),
    ("standardised", drop("evidence", 0), "carries none of the evidence it needs: theorem"),
    ("standardised", put("evidence", []), "carries none of the evidence it needs"),
    ("standardised", flip_outcome("inconsistent"), "carries none of the evidence it needs"),
    ("standardised", flip_outcome("undecided"), "does not belong to it"),
    ("standardised", put("rule", "constant"), "was given by the rule constant"),
    ("standardised", put("evidence", 0, "theorem", "guess"), "'guess' is not known"),
    ("standardised", drop("evidence", 0, "claims", 0), "sorts as a mean"),
    ("standardised", drop("evidence", 0, "claims", 1), "standardises nDCG"),
    ("standardised", put("evidence", 0, "claims", 0, "of", "softmax:gain"), "but E[gain]"),
    ("standardised", put("evidence", 0, "claims", 1, "value", "binary"), "does not claim"),
    ("standardised", put("evidence", 1, "target", 1, 0, "5"), "not a multiple >= 0"),
    ("standardised", put("evidence", 1, "shadow", None), "at one precision only"),
    ("standardised", put("evidence", 1, "closed_form", "gain"), "the target gain does not standardise"),
    ("standardised", fewer_feedbacks, "the feedback space is not whole"),
    ("standardised", put("scope", "items", 4), "another feedback space than the verdict"),
    ("condition", put("noise", None), "'independent', which was not asked for"),
    ("condition", put("noise", "one relevant"), "'independent', which was not asked for"),
    ("condition", put("noise", "loud"), "is not one on feedback"),
    ("condition", put("conditions", []), "'independent', which the verdict does not say"),
    (
        "condition",
        put("scope", "feedback", "preferences"),
        "is not one on feedback of the kind 'preferences'",
    ),
    ("condition", put("evidence", 0, "claims", 1, "value", True), "does not claim"),
    ("noted", drop("conditions", 1), "which the verdict does not say"),
    ("binary", put("scope", "grades", 3), "the verdict on 3"),
    ("binary", put("noise", None), "'binary', which was not asked for"),
    # Texts, rules and scopes.
    ("constant", put("conditions", ["all is well"]), "its conditions is"),
    ("judged", put("conditions", []), "its conditions is"),
    ("floats", drop("conditions", 1), "its conditions is"),
    ("ball", put("rule", "no-convex-loss"), "its rule is"),
    ("ball", put("reason", "It is so."), "its reason is"),
    ("ball", put("short", "loses 0.9 under a law on 2 items"), "its short is"),
    ("ball", put("reference", "C20"), "its reference is"),
    ("ball", put("conditions", ["the moon is full"]), "its conditions is"),
    ("none", put("reference", "C12 Th. 99"), "its reference is"),
    ("none", put("scope", "items", -1), "its scope has -1 items"),
    ("condition", put("scope", "items", 0), "its scope has 0 items"),
    ("condition", put("scope", "grades", "2"), "its scope has '2' grades"),
    ("condition", put("scope", "convex", True), "which only the user of a function says"),
    ("condition", put("scope", {"feedback": "graded"}), "must have items, grades and feedback"),
    ("condition", put("evidence", 0, "reference", "B11 Th. 9"), "the reference of the theorem"),
    ("condition", put("evidence", 0, "claims", 0, "reference", "folklore"), "the reference for sorts as"),
    ("undecided", put("rule", "counterexample"), "an undecided verdict has no rule"),
    ("undecided", put("conditions", ["shown on 9 items"]), "an undecided verdict has no rule"),
    ("clash", put("evidence", 0, "gains", 0, 0, "7"), "the gains of the clash are not those"),
    ("none under binary", put("noise", "independent"), "excludes losses that are consistent"),
    ("constant", put("metric", "P@2"), "gives every ranking the same value"),
    ("rank-differentiable", put("loss", "RankSVM"), "no claim says that margin hinge"),
    ("rank-differentiable", put("loss", "listnet"), "is no preorder loss"),
    ("rank-differentiable", put("noise", None), "was not asked for"),
    ("rank-differentiable", drop("evidence", 0, "claims", 5), "nDCG is monotone"),
    ("rising-target", put("loss", "squared:relevance"), "sorts as a mean"),
    ("rising-target", drop("conditions", 1), "labels are at least 0"),
    ("exhausted", put("conditions", []), "it was shown on few items"),
    ("exhausted", put("conditions", 0, "shown on 9 items with grades 0, 1; x"), "it was shown on few items"),
    ("exhausted", drop("evidence", 1), "is a target of the metric"),
    ("exhausted", put("evidence", 1, "closed_form", "gain"), "is a target of the metric"),
    ("found", put("conditions", []), "it was shown on few items"),
    ("found", wide_slack, "is not that of the rounding of floats"),
    ("found", drop("evidence", 0, "values"), "are not stored"),
    ("found", put("metric", "DCG"), "which can be computed"),
    ("monotone function", put("evidence", 0, "values", "rows", 0, 4, "-9"), "is not monotone"),
    # No convex loss.
    ("none", put("noise", "independent"), "excludes losses that are consistent under every law"),
    ("none", put("metric", "DCG"), "best rankings"),
    ("none", put("evidence", 0, "best", 0, [2, 1, 0]), "the best rankings under the law are"),
    ("none", put("evidence", 0, "pair", [0, 1]), "the first ranking must have item 0 above item 1"),
    ("none", drop("evidence", 1, "parts", 0), "do not cancel"),
    ("none", put("evidence", 1, "parts", 0, "weight", "-1"), "needs a weight > 0"),
    ("none", put("evidence", 1, "parts", 0, "above", 2), "not every best ranking"),
    ("none", put("evidence", 1, "parts", []), "a contradiction needs a law"),
    (
        "none",
        put("evidence", 0, "law", "probabilities", ["1/2", "1/2"]),
        "the best rankings under the law are",
    ),
    ("none", flip_outcome("consistent"), "carries none of the evidence it needs"),
    ("convex loss", put("loss", "cosine"), "does not claim to be convex"),
    # Counterexamples.
    ("exact", put("loss", "squared:relevance-share"), "the minimum is not proven"),
    ("exact", put("loss", "squared:normalised-gain"), "the minimum is not proven"),
    ("exact", put("metric", "DCG"), "every ranking that sorts the minimiser is best"),
    ("exact", put("noise", "independent"), "about noise=None"),
    ("exact", put("evidence", 0, "law", "probabilities", ["1/2", "1/2"]), "the minimum is not proven"),
    ("exact", put("evidence", 0, "law", "probabilities", ["1/2", "1/3"]), "cannot be read"),
    ("exact", put("evidence", 0, "minimum", "center", ["0", "1", "2"]), "the minimum is not proven"),
    ("exact", swap_rankings, "the best rankings are"),
    ("exact", put("evidence", 0, "cost", "1/2"), "the cost is"),
    ("exact", put("evidence", 0, "value_best", 1.0), "the value best is"),
    ("exact", put("evidence", 0, "scores", [0.0, 1.0, 2.0]), "the scores are not those"),
    ("exact", put("evidence", 0, "metric", "AP"), "its numbers are about AP"),
    ("exact", put("evidence", 0, "kind", "guess"), "'guess' is not known"),
    ("exact", put("evidence", 0, "minimum", "method", "ball"), "cannot be read"),
    ("exact", put("evidence", 0, "values", {}), "which can be computed"),
    ("ball", put("evidence", 0, "minimum", "radius", "1000"), "the minimum is not proven"),
    ("ball", put("evidence", 0, "minimum", "radius", "1/10000000000000000000"), "the minimum is not proven"),
    ("ball", put("evidence", 0, "minimum", "center", 0, "1"), "the minimum is not proven"),
    ("ball", put("loss", "RankBoost"), "the minimum is not proven"),
    ("direction", put("loss", "approx-ndcg:relevance"), "the minimum is not proven"),
    ("mean", put("evidence", 0, "minimum", "center", 0, "1"), "the minimum is not proven"),
    ("in a class", put("noise", None), "about noise='independent'"),
    ("graphs", put("scope", "feedback", "graded"), "the verdict on graded"),
    ("counterexample for a function", drop("evidence", 0, "values", "rows", 0), "must be 6 rows"),
    (
        "counterexample for a function",
        put("evidence", 0, "values", "direction", "lower"),
        "the value best is",
    ),
    ("undecided", flip_outcome("consistent"), "carries none of the evidence it needs"),
]


@pytest.mark.parametrize(("name", "change", "told"), CHANGES, ids=[f"{n}-{t[:40]}" for n, _, t in CHANGES])
def test_what_was_changed_is_refused_and_told(name: str, change: Callable[[Plain], None], told: str) -> None:
    plain = stored(name)
    change(plain)
    assert told in why_not(plain)


def test_a_law_outside_the_class_is_refused() -> None:
    """Both halves of the file say so, but the law is not independent."""
    plain = stored("exact")
    plain["noise"] = plain["evidence"][0]["noise"] = "independent"
    assert "the law is not independent" in why_not(plain)


@every_case("outcome", OUTCOMES)
@every_case("name", MADE)
def test_another_answer_is_refused(name: str, outcome: str) -> None:
    plain = stored(name)
    if plain["outcome"] != outcome:
        plain["outcome"] = outcome
        assert not holds(plain) or not plain["evidence"]


@pytest.mark.parametrize("name", [name for name in MADE if MADE[name][2]])
def test_a_verdict_without_its_evidence_is_refused(name: str) -> None:
    plain = stored(name)
    plain["evidence"] = []
    assert not holds(plain)


# Changes by chance -------------------------------------------------------------------------------------

# Not shown by replay: advice.
TEXTS = {"way_out"}
# What says where something was tried, of which such evidence says nothing.
SCOPE = ("scope", "items"), ("scope", "grades")


@st.composite
def one_change(draw: st.DrawFn) -> tuple[str, tuple[Any, ...]]:
    name = draw(st.sampled_from(list(MADE)))
    # Numbers of the tables are many; every field is as likely.
    places = list(leaves(stored(name)))
    fields = sorted({tuple(key for key in path if isinstance(key, str)) for path in places})
    field = draw(st.sampled_from([f for f in fields if not TEXTS & set(f) and f not in SCOPE]))
    fitting = [path for path in places if tuple(key for key in path if isinstance(key, str)) == field]
    return name, draw(st.sampled_from(fitting))


@examples(400)
@given(one_change())
def test_a_changed_number_or_word_is_refused(chosen: tuple[str, tuple[Any, ...]]) -> None:
    name, path = chosen
    plain = changed(stored(name), path)
    if holds(plain):
        assert still_true(stored(name), plain, path)


def still_true(before: Plain, plain: Plain, path: tuple[Any, ...]) -> bool:
    """What may be changed: what proves the same too, names of functions, and what is not claimed."""
    if plain["outcome"] == "undecided":
        # What was tried and not found is no claim; the rest of the verdict is one.
        return path[0] in ("reason", "short", "loss", "metric", "noise")
    if path == ("metric",):
        return str(before["metric"]).startswith("function ")
    piece = plain["evidence"][path[1]]
    if piece["kind"] == "counterexample":
        # Values of a function are those that are stored.
        function = str(plain["metric"]).startswith("function ")
        law = Law.from_dict(piece["law"])
        return function or refutes(loss_of(plain["loss"]), as_metric(plain["metric"]), law)
    if piece["kind"] == "rest-points":
        # Another proof, or another law that has none either: what a plain solver does decides.
        statement = RestPoints.from_dict(piece)
        rng = np.random.default_rng(0)
        return path[2] in ("law", "excluded", "resting") and not rests_best(
            statement, MeanFieldByHand(statement.law), rng
        )
    if piece["kind"] == "shipped-rest-points":
        # Likewise: cuts at other places, or another law.
        shipped = ShippedRestPoints.from_dict(piece)
        return path[2] in ("law", "excluded") and not rests_in(
            shipped.law, shipped.best_rankings, weigh_ndcg, c=None, by_sum=False
        )
    if piece["kind"] == "same-values":
        # Advice of the verdict inside, and a number that the same values have too.
        return path[2] == "verdict" and path[3] in ("way_out", "scope")
    if piece["kind"] == "split":
        space = space_from_plain(piece["space"])
        values = piece.get("values")
        table = value_table(plain["metric"], space) if values is None else metric_from_plain("f", values)
        return path[2] == "pair" and check_split(table, SplitLaw.from_dict(piece)) is None
    if piece["kind"] == "contradiction":
        # One law that contradicts itself does so with every weight.
        return path[-1] == "weight" and len(piece["parts"]) == 1
    return False


JUNK: list[Any] = [None, [], {}, "", "1/0", -1, 10**9, 1.5, True, [[1]], float("nan")]


@examples(300)
@given(st.data())
def test_damaged_data_is_never_a_crash(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(MADE)))
    plain = stored(name)
    path = data.draw(st.sampled_from(list(leaves(plain))))
    place: Any = plain
    for key in path[: data.draw(st.integers(0, len(path) - 1))]:
        place = place[key]
    keys = list(place) if isinstance(place, dict) else list(range(len(place)))
    place[data.draw(st.sampled_from(keys))] = data.draw(st.sampled_from(JUNK))
    holds(plain)


@pytest.mark.exhaustive
@every_case("name", MADE)
def test_every_field_is_checked_or_not_shown(name: str) -> None:
    """Each text and number changed, each key and each entry of a list left out."""
    plain = stored(name)
    fields: dict[tuple[str, ...], tuple[Any, ...]] = {}
    for path in leaves(plain):
        # One of the many numbers of a table stands for the others.
        fields.setdefault(tuple(key if isinstance(key, str) else "" for key in path), path)
    for path in fields.values():
        if TEXTS & set(path) or path in SCOPE:
            continue
        other = changed(plain, path)
        assert not holds(other) or still_true(plain, other, path), path
        fewer = copy.deepcopy(plain)
        drop(*path)(fewer)
        assert not holds(fewer) or still_true(plain, fewer, path[:-1]), path
