"""What `rankproof certify ENGINE:OBJECTIVE` found: a verdict and a demonstration, side by side and apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.errors import DataError, MissingDependencyError
from rankproof.experiments.engines.demonstration import FORMAT as DEMONSTRATION_FORMAT
from rankproof.experiments.engines.demonstration import Demonstration
from rankproof.experiments.engines.own_metrics import stored_values
from rankproof.experiments.engines.retrain import Retrained, retrain
from rankproof.plain import html_text, json_text
from rankproof.theory.base.stored_text import check_format
from rankproof.theory.base.verdict import Verdict
from rankproof.theory.noise.membership import in_class
from rankproof.theory.replay.bounds import check_bounds
from rankproof.theory.replay.replay import Replay, replay

__all__ = ["EngineEvidence", "EngineReplay", "is_engine_evidence", "replay_engine_evidence"]

FORMAT, VERSION = "rankproof.engine-evidence", 1


@dataclass(frozen=True)
class EngineEvidence:
    """The proof and the demonstration for one objective of an engine and one metric.

    Attributes
    ----------
    verdict : what is proven, or None in a file that holds a demonstration alone
    demonstration : what was shown by training, or None where nothing was trained
    missing : why nothing was trained
    """

    verdict: Verdict | None
    demonstration: Demonstration | None
    missing: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data: what is proven and what was shown, each under its own key."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            "demonstration": None if self.demonstration is None else self.demonstration.to_dict(),
            "missing": self.missing,
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def __str__(self) -> str:
        parts = [None if part is None else str(part) for part in (self.verdict, self.demonstration)]
        return "\n\n".join(text for text in (*parts, self.missing) if text is not None)

    def _repr_html_(self) -> str:
        return html_text(str(self))

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> EngineEvidence:
        """What `to_dict` wrote, or a demonstration as `Demonstration.to_dict` writes it."""
        check_bounds(plain)
        if plain.get("format") == DEMONSTRATION_FORMAT:
            return cls(None, Demonstration.from_dict(plain))
        check_format(plain, "verdict and demonstration", FORMAT, VERSION)
        verdict, shown, missing = (plain.get(name) for name in ("verdict", "demonstration", "missing"))
        evidence = cls(
            None if verdict is None else Verdict.from_dict(verdict),
            None if shown is None else Demonstration.from_dict(shown),
            missing if isinstance(missing, str) else None,
        )
        if evidence.verdict is None and evidence.demonstration is None:
            raise DataError("It holds neither a verdict nor a demonstration, so there is nothing to check.")
        evidence._check_same_question()
        return evidence

    def _check_same_question(self) -> None:
        if self.verdict is None or self.demonstration is None:
            return
        proven = (self.verdict.loss, self.verdict.metric)
        shown = (self.demonstration.objective, self.demonstration.metric)
        if proven != shown:
            raise DataError(
                f"The verdict is about {proven[0]} and {proven[1]}, the demonstration about {shown[0]} and "
                f"{shown[1]}: they do not belong together."
            )
        noise = self.verdict.noise
        if noise is not None and not in_class(
            self.demonstration.law, noise, stored_values(self.demonstration)[0]
        ):
            raise DataError(
                f"The verdict is about laws that are {noise}, and the law of the demonstration is not: they "
                "do not belong together."
            )


@dataclass(frozen=True)
class EngineReplay:
    """Both checked again; ``missing`` says why the demonstration could not be."""

    proof: Replay | None
    retrained: Retrained | None
    missing: str | None

    @property
    def exit_status(self) -> int:
        """0 if all hold, 1 if something does not, 2 if the engine to train again with is not installed."""
        held = [part.holds for part in (self.proof, self.retrained) if part is not None]
        if not all(held):
            return 1
        return 0 if self.missing is None else 2

    def to_dict(self) -> dict[str, Any]:
        """Plain data, the proof and the demonstration under their own keys."""
        return {
            "holds": self.exit_status == 0,
            "proof": None if self.proof is None else self.proof.to_dict(),
            "demonstration": None if self.retrained is None else self.retrained.to_dict(),
            "missing": self.missing,
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def __str__(self) -> str:
        lines = [str(part) for part in (self.proof, self.retrained) if part is not None]
        return "\n".join([*lines, *([] if self.missing is None else [self.missing])])

    def _repr_html_(self) -> str:
        return html_text(str(self))


def is_engine_evidence(plain: Any) -> bool:
    """Whether plain data is what is read here."""
    return isinstance(plain, Mapping) and plain.get("format") in (FORMAT, DEMONSTRATION_FORMAT)


def replay_engine_evidence(
    evidence: EngineEvidence,
    progress: Callable[[int, int, str], None] | None = None,
    *,
    run_code: bool = False,
) -> EngineReplay:
    """Check the proof again, and train the demonstration again; ``run_code`` as in `rankproof.replay`."""
    proof = None if evidence.verdict is None else replay(evidence.verdict, run_code=run_code)
    if evidence.demonstration is None:
        return EngineReplay(proof, None, None)
    try:
        return EngineReplay(proof, retrain(evidence.demonstration, progress, run_code=run_code), None)
    except MissingDependencyError as error:
        text = f"demonstration: {evidence.demonstration.objective}  NOT trained again. {error}"
        return EngineReplay(proof, None, text)
