"""What a target is: a function u of the feedback such that sorting by its mean optimises a metric.

A target (B11: *standardization function*) turns the labels of a query into one number per item. It
standardises a metric when, for every law of the labels, every ranking that sorts the items by E[u(Y)] is
optimal for the metric. A loss whose expected minimiser sorts as E[u(Y)] does then optimises the metric. Some
targets do so only under a condition on the law of the labels; the claim says which.

A concrete target is one file: a frozen dataclass whose fields are its parameters, with its definition, what
it standardises and why (`claims_for`), the literal definition on one query (`of_labels`), and a kernel for
many. The printed form of a target is the string that parses back to it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s, Int64s, as_labels, as_offsets, frozen
from rankproof.claims import Claim
from rankproof.errors import ArgumentError, DataError
from rankproof.feedback import Feedback, Permutation, PreferenceGraph, as_feedback
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.parameters import RULES, choice, written
from rankproof.registry import Registry
from rankproof.targets.count_form import CountForm, own_worths
from rankproof.threads import chunks_by_items, run, using

__all__ = ["CONDITIONS", "TARGETS", "TRIED_ONLY", "Target", "always", "as_condition", "registered", "under"]

# Conditions on the law of the labels given the query, by the name under which a claim states them.
CONDITIONS = {
    "independent": "the labels of the items are independent given the query",
    "one relevant": "exactly one item of every query is relevant",
    "binary": "every label is 0 or 1",
    "low noise": "the preferences have low noise (Duchi, Mackey & Jordan 2010, Def. 8)",
    "order-preserving": "the law of the permutations is order-preserving (Xia et al. 2008, Def. 3)",
    "rank-differentiable": "of any two items one has P(y) >= P(y with the two exchanged) for all labels y "
    "that grade it higher (L12 Def. 5, for every pair)",
}

# The note of a claim that nothing contradicts in all that was tried, and that is not proven anywhere.
TRIED_ONLY = "tried, not proven"

TARGETS: Registry[type[Target]] = Registry("target")


@dataclass(frozen=True, kw_only=True)
class Target(ABC):
    """Base of all targets: a function u of the labels such that sorting by its mean optimises a metric.

    A target is an immutable value, and its printed form parses back to it. Its fields are its parameters.

    Examples
    --------
    >>> import rankproof as rp
    >>> target = rp.target_for("nDCG@10")
    >>> target, target.standardizes(rp.metric("nDCG@10")).value
    (normalised-gain@10, True)
    >>> target.values([1, 0], offsets=[0, 2])
    array([1., 0.])
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    definition: ClassVar[str]
    reference: ClassVar[str]
    # Kinds of feedback the target is defined on; a permutation is read as the grades n, ..., 2, 1.
    feedback_kinds: ClassVar[tuple[str, ...]] = ("graded",)
    # Values of parameters that are words, by field name.
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {}
    # Rules of parameters that no metric has, by field name, as in `rankproof.metrics.parameters`.
    rules: ClassVar[dict[str, Callable[[str, Any], Any]]] = {}
    # The kinds of metrics that `for_metric` may have a target for.
    made_for: ClassVar[tuple[type[Metric], ...]] = (Metric,)
    # A general target stands behind those that were made for a metric.
    general: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in self.choices:
                value = choice(self.name, field.name, value, self.choices[field.name])
            else:
                rule = self.rules[field.name] if field.name in self.rules else RULES[field.name]
                value = rule(self.name, value)
            object.__setattr__(self, field.name, value)

    @abstractmethod
    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        """Every claim that this target standardises ``metric``, the most useful first; none if it does not.

        The value of a claim is True without conditions, or the name of the condition (a key of `CONDITIONS`).
        """

    @classmethod
    @abstractmethod
    def for_metric(cls, metric: Metric) -> Target | None:
        """The target of this kind that standardises ``metric`` (perhaps under a condition), or None."""

    @abstractmethod
    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        """The definition: u of one query's labels, exact in exact arithmetic."""

    @abstractmethod
    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        """u of every item, for labels and offsets that are already valid."""

    @property
    def nonnegative(self) -> bool:
        """Whether u is never below 0, whatever the labels."""
        return True

    def standardizes(self, metric: Metric) -> Claim | None:
        """The claim that this target standardises ``metric``: the one without a condition, else the first.

        ``claim.value`` is True without conditions, or the name of the condition (a key of `CONDITIONS`).
        """
        claims = self.claims_for(metric)
        return next((claim for claim in claims if claim.value is True), claims[0] if claims else None)

    def check(self, labels: Float64s) -> None:  # noqa: B027 - most targets take any label
        """Raise `DataError` when a label is outside the target's domain."""

    def count_form(self, grades: Float64s) -> CountForm | None:  # noqa: ARG002 - most targets have none
        """How u of labels out of ``grades`` follows from counts of grades; None when it does not.

        With it the mean of u over independent labels is exact (see `rankproof.Judgments.expected_target`).
        """
        return None

    def values(self, labels: ArrayLike, offsets: ArrayLike, *, threads: int | None = None) -> Float64s:
        """u of every item; the labels must all be judged."""
        judged = as_labels(labels)
        unjudged = np.isnan(judged)
        if unjudged.any():
            raise DataError(
                f"Target {self} meets {int(unjudged.sum())} items without a judgment (NaN), the first at "
                f"item {int(np.argmax(unjudged))}. Drop them, or give them grade 0."
            )
        starts = as_offsets(offsets, judged.size)
        self.check(judged)
        with using(threads):
            # Read-only whatever they were, so that kernels compile for one kind of array only.
            return self._values(frozen(judged), frozen(starts))

    def of_feedback(self, feedback: Any) -> list[Number]:
        """The definition on one piece of feedback of any kind, as `rankproof.feedback` has them.

        >>> from rankproof.targets.rank_grade import RankGrade
        >>> RankGrade().of_feedback(Permutation((1, 3, 2)))  # n - y(i) + 1
        [3, 1, 2]
        """
        entry: Feedback = as_feedback(feedback)
        if entry.kind not in self.feedback_kinds:
            raise ArgumentError(
                f"Target {self} is defined on feedback of kind {' or '.join(self.feedback_kinds)}, "
                f"got {entry.kind}: {entry!r}."
            )
        if isinstance(entry, PreferenceGraph):
            return self._of_graph(entry)
        return self.of_labels(list(entry.grades() if isinstance(entry, Permutation) else entry))

    def _of_graph(self, graph: PreferenceGraph) -> list[Number]:
        raise ArgumentError(f"Target {self} has no definition on preference graphs, got {graph!r}.")

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
        """The dataclass fields in printed order."""
        return list(fields(cls))


T = TypeVar("T", bound=type[Target])


def registered(cls: T) -> T:
    """Class decorator: put a target into the registry."""
    TARGETS.add(cls.name, cls)
    return cls


def always(reference: str, note: str = "") -> Claim:
    """The claim that a target standardises a metric under every law of the labels."""
    return Claim("standardizes", value=True, reference=reference, note=note)


def under(condition: str, reference: str, note: str = "") -> Claim:
    """The claim that a target standardises a metric under a condition, a key of `CONDITIONS`."""
    return Claim("standardizes", value=condition, reference=reference, note=note)


def as_condition(noise: str) -> str:
    """A key of `CONDITIONS`, whatever the case and however its words are joined.

    >>> as_condition("Low-noise"), as_condition("rank_differentiable")
    ('low noise', 'rank-differentiable')
    """

    def plain(word: str) -> str:
        return word.casefold().replace("-", " ").replace("_", " ")

    if isinstance(noise, str):
        for name in CONDITIONS:
            if plain(name) == plain(noise):
                return name
    raise ArgumentError(f"Argument noise must be one of {', '.join(CONDITIONS)} or None, got {noise!r}.")


def fill(offsets: Int64s, work: Callable[[int, int, Float64s], None]) -> Float64s:
    """One number per item from a kernel ``(low, high, out)`` that runs over ranges of queries."""

    out = np.empty(int(offsets[-1]))
    run(lambda low, high: work(low, high, out), chunks_by_items(offsets))
    return out


def alone(target: Target, grades: Float64s) -> CountForm:
    """The form of a target that depends on an item's own label alone, its values taken from itself."""
    return own_worths(target.values(grades, np.arange(grades.size + 1)))


def sorted_labels(labels: Float64s, offsets: Int64s) -> Float64s:
    """The labels of every query from the best grade down."""
    from rankproof.kernels.metrics.ideal import sort_labels

    return fill(offsets, lambda low, high, out: sort_labels(labels, offsets, out, low, high))
