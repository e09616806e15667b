"""Is what a loss sorts by a target of the metric on a feedback space? Found by trying all cases.

>>> from rankproof.losses.parse import loss
>>> from rankproof.metrics.parse import metric
>>> from rankproof.feedback.spaces import graded_space
>>> def asked(name, items):
...     return Question(loss("pointwise-logistic"), metric(name), None, graded_space(items, 2), 2)
>>> agreeing_target(asked("AUC", 3)) is None, agreeing_target(asked("AUC", 4)) is None
(False, True)
"""

from __future__ import annotations

from dataclasses import replace

from rankproof.targets.parse import target as target_of
from rankproof.theory.base.proofs import TargetTable
from rankproof.theory.base.question import Question
from rankproof.theory.existence.checks import check_target
from rankproof.theory.existence.decide import existence_of
from rankproof.theory.existence.target_table import target_table
from rankproof.theory.formulas.sorting import sorting_of

__all__ = ["agreeing_target", "lasting_form"]


def agreeing_target(question: Question) -> TargetTable | None:
    """The v by whose mean the loss sorts, as a table, when it is a target of the metric on the space."""
    sorting = sorting_of(question.loss)
    if sorting is None or sorting.target is None:
        return None
    target = target_table(sorting.target, question.space)
    if target is None or check_target(question.table, target) is not None:
        return None
    return target if question.table.shadow is not None else replace(target, shadow=None)


def lasting_form(question: Question) -> str | None:
    """The target of the registry that the metric's target is, on the space and beyond it.

    >>> from fractions import Fraction
    >>> from rankproof.feedback.spaces import graded_space
    >>> from rankproof.theory.custom.metric import as_user_metric
    >>> def auc(ranking, feedback):
    ...     pairs = [feedback[i] > feedback[j] for k, i in enumerate(ranking) for j in ranking[k + 1 :]]
    ...     worse = [feedback[i] < feedback[j] for k, i in enumerate(ranking) for j in ranking[k + 1 :]]
    ...     return Fraction(sum(pairs), sum(pairs) + sum(worse)) if any(pairs + worse) else None
    >>> question = Question(None, as_user_metric(auc), "binary", graded_space(3, 2), 2)
    >>> existence_of(question).closed_form, lasting_form(question)
    ('relevance', 'pair-share')
    """
    *smaller, largest = (question, *question.beyond)
    form = existence_of(largest).closed_form
    if form is None:
        return None
    for narrower in smaller:
        table = target_table(target_of(form), narrower.space)
        if table is None or check_target(narrower.table, table) is not None:
            return None
    return form
