"""Whether the lists that are tried are long enough to see what a cutoff does."""

from __future__ import annotations

from rankproof.theory.base.question import Question
from rankproof.theory.formulas.sorting import sorting_of

__all__ = ["past_cutoffs"]


def past_cutoffs(question: Question) -> bool:
    """Whether the lists that are tried are long enough for every cutoff of the metric and of the target.

    It takes one relevant item more than the cutoff, and one that is not, to see what a cutoff does.
    """
    longest = question.space.items if question.larger is None else question.larger.space.items
    sorting = sorting_of(question.loss)
    aim = None if sorting is None else sorting.target
    things = (question.metric, aim, getattr(aim, "metric", None))
    ends = [getattr(thing, "cutoff", None) for thing in things]
    tables = [getattr(thing, "discount", None) for thing in things]
    ends += [len(table) for table in tables if isinstance(table, tuple)]
    return all(end is None or end + 2 <= longest for end in ends)
