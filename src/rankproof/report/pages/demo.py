"""The demonstration as a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rankproof.evaluation.compare import Comparison
from rankproof.experiments.demo.convergence import Scene
from rankproof.experiments.demo.cost import PREMISES, WORDS, cost_in_words
from rankproof.experiments.demo.lambdamart import RATE, LambdaMARTScene
from rankproof.experiments.demo.lambdamart_text import (
    CHECKED_BY_HAND,
    TITLE,
    end_table,
    lambdamart_in_words,
    target_table,
)
from rankproof.experiments.demo.real_losses_text import difference_table, in_words
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

__all__ = ["demo_report", "losses_section", "real_section"]

# A regret below this is drawn at it: a logarithmic axis has no 0.
FLOOR = 1e-4
_MODEL = (
    "The model has one weight for each item of each kind of query, so it can represent any scores: what is "
    "lost with unlimited data is lost because of the loss alone. Here this is a few thousandths to a few "
    "hundredths, about as much as systems in papers differ by. On real data it depends on how much the "
    "labels of a query vary, and it is often smaller than the noise (see the comparison at the end of this "
    "page)."
)
_KINDS = (
    "Ambiguous queries: people who type the same words mean different things. Each kind of query has two or "
    "three meanings, each with a probability and with its own labels. Kinds, meanings and labels are drawn "
    "at random from the seed; none was chosen for its result."
)
_SYNTHETIC = (
    "The queries are synthetic: the probabilities of their labels are known, so the best possible ranking "
    "is known, and what each loss costs can be computed. With real queries nobody knows the best ranking; "
    "there, losses can only be compared with each other, as at the end of this page."
)
_NO_LOSS = (
    "Some metrics have no consistent loss. ERR looks at how the labels of a query go together: once people "
    "with one meaning are served, an item for the other meaning is worth more. No convex loss can learn that "
    "for all queries, no matter how much data it gets."
)
_WAY_ROUND = (
    "The way round: if the labels of the items are independent of each other, a consistent loss exists."
)
_LESSON = (
    "Consistency is a statement about the limit: unlimited data and a model that can represent any scores. "
    "A linear model and a few dozen queries are far from it, so do not expect to see a difference on such "
    "data. What a consistent loss gives you is that the loss is not what stops you from improving as data "
    "and model grow. Compare on your own data with rankproof compare."
)


def demo_report(
    scene: Scene,
    without: WithoutLoss,
    real: Section,
    command: str,
    following: str,
    losses: Section | None = None,
    first: LambdaMARTScene | None = None,
) -> Report:
    """One page with all scenes: ``first``, what losses cost, ERR, ``real``, and ``losses``."""
    return Report(
        "What the wrong loss costs",
        [
            *([] if first is None else [_lambdamart(first)]),
            Section("In short", [Paragraphs([_SYNTHETIC]), Facts(WORDS)]),
            _convergence(scene),
            Section("The synthetic queries", _world(scene)),
            _without(without),
            real,
            *([] if losses is None else [losses]),
            Section(
                "Next: your own data",
                [
                    Command(following),
                    Paragraphs(["This page was made by:"], "note"),
                    Command(command),
                    Facts([versions_fact()]),
                ],
            ),
        ],
        lead="If the training loss does not fit the metric you report, more data helps only up to a point. "
        f"{cost_in_words(scene)}",
    )


def _lambdamart(scene: LambdaMARTScene) -> Section:
    """The first scene: a law to check by hand, and where training goes."""
    count = len(scene.curves[0].gaps)
    # Every tree while much happens, and then a few.
    drawn = [tree for tree in range(1, count + 1) if tree <= 10 or tree % 5 == 0]
    lines = [
        Series(curve.name, [(float(tree), curve.gaps[tree - 1]) for tree in drawn]) for curve in scene.curves
    ]
    level = Series("equal scores", [(1.0, 0.0), (float(count), 0.0)], dashed=True)
    chart = LineChart(
        [*lines, level],
        "trees",
        "score of item 0 minus score of item 1",
        title="Above the dashed line item 0 comes first, which is wrong",
        caption=f"Learning rate {RATE:g}; queries in exact proportion to the table, trees that may give each "
        "item its own score.",
    )
    missing: list[Block] = [Paragraphs(list(scene.missing), "note")] if scene.missing else []
    return Section(
        TITLE,
        [
            Paragraphs([CHECKED_BY_HAND]),
            DataTable(target_table(scene)),
            chart,
            DataTable(replace(end_table(scene), notes=())),
            Paragraphs([lambdamart_in_words(scene)]),
            *missing,
        ],
    )


def real_section(run: Mapping[str, Any], about: str, command: str) -> Section:
    """The third scene: what was trained by which command, what it got, and where its own report is."""
    choice = run["choice"]
    why = (
        f"The loss, {choice['loss']}, was chosen because it is consistent with {choice['metric']}: with "
        f"{PREMISES}, minimising it leads to the best ranking by {choice['metric']}."
    )
    blocks: list[Block] = [Paragraphs([about, why]), Command(command)]
    table = outcome_table(run, {})
    if table is not None:
        blocks.append(DataTable(table))
    blocks.append(Link("The full report of this model: its queries, scores and features", "run/report.html"))
    return Section("A model trained on real data", blocks)


def losses_section(about: str, comparison: Comparison | str) -> Section:
    """The last scene: the losses compared on real data, or why they could not be."""
    title = "Do the losses differ on real data?"
    if isinstance(comparison, str):
        return Section(title, [Paragraphs([f"The losses could not be compared: {comparison}"], "note")])
    (metric,) = comparison.metrics
    return Section(
        title,
        [
            Paragraphs([in_words(comparison), about]),
            DataTable(difference_table(comparison)),
            Paragraphs([_LESSON], "note"),
            DataTable(comparison.pair_table(metric), "All pairs of losses", folded=True),
        ],
    )


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
        f"{scene.metric} lost (regret)",
        title="A consistent loss goes to zero, the others level off",
        log_x=True,
        log_y=True,
        caption=f"Mean of {scene.draws} samples; values below {floor:.1g} are drawn at {floor:.1g}. Dashed "
        "lines: what a loss converges to with unlimited data, computed from the law.",
    )
    return Section(
        "More data helps an inconsistent loss only up to a point",
        [
            chart,
            DataTable(regret_table(scene)),
            Paragraphs([_MODEL], tone="note"),
        ],
    )


def _without(scene: WithoutLoss) -> Section:
    box: VerdictBox = verdict_box(scene.verdict)
    other: VerdictBox = verdict_box(scene.independent)
    return Section(
        f"A metric that no convex loss optimises: {scene.metric}",
        [
            Paragraphs([_NO_LOSS]),
            box,
            Paragraphs([_WAY_ROUND]),
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
                ("kinds of query", str(len(scene.laws))),
                ("items per query", str(scene.laws[0].items)),
                ("best possible", f"{scene.metric} {scene.best:.4f}"),
            ]
        ),
        DataTable(law_table(scene), "The law of each kind of query", folded=True),
    ]
