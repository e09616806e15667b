"""Replaying a demonstration: the engine is trained again, and its orders are compared.

First what needs no engine: the best rankings and what each order loses are computed again from the law, in
fractions. Then every run is trained again. Compared is the order after every tree, by what it loses: items
that are alike under the law may change places. At the end of a run it must lose the same, before the end
nearly always. The same version of an engine is expected to do the same again; another one may differ, which
is said, and then the demonstration counts as not repeated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rankproof.errors import RankproofError
from rankproof.experiments.engines.demonstrate import run_engine
from rankproof.experiments.engines.demonstration import Demonstration
from rankproof.experiments.engines.own_metrics import stored_values, wrong_values
from rankproof.experiments.engines.rows import queries_for
from rankproof.experiments.engines.runs import EngineRun, order_text
from rankproof.experiments.engines.settings import engine_version, objective_settings, tree_settings
from rankproof.experiments.engines.text import CALLED
from rankproof.plain import html_text, json_text
from rankproof.theory.shipped.objective import engine_objective
from rankproof.theory.shipped.table import NAMES

__all__ = ["Retrained", "retrain"]

# The stored losses are floats.
CLOSE = 1e-12
# The share of the trees of a run that may lose something else than stored: other processors round otherwise.
MOST_OTHER = 0.05


@dataclass(frozen=True)
class Retrained:
    """What came of training again.

    Attributes
    ----------
    demonstration : what was replayed
    version : the version of the engine that was trained now
    wrong : what is not as stored; empty when the demonstration was repeated
    """

    demonstration: Demonstration
    version: str
    wrong: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether training again ended as stored."""
        return not self.wrong

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "holds": self.holds,
            "objective": self.demonstration.objective,
            "metric": self.demonstration.metric,
            "trained_version": self.demonstration.engine_version,
            "retrained_version": self.version,
            "wrong": list(self.wrong),
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def __str__(self) -> str:
        stored = self.demonstration
        engine = NAMES[stored.engine]
        head = f"demonstration: {stored.objective} with {stored.metric} ({CALLED})"
        with_version = f"{engine} {self.version}"
        if self.version != stored.engine_version:
            with_version += f" (stored: {stored.engine_version}; another version may end elsewhere)"
        if self.holds:
            rates = ", ".join(dict.fromkeys(f"{run.rate:g}" for run in stored.runs))
            return (
                f"{head}\n  trained again  repeated: {len(stored.runs)} runs of {stored.trees} trees with "
                f"{with_version} (learning rates {rates}) ended at the stored orders, or ones that lose the "
                "same"
            )
        lines = [f"  trained again  NOT repeated: {text}" for text in self.wrong]
        return "\n".join([head, *lines, f"  trained again with {with_version}"])


def retrain(
    stored: Demonstration,
    progress: Callable[[int, int, str], None] | None = None,
    *,
    run_code: bool = False,
) -> Retrained:
    """Check a demonstration against its law, train again, and compare."""
    try:
        wrong = _wrong_without_engine(stored, run_code)
    except (RankproofError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        wrong = [f"it cannot be read: {error}"]
    version = engine_version(stored.engine) if not wrong else "nothing: it was not trained"
    if not wrong:
        objective = engine_objective(stored.objective)
        values = stored_values(stored)[1]
        for done, run in enumerate(stored.runs):
            if progress is not None:
                progress(done, len(stored.runs), f"{objective}, learning rate {run.rate:g}, seed {run.seed}")
            again = run_engine(objective, stored.law, values, run.rate, run.seed, stored.trees)
            wrong += _different(run, again, stored.trees)
        if progress is not None:
            progress(len(stored.runs), len(stored.runs), "done")
    return Retrained(stored, version, tuple(wrong))


def _wrong_without_engine(stored: Demonstration, run_code: bool) -> list[str]:
    """What does not follow from the law and the objective."""
    objective = engine_objective(stored.objective)
    values = stored_values(stored)[1]
    of_metric = wrong_values(stored) if run_code else None
    wrong = [] if of_metric is None else [of_metric]
    if stored.best_rankings != values.best or not _close(stored.best_value, float(values.best_value)):
        wrong.append("its best rankings are not those of its law")
    settings = {**tree_settings(objective.engine, stored.law.items), **objective_settings(objective)}
    if dict(stored.parameters) != settings:
        wrong.append("its parameters are not those of such a demonstration")
    if stored.queries != queries_for(stored.law):
        wrong.append(f"{stored.queries} queries are not what is trained on for its law")
    items = set(range(stored.law.items))
    for run in stored.runs:
        for stretch in run.stretches:
            listed = [item for group in stretch.order for item in group]
            if set(listed) != items or len(listed) != len(items):
                return [*wrong, f"{order_text(stretch.order)} is not an order of its items"]
            if not _close(stretch.lost, values.lost(stretch.order)):
                wrong.append(f"the order {order_text(stretch.order)} does not lose {stretch.lost:g}")
        firsts = [stretch.first for stretch in run.stretches]
        if firsts[0] != 1 or firsts != sorted(set(firsts)) or firsts[-1] > stored.trees:
            wrong.append(f"the trees of the run with rate {run.rate:g} and seed {run.seed} are not in order")
    return list(dict.fromkeys(wrong))


def _different(stored: EngineRun, again: EngineRun, trees: int) -> list[str]:
    name = f"the run with rate {stored.rate:g} and seed {stored.seed}"
    if not _close(stored.end.lost, again.end.lost):
        ended, stood = order_text(again.end.order), order_text(stored.end.order)
        return [f"{name} ended at {ended}, losing {again.end.lost:.4g}; stored is {stood}"]
    trees_of = range(1, trees + 1)
    other = sum(not _close(stored.at(tree).lost, again.at(tree).lost) for tree in trees_of)
    if other > MOST_OTHER * trees:
        return [f"{name} lost something else than stored after {other} of {trees} trees"]
    return []


def _close(stored: float, computed: float) -> bool:
    return math.isclose(stored, computed, rel_tol=0, abs_tol=CLOSE) and (stored == 0) == (computed == 0)
