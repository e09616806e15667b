"""Stored verdicts for tests of `replay`: one for every rule, kind of evidence and method of proof."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

from rankproof.theory.base.verdict import Verdict
from rankproof.theory.certify import certify, certify_metric
from rankproof.theory.replay.replay import replay
from rankproof.theory.rules import RULES
from theory.questions import asked, first_two, float_dcg, middle, reciprocal

__all__ = ["MADE", "changed", "leaves", "stored", "why_not"]


def _by_rule(rule: str, loss: str, metric: Any) -> Verdict:
    found = RULES[rule].apply(asked(loss, metric))
    assert found is not None
    return found


# name -> (the verdict, its outcome, the kinds of its evidence)
MADE: dict[str, tuple[Callable[[], Verdict], str, tuple[str, ...]]] = {
    "constant": (lambda: certify("RankNet", "P"), "consistent", ("theorem",)),
    "standardised": (lambda: certify("softmax", "nDCG"), "consistent", ("theorem", "target")),
    "condition": (lambda: certify("softmax", "AP", "independent"), "consistent", ("theorem",)),
    "noted": (lambda: certify("softmax", "tau", "low noise", grades=3), "consistent", ("theorem",)),
    "binary": (lambda: certify("squared", "PD", "binary"), "consistent", ("theorem", "target")),
    "rank-differentiable": (
        lambda: certify("RankNet", "nDCG", "rank-differentiable"),
        "consistent",
        ("theorem",),
    ),
    "monotone function": (
        lambda: certify("RankNet", first_two, "rank-differentiable"),
        "consistent",
        ("theorem",),
    ),
    "rising-target": (
        lambda: certify("listnet", "ERR", "rank-differentiable"),
        "consistent",
        ("theorem",),
    ),
    "exhausted": (lambda: certify("squared:relevance", "DCG", "binary"), "consistent", ("theorem", "target")),
    "exhausted function": (lambda: certify("squared", first_two), "consistent", ("theorem", "target")),
    "target-exists": (lambda: certify_metric("nDCG"), "consistent", ("theorem", "target")),
    "found": (lambda: certify_metric(first_two), "consistent", ("target",)),
    "none": (lambda: certify_metric("AP"), "inconsistent", ("split", "contradiction")),
    "none for a function": (
        lambda: certify_metric(reciprocal),
        "inconsistent",
        ("split", "contradiction"),
    ),
    "none on graphs": (
        lambda: certify_metric("PD", feedback="preferences"),
        "inconsistent",
        ("split", "contradiction"),
    ),
    "convex loss": (
        lambda: _by_rule("no-convex-loss", "RankNet", "ERR"),
        "inconsistent",
        ("split", "contradiction"),
    ),
    "ball": (lambda: certify("RankNet", "nDCG"), "inconsistent", ("counterexample",)),
    "exact": (lambda: certify("squared:gain", "nDCG"), "inconsistent", ("counterexample",)),
    "direction": (lambda: certify("q-family", "AP"), "inconsistent", ("counterexample",)),
    "mean": (lambda: certify("approx-ndcg", "AP"), "inconsistent", ("counterexample",)),
    "in a class": (
        lambda: certify("squared:gain", "nDCG", "independent", grades=3),
        "inconsistent",
        ("counterexample",),
    ),
    "graphs": (
        lambda: certify("RankNet", "PD", feedback="preferences"),
        "inconsistent",
        ("counterexample",),
    ),
    "counterexample for a function": (
        lambda: certify("squared:gain", reciprocal),
        "inconsistent",
        ("counterexample",),
    ),
    "clash": (lambda: certify_metric(middle), "inconsistent", ("clash",)),
    "none under binary": (
        lambda: certify_metric("AP", "binary"),
        "inconsistent",
        ("split", "contradiction"),
    ),
    "judged": (lambda: certify("RankNet", "judged@2"), "consistent", ("theorem",)),
    "floats": (lambda: certify_metric(float_dcg), "consistent", ("target",)),
    "same-values": (
        lambda: certify("softmax:relevance", reciprocal, "independent"),
        "consistent",
        ("same-values",),
    ),
    "rest-points": (lambda: certify("lambdarank", "nDCG@10"), "inconsistent", ("rest-points",)),
    "shipped-rest-points": (
        lambda: certify("lightgbm:lambdarank(lambdarank_norm=false)", "nDCG@10"),
        "inconsistent",
        ("shipped-rest-points",),
    ),
    "undecided": (lambda: certify("lambdarank(cutoff=1)", "nDCG@1", effort=0.01), "undecided", ()),
}


@cache
def _text(name: str) -> str:
    return json.dumps(MADE[name][0]().to_dict())


def stored(name: str) -> dict[str, Any]:
    """The verdict as a file holds it."""
    plain: dict[str, Any] = json.loads(_text(name))
    return plain


def leaves(plain: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every text, number and None in plain data."""
    if isinstance(plain, (dict, list)):
        for key, value in plain.items() if isinstance(plain, dict) else enumerate(plain):
            yield from leaves(value, (*path, key))
    else:
        yield path


def changed(plain: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    """Plain data with another text or number at one place."""
    made = copy.deepcopy(plain)
    place: Any = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = _other(place[path[-1]])
    return made


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if value is None:
        return "x"
    if isinstance(value, (int, float)):
        return value + 1
    try:
        return str(Fraction(value) + 1)
    except ValueError:
        return value + "x"


def why_not(plain: dict[str, Any]) -> str:
    """What `replay` finds wrong, in one text."""
    return " ".join(
        str(piece.wrong) for piece in replay(plain, run_code=True).pieces if piece.wrong is not None
    )
