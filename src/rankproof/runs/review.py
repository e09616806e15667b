"""What there is to show of a run: from the values at hand after training, or read again from its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof.data.ranking import RankingData
from rankproof.errors import RankproofError
from rankproof.evaluation.cutoffs import cutoff_means
from rankproof.evaluation.data_summary import summarise
from rankproof.evaluation.evaluate import empty_queries
from rankproof.files import StrPath, as_path, read_whole
from rankproof.losses.base import Loss
from rankproof.losses.choose import LossChoice, choose_loss
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as parse_metric
from rankproof.runs.record import FeatureWeights, RunRecord
from rankproof.runs.run_folder import check_model, read_run
from rankproof.runs.scored_part import MODEL, ScoredPart, main_part, score_part
from rankproof.runs.stored_data import read_parts

if TYPE_CHECKING:
    from rankproof.theory.base.verdict import Verdict

__all__ = ["feature_weights", "grades_of", "make_record", "read_record", "verdict_facts", "verdict_on"]

# Between so many grades the question of a verdict is asked.
SOME_GRADES, MOST_GRADES = 3, 5


def make_record(
    folder: StrPath | None,
    facts: Mapping[str, Any],
    *,
    metric: Metric,
    loss: str | Loss,
    ranker: Any,
    parts: Mapping[str, RankingData],
    scored: Mapping[str, ScoredPart],
    empty: Mapping[str, int | None],
    problems: Sequence[str] = (),
    complete: bool = True,
    verdict: LossChoice | Verdict | str | None = None,
) -> RunRecord:
    """The record of a run; ``complete`` says whether all parts of the data are at hand.

    A ``verdict`` that is at hand need not be looked for again.
    """
    if verdict is None:
        noise = facts["settings"].get("noise")
        verdict = verdict_on(loss, metric, noise, grades_of(parts, complete=complete))
    return RunRecord(
        folder=None if folder is None else str(folder),
        facts=facts,
        scored=scored,
        summary=summarise(parts, str(metric), empty) if parts else None,
        weights=feature_weights(ranker),
        losses=[(epoch.number, epoch.loss) for epoch in getattr(ranker, "history_", ())],
        verdict=verdict,
        problems=problems,
    )


def feature_weights(ranker: Any) -> FeatureWeights | None:
    """The weights or importances of a fitted ranker; None for a model without either."""
    names = getattr(ranker, "feature_names_in_", None)
    listed = None if names is None else [str(name) for name in names]
    if hasattr(ranker, "coef_"):
        scale = getattr(getattr(ranker, "scaling_", None), "kind", None)
        return FeatureWeights("weight", np.asarray(ranker.coef_, dtype=np.float64), listed, scale)
    if hasattr(ranker, "feature_importances_"):
        values = np.asarray(ranker.feature_importances_, dtype=np.float64)
        return FeatureWeights("importance", values, listed)
    return None


def verdict_on(
    loss: str | Loss, metric: Metric, noise: str | None, grades: int
) -> LossChoice | Verdict | str:
    """The verdict on a loss and a metric for labels 0, ..., grades - 1, or why it cannot be asked for.

    The theory is asked only for what claims leave open. A report is never lost for it, so whatever goes wrong
    is told instead.
    """
    try:
        if noise is None:
            choice = choose_loss(metric, loss)
            if choice.proof is not None:
                return choice
        return _certified(loss, metric, noise, grades)
    except Exception as problem:  # whatever it is, the rest of the report stands
        return f"The question could not be asked: {type(problem).__name__}: {problem}"


def _certified(loss: str | Loss, metric: Metric, noise: str | None, grades: int) -> Verdict:
    from rankproof.theory.certify import certify

    # Two grades say that every label of the data is 0 or 1, which is a condition that can be asked under.
    condition = "binary" if noise is None and grades == 2 else noise
    return certify(loss, metric, condition, grades=grades)


def verdict_facts(
    verdict: LossChoice | Verdict | str, noise: str | None, grades: int
) -> tuple[dict[str, Any], str | None]:
    """What a card says of a verdict, and the text of its evidence, which ``rankproof replay`` checks.

    What the claims of the loss settle is proven once more by ``certify``, which has the evidence.
    """
    if isinstance(verdict, LossChoice):
        try:
            verdict = _certified(verdict.loss, verdict.metric, noise, grades)
        except Exception as problem:  # whatever it is, the run is kept
            verdict = f"There is no evidence: {type(problem).__name__}: {problem}"
    if isinstance(verdict, str):
        return {"outcome": None, "reason": verdict, "reference": None, "conditions": []}, None
    plain = {word: getattr(verdict, word) for word in ("outcome", "reason", "reference")}
    return {**plain, "conditions": list(verdict.conditions)}, verdict.to_json()


def grades_of(parts: Mapping[str, RankingData], *, complete: bool) -> int:
    """How many grades the question is about: two only when no label of the data is anything but 0 and 1.

    More than two admit every law that two do, so without all of the data, or with other labels, the answer
    stays safe.
    """
    labels = [data.labels[~np.isnan(data.labels)] for data in parts.values()]
    if not labels or not complete:
        return SOME_GRADES
    every = np.concatenate(labels)
    if np.isin(every, (0.0, 1.0)).all():
        return 2
    return int(np.clip(every.max(initial=0.0) + 1, SOME_GRADES, MOST_GRADES))


def read_record(folder: StrPath, *, run_code: bool = False) -> RunRecord:
    """The record of a run that is kept in a folder; its model is scored again on the data that it names.

    What its files no longer tell is left out, and is among the problems. A metric that is a function in a
    file can be computed again only with ``run_code``, which runs that file.
    """
    place = as_path(folder)
    facts, (ranker, problems) = read_whole(place, _facts_and_model)
    data = read_parts(facts["data"], facts["settings"])
    facts = _as_the_model_says(facts, ranker, problems)
    metric = _metric(facts, ranker, run_code=run_code)
    if ranker is not None and metric.by_users:
        ranker.set_params(metric=metric)
    scored = {} if ranker is None else _scored(data.parts, ranker, metric, facts["settings"], problems)
    problems += [f"The data of {part} could not be read again: {why}" for part, why in data.problems.items()]
    empty = {
        name: scored[name].results.empty[str(metric)] if name in scored else empty_queries(metric, part)
        for name, part in data.parts.items()
    }
    return make_record(
        folder,
        facts,
        metric=metric,
        loss=facts["choice"]["loss"],
        ranker=ranker,
        parts=data.parts,
        scored=scored,
        empty=empty,
        problems=problems,
        complete=not data.problems,
    )


def _metric(facts: Mapping[str, Any], ranker: Any, *, run_code: bool) -> Metric:
    """The metric of a run; a function of a user's is named, and loaded only with ``run_code``."""
    own_metric = getattr(ranker, "metric", None)
    if not (isinstance(own_metric, Metric) and own_metric.by_users):
        return parse_metric(facts["choice"]["metric"])
    from rankproof.metrics.own_named import with_code

    return with_code(own_metric) if run_code else own_metric


def _facts_and_model(folder: Path) -> tuple[dict[str, Any], tuple[Any, list[str]]]:
    facts = read_run(folder)
    check_model(folder)
    return facts, _model(folder)


def _as_the_model_says(facts: Mapping[str, Any], ranker: Any, problems: list[str]) -> dict[str, Any]:
    """The facts with the metric and the loss of the model, where ``results.json`` says something else.

    The model files are checked by their SHA-256, so what was changed is ``results.json``.
    """
    choice = dict(facts["choice"])
    for word, fact in (
        ("metric", getattr(ranker, "metric", None)),
        ("loss", getattr(ranker, "loss_", None)),
    ):
        if fact is None or _same(word, choice.get(word), str(fact)):
            continue
        problems.append(
            f"results.json says that the {word} is {choice.get(word)}, but the model was made for {fact}: "
            "the file was changed, and the report says what the model says."
        )
        choice[word] = str(fact)
        choice.pop("warning", None)
    return {**facts, "choice": choice}


def _same(word: str, stored: Any, fact: str) -> bool:
    """Whether two strings name the same metric; a loss is stored as it is printed."""
    if word != "metric" or stored == fact:
        return bool(stored == fact)
    try:
        return str(parse_metric(stored)) == str(parse_metric(fact))
    except RankproofError:
        return False


def _model(folder: StrPath) -> tuple[Any, list[str]]:
    from rankproof.fit.saved.load import load_model

    try:
        return load_model(folder), []
    except (RankproofError, ImportError) as problem:
        return None, [f"The model could not be loaded: {problem}"]


def _scored(
    parts: Mapping[str, RankingData],
    ranker: Any,
    metric: Metric,
    settings: Mapping[str, Any],
    problems: list[str],
) -> dict[str, ScoredPart]:
    scored = {}
    level, seed, main = settings["level"], settings["seed"], main_part(parts)
    for name in ("valid", "test"):
        if name not in parts:
            continue
        try:
            scored[name] = score_part(
                name, parts[name], ranker, metric, level=level, seed=seed, cutoffs=name == main
            )
        except RankproofError as problem:
            problems.append(f"The model could not be applied to {name}: {problem}")
    shown = main_part(scored)
    if shown is not None and shown != main:
        one = scored[shown]
        scored[shown] = replace(one, cutoffs=cutoff_means({MODEL: one.scores}, one.data, metric))
    return scored
