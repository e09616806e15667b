"""Second scene: a metric that no convex loss optimises, the law that shows it, and the way round.

For ERR the readings of an ambiguous query matter together: once the reader of one meaning is served, an item
for the other meaning is worth more than a second one for the first. No sorting by a mean knows that. When the
labels of the items are independent, there is nothing to know, and softmax on the satisfaction target is
consistent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from rankproof.experiments.demo.convergence import rounded
from rankproof.feedback import Law
from rankproof.feedback.numbers import ExactLike, NumberLike
from rankproof.losses.parse import loss as loss_of
from rankproof.metrics.base import Metric
from rankproof.theory.base.risk import regret
from rankproof.theory.base.verdict import Verdict
from rankproof.theory.certify import certify_metric
from rankproof.theory.minima.minimise import minimise

__all__ = ["WithoutLoss", "independent_laws", "without_loss"]


@dataclass(frozen=True)
class WithoutLoss:
    """The verdict, and what the best known loss loses with dependent and with independent labels."""

    metric: str
    loss: str
    verdict: Verdict
    independent: Verdict
    dependent_regret: float
    independent_regret: float
    kinds: int


def without_loss(metric: Metric, laws: Sequence[Law]) -> WithoutLoss:
    """The scene for a metric, in the world of these laws and in the same world with independent labels."""
    loss = loss_of("softmax", metric=metric, noise="independent")

    def lost(some: Sequence[Law]) -> float:
        return mean(float(regret(metric, law, scores=rounded(minimise(loss, law).scores))) for law in some)

    return WithoutLoss(
        metric=str(metric),
        loss=str(loss),
        verdict=certify_metric(metric),
        independent=certify_metric(metric, "independent"),
        dependent_regret=lost(laws),
        independent_regret=lost(independent_laws(laws)),
        kinds=len(laws),
    )


def independent_laws(laws: Sequence[Law]) -> list[Law]:
    """For every law the one with the same law of each item, but independent items."""
    return [Law.product([_marginal(law, item) for item in range(law.items)]) for law in laws]


def _marginal(law: Law, item: int) -> Mapping[NumberLike, ExactLike]:
    return dict(law.marginal(item).items())
