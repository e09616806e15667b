"""``rankproof certify ENGINE:OBJECTIVE``: what training shows, below what is proven and apart from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankproof.experiments.engines.evidence import EngineEvidence
    from rankproof.theory.base.verdict import Verdict

__all__ = ["engine_evidence", "training_text"]

_OWN_METRIC = (
    "Nothing was shown by training: engines are trained for metrics of rankproof, not for functions of your "
    "own."
)


def engine_evidence(verdict: Verdict, objective: str, metric: str) -> EngineEvidence:
    """The verdict together with the demonstration, or with the reason why there is none."""
    from rankproof.cli.terminal import progress_bar
    from rankproof.errors import ArgumentError, MissingDependencyError
    from rankproof.experiments.engines.demonstrate import demonstrate
    from rankproof.experiments.engines.evidence import EngineEvidence
    from rankproof.user_code import is_place

    if is_place(metric):
        return EngineEvidence(verdict, None, _OWN_METRIC)
    try:
        with progress_bar() as tell:
            shown = demonstrate(objective, metric, noise=verdict.noise, progress=tell)
    except (ArgumentError, MissingDependencyError) as error:
        return EngineEvidence(verdict, None, f"Nothing was shown by training. {error}")
    return EngineEvidence(verdict, shown)


def training_text(evidence: EngineEvidence) -> str:
    """What was shown, under a heading that keeps it apart from the verdict."""
    shown = evidence.missing if evidence.demonstration is None else str(evidence.demonstration)
    return f"\n{shown}"
