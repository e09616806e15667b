"""``rankproof replay`` of a file that holds a demonstration."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankproof.experiments.engines.evidence import EngineReplay

__all__ = ["replay_if_engine"]

# In every such file, near its start.
_MARKS = (b"rankproof.engine-evidence", b"rankproof.demonstration")


def replay_if_engine(path: str, content: bytes, run_code: bool) -> EngineReplay | None:
    """What came of checking the content of a file again; None if it is about no engine."""
    from rankproof.errors import DataError, FileFormatError

    if not any(mark in content for mark in _MARKS):
        return None
    from rankproof.cli.terminal import progress_bar
    from rankproof.experiments.engines.evidence import (
        EngineEvidence,
        is_engine_evidence,
        replay_engine_evidence,
    )

    try:
        plain = json.loads(content.decode())
    except (ValueError, RecursionError):
        return None
    if not is_engine_evidence(plain):
        return None
    try:
        evidence = EngineEvidence.from_dict(plain)
    except DataError as error:
        raise FileFormatError(path, None, str(error)) from error
    with progress_bar() as tell:
        return replay_engine_evidence(evidence, tell, run_code=run_code)
