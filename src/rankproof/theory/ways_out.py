"""What to do instead: the loss that is consistent with the metric, or the conditions under which one is."""

from __future__ import annotations

from rankproof.errors import ArgumentError
from rankproof.losses.auto import choose
from rankproof.metrics.ap import AP
from rankproof.metrics.pd import PD
from rankproof.metrics.wpdl import WPDL
from rankproof.standardize.base import CONDITIONS
from rankproof.standardize.choose import candidates
from rankproof.theory.question import Question

__all__ = ["ways_out"]


def ways_out(question: Question) -> tuple[str, ...]:
    """Sentences a person can act on, the best first."""
    metric = question.known_metric
    if metric is None:
        return _for_function(question)
    known: dict[str | bool, str] = {}
    for _, claim in candidates(metric):
        if claim.value not in known:
            try:
                chosen = choose(metric, None if claim.value is True else str(claim.value))
            except ArgumentError:
                continue
            known[claim.value] = str(chosen.loss)
    if True in known:
        name = known[True].split(":")[0]
        how = f"rankproof.loss({name!r}, metric={str(metric)!r})"
        return (f"{known[True]} is consistent with {metric} ({how}).",)
    found = [
        f"If {CONDITIONS[str(name)]}, {loss} is consistent (noise={str(name)!r})."
        for name, loss in known.items()
        if name != question.noise
    ]
    if isinstance(metric, (AP, PD, WPDL)) and question.noise is None:
        what = "E[y_i y_j / sum y]" if isinstance(metric, AP) else "E[a_ij]"
        found.append(
            f"Predict more than one score per item: regress the pairs {what} and search for the best ranking "
            "(RAT13)."
        )
    return tuple(found)


def _for_function(question: Question) -> tuple[str, ...]:
    if question.existence.outcome != "target":
        return ()
    told = f"Regress on the target of {question.metric} (certify_metric prints it): "
    return (f"{told}squared loss on it is consistent {question.here}.",)
