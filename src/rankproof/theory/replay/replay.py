"""Replay: check the evidence of a verdict again, from its stored form and on its own.

Nothing of what found the evidence is used: neither the rules nor the searches. Values of metrics are computed
again in fractions, best rankings by trying all of them, and the minimiser of an expected loss is enclosed by
interval arithmetic on the formula of the loss. What remains to be believed is said: the theorems that lead
from the evidence to the verdict, and the claims of the objects that they rest on, which are listed and looked
up again. Of a metric of the user's own the values are believed that were stored, unless its file may be run.
The file of a loss is run again, if that is allowed, and that the loss is convex is the user's word. The texts
beside the evidence (rule, reason, reference, conditions) are made again from it and compared. What is not
checked is not shown: advice (way out), and what an undecided verdict says was tried.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.errors import DataError, FileFormatError, RankproofError
from rankproof.files import StrPath, open_bytes
from rankproof.losses.base import Loss
from rankproof.losses.parse import loss as loss_of
from rankproof.plain import html_table, json_text
from rankproof.theory.base.verdict import FORMAT, FUNCTION, Verdict
from rankproof.theory.noise import KINDS_OF
from rankproof.theory.replay.bounds import check_bounds
from rankproof.theory.replay.code import CodeNotRunError
from rankproof.theory.replay.evidence import CHECKS
from rankproof.theory.replay.own_values import values_words, wrong_values
from rankproof.theory.replay.shipped import as_plain_loss
from rankproof.theory.replay.texts import wrong_scope, wrong_texts
from rankproof.theory.shipped.objective import engine_objective, is_engine_objective
from rankproof.user_code import is_place

__all__ = ["Checked", "CodeNotRunError", "Replay", "replay", "replay_content", "replay_file"]

MATRIX_FORMAT, ANY_LOSS = "rankproof.matrix", "any convex loss"
# Which evidence a verdict may have, by (outcome, is a loss asked about?); one of the first carries it.
CARRIES: dict[tuple[str, bool], tuple[tuple[str, ...], tuple[str, ...]]] = {
    ("consistent", True): (("theorem", "same-values"), ("target",)),
    ("consistent", False): (("theorem", "target", "same-values"), ()),
    ("inconsistent", True): (("counterexample", "rest-points", "split", "contradiction", "clash"), ()),
    ("inconsistent", False): (("split", "contradiction", "clash"), ()),
    ("undecided", True): ((), ()),
    ("undecided", False): ((), ()),
}


# Of an objective of an engine that is no loss.
OF_SHIPPED: dict[str, tuple[str, ...]] = {"inconsistent": ("shipped-rest-points",), "undecided": ()}


@dataclass(frozen=True)
class Checked:
    """One piece of evidence: ``what`` says what was checked, ``wrong`` is None when it holds."""

    verdict: str
    kind: str
    what: str
    wrong: str | None


@dataclass(frozen=True)
class Replay:
    """All pieces of evidence of a file."""

    pieces: tuple[Checked, ...]

    @property
    def holds(self) -> bool:
        """Whether every piece holds."""
        return all(piece.wrong is None for piece in self.pieces)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "holds": self.holds,
            "pieces": [
                {"verdict": p.verdict, "kind": p.kind, "what": p.what, "wrong": p.wrong} for p in self.pieces
            ],
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def __str__(self) -> str:
        lines = []
        for piece in self.pieces:
            answer = f"holds: {piece.what}" if piece.wrong is None else f"FAILS: {piece.wrong}"
            lines.append(f"{piece.verdict}\n  {piece.kind}  {answer}")
        failed = sum(piece.wrong is not None for piece in self.pieces)
        count = f"{len(self.pieces)} piece{'s' if len(self.pieces) != 1 else ''} of evidence"
        sound = "all hold" if self.pieces else "nothing is claimed, so nothing was checked"
        lines.append(f"{count}: " + (sound if not failed else f"{failed} FAIL"))
        return "\n".join(lines)

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per piece of evidence."""
        from rankproof.data.frames import frame_of_rows

        return frame_of_rows(self.to_dict()["pieces"], backend)

    def _repr_html_(self) -> str:
        rows = [
            [piece.verdict, piece.kind, "no" if piece.wrong else "yes", piece.wrong or piece.what]
            for piece in self.pieces
        ]
        return html_table(["verdict", "evidence", "holds", "why"], rows, left=range(4))


def replay_file(path: StrPath, *, run_code: bool = False) -> Replay:
    """Check the verdict or the matrix of verdicts that a JSON file holds; ``run_code`` as in `replay`."""
    return replay_content(bytes(open_bytes(path)), path, run_code=run_code)


def replay_content(content: bytes, path: StrPath, *, run_code: bool = False) -> Replay:
    """Check what was read from a file, whose name errors say."""
    try:
        plain = json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise FileFormatError(path, getattr(error, "lineno", None), f"not a JSON file: {error}.") from error
    try:
        return replay(plain, run_code=run_code)
    except DataError as error:
        raise FileFormatError(path, None, str(error)) from error


def replay(stored: Verdict | Mapping[str, Any], *, run_code: bool = False) -> Replay:
    """Check the evidence of a verdict (or of a matrix), as an object or as plain data.

    Parameters
    ----------
    stored : Verdict, or the plain data of a verdict or of a matrix
        Plain data is what ``to_dict`` gives, and what ``rankproof certify --evidence`` writes as JSON.
    run_code : bool
        Whether Python files that the evidence names may be run. A loss of the user's own is a function in
        such a file, ``my_loss.py:name``, and its minimum cannot be checked without it. Of a metric in a file
        the values are stored; they are compared with those of the function only if it may be run. Evidence
        from someone else may name any file, so that nothing is run unless this is True.

    Raises
    ------
    CodeNotRunError
        When the evidence cannot be checked without running a file, and ``run_code`` is False.

    Examples
    --------
    >>> from rankproof import Consistent
    >>> why = {"reason": "it says so", "short": "", "rule": None, "reference": ""}
    >>> scope = {"items": 3, "grades": 2, "feedback": "graded"}
    >>> unfounded = Consistent(loss="softmax", metric="nDCG", noise=None, scope=scope, **why)
    >>> print(replay(unfounded))
    consistent: softmax with nDCG
      verdict  FAILS: it carries none of the evidence it needs: theorem or same-values
    1 piece of evidence: 1 FAIL
    """
    plain = stored.to_dict() if isinstance(stored, Verdict) else stored
    check_bounds(plain)
    if isinstance(plain, Mapping) and plain.get("format") == MATRIX_FORMAT:
        cells = plain.get("cells")
        if not isinstance(cells, list) or not all(isinstance(cell, Mapping) for cell in cells):
            raise DataError("The stored matrix is damaged: its cells are not a list of verdicts.")
        return Replay(tuple(piece for cell in cells for piece in _cell(cell, run_code)))
    if not isinstance(plain, Mapping) or plain.get("format") != FORMAT:
        raise DataError(
            f"Evidence is a verdict or a matrix as certify writes them, got {str(plain)[:60]!r}. Write one "
            "with rankproof certify ... --evidence FILE."
        )
    return Replay(tuple(_verdict(Verdict.from_dict(plain), run_code)))


def _cell(cell: Mapping[str, Any], run_code: bool) -> Iterator[Checked]:
    """The verdict of a cell, which must be about the loss of its row and the metric of its column."""
    verdict = Verdict.from_dict(cell.get("verdict", {}))
    row, column = cell.get("row"), cell.get("column")
    try:
        loss = None if verdict.loss is None else loss_of(verdict.loss)
        same = (
            row == ANY_LOSS if loss is None else _without_target(loss) == _without_target(loss_of(str(row)))
        )
    except RankproofError:
        same = False
    if not same or column != verdict.metric:
        wrong = f"the cell of {row} and {column} holds another verdict"
        yield Checked(_name(verdict), "verdict", "", wrong)
    yield from _verdict(verdict, run_code)


def _without_target(loss: Loss) -> tuple[type[Loss], dict[str, Any]]:
    """A row without a target is aimed at the metric of the column."""
    return type(loss), {name: value for name, value in vars(loss).items() if name not in ("target", "metric")}


def _name(verdict: Verdict) -> str:
    under = "" if verdict.noise is None else f" ({verdict.noise})"
    return f"{verdict.outcome}: {verdict.loss or ANY_LOSS} with {verdict.metric}{under}"


def _verdict(verdict: Verdict, run_code: bool) -> Iterator[Checked]:
    name = _name(verdict)
    try:
        verdict, wrong = as_plain_loss(verdict)
        wrong = wrong or wrong_scope(verdict) or _wrong_kinds(verdict) or wrong_texts(verdict)
    except RankproofError as error:
        wrong = f"it cannot be read: {error}"
    if wrong is not None:
        yield Checked(name, "verdict", "", wrong)
    for piece in verdict.evidence:
        if piece.kind not in CHECKS:
            yield Checked(name, str(piece.kind), "", f"evidence of the kind {piece.kind!r} is not known")
            continue
        try:
            what, wrong = CHECKS[piece.kind](verdict, piece, run_code)
            what += values_words(verdict, run_code)
            wrong = wrong or wrong_values(verdict, piece, run_code)
        except CodeNotRunError:
            raise
        except (RankproofError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            what, wrong = "", f"it cannot be read: {type(error).__name__}: {error}"
        yield Checked(name, piece.kind, what, wrong)
        if piece.kind == "same-values" and wrong is None:
            yield from _verdict(Verdict.from_dict(piece.data["verdict"]), run_code)


def _wrong_kinds(verdict: Verdict) -> str | None:
    """Whether the verdict has the evidence that it needs, and none that speaks of something else."""
    feedback = verdict.scope["feedback"]
    if verdict.noise is not None and feedback not in KINDS_OF.get(verdict.noise, ()):
        return f"the condition {verdict.noise!r} is not one on feedback of the kind {feedback!r}"
    carriers, others = CARRIES[verdict.outcome, verdict.loss is not None]
    if is_engine_objective(verdict.loss):
        engine_objective(str(verdict.loss))
        if verdict.outcome not in OF_SHIPPED:
            return f"no verdict on an objective of an engine is {verdict.outcome}, unless it is a loss"
        carriers, others = OF_SHIPPED[verdict.outcome], ()
    elif verdict.loss is not None and not verdict.loss.startswith(FUNCTION) and not is_place(verdict.loss):
        try:
            loss_of(verdict.loss)
        except RankproofError as error:
            return f"its loss is not known: {error}"
    kinds = [piece.kind for piece in verdict.evidence]
    if carriers and not set(kinds) & set(carriers):
        return f"it carries none of the evidence it needs: {' or '.join(carriers)}"
    stray = next((kind for kind in kinds if kind not in (*carriers, *others)), None)
    return None if stray is None else f"evidence of the kind {stray!r} does not belong to it"
