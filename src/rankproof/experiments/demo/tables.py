"""The demonstration as tables."""

from __future__ import annotations

from rankproof.evaluation.tables import Table
from rankproof.experiments.demo.convergence import Scene
from rankproof.experiments.demo.without_loss import WithoutLoss
from rankproof.feedback import Graded

__all__ = ["law_table", "regret_table", "without_table"]


def regret_table(scene: Scene) -> Table:
    """The regret of every loss at some sample sizes, and what it converges to."""
    shown = [k for k, size in enumerate(scene.sizes) if k == 0 or str(size).rstrip("0") == "1"]
    rows = []
    for curve in scene.curves:
        limit = "?" if curve.limit is None else "0" if curve.limit == 0 else f"{curve.limit:.4f}"
        missed = "?" if curve.missed is None else f"{curve.missed} of {len(scene.laws)}"
        rows.append([curve.name, *(f"{curve.regrets[k]:.4f}" for k in shown), limit, missed])
    columns = ["loss", *(f"{scene.sizes[k]:,}" for k in shown), "with all data", "kinds it gets wrong"]
    regret = (
        f"Regret: how much {scene.metric} is lost to the best ranking, which reaches {scene.best:.4f}; mean "
        f"of {scene.draws} samples of so many queries."
    )
    limit = "With all data: computed from the law by minimising the expected loss, not estimated."
    return Table(columns, rows, [regret, limit])


def without_table(scene: WithoutLoss) -> Table:
    """What the best known loss loses with dependent and with independent labels."""
    rows = [
        ["labels as they are, dependent", f"{scene.dependent_regret:.4f}"],
        ["the same items, independent", f"{scene.independent_regret:.4f}"],
    ]
    notes = [f"Mean over {scene.kinds} kinds of queries, with all the data in the world; {scene.loss}."]
    return Table([f"{scene.metric}: the world", "regret"], rows, notes)


def law_table(scene: Scene, kinds: int | None = None) -> Table:
    """The law of the world: every kind of query with its readings."""
    rows = []
    for number, law in enumerate(scene.laws[:kinds]):
        for y, p in law.pairs():
            labels = y if isinstance(y, Graded) else ()
            rows.append([str(number), f"{float(p):g}", " ".join(map(str, labels))])
    notes = [] if kinds is None else [f"... and {len(scene.laws) - kinds} more kinds"]
    return Table(["kind", "probability", "labels"], rows, notes, text_columns=["labels"])
