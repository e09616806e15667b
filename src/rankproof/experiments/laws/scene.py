"""`LawScene`: a metric between two or three label vectors, law by law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["LawScene"]


@dataclass(frozen=True)
class LawScene:
    """What is best, and what each loss does, on a grid of laws over two or three label vectors.

    The laws have probabilities in ``steps``-ths; `rankproof.experiments.laws.grid.grid` lists them in order.

    Attributes
    ----------
    metric : what is to be optimised
    corners : the label vectors
    steps : int
    rankings : the sets of rankings that occur, as text
    best : for every law the number of its set of best rankings, -1 where it is not known
    values : for every law the value of the best rankings
    losses : the names of the losses
    reached : for every loss and law the number of the set of rankings that it ends at
    costs : for every loss and law what the metric loses there, at least 0; 0 where the rankings are best
    start : the law that is shown first
    higher_is_better : whether a value is lost by being lower
    """

    metric: str
    corners: Sequence[str]
    steps: int
    rankings: Sequence[str]
    best: Sequence[int]
    values: Sequence[float]
    losses: Sequence[str]
    reached: Sequence[Sequence[int]]
    costs: Sequence[Sequence[float]]
    start: int
    higher_is_better: bool = True
