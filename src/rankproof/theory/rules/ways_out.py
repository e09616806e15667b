"""What to do instead: the loss that is consistent with the metric, or the conditions under which one is."""

from __future__ import annotations

from rankproof.errors import ArgumentError
from rankproof.losses.choose import choose_loss
from rankproof.metrics.ap import AP
from rankproof.metrics.own.standing import Standing
from rankproof.metrics.pd import PD
from rankproof.metrics.wpdl import WPDL
from rankproof.targets.base import CONDITIONS
from rankproof.targets.choose import candidates
from rankproof.theory.base.question import Question
from rankproof.theory.base.values import AnyMetric
from rankproof.theory.existence.decide import existence_of
from rankproof.theory.existence.standing import standing_of_function

__all__ = ["ways_of", "ways_out"]


def ways_out(question: Question) -> tuple[str, ...]:
    """Sentences a person can act on, the best first."""
    metric = question.known_metric
    if metric is None:
        return _for_function(question)
    losses: dict[str | bool, str] = {}
    for _, claim in candidates(metric):
        if claim.value not in losses:
            try:
                chosen = choose_loss(metric, noise=None if claim.value is True else str(claim.value))
            except ArgumentError:
                continue
            losses[claim.value] = str(chosen.loss)
    if True in losses:
        name = losses[True].split(":")[0]
        how = f"rankproof.loss({name!r}, metric={str(metric)!r})"
        return (f"{losses[True]} is consistent with {metric} ({how}).",)
    sentences = [
        f"If {CONDITIONS[str(name)]}, {loss} is consistent (noise={str(name)!r})."
        for name, loss in losses.items()
        if name != question.noise
    ]
    if isinstance(metric, (AP, PD, WPDL)) and question.noise is None:
        what = "E[y_i y_j / sum y]" if isinstance(metric, AP) else "E[a_ij]"
        sentences.append(
            f"Predict more than one score per item: regress the pairs {what} and search for the best ranking "
            "(RAT13)."
        )
    return tuple(sentences)


def _for_function(question: Question) -> tuple[str, ...]:
    """For a function of a user's: its target, conditions that were tried to give one, what is nearest."""
    standing = standing_of_function(question.metric, question.grades) if question.labels else None
    if standing is None:
        every = (question, *question.beyond)
        if any(existence_of(other).outcome != "target" for other in every):
            return ()
        start = f"Regress on the target of {question.metric} (certify_metric prints it): "
        return (f"{start}squared loss on it is consistent {question.here}.",)
    return ways_of(standing, question.metric, question.noise)


def ways_of(standing: Standing, metric: AnyMetric, noise: str | None = None) -> tuple[str, ...]:
    """What can be done for a function of a user's."""
    if standing.rule is not None:
        how = f"To train on it, give {metric} as the metric of rankproof fit or of a ranker."
        start = "Its target is" if standing.proven else "In all that was tried, its target is"
        return (f"{start} what a label is worth: {standing.rule} ({standing.limits}). {how}",)
    ways = [
        f"If {CONDITIONS[conditional.condition]}, it has the target {conditional.rule}, {conditional.proven} "
        f"(noise={conditional.condition!r})."
        for conditional in standing.conditions
        if conditional.condition != noise
    ]
    if standing.nearest is not None:
        start = "Train with rankproof.own_metric(..., nearest=True), or --nearest of rankproof fit, for"
        ways.append(f"{start} {standing.nearest}.")
    if not ways and standing.reason:
        ways.append(standing.reason)
    return tuple(ways)
