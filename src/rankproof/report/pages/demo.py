"""The demonstration as a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.experiments.demo.convergence import Scene
from rankproof.experiments.demo.tables import law_table, regret_table, without_table
from rankproof.experiments.demo.without_loss import WithoutLoss
from rankproof.report.content import (
    Block,
    Command,
    DataTable,
    Facts,
    LineChart,
    Link,
    Paragraphs,
    Report,
    Section,
    Series,
    VerdictBox,
)
from rankproof.report.pages.origin import versions_fact
from rankproof.report.pages.outcome import outcome_table
from rankproof.report.pages.verdict import verdict_box

__all__ = ["demo_report", "real_section"]

# A regret below this is drawn at it: a logarithmic axis has no 0.
FLOOR = 1e-4
_SIZE = (
    "The scorer is linear over one indicator per kind of query and item, so it can represent every scoring "
    "function: what a loss loses with all data is lost by the loss alone. The difference is a few "
    "thousandths to a few hundredths here, about what systems in papers differ by. How large it is on real "
    "data depends on how much the labels of a query disagree."
)
_KINDS = (
    "Ambiguous queries: each kind has two or three readings, each with a probability and with grades of its "
    "own. Kinds, readings and grades are drawn from the seed; nothing is chosen by its result."
)


def demo_report(scene: Scene, without: WithoutLoss, real: Section, command: str, following: str) -> Report:
    """One page with all scenes; ``real`` is the third."""
    return Report(
        "What losses converge to",
        [
            _convergence(scene),
            _without(without),
            real,
            Section("The world", _world(scene)),
            Section("Make it again", [Command(command), Facts([versions_fact()])]),
            Section("Next, on your own data", [Command(following)]),
        ],
        lead="A world whose labels follow a known law, so that the best possible ranking is known, and "
        "with it what every loss loses: with few queries, with many, and with all the data in the world.",
    )


def real_section(run: Mapping[str, Any], about: str, command: str) -> Section:
    """The third scene: what was trained by which command, what it got, and where its own report is."""
    choice = run["choice"]
    blocks: list[Block] = [
        Paragraphs(
            [about, f"The loss is {choice['loss']}, chosen because it is consistent with {choice['metric']}."]
        ),
        Command(command),
    ]
    table = outcome_table(run, {})
    if table is not None:
        blocks.append(DataTable(table))
    blocks.append(Link("The report of this run, with its queries and features", "run/report.html"))
    return Section("The same on real data", blocks)


def _convergence(scene: Scene) -> Section:
    lines = []
    # No loss is drawn above what it converges to.
    floor = min([FLOOR, *(curve.limit / 2 for curve in scene.curves if curve.limit)])
    for curve in scene.curves:
        points = [(float(n), max(floor, r)) for n, r in zip(scene.sizes, curve.regrets, strict=True)]
        lines.append(Series(curve.name, points, limit=curve.limit or None))
    chart = LineChart(
        lines,
        "queries trained on",
        f"{scene.metric} lost to the best ranking",
        title="A consistent loss goes to zero, others level off",
        log_x=True,
        log_y=True,
        caption=f"Mean of {scene.draws} samples. A regret below {floor:.1g} is drawn there. Dashed: what "
        "a loss converges to, computed from the law.",
    )
    return Section(
        "Regret against the size of the sample",
        [
            chart,
            DataTable(regret_table(scene)),
            Paragraphs([_SIZE], tone="note"),
        ],
    )


def _without(scene: WithoutLoss) -> Section:
    box: VerdictBox = verdict_box(scene.verdict)
    other: VerdictBox = verdict_box(scene.independent)
    return Section(
        f"A metric without a convex loss: {scene.metric}",
        [
            box,
            Paragraphs(
                ["The way round: when the labels of the items are independent, a loss is consistent."]
            ),
            other,
            DataTable(without_table(scene)),
        ],
    )


def _world(scene: Scene) -> list[Paragraphs | Facts | DataTable]:
    return [
        Paragraphs([_KINDS]),
        Facts(
            [
                ("seed", str(scene.seed)),
                ("kinds of queries", str(len(scene.laws))),
                ("items of a query", str(scene.laws[0].items)),
                ("best possible", f"{scene.metric} {scene.best:.4f}"),
            ]
        ),
        DataTable(law_table(scene), "The law, kind by kind", folded=True),
    ]
