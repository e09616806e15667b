"""What a metric is: an immutable value that names a number, says what it means, and computes it exactly.

A metric maps (ranking, feedback) to a number. The value of *scores* is the mean over all rankings that sort
them, so equal scores never depend on the order of the rows. The printed form of a metric is the string that
parses back to it, its hash, and its label in reports.

A concrete metric is one file: a frozen dataclass whose fields are its parameters, with its definition,
domain, direction and claims, the literal definition on one strict ranking (`of_labels`), and the closed form
on tied lists (`per_query`, which calls a kernel).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

from rankproof.arrays import Float64s
from rankproof.claims import Claims
from rankproof.errors import ArgumentError
from rankproof.feedback import Feedback, Permutation, PreferenceGraph, as_feedback
from rankproof.metrics.parameters import RULES, choice, written
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.registry import Registry

__all__ = ["METRICS", "Explanation", "Metric", "MetricLike", "Number", "registered"]

Number: TypeAlias = int | float | Fraction
# What is read as a metric: one, its string, or a function (ranking, feedback) -> number.
MetricLike: TypeAlias = "str | Metric | Callable[..., Any]"
METRICS: Registry[type[Metric]] = Registry("metric")


@dataclass(frozen=True)
class Explanation:
    """How the value of one query came about, place by place.

    Attributes
    ----------
    columns : tuple of str
        What the numbers of a row are.
    rows : list of tuples
        One per ranked place, down to where the metric looks.
    steps : list of str
        The arithmetic that turns the rows into the value.
    value : float
        The value of the query; NaN when the query is empty.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    steps: list[str]
    value: float


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """Base of all metrics: an immutable value that names a number, says what it means, and computes it.

    Parameters
    ----------
    empty : "skip", 0, 1 or "error"
        What a query counts in which nothing can be ranked well (no relevant item; for pairwise metrics, no
        pair with a preference): it is left out of the mean, counts 0 or 1, or is an error. The number of such
        queries is always reported.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> import rankproof as rp
    >>> ndcg = rp.metric("nDCG", cutoff=10)
    >>> str(ndcg), ndcg.direction, ndcg.of_labels([2, 0, 1]) < 1, ndcg == rp.metric("nDCG@10")
    ('nDCG@10', 'higher', True, True)
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str]
    definition: ClassVar[str]
    domain: ClassVar[str]
    reference: ClassVar[str]
    direction: ClassVar[Literal["higher", "lower"]] = "higher"
    # Values of parameters that are words, by field name.
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {}
    # What an empty query lacks, for messages: "query 7 is empty: it has no relevant item".
    empty_when: ClassVar[str] = "it has no relevant item"
    # Metrics that look at unjudged items themselves get labels with NaN in them.
    sees_unjudged: ClassVar[bool] = False
    # Kinds of feedback the metric is defined on; a permutation is read as the grades n, ..., 2, 1.
    feedback_kinds: ClassVar[tuple[str, ...]] = ("graded",)
    # A function of a user's (`rankproof.metrics.own`), of which nothing is known but what is found out.
    by_users: ClassVar[bool] = False

    empty: str | int = "skip"
    unjudged: str = "zero"

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in self.choices:
                value = choice(self.name, field.name, value, self.choices[field.name])
            else:
                value = RULES[field.name](self.name, value)
            object.__setattr__(self, field.name, value)

    @property
    @abstractmethod
    def claims(self) -> Claims:
        """The facts this metric states about itself."""

    @abstractmethod
    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        """The definition: the value of one strict ranking, given the labels from the top down.

        Exact in exact arithmetic. None for an empty query (see ``empty``).
        """

    @abstractmethod
    def per_query(self, lists: RankedLists) -> Float64s:
        """The value of every query, exact under ties; NaN where the query is empty."""

    @abstractmethod
    def explain(self, lists: RankedLists) -> Explanation:
        """How the value of the one query in ``lists`` came about."""

    def check(self, labels: Float64s) -> None:  # noqa: B027 - most metrics take any label
        """Raise `DataError` when a label is outside the metric's domain."""

    def of_ranking(self, ranking: Sequence[int], feedback: Any) -> Number | None:
        """The value of one strict ranking (items best first) for one piece of feedback.

        >>> import rankproof as rp
        >>> rp.metric("AP").of_ranking((1, 0, 2), (1, 0, 1))
        Fraction(7, 12)
        """
        entry = as_feedback(feedback)
        self.check_kind(entry)
        if sorted(ranking) != list(range(entry.items)):
            raise ArgumentError(
                f"A ranking lists each of the {entry.items} items once, best first, got {tuple(ranking)}."
            )
        return self._of_feedback(tuple(ranking), entry)

    def check_kind(self, feedback: Feedback) -> None:
        """Raise `ArgumentError` when the metric is not defined on this kind of feedback."""
        if feedback.kind not in self.feedback_kinds:
            raise ArgumentError(
                f"{self} is defined on feedback of kind {' or '.join(self.feedback_kinds)}, "
                f"got {feedback.kind}: {feedback!r}."
            )

    def _of_feedback(self, ranking: tuple[int, ...], feedback: Feedback) -> Number | None:
        if isinstance(feedback, PreferenceGraph):
            return self._of_graph(ranking, feedback)
        if isinstance(feedback, Permutation):
            return self._of_permutation(ranking, feedback)
        return self.of_labels([feedback[i] for i in ranking])

    def _of_graph(self, ranking: tuple[int, ...], graph: PreferenceGraph) -> Number | None:  # noqa: ARG002
        raise ArgumentError(f"{self} has no definition on preference graphs, got {graph!r}.")

    def _of_permutation(self, ranking: tuple[int, ...], permutation: Permutation) -> Number | None:
        grades = permutation.grades()
        return self.of_labels([grades[i] for i in ranking])

    def hurried(self) -> Metric:
        """The metric for a number that may be left open: an error in place of one that takes long."""
        return self

    def averaging(self) -> Metric:
        """The metric with tied scores averaged: the expected value of breaking ties at random."""
        if not any(field.name == "ties" for field in fields(self)):
            return self
        # By house rule the first choice of ``ties`` is the average.
        return replace(self, ties=self.choices["ties"][0])  # type: ignore[call-arg]

    def __matmul__(self, cutoff: int) -> Metric:
        """``metric @ 10`` is the metric at cutoff 10."""
        if not any(field.name == "cutoff" for field in fields(self)):
            raise ArgumentError(f"{self.name} has no cutoff.")
        return replace(self, cutoff=cutoff)  # type: ignore[call-arg]

    def __str__(self) -> str:
        inner = [
            f"{field.name}={written(getattr(self, field.name))}"
            for field in self.parameters()
            if field.name != "cutoff" and getattr(self, field.name) != field.default
        ]
        cutoff = getattr(self, "cutoff", None)
        return (
            self.name + (f"({','.join(inner)})" if inner else "") + ("" if cutoff is None else f"@{cutoff}")
        )

    __repr__ = __str__

    @classmethod
    def parameters(cls) -> list[Any]:
        """The dataclass fields in printed order: the metric's own first, then ``empty`` and ``unjudged``."""
        own = [f for f in fields(cls) if f.name not in ("empty", "unjudged")]
        return own + [f for f in fields(cls) if f.name in ("empty", "unjudged")]


M = TypeVar("M", bound=type[Metric])


def registered(cls: M) -> M:
    """Class decorator: put a metric into the registry."""
    METRICS.add(cls.name, cls, aliases=cls.aliases)
    return cls
