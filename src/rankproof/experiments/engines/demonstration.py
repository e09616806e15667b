"""`Demonstration`: what an installed engine did when it was trained on a law; it proves nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankproof.errors import DataError, RankproofError
from rankproof.experiments.engines.limits import as_rates, as_seeds, as_trees, check_work
from rankproof.experiments.engines.runs import EngineRun, order_text
from rankproof.feedback import Law
from rankproof.plain import html_text, json_text
from rankproof.theory.base.stored_text import check_format, plain_from_json

if TYPE_CHECKING:
    from rankproof.experiments.engines.retrain import Retrained

__all__ = ["FORMAT", "Demonstration"]

FORMAT, VERSION = "rankproof.demonstration", 1


@dataclass(frozen=True, kw_only=True)
class Demonstration:
    """What an installed engine did with one of its objectives on a law: a demonstration, not a proof.

    `rankproof.demonstrate` makes it. The engine was trained on queries in exact proportion to the law, with
    one column per item and trees that may give every item its own score, so that neither the data nor the
    trees keep it from the best order. It was trained several times, and it says nothing about other
    parameters, versions or laws; what is proven is a `Verdict`.

    Attributes
    ----------
    objective : str
        The engine and its objective, such as ``lightgbm:lambdarank``.
    metric : str
        In which the loss is measured.
    law : Law
        The probability of each set of labels.
    best_rankings : tuple of rankings
        The best rankings under the law, items best first.
    best_value : float
        What the metric is worth on average at the best rankings.
    engine_version, rankproof_version : str
        What was installed.
    queries, trees : int
        How many queries were trained on, and how many trees each run has.
    parameters : mapping
        The parameters of the engine in all runs, besides the learning rate and the seed.
    runs : tuple of EngineRun
        One for each learning rate and seed: the orders of the items, and from which tree on.
    values : mapping, optional
        Of a metric that is a function of yours: its values under the law, for all rankings.

    Examples
    --------
    >>> import rankproof as rp
    >>> law = rp.Law({(2, 1): "3/5", (0, 1): "2/5"})
    >>> shown = rp.demonstrate("lightgbm:lambdarank", "nDCG", law, rates=[0.1], trees=50)
    >>> shown.wrong_runs, len(shown.runs), round(shown.lost, 4)
    (3, 3, 0.0257)
    """

    objective: str
    metric: str
    law: Law
    best_rankings: tuple[tuple[int, ...], ...]
    best_value: float
    engine_version: str
    rankproof_version: str
    queries: int
    trees: int
    parameters: Mapping[str, Any] = field(hash=False)
    runs: tuple[EngineRun, ...]
    values: Mapping[str, Any] | None = field(default=None, hash=False)

    @property
    def engine(self) -> str:
        """The name of the engine."""
        return self.objective.partition(":")[0]

    @property
    def wrong_runs(self) -> int:
        """How many runs ended at an order that is not best."""
        return sum(not run.end.best for run in self.runs)

    @property
    def wrong_iterations(self) -> float:
        """The share of the iterations of all runs after which the order was not best."""
        wrong = sum(run.wrong_trees(self.trees) for run in self.runs)
        return wrong / (self.trees * len(self.runs))

    @property
    def lost(self) -> float:
        """How much of the metric the order at the end loses, in the mean over the runs."""
        return sum(run.end.lost for run in self.runs) / len(self.runs)

    def to_dict(self) -> dict[str, Any]:
        """Plain data that `from_dict` reads back; the law as `Law.to_dict` has it."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "objective": self.objective,
            "metric": self.metric,
            "law": self.law.to_dict(),
            "best_rankings": [list(ranking) for ranking in self.best_rankings],
            "best_value": self.best_value,
            "engine_version": self.engine_version,
            "rankproof_version": self.rankproof_version,
            "queries": self.queries,
            "trees": self.trees,
            "parameters": dict(self.parameters),
            "wrong_runs": self.wrong_runs,
            "wrong_iterations": self.wrong_iterations,
            "lost": self.lost,
            "runs": [run.to_dict() for run in self.runs],
            **({} if self.values is None else {"values": dict(self.values)}),
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text; `from_json` reads it back."""
        return json_text(self.to_dict())

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Demonstration:
        """The demonstration that `to_dict` wrote; whether it can be repeated, `replay` tells."""
        check_format(plain, "demonstration", FORMAT, VERSION)
        try:
            demonstration = cls(
                objective=_text(plain["objective"]),
                metric=_text(plain["metric"]),
                law=Law.from_dict(plain["law"]),
                best_rankings=tuple(tuple(int(i) for i in ranking) for ranking in plain["best_rankings"]),
                best_value=float(plain["best_value"]),
                engine_version=_text(plain["engine_version"]),
                rankproof_version=_text(plain["rankproof_version"]),
                queries=int(plain["queries"]),
                trees=int(plain["trees"]),
                parameters=dict(plain["parameters"]),
                runs=tuple(EngineRun.from_dict(run) for run in plain["runs"]),
                values=None if plain.get("values") is None else dict(plain["values"]),
            )
            if (
                not demonstration.runs
                or demonstration.trees < 1
                or any(not run.stretches for run in demonstration.runs)
            ):
                raise ValueError("it has no runs, or one without orders")
            as_trees(demonstration.trees)
            as_rates([run.rate for run in demonstration.runs])
            as_seeds([run.seed for run in demonstration.runs])
            check_work(len(demonstration.runs), demonstration.trees)
            sums = [demonstration.wrong_runs, demonstration.wrong_iterations, demonstration.lost]
            if [plain["wrong_runs"], plain["wrong_iterations"], plain["lost"]] != sums:
                raise ValueError("what it says is lost does not follow from its runs")
        except (KeyError, TypeError, AttributeError, ValueError, RankproofError) as error:
            raise DataError(f"The stored demonstration is damaged: {error}.") from error
        return demonstration

    @classmethod
    def from_json(cls, text: str) -> Demonstration:
        """The demonstration that `to_json` wrote."""
        return cls.from_dict(plain_from_json(text, "demonstration"))

    def replay(
        self, progress: Callable[[int, int, str], None] | None = None, *, run_code: bool = False
    ) -> Retrained:
        """Train the engine again, and compare.

        The best rankings and what each order loses are computed again from the law. Then every run is trained
        again, and what the order loses after every tree is compared with what is stored: at the end of a run
        it must be the same, before that it may differ after 5% of the trees.

        Parameters
        ----------
        progress : function of (done, of how many, what comes next), optional
            Called before every run.
        run_code : bool
            Whether the file of a metric of your own may be run, to compare its values with those stored.

        Raises
        ------
        MissingDependencyError
            When the engine is not installed: nothing was trained again, so nothing is confirmed.
        """
        from rankproof.experiments.engines.retrain import retrain

        return retrain(self, progress, run_code=run_code)

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per run, with the order that it ended at."""
        from rankproof.data.frames import frame_of_rows

        return frame_of_rows(
            [
                {
                    "rate": run.rate,
                    "seed": run.seed,
                    "order": order_text(run.end.order),
                    "best": run.end.best,
                    "lost": run.end.lost,
                    "wrong_iterations": run.wrong_trees(self.trees) / self.trees,
                }
                for run in self.runs
            ],
            backend,
        )

    def __str__(self) -> str:
        from rankproof.experiments.engines.text import demonstration_text

        return demonstration_text(self)

    def _repr_html_(self) -> str:
        return html_text(str(self))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.60} is found where a text should be")
    return value
