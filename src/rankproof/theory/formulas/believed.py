"""What has to be believed of classes of the user's own, where a verdict rests on their claims."""

from __future__ import annotations

from rankproof.losses.base import Loss
from rankproof.metrics.base import METRICS, Metric
from rankproof.theory.formulas.table import LOSS_THEORY

__all__ = ["believed"]


def believed(loss: Loss | None, metric: Metric | None, rule: str | None, *, by_theorem: bool) -> list[str]:
    """Sentences for the conditions of a verdict; none for what the library itself has."""
    own: list[Loss | Metric] = []
    # Not the registry: a class from outside may be in it too.
    if loss is not None and type(loss) not in LOSS_THEORY:
        own += [loss] if by_theorem or rule in ("no-convex-loss", "counterexample") else []
    if metric is not None and not METRICS.has_class_of(metric):
        own += [metric] if by_theorem else []
    sentences = [f"what the class {type(thing).__name__} claims of {thing} is true" for thing in own]
    if loss in own and rule == "counterexample":
        sentences.append(
            f"the formula of the class {type(loss).__name__} is {loss}, as it was where it was tried"
        )
    return sentences
