"""The search for counterexamples: a law under which a loss converges to a ranking that is not best.

Few items first, for they convince more: 2, then 3, up to those of the space. On each number of items
candidate laws are found in floats (`rankproof.theory.search.proposals`), simplified
(`rankproof.theory.search.simplify`), and then proven (`rankproof.theory.base.counterexample`). A seed gives
the same answer everywhere.

>>> from rankproof.feedback.spaces import graded_space
>>> found = find_counterexample("squared:gain", "nDCG", graded_space(3, 3))
>>> print(found.law)  # E[gain] = (1, 3/2), but E[gain / ideal] = (0.64, 0.41)
probability  y(0)  y(1)
        1/2     1     2
        1/2     1     0
>>> found.minimiser_rankings, found.best_rankings, round(found.cost_value, 4)
(((1, 0),), ((0, 1),), 0.0829)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError, PrecisionError
from rankproof.feedback import Law
from rankproof.feedback.spaces import Space, graded_space, graph_space, permutation_space
from rankproof.losses.base import Loss
from rankproof.losses.parse import loss as loss_of
from rankproof.targets.base import as_condition
from rankproof.theory.base.counterexample import Counterexample
from rankproof.theory.base.risk import optimal_rankings
from rankproof.theory.base.values import AnyMetric, as_any_metric, value_table
from rankproof.theory.custom.loss import UserLoss, as_user_loss
from rankproof.theory.custom.metric import UserMetric
from rankproof.theory.minima.convergence import Convergence, has_minimiser
from rankproof.theory.minima.custom import enclose_user
from rankproof.theory.minima.enclosure import enclose
from rankproof.theory.noise import KINDS_OF
from rankproof.theory.noise.membership import in_class
from rankproof.theory.search.counterexample import counterexample
from rankproof.theory.search.law_programs import restricted
from rankproof.theory.search.proposals import proposals
from rankproof.theory.search.simplify import simple_laws

__all__ = ["CONVINCING", "Searched", "find_counterexample", "sizes_of"]

# How many laws are tried to be proven on one number of items, at effort 1, and how many are looked at.
PROOFS, LOOKS = 12, 500
# A loss below this share of the spread of the metric's values is shown only when nothing larger is found.
CONVINCING = 2e-3


@dataclass(frozen=True)
class Searched:
    """What a search without result did on one number of items.

    Attributes
    ----------
    space : where it looked
    skipped : why nothing was looked at there, else None
    programs : linear programs over laws that were solved
    laws : laws at which the loss was followed and the metric compared
    unproven : laws under which the loss seemed to fail, but was not proven to
    seconds : how long it took; two searches that did the same are equal
    """

    space: Space
    skipped: str | None
    programs: int = 0
    laws: int = 0
    unproven: int = 0
    seconds: float = field(default=0.0, compare=False)

    def __str__(self) -> str:
        if self.skipped is not None:
            return f"{self.space.description} ({self.skipped})"
        counts = {"linear program": self.programs, "law": self.laws}
        done = " and ".join(_many(count, what) for what, count in counts.items() if count) or "no law"
        faint = f", {_many(self.unproven, 'law')} not proven to fail" if self.unproven else ""
        return f"{done}{faint} {self.space.description}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def find_counterexample(
    loss: str | Loss | UserLoss,
    metric: Any,
    space: Space,
    *,
    noise: str | None = None,
    seed: int = 0,
    effort: float = 1.0,
    log: list[Searched] | None = None,
) -> Counterexample | None:
    """A law, on the space or on fewer items, under which the loss fails the metric; None if none is found.

    Parameters
    ----------
    loss : a loss, its string, or a user's loss
    metric : a metric, its string, or a user's function ``(ranking, feedback) -> number``
    space : the feedback that can occur
    noise : a condition that the law must meet, a key of `rankproof.targets.base.CONDITIONS`
    seed : of what is random
    effort : how much is tried; 1 takes a few seconds when nothing is found
    log : is told what was done on each number of items
    """
    measure = as_any_metric(metric)
    trained = loss_of(loss) if isinstance(loss, (str, Loss)) else as_user_loss(loss)
    if not isinstance(space, Space):
        raise ArgumentError(f"Argument space must be a Space, such as graded_space(3, 2), got {space!r}.")
    if isinstance(effort, bool) or not effort > 0:
        raise ArgumentError(f"Argument effort must be above 0, got {effort!r}.")
    condition = None if noise is None else as_condition(noise)
    if condition is not None and space.kind not in KINDS_OF[condition]:
        raise ArgumentError(
            f"The condition {condition!r} is about feedback of kind {' or '.join(KINDS_OF[condition])}, "
            f"got a space of kind {space.kind!r}."
        )
    faint: Counterexample | None = None
    for here in sizes_of(space):
        smaller = restricted(here, condition)
        done = [] if log is None else log
        if not smaller.feedback:
            done.append(Searched(here, "no labels there meet the condition"))
            continue
        if not has_minimiser(trained, here.items):
            done.append(Searched(here, f"where {trained} ends on so many items cannot be proven here"))
            continue
        try:
            example, spread = _on_space(trained, measure, smaller, condition, seed, effort, done)
        except ArgumentError:
            # A user's function need not be made for fewer items.
            theirs = isinstance(measure, UserMetric) or isinstance(trained, UserLoss)
            if here is space or not theirs:
                raise
            done.append(Searched(here, "the function does not take so few items"))
            continue
        if example is not None and example.cost >= CONVINCING * spread:
            return example
        faint = faint or example
    return faint


def sizes_of(space: Space) -> list[Space]:
    """The same kind of space on 2, 3, ... items; the space alone when it does not hold all such feedback."""
    n = space.items
    if space.kind == "preferences":
        makers: Any = graph_space
    elif space.kind == "permutation":
        makers = permutation_space
    else:
        scale = sorted({grade for y in space.feedback for grade in y})  # type: ignore[union-attr]

        def makers(items: int) -> Space:
            return graded_space(items, scale)

    if len(space) > 5000 or set(makers(n).feedback) != set(space.feedback):
        return [space]
    return [*(makers(items) for items in range(2, n)), space]


def _on_space(
    loss: Loss | UserLoss,
    metric: AnyMetric,
    space: Space,
    noise: str | None,
    seed: int,
    effort: float,
    log: list[Searched],
) -> tuple[Counterexample | None, float]:
    began = perf_counter()
    table = value_table(metric, space)
    values = np.array([[float(value) for value in row] for row in table.values])
    spread = float(np.ptp(values, axis=0).max())
    if spread == 0.0:
        log.append(Searched(space, "every ranking has the same value there"))
        return None, spread
    if isinstance(loss, UserLoss):
        loss.check(space, seed)
        if not loss.convex:
            return None, spread
    where = Convergence(loss, space, values, table.rankings)
    # Those two are properties of the space, not of the law.
    linear = None if noise in ("binary", "one relevant") else noise
    tries, looks = max(1, int(PROOFS * effort)), max(1, int(LOOKS * effort))
    candidates, programs = proposals(where, linear, seed, effort)
    unproven = 0
    for law, scores in simple_laws(where, candidates, linear, effort):
        if in_class(law, noise, metric):
            example = _proven(loss, metric, law, scores, noise)
            if example is not None:
                return example, spread
            unproven += 1
        looks -= 1
        if unproven >= tries or looks <= 0:
            break
    log.append(Searched(space, None, programs, where.compared, unproven, perf_counter() - began))
    return None, spread


def _proven(
    loss: Loss | UserLoss, metric: AnyMetric, law: Law, scores: Float64s, noise: str | None
) -> Counterexample | None:
    # The first best ranking is shown as 0, 1, 2, ...
    try:
        order = optimal_rankings(metric, law)[0]
    except PrecisionError:
        return None
    for shown, at in ((law.relabel(order), scores[list(order)]), (law, scores)):
        center = [float(s) for s in at]
        minimum = (
            enclose(loss, shown, center) if isinstance(loss, Loss) else enclose_user(loss, shown, center)
        )
        if minimum is not None:
            example = counterexample(metric, shown, minimum, tuple(float(s) for s in at), noise)
            if example is not None:
                return example
    return None
