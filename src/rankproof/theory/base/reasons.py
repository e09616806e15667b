"""What verdicts say, rule by rule: one place for the rules, which say it, and for `replay`, which checks it.

Each function gives the reason and the same in a few words. They are made of names, references and numbers
that the evidence holds, so a changed text is noticed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

from rankproof.claims import Claim
from rankproof.losses.choose import PROOF, proof_text
from rankproof.metrics.base import Metric
from rankproof.metrics.judged import Judged
from rankproof.targets.base import CONDITIONS
from rankproof.targets.binary import same_for_all
from rankproof.theory.base.verdict import Verdict
from rankproof.theory.base.verdict_text import number_text, ranking_text

__all__ = [
    "BUBBLE",
    "CONTRADICTION",
    "NOT_CONVEX",
    "NOT_NEGATIVE",
    "REFERENCES",
    "SPLIT",
    "Words",
    "constant_conditions",
    "constant_words",
    "counterexample_words",
    "exhausted_words",
    "found_words",
    "no_convex_loss_words",
    "rank_differentiable_words",
    "rest_point_words",
    "rising_target_words",
    "same_values_words",
    "shipped_rest_point_words",
    "standardised_words",
    "stated_conditions",
    "target_words",
]

Words: TypeAlias = tuple[str, str]
BUBBLE: Final = "exchanges of neighbours (bubble sort), all cases tried"
SPLIT: Final = "C12 Th. 3"
CONTRADICTION: Final = "C20: no target, so no convex loss is consistent"
NOT_NEGATIVE: Final = "labels are at least 0"
NOT_CONVEX: Final = "the solver finds a global minimum: the loss is not convex"
# Of a rule's verdicts, where they have one reference.
REFERENCES: Final = {
    "constant": "by definition",
    "standardised": PROOF,
    "rank-differentiable": "L12 Th. 5, and an exchange of neighbours for every monotone metric",
    "rising-target": "an exchange of labels (L12 Def. 5), and of neighbours for every monotone metric",
    "target-exists": "B11 Th. 2; R11 Th. 8, 9",
    "exhausted": "B11 Th. 2, and exchanges of neighbours (bubble sort), all cases tried",
    "counterexample": "C12 Def. 1 and Lemma 5: a minimiser that sorts into a ranking that is not best",
    "same-values": "equal differences between rankings on every feedback make the same rankings best",
    "rest-points": "the mean gradient within a ranking is that of a convex function; ties by Filippov's rule",
    "shipped-rest-points": "intervals around the mean gradient at all scores, infinitely far apart included; "
    "ties by Filippov's rule",
}


def stated_conditions(claim: Claim) -> tuple[str, ...]:
    """What the claim that a target standardises a metric holds under, with what it says of the condition."""
    if claim.value is True:
        return ()
    return tuple(dict.fromkeys(filter(None, (CONDITIONS[str(claim.value)], claim.note))))


def constant_words(metric: Metric) -> Words | None:
    """None for a metric that is not known to give every ranking the same value."""
    if isinstance(metric, Judged):
        trait = "measures the judgments, not the ranking: when all items are judged"
    elif same_for_all(metric) is not None:
        trait = "looks at all items of the ranking: without a cutoff"
    else:
        return None
    reason = f"{metric} {trait} it gives every ranking the same value, so every ranking is best."
    return reason, "every ranking is best"


def constant_conditions(metric: Metric) -> tuple[str, ...]:
    """What has to hold for every ranking to have the same value."""
    return ("all items of the query are judged",) if isinstance(metric, Judged) else ()


def standardised_words(loss: str, mean: str, sorts: str, metric: Metric, claim: Claim) -> Words:
    """``sorts`` is the reference for the order of the minimiser."""
    condition = "" if claim.value is True else f"; {claim.value} labels"
    return proof_text(loss, mean, sorts, metric, claim), f"sorts as {mean}{condition}"


def rank_differentiable_words(loss: str, metric: str, why: str) -> Words:
    """``why`` says why the metric is monotone."""
    reason = (
        f"Under this noise the minimiser of {loss} sorts the items by the rating vector of the law (L12 Th. "
        f"5), and no exchange of neighbours improves {metric} then, since it is monotone ({why})."
    )
    return reason, "pairs; rank-differentiable labels"


def rising_target_words(loss: str, mean: str, sorts: str, text: str, metric: str, why: str) -> Words:
    """``text`` is what the mean is of, ``why`` says why the metric is monotone."""
    reason = (
        f"The minimiser of {loss} sorts as {mean} does ({sorts}), which under this noise is the order of the "
        f"rating vector of the law, since higher grades have a larger {text}; no exchange of neighbours "
        f"improves {metric} then, since it is monotone ({why})."
    )
    return reason, f"sorts as {mean}; rank-differentiable labels"


def target_words(target: str, metric: str, claim: Claim) -> Words:
    """A target that the registry claims."""
    holds = claim.value is True
    condition = "" if holds else f" if {CONDITIONS[str(claim.value)]}"
    reason = f"Sorting by the mean of the target {target} optimises {metric}{condition} ({claim.reference})."
    return reason, f"target {target}" + ("" if holds else f"; {claim.value} labels")


def found_words(metric: str, here: str, closed_form: str | None) -> Words:
    """A target that was found by trying all cases."""
    form = f", which is {closed_form} up to scale" if closed_form else ""
    reason = (
        f"{metric} has a target {here}{form}: sorting by its mean is best under every law, since every "
        "exchange of neighbours gains a multiple of the difference of their targets."
    )
    return reason, f"target {closed_form or 'found'}"


def exhausted_words(loss: str, mean: str, sorts: str, metric: str, here: str, size: tuple[int, int]) -> Words:
    """``size`` is the number of items and of grades."""
    reason = (
        f"The minimiser of {loss} sorts as {mean} does ({sorts}), and sorting by that mean optimises "
        f"{metric} {here}: all cases were tried."
    )
    return reason, f"sorts as {mean}; {size[0]} items, {size[1]} grades"


def counterexample_words(metric: str, data: Mapping[str, Any]) -> Words:
    """Of the plain data of a counterexample."""
    exact = Fraction(data["cost"])
    cost = number_text(exact if exact.denominator < 10**12 else float(exact))
    reached, best = ranking_text(data["minimiser_rankings"][0]), ranking_text(data["best_rankings"][0])
    reason = (
        f"Under the law below the expected loss is smallest at scores that rank {reached}, where {best} is "
        f"best: {cost} of {metric} is lost even with unlimited data."
    )
    return reason, f"loses {float(exact):.2g} under a law on {data['law']['items']} items"


def rest_point_words(loss: str, metric: str, data: Mapping[str, Any]) -> Words:
    """Of the plain data of rest points."""
    exact = Fraction(data["cost"])
    cost = number_text(exact if exact.denominator < 10**12 else float(exact))
    reason = (
        f"No rest point of {loss} sorts best under the law below. Its gradient is that of no function, so it "
        "has no minimum; what training can come to rest at is where the mean gradient vanishes, and every "
        f"such point loses at least {cost} of {metric}, even with unlimited data."
    )
    return reason, f"no rest point sorts best under a law on {data['law']['items']} items"


def shipped_rest_point_words(objective: str, metric: str, data: Mapping[str, Any]) -> Words:
    """Of the plain data of rest points of an engine's objective."""
    exact = Fraction(data["cost"])
    cost = number_text(exact if exact.denominator < 10**12 else float(exact))
    reason = (
        f"No rest point of {objective} sorts best under the law below: training can come to rest only where "
        "the mean gradient vanishes, or fades as scores move apart, and every such point loses at least "
        f"{cost} of {metric}, even with unlimited data. Proven of the formula of {data['source']}, in exact "
        "arithmetic; of scores that move apart for ever, with the exact logistic function and small steps."
    )
    return reason, f"no rest point sorts best under a law on {data['law']['items']} items"


def same_values_words(function: str, here: str, metric: str, proven: Verdict) -> Words:
    """``proven`` is the verdict on the metric of the library."""
    reason = f"{function} has the values of {metric}, up to a factor, in all cases {here}. {proven.reason}"
    return reason, f"as {metric}: {proven.short}"


def no_convex_loss_words(loss: str | None, metric: str, kinds: Sequence[str], noise: str | None) -> Words:
    """``kinds`` are the kinds of the evidence."""
    if "split" in kinds:
        why = (
            "a law has best rankings that order two items both ways and can never tie them, and the "
            "near-optimal scores of a convex loss would have to (C12 Th. 3)"
        )
    elif "contradiction" in kinds:
        why = "the laws below ask for an order that no target can give (so C20 excludes every convex loss)"
    else:
        why = (
            "the exchanges of neighbours below fit no target, and there is no other (so C20 excludes every "
            "convex loss)"
        )
    labels = "" if noise is None else f" of {noise} labels"
    subject = "No convex loss" if loss is None else f"{loss} is convex, and no convex loss"
    reason = f"{subject} is consistent with {metric} under every law{labels}: {why}."
    return reason, "no convex loss is"
