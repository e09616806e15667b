"""The first scene as tables and sentences: a law that a reader can check by hand."""

from __future__ import annotations

from rankproof.evaluation.tables import Table, number
from rankproof.experiments.demo.lambdamart import RATE, TREES, LambdaMARTScene
from rankproof.feedback import Graded
from rankproof.targets.choose import target_for

__all__ = ["CHECKED_BY_HAND", "TITLE", "end_table", "lambdamart_in_words", "target_table"]

TITLE = "You train LambdaMART, you report nDCG. Here is what that costs"
CHECKED_BY_HAND = (
    "Two items. For 60 of 100 people item 0 is excellent (grade 2) and item 1 is good (grade 1). For the "
    "other 40, item 0 is useless (grade 0). For nDCG an item counts by its gain, 2^grade - 1, divided by the "
    "best DCG of the query, so the best order sorts by the mean of that number:"
)


def target_table(scene: LambdaMARTScene) -> Table:
    """Every set of labels with the best DCG and what each item counts; the means below."""
    target = target_for(scene.metric)
    rows = []
    for y, p in scene.law.pairs():
        labels = y if isinstance(y, Graded) else ()
        counts = [float(u) for u in target.of_feedback(y)]
        # The gain of an item divided by what it counts is the best DCG of the query.
        ideal = next((2.0 ** float(g) - 1) / u for g, u in zip(labels, counts, strict=True) if u)
        shown = [f"{count:.3f}" for count in counts]
        rows.append([f"{100 * float(p):g}%", " ".join(map(str, labels)), f"{ideal:.3f}", *shown])
    rows.append(["mean", "", "", *(f"{mean:.3f}" for mean in scene.means)])
    return Table(["people", "grades", "best DCG", "item 0", "item 1"], rows, text_columns=["grades"])


def end_table(scene: LambdaMARTScene) -> Table:
    """Where each curve ends, and what that costs."""
    rows = []
    for curve in scene.curves:
        right = curve.order == scene.best
        order = " > ".join(map(str, curve.order))
        rows.append([curve.name, f"{curve.gaps[-1]:+.3f}", order, "0" if right else number(scene.lost)])
    columns = ["trained with", "score of item 0 - item 1", "order", f"{scene.metric} lost"]
    return Table(columns, rows, list(scene.missing), text_columns=["order"])


def lambdamart_in_words(scene: LambdaMARTScene) -> str:
    """What it costs, in a sentence or two."""
    wrong = [curve.name for curve in scene.curves if not curve.ours and curve.order != scene.best]
    right = [curve.name for curve in scene.curves if curve.ours and curve.order == scene.best]
    best = " > ".join(map(str, scene.best))
    if not wrong:
        return f"Here every curve ends at the best order, {best}."
    steps = "steps of its formula" if any("formula" in name for name in wrong) else "trees"
    kept = f" With {right[0]}, training ends at {best} and loses nothing." if right else ""
    return (
        f"LambdaMART ({'; '.join(wrong)}) ends with item {scene.best[1]} first and loses "
        f"{number(scene.lost)} of {scene.metric}. It has the queries in exact proportion and {steps} that "
        f"can give the items any scores, so neither too little data nor too small a model is the "
        f"reason.{kept} (Learning rate {RATE:g}, {TREES} {steps}. This is a demonstration; rankproof certify "
        "lightgbm:lambdarank --metric nDCG prints the proof that LambdaMART cannot come to rest at the best "
        "order.)"
    )
