"""`Standing`: what is known of a user's metric, as data: its target, on which lists, or why it has none.

It is found by `rankproof.theory`, which the folders that train and evaluate do not import; they ask for it
through `rankproof.deciders`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from rankproof.deciders import decided
from rankproof.errors import ArgumentError
from rankproof.metrics.own.rule import LabelRule, Valued

__all__ = ["QUESTION", "Conditional", "Nearest", "Own", "Standing", "standing_of"]

QUESTION = "standing of a metric"


@dataclass(frozen=True)
class Conditional:
    """A target under a condition: it was tried that one exists there."""

    condition: str
    rule: LabelRule
    proven: str


@dataclass(frozen=True)
class Nearest:
    """The label rule that loses least in a metric without a target.

    Attributes
    ----------
    rule : what labels are worth
    regret : what sorting by the mean worth loses at most of the metric, under any law on `where`
    spread : the largest difference of two rankings there, to measure it by
    where : the lists it was computed for, in words
    law : a law under which about so much is lost, in words
    """

    rule: LabelRule
    regret: float
    spread: float
    where: str
    law: str

    def __str__(self) -> str:
        return (
            f"the nearest metric with a target that was found: sum the worths {self.rule} from the top down "
            f"with falling weights. Sorting by the mean worth loses at most {self.regret:.4g} of the metric "
            f"{self.where}, whatever the law of the labels; rankings there differ by up to {self.spread:.4g}"
        )


@dataclass(frozen=True)
class Standing:
    """What is known of a user's metric.

    Attributes
    ----------
    rule : what labels are worth, when the metric has such a target; else None
    proven : the lists on which all cases were tried, in words; empty when on none
    checked : the longer lists on which exchanges were tried, in words
    reason : why there is no rule, in a sentence
    conditions : targets under a condition, each of which was tried
    nearest : what to train on instead; None where it was not looked for
    """

    rule: LabelRule | None
    proven: str = ""
    checked: str = ""
    reason: str = ""
    conditions: tuple[Conditional, ...] = ()
    nearest: Nearest | None = None

    @property
    def limits(self) -> str:
        """What is proven and what was only tried."""
        first = f"proven {self.proven}" if self.proven else "not proven, since short lists say nothing of it"
        return f"{first}; {self.checked}" if self.checked else first


class Own(Protocol):
    """A metric of a user's own, as far as its target is concerned."""

    def __hash__(self) -> int:
        """What is found out about it is remembered."""

    @property
    def function(self) -> Callable[..., Any] | None:
        """The function; None when only its name is known."""

    @property
    def direction(self) -> str:
        """Which values are better."""

    @property
    def standing(self) -> Standing | None:
        """What is known of it, when it was handed over."""

    @property
    def valued(self) -> Valued:
        """The function in gain form."""

    @property
    def way_to_code(self) -> str:
        """What to do where the function is not at hand."""


def standing_of(metric: Own) -> Standing:
    """What is known of the metric: as it was handed over, else decided now."""
    if metric.standing is not None:
        return metric.standing
    if metric.function is None:
        raise ArgumentError(
            f"The function of {metric} is not at hand: a saved model or run names it, and no file is run "
            f"because another file names it. {metric.way_to_code}"
        )
    answer = decided(QUESTION, metric)
    if answer is None:
        raise ArgumentError(f"Whether {metric} has a target is not decided: import rankproof first.")
    standing: Standing = answer
    return standing
