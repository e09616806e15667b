"""Verdicts as text that a person can believe: the law, where the loss ends, what is best, what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from textwrap import wrap
from typing import Any

from rankproof.feedback import Law
from rankproof.feedback.numbers import fraction_text
from rankproof.theory.base.evidence import Evidence
from rankproof.theory.base.proofs import Clash, TargetTable
from rankproof.theory.base.verdict import Verdict
from rankproof.theory.base.wording import feedback_word, law_words

__all__ = ["evidence_lines", "number_text", "ranking_text", "verdict_text"]

WIDTH = 100
# Fractions with larger denominators are easier to read as decimals.
READABLE = 1000
MOST_ROWS = 16
_LEAST = "The expected loss is smallest at the scores {scores}."
# Where the loss ends, by what is known of its minimum.
ENDS = {
    "ball": _LEAST,
    "exact": _LEAST,
    "direction": "The expected loss is smallest at the positive multiples of the scores {scores}.",
    "mean": "The expected loss approaches its smallest value as scores spread in the order of {scores}.",
}
HEADS = {
    "consistent": (
        "{loss} is consistent with {metric}",
        "A convex loss that is consistent with {metric} exists",
    ),
    "inconsistent": ("{loss} is not consistent with {metric}", "No convex loss is consistent with {metric}"),
    "undecided": (
        "Whether {loss} is consistent with {metric} is undecided",
        "Whether a convex loss is consistent with {metric} is undecided",
    ),
}


def verdict_text(verdict: Verdict) -> str:
    """The verdict in paragraphs and small tables."""
    with_loss, alone = HEADS[verdict.outcome]
    head = (alone if verdict.loss is None else with_loss).format(loss=verdict.loss, metric=verdict.metric)
    under = "" if verdict.noise is None else f" under {verdict.noise} labels"
    where = "" if verdict.restriction is None else f", {verdict.restriction}"
    lines = wrap(f"{verdict.outcome.capitalize()}: {head}{under}{where}.", WIDTH)
    lines += _labelled("why", [verdict.reason])
    lines += _labelled("holds if", [text for text in verdict.conditions if text != verdict.restriction])
    for piece in _shown_evidence(verdict):
        lines += ["", *evidence_lines(piece.kind, piece.data)]
    if verdict.way_out:
        lines += ["", *_labelled("way out", verdict.way_out)]
    lines += _labelled("source", [verdict.reference] if verdict.reference else [])
    return "\n".join(lines)


def _shown_evidence(verdict: Verdict) -> list[Evidence]:
    """One piece convinces a reader; the others are there for `replay`."""
    for kind in (
        *("counterexample", "rest-points", "shipped-rest-points"),
        *("split", "contradiction", "clash", "target"),
    ):
        piece = verdict.find(kind)
        if piece is not None:
            return [piece]
    return []


def evidence_lines(kind: str, data: Mapping[str, Any]) -> list[str]:
    """One piece of evidence for people; nothing for theorems, which the reason has told."""
    if kind == "counterexample":
        return _counterexample(data)
    if kind in ("rest-points", "shipped-rest-points"):
        return _rest_points(data)
    if kind == "split":
        return _split(data)
    if kind == "contradiction":
        return _contradiction(data)
    if kind == "clash":
        return wrap(f"No target fits these exchanges: {Clash.from_dict(data)}.", WIDTH)
    return _target(data) if kind == "target" else []


def _counterexample(data: Mapping[str, Any]) -> list[str]:
    law = Law.from_dict(data["law"])
    scores = ", ".join(f"{score:.4g}" for score in data["scores"])
    rows = [
        ["", "ranking", data["metric"]],
        ["minimising the loss", _rankings(data["minimiser_rankings"]), number_text(data["value_reached"])],
        ["best possible", _rankings(data["best_rankings"]), number_text(data["value_best"])],
    ]
    return [
        "Suppose the labels of a query follow this law (the probability of each set of labels):",
        *_indented(str(law).splitlines()),
        ENDS[data["minimum"]["method"]].format(scores=scores),
        *_indented(_aligned(rows)),
        f"So even with unlimited data it loses {number_text(data['cost'])} of {data['metric']}.",
    ]


def _rest_points(data: Mapping[str, Any]) -> list[str]:
    law = Law.from_dict(data["law"])
    resting = [(tuple(one["ranking"]), one["minimum"]["center"]) for one in data.get("resting", [])]
    rows = [["", "ranking", data["metric"]]]
    if resting:
        rows.append(["rest points", _rankings([ranking for ranking, _ in resting]), "at most"])
        rows[-1][2] = number_text(data["value_reached"])
    else:
        rows.append(["any rest point", "not best", f"at most {number_text(data['value_reached'])}"])
    rows.append(["best possible", _rankings(data["best_rankings"]), number_text(data["value_best"])])
    where = [
        f"The mean gradient vanishes at the scores {', '.join(f'{float(Fraction(s)):.4g}' for s in scores)}."
        for _, scores in resting[:1]
    ]
    return [
        "Suppose the labels of a query follow this law (the probability of each set of labels):",
        *_indented(str(law).splitlines()),
        *(where or ["The mean gradient vanishes at no scores that sort best."]),
        *_indented(_aligned(rows)),
        f"So even with unlimited data it loses at least {number_text(data['cost'])} of {data['metric']}.",
    ]


def _split(data: Mapping[str, Any]) -> list[str]:
    law = Law.from_dict(data["law"])
    i, j = data["pair"]
    return [
        "Suppose the labels of a query follow this law (the probability of each set of labels):",
        *_indented(str(law).splitlines()),
        *wrap(
            f"The best rankings are {_rankings(data['best'])}: item {i} is above item {j} in some and below "
            "it in others, but whatever scores tie the two also sort into rankings that are not best. The "
            "nearly optimal scores of a convex loss form a convex set, so some of them tie the two items, "
            "and sorting by these can give a ranking that is not best.",
            WIDTH,
        ),
    ]


def _contradiction(data: Mapping[str, Any]) -> list[str]:
    rows = [["weight", "law", "every best ranking has"]]
    for part in data["parts"]:
        law = Law.from_dict(part["law"])
        rows.append([str(part["weight"]), law_words(law), f"item {part['above']} above item {part['below']}"])
    return [
        "No target can serve all of these laws:",
        *_indented(_aligned(rows)),
        *wrap(
            "Each law requires E[u] to be larger for the item above. With these weights, summed over all "
            "ways to rename the items, both sides are equal, which is a contradiction.",
            WIDTH,
        ),
    ]


def _target(data: Mapping[str, Any]) -> list[str]:
    if data.get("closed_form"):
        return [f"The target is {data['closed_form']}: sorting by its mean is optimal for all labels tried."]
    table = TargetTable.from_dict(data)
    shown_rows = list(zip(table.space.feedback, table.rows, strict=True))
    rows = [["labels", "target u"]]
    rows += [[feedback_word(y), "  ".join(map(fraction_text, u))] for y, u in shown_rows[:MOST_ROWS]]
    more = len(shown_rows) - MOST_ROWS
    return [
        "The target to regress on, one number per item:",
        *_indented([*_aligned(rows), *([f"... and {more} more"] if more > 0 else [])]),
    ]


def ranking_text(ranking: Iterable[int]) -> str:
    """Items best first: ``1 > 0 > 2``."""
    return " > ".join(map(str, ranking))


def _rankings(rankings: Sequence[Sequence[int]]) -> str:
    shown = " or ".join(ranking_text(ranking) for ranking in rankings[:4])
    return shown + (f" or {len(rankings) - 4} more" if len(rankings) > 4 else "")


def number_text(value: Any) -> str:
    """A fraction with a small denominator as it is, with its decimal form; else the decimal form.

    >>> number_text("1/3"), number_text("2"), number_text(0.25)
    ('1/3 = 0.3333', '2', '0.25')
    """
    return fraction_text(
        value if isinstance(value, float) else Fraction(value), digits=4, longest=READABLE, decimal=True
    )


def _labelled(label: str, texts: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for k, text in enumerate(texts):
        head = f"{label if k == 0 else '':<10}"
        lines += wrap(text, WIDTH, initial_indent=head, subsequent_indent=" " * 10)
    return lines


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
