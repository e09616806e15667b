"""Learning curves: what a model recorded while it was trained, and the penalties it was chosen from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.report.content import Block, LineChart, Series

__all__ = ["learning_blocks"]


def learning_blocks(ranker: Any, run: Mapping[str, Any]) -> list[Block]:
    """The charts of a run: penalties, trees or epochs on held-out queries, and the loss of every epoch."""
    metric, selection = run["choice"]["metric"], run.get("selection", {})
    found: list[Block] = []
    path = selection.get("path", [])
    if len(path) > 1:
        (word,) = set(path[0]) - {"value"}
        # A penalty of 0 has no place on a logarithmic axis.
        points = [(row[word], row["value"]) for row in path if word != "l2" or row[word] > 0]
        name = "penalty l2" if word == "l2" else word
        chart = LineChart(
            [Series(metric, points)],
            name,
            f"{metric}, {selection['held_out']}",
            log_x=word == "l2",
            caption=f"The ring is what was chosen: {selection[word]:g}.",
            chosen=float(selection[word]),
        )
        found.append(chart)
    epochs = getattr(ranker, "history_", ())
    if len(epochs) > 1:
        points = [(epoch.number, epoch.loss) for epoch in epochs]
        found.append(LineChart([Series("loss", points)], "epochs", "mean loss on train"))
    return found
