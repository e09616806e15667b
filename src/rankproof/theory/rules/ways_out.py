"""What to do instead: the loss that is consistent with the metric, or the conditions under which one is."""

from __future__ import annotations

from rankproof.errors import ArgumentError
from rankproof.losses.choose import choose_loss
from rankproof.metrics.ap import AP
from rankproof.metrics.pd import PD
from rankproof.metrics.wpdl import WPDL
from rankproof.targets.base import CONDITIONS
from rankproof.targets.choose import candidates
from rankproof.theory.base.question import Question
from rankproof.theory.existence.decide import existence_of

__all__ = ["ways_out"]


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
    if existence_of(question).outcome != "target":
        return ()
    start = f"Regress on the target of {question.metric} (certify_metric prints it): "
    return (f"{start}squared loss on it is consistent {question.here}.",)
