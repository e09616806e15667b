"""`certify`: is this loss consistent with this metric? `certify_metric`: is any convex loss?

The rules of `rankproof.theory.rules` are tried in their order; where none decides, laws are searched for
under which the loss is proven to converge to a ranking that is not best. What remains is `Undecided`.

>>> verdict = certify("softmax", "nDCG@10")
>>> verdict.outcome, verdict.loss, verdict.rule
('consistent', 'softmax:normalised-gain@10', 'standardised')
>>> certify("squared:gain", "nDCG").outcome
'inconsistent'
>>> certify_metric("AP").outcome, certify_metric("AP", noise="independent").outcome
('inconsistent', 'consistent')
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from rankproof.arrays import as_whole_number
from rankproof.errors import ArgumentError, PrecisionError
from rankproof.feedback import Permutation
from rankproof.feedback.spaces import FEEDBACK_KINDS, MOST_ITEMS, Space, graded_space, space_for
from rankproof.losses.base import LOSSES, Loss
from rankproof.losses.parse import aimed_at
from rankproof.losses.parse import loss as loss_of
from rankproof.metrics.base import METRICS, Metric
from rankproof.metrics.own.rule import LabelRule
from rankproof.targets.base import as_condition
from rankproof.targets.choose import candidates
from rankproof.targets.label_worth import LabelWorth
from rankproof.theory.base.query_factors import with_factors_of
from rankproof.theory.base.question import Question
from rankproof.theory.base.rounding import spread_of
from rankproof.theory.base.values import AnyMetric, as_any_metric, largest_of, value_table
from rankproof.theory.base.verdict import Verdict
from rankproof.theory.custom.loss import UserLoss, as_user_loss
from rankproof.theory.custom.metric import DIRECTIONS, as_user_metric
from rankproof.theory.defaults import EFFORT, GRADES, ITEMS
from rankproof.theory.existence.standing import standing_of_function
from rankproof.theory.formulas.believed import believed
from rankproof.theory.formulas.outside import brings_formula, check_formula
from rankproof.theory.minima.expected import ExpectedLosses
from rankproof.theory.noise import KINDS_OF
from rankproof.theory.rules import RULES
from rankproof.theory.shipped.objective import EngineObjective, engine_objective, is_engine_objective
from rankproof.theory.shipped.plain import plain_loss
from rankproof.theory.shipped_answers import answer_shipped, check_feedback, of_objective
from rankproof.theory.undecided import undecided
from rankproof.user_code import is_place, load_function

__all__ = ["as_loss", "as_metric", "certify", "certify_metric"]

# Values (rankings times feedback) that are looked at to find items enough for a user's function.
MOST_TRIED = 16_000
# Floats that differ by less, beside the largest, are sums of the same numbers in another order.
SAME = Fraction(1, 10**12)


def certify(
    loss: str | Loss | UserLoss | EngineObjective | Callable[..., Any],
    metric: str | Metric | Callable[..., Any],
    noise: str | None = None,
    items: int = ITEMS,
    grades: int = GRADES,
    *,
    feedback: str | None = None,
    direction: str = "higher",
    convex: bool | None = None,
    effort: float = EFFORT,
    seed: int = 0,
) -> Verdict:
    """Whether minimising ``loss`` optimises ``metric``.

    Parameters
    ----------
    loss : loss, its string, or a function ``(scores, feedback) -> number``
        A name alone, such as ``"softmax"``, is aimed at the metric: at what labels are worth to it
        (``"softmax:label-worth(worths=[0,1,5])"``) if that is a function with such a target, else at the
        labels. A file is given as ``my_loss.py:name``. An objective as an engine ships it is given by engine
        and name, with the engine's parameters: ``"lightgbm:lambdarank(lambdarank_norm=false)"``,
        ``"xgboost:rank:ndcg"``, ``"catboost:PairLogit"``.
    metric : metric, its string, or a function ``(ranking, feedback) -> number``
        A file is given as ``my_metric.py:name``.
    noise : str, optional
        A condition on the law of the labels, a key of `rankproof.targets.CONDITIONS`.
    items, grades : int
        The size of the lists and the number of grades (0, 1, ...) where all cases are tried. Theorems hold
        for all sizes.
    feedback : "graded", "preferences" or "permutation", optional
        What is observed; by default labels.
    direction : "higher" or "lower"
        Whether more or less of a user's metric is better.
    convex : bool, optional
        Whether a user's loss is convex in the scores; without that nothing can be proven of it.
    effort : float
        How long counterexamples are searched for, 1 is a few seconds.
    seed : int
        Of the search.

    Returns
    -------
    Verdict
        `Consistent`, `Inconsistent` or `Undecided`, with its reason and evidence.

    Examples
    --------
    >>> certify("softmax", "nDCG@10").outcome
    'consistent'
    >>> verdict = certify("pointwise-logistic", "nDCG", grades=3)
    >>> verdict.outcome, verdict.find("counterexample") is not None
    ('inconsistent', True)
    """
    measure = as_metric(metric, direction)
    condition = None if noise is None else as_condition(noise)
    objective = _as_objective(loss)
    plain = None if objective is None else plain_loss(objective)
    trained = plain if objective is not None else as_loss(loss, measure, condition, convex, grades)
    trained = with_factors_of(trained, measure) if isinstance(trained, Loss) else trained
    space = _telling(measure, _space(measure, items, grades, feedback))
    _check_fit(condition, space)
    if objective is not None:
        check_feedback(objective, space)
    if isinstance(trained, Loss):
        _check_readable(trained, space)
        if brings_formula(trained):
            check_formula(trained, space.feedback)
    if isinstance(effort, bool) or not isinstance(effort, (int, float)) or not 0 < effort < math.inf:
        raise ArgumentError(f"Argument effort must be a finite number above 0, got {effort!r}.")
    start = as_whole_number("seed", seed, 0)
    question = Question(trained, measure, condition, space, grades, start, float(effort))
    if objective is None:
        verdict = answer(question)
        on_labels = None if ":" in str(loss) else _on_labels(trained, measure)
        return verdict if on_labels is None else replace(verdict, way_out=(on_labels, *verdict.way_out))
    if plain is None:
        return answer_shipped(question, objective)
    return of_objective(answer(question), objective, plain)


def certify_metric(
    metric: str | Metric | Callable[..., Any],
    noise: str | None = None,
    items: int = ITEMS,
    grades: int = GRADES,
    *,
    feedback: str | None = None,
    direction: str = "higher",
) -> Verdict:
    """Whether any convex loss on scores is consistent with ``metric``, and which target to train on.

    Parameters
    ----------
    metric : metric, its string, or a function ``(ranking, feedback) -> number``
        A file is given as ``my_metric.py:name``.
    noise : str, optional
        A condition on the law of the labels, a key of `rankproof.targets.CONDITIONS`.
    items, grades : int
        The size of the lists and the number of grades (0, 1, ...) where all cases are tried. Theorems hold
        for all sizes.
    feedback : "graded", "preferences" or "permutation", optional
        What is observed; by default labels.
    direction : "higher" or "lower"
        Whether more or less of a user's metric is better.

    Examples
    --------
    >>> certify_metric("DCG").outcome, certify_metric("ERR").outcome
    ('consistent', 'inconsistent')
    """
    measure = as_metric(metric, direction)
    condition = None if noise is None else as_condition(noise)
    space = _telling(measure, _space(measure, items, grades, feedback))
    _check_fit(condition, space)
    return answer(Question(None, measure, condition, space, grades))


def answer(question: Question) -> Verdict:
    """The verdict of the first rule that decides the question."""
    unclear: list[str] = []
    for rule in RULES.values():
        try:
            verdict = rule.apply(question)
        except PrecisionError as error:
            # A rule that the values are not exact enough for does not apply.
            unclear.append(str(error))
            continue
        if verdict is not None:
            return replace(verdict, conditions=(*verdict.conditions, *_on_their_word(question, verdict)))
    return undecided(question, unclear)


def _on_their_word(question: Question, verdict: Verdict) -> list[str]:
    loss = question.loss if isinstance(question.loss, Loss) else None
    by_theorem = verdict.find("theorem") is not None
    return believed(loss, question.known_metric, verdict.rule, by_theorem=by_theorem)


def as_metric(metric: Any, direction: str = "higher") -> AnyMetric:
    """A metric, its string, a function, or ``my_metric.py:name``."""
    if direction not in DIRECTIONS:
        raise ArgumentError(f"Argument direction must be one of {', '.join(DIRECTIONS)}, got {direction!r}.")
    if isinstance(metric, str) and is_place(metric):
        # Named by its place, so that it is not taken for a metric of the registry.
        return as_user_metric(load_function(metric), direction, metric)
    measure = as_any_metric(metric, direction)
    if isinstance(measure, Metric) and direction not in ("higher", measure.direction):
        raise ArgumentError(
            f"Argument direction is for a metric of your own; of {measure} {measure.direction} is better, "
            f"got {direction!r}."
        )
    if isinstance(measure, Metric):
        _check_own_class(measure)
    return measure


def _check_own_class(metric: Metric) -> None:
    """What is known of a metric of the library does not hold for a class that is derived from it."""
    kind = type(metric)
    derived = not set(METRICS.values()).isdisjoint(kind.__mro__[1:])
    borrowed = metric.name in METRICS and not METRICS.has_class_of(metric)
    if not derived and not borrowed:
        return
    raise ArgumentError(
        f"Metric {metric} is of the class {kind.__name__}, which has the name of another metric or is "
        "derived from one, so what is proven of that metric need not hold for it. Give it as a function "
        "(ranking, feedback) -> number."
    )


def as_loss(
    loss: Any,
    metric: AnyMetric,
    noise: str | None = None,
    convex: bool | None = None,
    grades: int = GRADES,
) -> Loss | UserLoss:
    """A loss, its string (aimed at the metric unless it says else), a function, or ``my_loss.py:name``."""
    if isinstance(loss, (Loss, UserLoss)):
        return loss
    if isinstance(loss, str) and is_place(loss):
        # Named by its place, so that evidence can be replayed.
        return as_user_loss(load_function(loss), convex=convex, name=loss)
    if isinstance(loss, str):
        return _aimed(loss, metric, noise, grades)
    if callable(loss):
        return as_user_loss(loss, convex=convex)
    raise ArgumentError(
        f"Argument loss must be a loss, a string such as 'softmax' or 'squared:gain', or a function "
        f"(scores, feedback) -> number, got {loss!r}. Losses: {', '.join(LOSSES)}."
    )


def _as_objective(loss: Any) -> EngineObjective | None:
    return engine_objective(loss) if is_engine_objective(loss) else None


def _aimed_at_function(spec: str, metric: AnyMetric, noise: str | None, grades: int) -> Loss:
    """The loss on what labels are worth to a user's function, as training takes it; else on the labels."""
    plain = loss_of(spec)
    if plain.target is not None or plain.needs == "labels":
        return plain
    # With one grade more, as one more is tried before the answer is yes; a function need not take it.
    rule = _label_rule(metric, noise, grades + 1) or _label_rule(metric, noise, grades)
    if rule is None:
        return plain
    target = LabelWorth(worths=rule.worths, factor="query" if rule.factored else "none")
    if plain.needs == "nonnegative target" and not target.nonnegative:
        raise ArgumentError(
            f"Loss {plain} takes targets of at least 0, and labels may be worth less to {metric}: {rule}. "
            "Use centred-squared or squared."
        )
    return loss_of(spec, target=target)


def _label_rule(metric: AnyMetric, noise: str | None, grades: int) -> LabelRule | None:
    """What labels are worth to a user's function, if it has such a target."""
    standing = standing_of_function(metric, grades)
    if standing is None:
        return None
    under = (one.rule for one in standing.conditions if one.condition == noise)
    return next(under, None) if standing.rule is None else standing.rule


def _on_labels(loss: Any, metric: AnyMetric) -> str | None:
    """That a verdict is about a loss on the labels, where a reader may think of a target."""
    if isinstance(metric, Metric) or not isinstance(loss, Loss) or loss.target is not None:
        return None
    if loss.needs == "labels":
        return None
    return f"This is about {loss} on the labels as they are; name a target to ask about another."


def _aimed(spec: str, metric: AnyMetric, noise: str | None, grades: int) -> Loss:
    if not isinstance(metric, Metric):
        return _aimed_at_function(spec, metric, noise, grades)
    try:
        return aimed_at(metric, spec, noise)
    except ArgumentError:
        plain = loss_of(spec)
        targets = candidates(metric)
        # Nothing standardises the metric: the best there is, a target that does so under a condition.
        fitting = [
            target for target, _ in targets if plain.needs != "nonnegative target" or target.nonnegative
        ]
        return loss_of(spec, target=fitting[0]) if fitting else plain


def _check_fit(noise: str | None, space: Space) -> None:
    """A condition on the law must be about the kind of feedback that is observed."""
    if noise is not None and space.kind not in KINDS_OF[noise]:
        raise ArgumentError(
            f"The condition {noise!r} is about feedback of kind {' or '.join(KINDS_OF[noise])}, "
            f"got {space.kind!r}. Say what is observed with feedback=, or leave out noise."
        )


def _check_readable(loss: Loss, space: Space) -> None:
    """The loss must be defined on what can be observed."""
    if loss.target is None and space.kind == "preferences":
        # Raises unless the loss has a way of its own to read a graph.
        ExpectedLosses(loss, space.feedback[:1])
        return
    for y in space.feedback:
        grades = y.grades() if isinstance(y, Permutation) else y
        read = list(grades) if loss.target is None else loss.target.of_feedback(y)  # type: ignore[arg-type]
        loss.check_targets(np.array([float(u) for u in read]))


def _space(metric: AnyMetric, items: int, grades: int, feedback: str | None) -> Space:
    """The space to look at, with grades that mean something to the metric."""
    kinds = metric.feedback_kinds if isinstance(metric, Metric) else FEEDBACK_KINDS
    top = getattr(metric, "max_grade", getattr(metric, "rel", None))
    highest = int(top) if isinstance(top, (int, float)) and top == int(top) and top > 0 else None
    return space_for(kinds, items, grades, feedback, highest)


def _telling(metric: AnyMetric, space: Space) -> Space:
    """The space, with more items where a user's function gives all rankings of so few the same value.

    A function that looks at the first three places has nothing to tell three items apart by.
    """
    if isinstance(metric, Metric) or space.kind != "graded":
        return space
    for n in range(space.items, MOST_ITEMS + 1):
        if len(space.labels) ** n * math.factorial(n) > MOST_TRIED and n > space.items:
            break
        more = space if n == space.items else graded_space(n, space.labels)
        table = value_table(metric, more)
        if spread_of(table) > SAME * largest_of(table.values):
            return more
    return space
