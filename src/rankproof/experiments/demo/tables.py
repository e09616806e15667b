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
    columns = ["loss", *(f"{scene.sizes[k]:,}" for k in shown), "unlimited data", "kinds ranked wrong"]
    notes = [
        (
            f"Regret: how much {scene.metric} is lost compared with the best possible ranking, which gets "
            f"{scene.best:.4f}. Mean of {scene.draws} samples with that number of queries."
        ),
        (
            "Unlimited data: not estimated, but computed by minimising the expected loss. The model can "
            "represent any scores."
        ),
    ]
    if any(curve.limit is None for curve in scene.curves):
        notes.append("?: not known. LightGBM's lambdarank minimises no loss whose limit could be computed.")
    return Table(columns, rows, notes)


def without_table(scene: WithoutLoss) -> Table:
    """What the best known loss loses with dependent and with independent labels."""
    rows = [
        ["as they are: the labels of a query depend on each other", f"{scene.dependent_regret:.4f}"],
        ["the same items with independent labels", f"{scene.independent_regret:.4f}"],
    ]
    notes = [
        (
            f"Regret: how much {scene.metric} is lost with {scene.loss}, unlimited data and a model that can "
            f"represent any scores. Mean over {scene.kinds} kinds of query."
        )
    ]
    return Table(["queries", "regret"], rows, notes)


def law_table(scene: Scene, kinds: int | None = None) -> Table:
    """The law of the world: every kind of query with its readings."""
    rows = []
    for number, law in enumerate(scene.laws[:kinds]):
        for y, p in law.pairs():
            labels = y if isinstance(y, Graded) else ()
            rows.append([str(number), f"{float(p):g}", " ".join(map(str, labels))])
    notes = [] if kinds is None else [f"... and {len(scene.laws) - kinds} more kinds of query"]
    return Table(["kind", "probability", "labels"], rows, notes, text_columns=["labels"])
