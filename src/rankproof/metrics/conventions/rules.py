"""What a convention is: the rules by which a named tool turns scores and labels into numbers.

Tools differ in how they break ties, what a query without relevant items counts, which gains, discounts and
denominators they use, and what happens to short lists. A `Convention` states these rules for one tool. It
turns a metric into the metric the tool computes (`Convention.resolve`), or refuses, because a number that the
tool never prints must not carry its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.errors import ArgumentError, ConventionError, DataError
from rankproof.metrics.base import Metric
from rankproof.metrics.parameters import written
from rankproof.metrics.ranked.lists import Order

__all__ = ["Convention", "Cutoff", "Missing", "Offer", "Precision", "Short", "Ties", "ordered"]

Ties = Literal["average", "row", "doc_id", "pessimistic"]
Precision = Literal["float64", "float32"]
Missing = Literal["zero", "skip"]
Cutoff = Literal["optional", "required", "none"]
Short = Literal["keep", "zero", "own length", "filled"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Offer:
    """One metric as one tool computes it.

    Parameters
    ----------
    metric : str
        The name of the metric.
    called : str
        What the tool calls it.
    options : mapping of parameter name to values
        What the tool can do, its default first. A parameter that is not listed stays at our default.
    free : parameter names
        What the tool lets its user choose freely.
    cutoff : "optional", "required" or "none"
    exp_table : bool
        A gain table is taken when it lists 2^y - 1: how to ask for exponential gains where the tool's default
        is linear, but exponential gains are ours.
    short : "keep", "zero", "own length" or "filled"
        A list shorter than the cutoff: nothing special, it counts 0, it is divided by its own length, or the
        ranks that it does not fill count 1.
    empty_value : float, optional
        What an empty query counts, where that is neither 0 nor 1.
    highest : int, optional
        The highest grade the tool takes.
    """

    metric: str
    called: str
    options: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    free: tuple[str, ...] = ()
    cutoff: Cutoff = "optional"
    exp_table: bool = False
    short: Short = "keep"
    empty_value: float | None = None
    highest: int | None = None

    def __str__(self) -> str:
        at = {
            "optional": f"{self.metric}, {self.metric}@k",
            "required": f"{self.metric}@k",
            "none": self.metric,
        }
        return f"{at[self.cutoff]} ({self.called})"

    def takes(self, parameter: str, value: Any) -> bool:
        """Whether the tool computes the metric with this value of this parameter."""
        if value == "error":
            # Raises or changes nothing: what is printed is the tool's number.
            return True
        if parameter == "rel" and parameter in self.free:
            # Below 1, items without a judgment would be relevant.
            return bool(value >= 1 and value == int(value))
        if parameter in self.free or value in self.options.get(parameter, ()):
            return True
        return self.exp_table and parameter == "gain" and _lists_exponents(value)


def _lists_exponents(gain: Any) -> bool:
    return isinstance(gain, tuple) and all(worth == 2.0**grade - 1.0 for grade, worth in enumerate(gain))


@dataclass(frozen=True, kw_only=True, eq=False)
class Convention:
    """How one tool computes its metrics.

    Parameters
    ----------
    name : str
    tool : str
        The tool, with the version the equality was proven for.
    summary : str
        One line for listings.
    ties : "average", "row", "doc_id" or "pessimistic"
        Equal scores: the mean over all rankings, the order of the input, the document id (last in byte order
        first), or the lower grade first.
    scores : "float64" or "float32"
        In which precision the tool compares scores; equal in that precision is tied.
    missing : "zero" or "skip"
        A judged query that the run does not hold counts 0, or is left out of the mean.
    negative : "refused" or "unjudged"
        What a grade below 0 is.
    whole : bool
        Whether grades must be whole numbers.
    offers : tuple of `Offer`, optional
        What the tool computes; None for everything, unchanged.
    """

    name: str
    tool: str
    summary: str
    ties: Ties
    scores: Precision = "float64"
    missing: Missing = "zero"
    negative: Literal["refused", "unjudged"] = "refused"
    whole: bool = True
    offers: tuple[Offer, ...] | None = None

    def __repr__(self) -> str:
        return f"Convention({self.name!r})"

    def offer(self, metric: Metric) -> Offer:
        """The entry of a metric, or `ConventionError` naming what the tool has."""
        for offer in self.offers or ():
            if offer.metric == metric.name:
                return offer
        listed = "; ".join(
            str(offer) for offer in sorted(self.offers or (), key=lambda o: o.metric.casefold())
        )
        raise self._refusal(
            metric,
            f"{self.tool} has no {metric.name}. It has: {listed}. "
            "Use one of these, or the convention rankproof.",
        )

    def _refusal(self, metric: Metric, why: str) -> ConventionError:
        return ConventionError(f"{metric} cannot be computed as {self.name}: {why}")

    def resolve(self, metric: Metric) -> Metric:
        """The metric as the tool defines it.

        Parameters left at our defaults take the tool's values; a parameter that was set to something the tool
        cannot do is an error.

        >>> import rankproof as rp
        >>> from rankproof.metrics.conventions.named import CONVENTIONS
        >>> CONVENTIONS["trec_eval"].resolve(rp.metric("nDCG@10"))
        nDCG(gain=linear,empty=0)@10
        """
        if self.offers is None:
            return metric
        offer = self.offer(metric)
        changes: dict[str, Any] = {}
        for parameter in metric.parameters():
            value = getattr(metric, parameter.name)
            if parameter.name == "cutoff":
                self._check_cutoff(offer, metric, value)
                continue
            default = None if parameter.default is MISSING else parameter.default
            options = offer.options.get(parameter.name, (default,))
            if value is None:
                if options[0] is None:
                    raise self._refusal(
                        metric,
                        f"{self.tool} has no {parameter.name} of its own for {metric.name} ({offer.called}). "
                        f"Give one: {metric.name}({parameter.name}=0.8), say.",
                    )
                changes[parameter.name] = options[0]
                continue
            if value in options or offer.takes(parameter.name, value):
                continue
            if value != default:
                can = " or ".join(f"{parameter.name}={written(option)}" for option in options)
                if parameter.name in offer.free:
                    can = f"a whole {parameter.name} of at least 1"
                raise self._refusal(
                    metric,
                    f"{self.tool} has {metric.name} with {can}. "
                    f"Leave {parameter.name} out, or use the convention rankproof.",
                )
            changes[parameter.name] = options[0]
        return replace(metric, **changes)

    def _check_cutoff(self, offer: Offer, metric: Metric, cutoff: int | None) -> None:
        if offer.cutoff == "required" and cutoff is None:
            raise self._refusal(
                metric,
                f"{self.tool} has {metric.name} at a cutoff only ({offer.called}). "
                f"Ask for {metric.name}@10, say.",
            )
        if offer.cutoff == "none" and cutoff is not None:
            raise self._refusal(
                metric,
                f"{self.tool} has {metric.name} over the whole list only ({offer.called}). "
                "Leave the cutoff out.",
            )

    def read_scores(self, scores: Float64s) -> Float64s:
        """Scores in the precision in which the tool compares them.

        >>> from rankproof.metrics.conventions.named import CONVENTIONS
        >>> a, b = CONVENTIONS["trec_eval"].read_scores(np.array([1.0, 1.0 + 1e-12]))
        >>> bool(a == b)
        True
        """
        if self.scores == "float64":
            return scores
        with np.errstate(over="ignore"):
            return scores.astype(np.float32).astype(np.float64)

    def read_labels(self, labels: Float64s) -> Float64s:
        """Labels as the tool takes them: grades below 0 are NaN where they mean "not judged"."""
        if self.negative != "unjudged" or not (labels < 0).any():
            return labels
        return np.where(labels < 0, np.nan, labels)

    def check(self, metric: Metric, labels: Float64s) -> None:
        """Raise `DataError` when a label is one that the tool does not take for this metric."""
        if self.offers is None:
            return
        highest = self.offer(metric).highest
        bad = np.zeros(labels.size, dtype=np.bool_) if self.negative == "unjudged" else labels < 0
        if self.whole:
            bad = bad | ((labels != np.floor(labels)) & ~np.isnan(labels))
        if highest is not None:
            bad = bad | (labels > highest)
        if bad.any():
            item = int(np.argmax(bad))
            kind = "whole grades" if self.whole else "grades"
            span = f"from 0 to {highest}" if highest is not None else "of at least 0"
            raise DataError(
                f"{metric} as {self.name}: item {item} has the label {labels[item]:g}, but {self.tool} takes "
                f"{kind} {span} for it. Correct the labels, or use the convention rankproof."
            )

    def adjust(self, metric: Metric, values: Float64s, depth: Int64s) -> Float64s:
        """The tool's treatment of short lists and odd values of empty queries.

        Takes the values of `Metric.per_query`, in which an empty query is NaN, before ``metric.empty`` is
        applied to them; ``depth`` has the number of retrieved items of every query.
        """
        if self.offers is None:
            return values
        offer = self.offer(metric)
        if offer.empty_value is not None:
            values = np.where(np.isnan(values), offer.empty_value, values)
        cutoff = getattr(metric, "cutoff", None)
        if cutoff is None or offer.short == "keep":
            return values
        if offer.short == "zero":
            return np.where((depth < cutoff) & ~np.isnan(values), 0.0, values)
        share: Float64s = np.clip(depth, 1, cutoff) / cutoff
        return values / share if offer.short == "own length" else 1.0 - share * (1.0 - values)


def ordered(
    convention: Convention,
    order: Order,
    labels: Float64s,
    doc_rank: NDArray[Any] | Callable[[], NDArray[Any]] | None = None,
) -> Order:
    """``order`` with its ties broken as the convention says.

    ``labels`` are in item order. ``doc_rank`` is the place of every item's document id among those of its
    query in byte order, 0 for the last, or a function that gives it; only the rule ``doc_id`` asks for it.

    >>> from rankproof.metrics.conventions.named import CONVENTIONS
    >>> from rankproof.metrics.ranked.lists import sort_by_score
    >>> tied = sort_by_score(np.zeros(3), np.array([0, 3]))
    >>> ordered(CONVENTIONS["catboost"], tied, np.array([2.0, 0.0, 1.0])).places.tolist()
    [1, 2, 0]
    """
    if convention.ties == "average":
        return order
    if convention.ties == "doc_id":
        if doc_rank is None:
            raise ArgumentError(
                f"The convention {convention.name} breaks ties by document id, but the data have no document "
                "ids. Give doc_ids, or use the convention rankproof."
            )
        ranks = doc_rank() if callable(doc_rank) else doc_rank
        return order.broken_by(-np.asarray(ranks, dtype=np.float64))
    if convention.ties == "row":
        return order.broken_by(np.zeros(labels.size))
    return order.broken_by(-np.where(np.isnan(labels), 0.0, labels))
