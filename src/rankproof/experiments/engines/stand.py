"""The table of engine objectives and metrics: on which law what is lost, what is proven, and how ours does.

Beside every demonstration stands the loss that rankproof chooses for the metric, in the same trees, on the
same rows. It shows that neither the trees nor the data keep an engine from the best order. For AP and ERR no
convex loss is right under every law, so there it may lose something too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from rankproof.errors import ConsistencyWarning
from rankproof.experiments.engines.demonstrate import RATES, SEEDS, TREES, demonstrate
from rankproof.experiments.engines.demonstration import Demonstration
from rankproof.experiments.engines.known_laws import KNOWN_LAWS, KnownLaw
from rankproof.experiments.engines.losses import RankingValues
from rankproof.experiments.engines.runs import order_of
from rankproof.experiments.engines.train import train_ours
from rankproof.metrics.parse import metric as metric_of
from rankproof.theory.minima.enclosure import enclose
from rankproof.theory.minima.minimise import minimise
from rankproof.theory.rest_points.shipped_prove import prove_shipped
from rankproof.theory.search.counterexample import counterexample
from rankproof.theory.shipped.objective import engine_objective
from rankproof.theory.shipped.plain import plain_loss

__all__ = ["StandRow", "is_proven", "lost_by_ours", "stand_row", "stand_rows"]


@dataclass(frozen=True)
class StandRow:
    """One objective, one metric, one law.

    Attributes
    ----------
    case : objective, metric and law
    shown : what the installed engine did
    ours : what the loss that rankproof chooses loses in the same trees, in the mean over the runs
    proven : whether it is also proven; see `is_proven`
    """

    case: KnownLaw
    shown: Demonstration
    ours: float
    proven: bool


def stand_rows(
    laws: Sequence[KnownLaw] = KNOWN_LAWS,
    *,
    rates: Sequence[float] = RATES,
    seeds: Sequence[int] = SEEDS,
    trees: int = TREES,
    progress: Callable[[int, int, str], None] | None = None,
) -> Iterator[StandRow]:
    """The rows of these laws, each as soon as it is there."""
    for done, law in enumerate(laws):
        if progress is not None:
            progress(done, len(laws), f"{law.objective}, {law.metric}")
        yield stand_row(law, rates=rates, seeds=seeds, trees=trees)


def stand_row(
    case: KnownLaw, *, rates: Sequence[float] = RATES, seeds: Sequence[int] = SEEDS, trees: int = TREES
) -> StandRow:
    """Train the engine and ours on one law, and ask for a proof."""
    shown = demonstrate(case.objective, case.metric, case.law, rates=rates, seeds=seeds, trees=trees)
    ours = [lost_by_ours(shown.engine, case, rate, seed, trees) for rate, seed in product(rates, seeds)]
    return StandRow(case, shown, sum(ours) / len(ours), is_proven(case))


def is_proven(case: KnownLaw) -> bool:
    """Whether it is proven that the objective does not end at a best order under the law.

    Of a shipped formula that no rest point sorts best; of an objective that is a convex loss, where its
    minimum lies.
    """
    objective = engine_objective(case.objective)
    loss = plain_loss(objective)
    if loss is None:
        return prove_shipped(objective, case.metric, case.law) is not None
    scores = tuple(minimise(loss, case.law).scores.tolist())
    minimum = enclose(loss, case.law, scores)
    return (
        minimum is not None and counterexample(metric_of(case.metric), case.law, minimum, scores) is not None
    )


def lost_by_ours(engine: str, case: KnownLaw, rate: float, seed: int, trees: int) -> float:
    """What the order at the end loses, with rankproof's loss for the metric in the engine's trees."""
    values = RankingValues.from_law(case.metric, case.law)
    with warnings.catch_warnings():
        # AP and ERR have no consistent loss; the table says so.
        warnings.simplefilter("ignore", ConsistencyWarning)
        scores = train_ours(engine, metric_of(case.metric), case.law, rate, trees, seed)
    return values.lost(order_of(scores[-1]))
