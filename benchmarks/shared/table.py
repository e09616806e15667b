"""What every benchmark prints: a table for people, or one JSON object a line."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["Losses", "Row", "best_in_turns", "best_of", "options", "show", "show_losses"]


@dataclass(frozen=True)
class Row:
    """One claim: our number beside the peer's.

    ``better="higher"``: ratio = peer / ours must reach the bar (we are that many times faster).
    ``better="lower"``: ratio = ours / peer must stay below the bar.
    ``better="larger"``: ratio = ours / peer must reach the bar (our value is at least that share of theirs).
    """

    claim: str
    ours: float
    peer: float
    unit: str
    bar: float
    better: str = "higher"
    # False where the peer that the bar is about cannot be measured: the row is shown and not judged.
    judged: bool = True

    @property
    def ratio(self) -> float:
        """The number that is held against the bar."""
        return self.peer / self.ours if self.better == "higher" else self.ours / self.peer

    @property
    def ok(self) -> bool | None:
        """Whether the bar is met; None when that cannot be told."""
        if not self.judged:
            return None
        return self.ratio < self.bar if self.better == "lower" else self.ratio >= self.bar

    def as_dict(self) -> dict[str, object]:
        """The row, for JSON."""
        return {
            "claim": self.claim,
            "ours": self.ours,
            "peer": self.peer,
            "unit": self.unit,
            "ratio": self.ratio,
            "bar": self.bar,
            "ok": self.ok,
        }


@dataclass(frozen=True)
class Losses:
    """One claim that nothing is lost: ``ours`` of ``tries`` went wrong, and the bar is none."""

    claim: str
    ours: int
    tries: int
    bar: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing was lost, and something was tried."""
        return self.ours <= self.bar and self.tries > 0

    def as_dict(self) -> dict[str, object]:
        """The row, for JSON."""
        return {
            "claim": self.claim,
            "ours": self.ours,
            "of": self.tries,
            "bar": self.bar,
            "ok": self.ok,
        }


def show_losses(rows: Iterable[Losses], *, as_json: bool) -> bool:
    """Print each row as soon as it is there; True when nothing was lost."""
    complete = True
    for row in rows:
        complete = complete and row.ok
        if as_json:
            print(json.dumps(row.as_dict()), flush=True)
        else:
            verdict = "ok" if row.ok else "NO"
            print(f"{row.claim:60}  {row.ours} of {row.tries}, bar {row.bar}  {verdict}", flush=True)
    return complete


def best_of(runs: int, work: Callable[[], object]) -> float:
    """Seconds of the fastest of ``runs`` runs: the one least disturbed by other work on the machine."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def best_in_turns(rounds: int, *works: tuple[int, Callable[[], object]]) -> list[float]:
    """Seconds of the fastest run of each work, given as (runs a round, work).

    They take turns, so that a slow moment of the machine hits all of them.
    """
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for k, (runs, work) in enumerate(works):
            best[k] = min(best[k], best_of(runs, work))
    return best


def options(description: str | None) -> argparse.ArgumentParser:
    """The options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="the same rows on less data, in a minute or so; bars are those of the full size",
    )
    return parser


def show(rows: Iterable[Row], *, as_json: bool) -> bool:
    """Print the rows; True when every bar that can be checked is met."""
    rows = list(rows)
    if as_json:
        for row in rows:
            print(json.dumps(row.as_dict()))
    else:
        width = max(len(row.claim) for row in rows)
        print(f"{'claim':{width}}  {'ours':>10}  {'peer':>10}  unit  {'ratio':>8}  {'bar':>8}  ok")
        for row in rows:
            sign = "<" if row.better == "lower" else ">="
            bar = f"{sign}{row.bar:g}"
            verdict = {True: "yes", False: "NO", None: "not checked"}[row.ok]
            print(
                f"{row.claim:{width}}  {row.ours:10.4g}  {row.peer:10.4g}  {row.unit:4}  {row.ratio:8.2f}  "
                f"{bar:>8}  {verdict}"
            )
    return all(row.ok is not False for row in rows)
