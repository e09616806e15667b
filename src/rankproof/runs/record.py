"""`RunRecord`: all that there is to show of a run, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rankproof.arrays import Float64s
from rankproof.evaluation.data_summary import DataSummary
from rankproof.losses.choose import LossChoice
from rankproof.runs.scored_part import ScoredPart

if TYPE_CHECKING:
    from rankproof.theory.base.verdict import Verdict

__all__ = ["FeatureWeights", "RunRecord"]


@dataclass(frozen=True, eq=False)
class FeatureWeights:
    """One number per feature; ``scale`` is the scaling of the features that weights are for."""

    kind: Literal["weight", "importance"]
    values: Float64s
    names: Sequence[str] | None
    scale: str | None = None


@dataclass(frozen=True, eq=False)
class RunRecord:
    """A run as values.

    Attributes
    ----------
    folder : where the run is kept; None for one that was not saved
    facts : what ``results.json`` says
    scored : the parts that could be scored, with their results
    summary : what the data hold; None when none of them could be read
    weights : what the model makes of the features
    losses : the mean loss of every epoch, for a model that has epochs
    verdict : on the loss and the metric
        The choice of the loss where its claims settle it, else the verdict of ``certify``; or a sentence that
        says why there is none.
    problems : what could not be had, in sentences
    """

    folder: str | None
    facts: Mapping[str, Any]
    scored: Mapping[str, ScoredPart]
    summary: DataSummary | None
    weights: FeatureWeights | None
    losses: Sequence[tuple[int, float]]
    verdict: LossChoice | Verdict | str
    problems: Sequence[str] = ()
