"""R11 §6, Figures 1 and 2: listwise losses, plain and divided by the DCG norm, by nDCG@1 to nDCG@10.

Figure 1: cosine, squared and cross-entropy loss, each as published and with the target G/Z that makes it
consistent with nDCG, where Z is Z_1, Z_10 (the norm of nDCG@1, nDCG@10) or the norm of the whole list.
Figure 2: cosine and cross-entropy as published beside the normalised q family with q = log(m) + 2.

All rankers are linear and, as in the paper, nothing is tuned unless asked for: no penalty, no validation. The
paper minimises by plain gradient descent, with an unstated number of steps; here every loss is minimised by
L-BFGS. When several penalties are given, nDCG@10 on the validation part chooses one for the whole curve;
cosine loss and the q family, which see only the direction of the scores, are never penalised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from rankproof.arrays import as_whole_number
from rankproof.data.split import Split
from rankproof.evaluation.bootstrap import Interval, as_level, mean_interval
from rankproof.evaluation.defaults import SIGNIFICANCE
from rankproof.evaluation.tables import Table, as_html, as_text
from rankproof.experiments.reproduce.experiment import Experiment, FoldScores, Progress, run_experiment
from rankproof.experiments.reproduce.measured import Versus
from rankproof.experiments.reproduce.paths import fit_path
from rankproof.experiments.reproduce.settings import as_l2_values, as_scale
from rankproof.experiments.reproduce.tasks import Stop
from rankproof.metrics.conventions.named import CONVENTIONS
from rankproof.plain import json_text

__all__ = ["CUTOFFS", "FAMILIES", "FIGURE_2", "Q_FAMILY", "R11", "ranker_names", "reproduce_r11"]

CUTOFFS = tuple(range(1, 11))
_NORMS = {"Z_1": "@1", "Z_10": "@10", "Z": ""}
# Loss -> variant -> its loss; "plain" is the loss as published.
FAMILIES: Mapping[str, Mapping[str, str]] = {
    "cosine": {
        "plain": "cosine(normalize=true):gain",
        **{z: f"cosine:normalised-gain{at}" for z, at in _NORMS.items()},
    },
    "squared": {
        "plain": "squared:gain",
        **{z: f"squared:normalised-gain{at}" for z, at in _NORMS.items()},
    },
    "cross-entropy": {
        "plain": "listnet",
        **{z: f"kl:normalised-gain{at}" for z, at in _NORMS.items()},
    },
}
Q_FAMILY = "q = log(m)+2"
_Q_LOSS = "q-family(q=log):normalised-gain"
# The rankers of Figure 2, and the one that Figure 6 of the appendix adds.
FIGURE_2 = ("cosine, plain", Q_FAMILY, "cross-entropy, plain", "cross-entropy, Z")


@dataclass(frozen=True, eq=False, repr=False)
class R11:
    """What came out."""

    experiment: Experiment
    versus: Mapping[str, list[Versus]]
    intervals: Mapping[str, Interval]
    losses: Mapping[str, str]
    l2: tuple[float, ...]
    convention: str
    scale: str
    seed: int
    level: float
    directory: str

    def tables(self) -> list[tuple[str, Table]]:
        """The tables with their titles."""
        from rankproof.experiments.reproduce.r11_text import r11_tables

        return r11_tables(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: settings, versions, numbers and tests."""
        from rankproof.experiments.reproduce.r11_text import r11_dict

        return r11_dict(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per fold, test query and ranker."""
        from rankproof.experiments.reproduce.per_query import per_query_frame

        return per_query_frame(self.experiment, backend)

    def files(self) -> dict[str, bytes]:
        """What is kept of it: name of a file to its content."""
        from rankproof.experiments.reproduce.r11_text import r11_files

        return r11_files(self)

    def __str__(self) -> str:
        return "\n\n".join(f"{title}\n{as_text(table)}" for title, table in self.tables())

    def __repr__(self) -> str:
        return f"R11({self.directory}, {len(self.experiment.folds)} folds)"

    def _repr_html_(self) -> str:
        return "".join(as_html(table, title) for title, table in self.tables())


def ranker_names() -> dict[str, str]:
    """Every ranker with its loss.

    >>> len(ranker_names()), ranker_names()["cross-entropy, Z_10"]
    (13, 'kl:normalised-gain@10')
    """
    listed = {f"{kind}, {variant}": text for kind, all_ in FAMILIES.items() for variant, text in all_.items()}
    return {**listed, Q_FAMILY: _Q_LOSS}


def reproduce_r11(
    directory: str | PathLike[str],
    *,
    l2: Iterable[float] = (0.0,),
    convention: str = "rankproof",
    scale: str = "none",
    seed: int = 0,
    level: float = SIGNIFICANCE,
    progress: Progress | None = None,
) -> R11:
    """Fit and compare the thirteen rankers on the folds of ``directory``.

    Parameters
    ----------
    directory : with the folds Fold1, Fold2, ..., see `rankproof.find_folds`
    l2 : strengths of the penalty l2/2 |w|^2 to choose from, for the losses that see the length of the scores
    convention : how nDCG is counted: "rankproof", or a tool such as "letor3", "letor4"
    scale : scaling of the features: "none", "standard" or "query-minmax"
    seed : of the sampled randomisation test and of the bootstrap
    level : accepted chance of any false mark among the variants and cutoffs of one loss
    progress : called as ``progress(done, of, what)``
    """
    from rankproof.losses.parse import loss
    from rankproof.theory.formulas.table import theory_of

    as_scale(scale)
    CONVENTIONS[convention]
    strengths, seed, level = as_l2_values(l2), as_whole_number("seed", seed, 0), as_level("level", level)
    losses = {name: loss(text) for name, text in ranker_names().items()}
    # Blind to the length of the scores: a penalty would shrink the weights to 0 and change nothing else.
    scale_free = {name for name, one in losses.items() if theory_of(one).unique_up_to == "scale"}
    metrics = {f"nDCG@{k}": f"nDCG@{k}" for k in CUTOFFS}

    def fit(ranker: str, fold: Split, stop: Stop) -> FoldScores:
        return fit_path(
            losses[ranker],
            fold,
            metrics,
            l2=(0.0,) if ranker in scale_free else strengths,
            solver="lbfgs",
            scale=scale,
            seed=seed,
            convention=convention,
            choose_by="nDCG@10",
            stop=stop,
        )

    experiment = run_experiment(directory, list(losses), fit, progress=progress)
    measured = experiment.measured
    versus = {
        kind: measured.versus(
            f"{kind}, plain",
            [f"{kind}, {variant}" for variant in variants if variant != "plain"],
            list(metrics),
            level=level,
            seed=seed,
        )
        for kind, variants in FAMILIES.items()
    }
    # In Figure 2 the q family is the new one: each of the others is what it is held against.
    others = [ranker for ranker in FIGURE_2 if ranker != Q_FAMILY]
    versus[Q_FAMILY] = measured.versus(Q_FAMILY, others, ["nDCG@10"], level=level, seed=seed)
    top = {ranker: measured.outcomes[ranker]["nDCG@10"] for ranker in losses}
    intervals = {
        ranker: mean_interval(
            outcome.pooled[outcome.weights > 0],
            weights=outcome.weights[outcome.weights > 0],
            seed=seed,
        )
        for ranker, outcome in top.items()
    }
    return R11(
        experiment=experiment,
        versus=versus,
        intervals=intervals,
        losses={ranker: str(minimised) for ranker, minimised in losses.items()},
        l2=strengths,
        convention=convention,
        scale=scale,
        seed=seed,
        level=level,
        directory=str(directory),
    )
