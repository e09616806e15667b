"""The written forms of a law: a table for people, a plain dict for files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rankproof.errors import DataError
from rankproof.feedback.graded import Graded
from rankproof.feedback.kinds import KINDS, Feedback
from rankproof.feedback.numbers import Number, show_number
from rankproof.feedback.permutations import Permutation
from rankproof.feedback.preferences import PreferenceGraph

__all__ = [
    "law_cells",
    "law_frame",
    "law_from_plain",
    "law_repr",
    "law_table",
    "law_to_plain",
    "read_law_text",
]

FORMAT, VERSION = "rankproof.law", 1


def law_repr(support: Sequence[Feedback], probabilities: Sequence[Fraction]) -> str:
    """Python text that makes the law again; grades stand as plain tuples."""
    entries = []
    for y, p in zip(support, probabilities, strict=True):
        key = repr(y).removeprefix("Graded(").removesuffix(")") if isinstance(y, Graded) else repr(y)
        entries.append(f"{key}: {show_number(p) if p.denominator > 1 else p.numerator}")
    return f"Law({{{', '.join(entries)}}})"


def law_cells(
    support: Sequence[Feedback], probabilities: Sequence[Fraction]
) -> tuple[list[str], list[list[str]]]:
    """A header, and one row of text per feedback."""
    if isinstance(support[0], PreferenceGraph):
        head = ["probability", "preferences"]
    else:
        head = ["probability", *(f"y({i})" for i in range(support[0].items))]
    rows = []
    for y, p in zip(support, probabilities, strict=True):
        cells = [_show_edges(y)] if isinstance(y, PreferenceGraph) else list(map(str, y))
        rows.append([str(p), *cells])
    return head, rows


def law_table(support: Sequence[Feedback], probabilities: Sequence[Fraction]) -> str:
    """One line per feedback, with its probability."""
    head, body = law_cells(support, probabilities)
    rows = [head, *body]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if isinstance(support[0], PreferenceGraph):
        return "\n".join(f"{p:>{widths[0]}}  {edges}" for p, edges in rows)
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    )


def law_frame(support: Sequence[Feedback], probabilities: Sequence[Fraction], backend: str) -> Any:
    """A data frame with one row per feedback."""
    import numpy as np

    from rankproof.data.frames import frame_of

    head, rows = law_cells(support, probabilities)
    texts = dict(zip(head, (np.array(column) for column in zip(*rows, strict=True)), strict=True))
    columns = {"probability": texts.pop("probability"), "share": np.array([float(p) for p in probabilities])}
    if isinstance(support[0], PreferenceGraph):
        return frame_of(columns | texts, backend)
    labels = {f"y({i})": np.array([float(y[i]) for y in support]) for i in range(support[0].items)}  # type: ignore[index]
    return frame_of(columns | labels, backend)


def _show_edges(graph: PreferenceGraph) -> str:
    edges = (f"{i}→{j}" + ("" if weight == 1 else f" ({weight})") for i, j, weight in graph.edges)
    return ", ".join(edges) or "none"


def law_to_plain(support: Sequence[Feedback], probabilities: Sequence[Fraction]) -> dict[str, Any]:
    """A dict of strings, numbers and lists; exact numbers that are not whole are written ``"8/13"``."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "feedback": support[0].kind,
        "items": support[0].items,
        "support": [_to_plain(y) for y in support],
        "probabilities": [str(p) for p in probabilities],
    }


def _to_plain(y: Feedback) -> list[Any]:
    if isinstance(y, PreferenceGraph):
        return [[i, j, _plain_number(weight)] for i, j, weight in y.edges]
    return [_plain_number(value) for value in y]


def _plain_number(value: Number) -> int | float | str:
    return str(value) if isinstance(value, Fraction) else value


def read_law_text(text: str) -> Mapping[str, Any]:
    """The plain dict in a law's JSON text."""
    import json

    try:
        plain = json.loads(text)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"A stored law is JSON text, as Law.to_json writes it, got {text!r:.80} ({error}). "
            "Law.from_dict reads a dict."
        ) from None
    if not isinstance(plain, Mapping):
        raise DataError(f"A stored law is a JSON object, as Law.to_json writes it, got {text!r:.80}.")
    return plain


def law_from_plain(plain: Mapping[str, Any]) -> list[tuple[Feedback, str]]:
    """The pairs (feedback, probability) of what `law_to_plain` wrote."""
    if not isinstance(plain, Mapping) or plain.get("format") != FORMAT:
        raise DataError(f"A stored law is a dict with format {FORMAT!r}, got {plain!r:.80}.")
    if plain.get("version") != VERSION:
        raise DataError(
            f"This rankproof reads stored laws of version {VERSION}, got version {plain.get('version')!r}. "
            "Use the rankproof release that wrote it, or a newer one."
        )
    missing = [key for key in ("feedback", "items", "support", "probabilities") if key not in plain]
    if missing:
        raise DataError(f"A stored law lacks {', '.join(missing)}; it holds {', '.join(map(str, plain))}.")
    kind, support, probabilities = plain["feedback"], plain["support"], plain["probabilities"]
    if kind not in KINDS:
        raise DataError(f"A stored law has feedback of kind {', '.join(KINDS)}, got {kind!r}.")
    if len(support) != len(probabilities):
        raise DataError(
            f"A stored law has one probability per feedback, got {len(probabilities)} for {len(support)}."
        )
    return [(_from_plain(kind, y, plain["items"]), p) for y, p in zip(support, probabilities, strict=True)]


def _from_plain(kind: str, y: list[Any], items: int) -> Feedback:
    if kind == PreferenceGraph.kind:
        return PreferenceGraph(y, items)
    return Graded(y) if kind == Graded.kind else Permutation(y)
