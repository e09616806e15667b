"""``rankproof certify ENGINE:OBJECTIVE``: what training shows, below what is proven and apart from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankproof.experiments.engines.evidence import EngineEvidence
    from rankproof.feedback import Law
    from rankproof.theory.base.verdict import Verdict

__all__ = ["engine_evidence", "training_text"]


def engine_evidence(
    verdict: Verdict, objective: str, metric: str, direction: str = "higher"
) -> EngineEvidence:
    """The verdict together with the demonstration, or with the reason why there is none."""
    from rankproof.cli.terminal import progress_bar
    from rankproof.errors import ArgumentError, MissingDependencyError, PrecisionError
    from rankproof.experiments.engines.demonstrate import demonstrate
    from rankproof.experiments.engines.evidence import EngineEvidence
    from rankproof.user_code import is_place

    # Laws that are hard for engines are known for metrics of the library; for another one the proof has one.
    law = _proven_law(verdict) if is_place(metric) else None
    try:
        with progress_bar() as tell:
            shown = demonstrate(
                objective, metric, law, direction=direction, noise=verdict.noise, progress=tell
            )
    except (ArgumentError, MissingDependencyError, PrecisionError) as error:
        return EngineEvidence(verdict, None, f"Nothing was shown by training. {error}")
    return EngineEvidence(verdict, shown)


def training_text(evidence: EngineEvidence) -> str:
    """What was shown, under a heading that keeps it apart from the verdict."""
    shown = evidence.missing if evidence.demonstration is None else str(evidence.demonstration)
    return f"\n{shown}"


def _proven_law(verdict: Verdict) -> Law | None:
    """The law under which a verdict proves that something is lost."""
    from rankproof.feedback import Law

    plain = next((piece.data["law"] for piece in verdict.evidence if "law" in piece.data), None)
    return None if plain is None else Law.from_dict(plain)
