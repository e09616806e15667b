"""`TrainingRun`: what `rankproof.train` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankproof.data.ranking import RankingData
from rankproof.evaluation.results import Results
from rankproof.evaluation.tables import Table, as_html, as_text, number
from rankproof.files import StrPath
from rankproof.losses.choose import LossChoice
from rankproof.metrics.base import Metric
from rankproof.runs.card import write_card
from rankproof.runs.record import RunRecord
from rankproof.runs.review import grades_of, make_record, verdict_facts, verdict_on
from rankproof.runs.run_folder import as_json, new_run, write_results
from rankproof.runs.scored_part import ScoredPart
from rankproof.runs.selection import Selection

if TYPE_CHECKING:
    from rankproof.theory.base.verdict import Verdict

__all__ = ["TrainingRun"]

# The words of the table that a newcomer cannot know.
_WORDS = (
    "constant scorer: all items get the same score; empty: queries with nothing to rank, such as those "
    "without a relevant item"
)


@dataclass(frozen=True, eq=False, repr=False)
class TrainingRun:
    """A fitted ranker with what it was chosen by, what it gets, and where its numbers come from.

    Attributes
    ----------
    ranker : LinearRanker, LinearRankerCV, BoostedRanker or NeuralRanker
        Fitted.
    choice : LossChoice
        The loss that was trained, with what is proven of it.
    selection : Selection
        What was chosen on held-out queries: a penalty, a number of trees or of epochs.
    results : mapping of part to `Results`
        The metric on valid and test, where they were given.
    scored : mapping of part to ScoredPart
        The same with the scores of the model.
    warnings : tuple of str
        What was warned of while the ranker was fitted; ``caught`` has the warnings themselves.
    settings, versions, sources : mappings
        What was asked for, by which versions it was computed, and which data (files with their SHA-256).
    parts : mapping of part to `RankingData`
        The data: train, and valid and test where they were given.
    empty : mapping of part to int
        How many queries of each part the metric says nothing about; None where that cannot be asked.

    Examples
    --------
    >>> import rankproof as rp
    >>> wards, others = rp.samples.diabetes_wards()
    >>> run = rp.train(wards, test=others, metric="nDCG@10", l2=0.1)
    >>> run
    TrainingRun(nDCG@10, softmax:normalised-gain@10, test ...)
    >>> run.to_frame().columns.tolist()
    ['part', 'query', 'nDCG@10', 'constant']
    """

    ranker: Any
    choice: LossChoice
    selection: Selection
    scored: Mapping[str, ScoredPart]
    caught: tuple[Warning, ...]
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    sources: Mapping[str, Any]
    parts: Mapping[str, RankingData]
    empty: Mapping[str, int | None]

    @property
    def metric(self) -> Metric:
        """What was trained for."""
        return self.choice.metric

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was warned of while the ranker was fitted."""
        return tuple(map(str, self.caught))

    @property
    def results(self) -> dict[str, Results]:
        """The results of every part that was scored."""
        return {name: part.results for name, part in self.scored.items()}

    def tables(self) -> list[Table]:
        """What there was to choose from, and the metric of the model beside a constant scorer."""
        tables = [self.selection.table(self.metric)] if len(self.selection.path) > 1 else []
        return [*tables, self._outcome()] if self.scored else tables

    def _outcome(self) -> Table:
        name, rows, notes = str(self.metric), [], []
        for part, results in self.results.items():
            interval = results.interval[name]
            shown = f"[{number(interval.low)}, {number(interval.high)}]"
            counts = [str(results.counted[name]), str(results.empty[name])]
            rows.append([part, number(results.mean[name]), shown, *counts])
            rows.append([f"(constant scorer, {part})", number(results.constant[name]), "", *counts])
        if "valid" in self.scored and len(self.selection.path) > 1:
            notes.append(f"{self.selection.what} was chosen on valid, so the value on valid is optimistic.")
        notes.append(_WORDS)
        level = f"{self.settings['level']:.0%} interval"
        return Table(["data", name, level, "queries", "empty"], rows, notes)

    @cached_property
    def _facts(self) -> dict[str, Any]:
        return {
            "settings": dict(self.settings),
            "versions": dict(self.versions),
            "data": dict(self.sources),
            "choice": self.choice.to_dict(),
            "selection": self.selection.to_dict(),
            "solver": self.ranker.report_.to_dict(),
            "warnings": list(self.warnings),
            "results": {part: one.to_dict(per_query=True) for part, one in self.results.items()},
        }

    @property
    def _noise(self) -> str | None:
        noise: str | None = self.settings.get("noise")
        return noise

    @property
    def _grades(self) -> int:
        return grades_of(self.parts, complete=True)

    @cached_property
    def verdict(self) -> LossChoice | Verdict | str:
        """On the loss and the metric: the choice where its claims settle it, else what ``certify`` says."""
        return verdict_on(self.choice.loss, self.metric, self._noise, self._grades)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: what ``results.json`` says, but for the files of the model."""
        return dict(self._facts)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return as_json(self.to_dict())

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per part and query.

        The columns are the part, the query, the metric of the model and that of the constant scorer.
        """
        import numpy as np

        from rankproof.data.frames import frame_of

        name, parts = str(self.metric), list(self.scored.values())
        none = [np.empty(0)]
        columns = {
            "part": np.repeat([part.name for part in parts], [part.values.size for part in parts]),
            "query": np.concatenate([part.results.query_ids for part in parts] or none),
            name: np.concatenate([part.values for part in parts] or none),
            "constant": np.concatenate([part.base for part in parts] or none),
        }
        return frame_of(columns, backend, nullable=[name, "constant"])

    def save(self, path: StrPath, *, replace: bool = False) -> dict[str, Any]:
        """Write the model, ``results.json`` and a model card into a new folder, or in place of a run.

        Parameters
        ----------
        path : folder
            It is made, with the folders above it, if it does not exist.
        replace : bool
            Whether a run that is there is replaced; any other folder that is not empty is left alone.

        Returns
        -------
        dict
            What ``results.json`` says.
        """
        with new_run(path, replace=replace) as draft:
            self.ranker.save(draft)
            facts = write_results(draft, self._facts)
            verdict, evidence = verdict_facts(self.verdict, self._noise, self._grades)
            write_card(draft, verdict, evidence)
            return facts

    def record(self, folder: StrPath | None = None, facts: Mapping[str, Any] | None = None) -> RunRecord:
        """All that there is to show of the run, from the values at hand; `save` has returned ``facts``."""
        return make_record(
            folder,
            self._facts if facts is None else facts,
            metric=self.metric,
            loss=self.choice.loss,
            ranker=self.ranker,
            parts=self.parts,
            scored=self.scored,
            empty=self.empty,
            verdict=self.verdict,
        )

    def __str__(self) -> str:
        lines = [f"{word}: {sentence}" for word, sentence in self.choice.lines()]
        return "\n\n".join(["\n".join(lines), *map(as_text, self.tables())])

    def __repr__(self) -> str:
        means = [f"{part} {number(one.mean[str(self.metric)])}" for part, one in self.results.items()]
        return f"TrainingRun({self.metric}, {self.choice.loss}{''.join(f', {mean}' for mean in means)})"

    def _repr_html_(self) -> str:
        return "".join(map(as_html, self.tables()))
