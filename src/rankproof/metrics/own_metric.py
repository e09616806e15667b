"""`OwnMetric`: a user's function as a metric, like those of the library but for its speed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s, as_whole_number
from rankproof.claims import Claims
from rankproof.errors import ArgumentError, MetricCallError
from rankproof.feedback import Graded
from rankproof.metrics.base import Explanation, Metric, Number
from rankproof.metrics.own.calls import check_alike, value_of
from rankproof.metrics.own.long_ties import mean_by_rule
from rankproof.metrics.own.progress import tell
from rankproof.metrics.own.rule import Valued
from rankproof.metrics.own.standing import Standing
from rankproof.metrics.own.ties import Effort, TooManyTiesError, mean_over_ties
from rankproof.metrics.parameters import RULES, choice
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.ties import tie_groups
from rankproof.user_code import USER_MODULE, is_place, load_function

__all__ = ["OwnMetric", "own_metric"]

# Queries between two words on how far it is.
TOLD_EVERY = 50
# Calls for the ties of all queries after which the target of the metric, if it has one, is asked instead; and
# after which a number that may be left open is.
MANY_CALLS, MOST_IN_A_HURRY = 2_000, 50_000


@dataclass(frozen=True, kw_only=True, repr=False)
class OwnMetric(Metric):
    """A metric of one's own: a function ``(ranking, feedback) -> number``.

    The ranking is a tuple of items, best first, and ``feedback[item]`` the label of an item. The function
    must treat all items alike; None says that the feedback says nothing about any ranking, so that the query
    is empty. Make one with `rankproof.own_metric`.

    Parameters
    ----------
    function : function of (ranking, feedback), or None
        None for a metric that a file names, whose code was not run: it can be printed, not computed.
    label : str
        The name that it has in tables: the name of the function, or ``file.py:function``.
    direction : "higher" or "lower"
        Which values are better.
    grades : int, optional
        How many labels 0, 1, ... there are; for the search for a target.
    nearest : bool
        Whether to train on the nearest metric with a target where the metric itself has none.
    ties : "average" or "row"
        Equal scores: the mean over all rankings that sort them, or the order of the rows.
    standing : Standing, optional
        What is known of its target; decided when it is first needed.
    hurry : bool
        Whether ties that take long are refused: for numbers that may be left open.
    """

    name: ClassVar[str] = "metric of your own"
    summary: ClassVar[str] = "a function of yours"
    definition: ClassVar[str] = r"f(\mathrm{ranking}, \mathrm{feedback})"
    domain: ClassVar[str] = "labels >= 0"
    reference: ClassVar[str] = "its function"
    empty_when: ClassVar[str] = "the function gave None"
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {"ties": ("average", "row")}
    by_users: ClassVar[bool] = True

    function: Callable[..., Any] | None
    label: str
    direction: str = "higher"  # type: ignore[assignment,misc]
    grades: int | None = None
    nearest: bool = False
    ties: str = "average"
    standing: Standing | None = field(default=None, compare=False)
    hurry: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("empty", "unjudged"):
            object.__setattr__(self, name, RULES[name](self.label, getattr(self, name)))
        choice(self.label, "ties", self.ties, self.choices["ties"])
        if self.direction not in ("higher", "lower"):
            raise ArgumentError(f"Argument direction must be one of higher, lower, got {self.direction!r}.")
        if self.grades is not None:
            as_whole_number(f"grades of {self.label}", self.grades, 2)

    @property
    def claims(self) -> Claims:
        return Claims()

    @property
    def valued(self) -> Valued:
        """The function in gain form."""
        return Valued(self._code(), self.label, self.direction)

    @property
    def way_to_code(self) -> str:
        """What to do where the function is not at hand."""
        how = repr(self.label) if is_place(self.label) else "the function"
        return f"Give it by set_params(metric=rankproof.own_metric({how})), or run_code=True (--run-code)."

    def _code(self) -> Callable[..., Any]:
        if self.function is None:
            raise ArgumentError(
                f"{self} cannot be computed: it is a function that a saved model or run names, and no file "
                f"is run because another file names it. {self.way_to_code}"
            )
        return self.function

    def hurried(self) -> Metric:
        return replace(self, hurry=True)

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        value: Number | None = value_of(self._code(), self.label, labels, len(labels))
        return value

    def per_query(self, lists: RankedLists) -> Float64s:
        function = self._code()
        values: dict[Any, float] = {}
        effort = Effort()
        out = np.empty(lists.queries)
        for q in range(lists.queries):
            if q % TOLD_EVERY == 0:
                tell(q, lists.queries, self.label)
            start, stop, depth = int(lists.offsets[q]), int(lists.offsets[q + 1]), int(lists.depth[q])
            labels = tuple(lists.labels[start:stop].tolist())
            ends = tuple(lists.ends[start : start + depth].tolist())
            key = (labels, ends)
            if key not in values:
                try:
                    values[key] = self._of_query(function, labels, ends, effort)
                except MetricCallError as error:
                    raise type(error)(error.message, q) from error.__cause__
            out[q] = values[key]
        return out

    def _of_query(
        self,
        function: Callable[..., Any],
        labels: tuple[float, ...],
        ends: tuple[int, ...],
        effort: Effort,
    ) -> float:
        depth = len(ends)
        if not labels:
            return math.nan
        graded = Graded(labels)
        value = value_of(function, self.label, graded, depth)
        check_alike(function, self.label, graded, depth, value)
        if value is None:
            return math.nan
        size = max((end - place for place, end in enumerate(ends)), default=0)
        if self.ties == "row" or size < 2:
            return float(value)
        if effort.calls > MANY_CALLS:
            mean = mean_by_rule(self, graded.labels, ends)
            if mean is not None:
                return float(mean)
        if self.hurry and effort.calls > MOST_IN_A_HURRY:
            raise TooManyTiesError(f"The ties of {self} take too long.")
        try:
            mean = mean_over_ties(function, self.label, graded.labels, ends, depth, effort)
        except TooManyTiesError as error:
            mean = mean_by_rule(self, graded.labels, ends)
            if mean is None:
                raise TooManyTiesError(
                    f"{error.message} Nor has it a target that would give the mean. Break the ties of the "
                    "scores, or take the order of the rows: ties='row'."
                ) from None
        return math.nan if mean is None else float(mean)

    def explain(self, lists: RankedLists) -> Explanation:
        value = float(self.per_query(lists)[0])
        places = [place for start, end in tie_groups(lists) for place in range(start, end)]
        how = "the value of this ranking"
        if any(end - start > 1 for start, end in tie_groups(lists)):
            how = (
                "the mean over all rankings that sort these scores"
                if self.ties == "average"
                else "ties by row"
            )
        if math.isnan(value):
            return Explanation((), [], [f"the query is empty: {self.empty_when}"], value)
        steps = [f"{self} = {value:.6f}, {how}; a function of yours adds nothing place by place"]
        return Explanation((), [() for _ in places], steps, value)

    def __deepcopy__(self, memo: Any) -> OwnMetric:
        # A value that never changes; scikit-learn copies the parameters of an estimator.
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        module = getattr(self.function, "__module__", None) or ""
        if module.startswith(USER_MODULE):
            raise ArgumentError(
                f"{self} cannot be pickled: another process does not know the function of a file that was "
                "run here. Import the function from a module, and give the function itself."
            )
        return super().__reduce_ex__(protocol)

    def __str__(self) -> str:
        more = [f"ties={self.ties}"] if self.ties != "average" else []
        more += [f"empty={self.empty}"] if self.empty != "skip" else []
        more += [f"unjudged={self.unjudged}"] if self.unjudged != "zero" else []
        return f"{self.label}({','.join(more)})" if more else self.label

    __repr__ = __str__


def own_metric(
    function: str | Callable[..., Any],
    *,
    direction: str = "higher",
    name: str | None = None,
    grades: int | None = None,
    nearest: bool = False,
    ties: str = "average",
    empty: str | int = "skip",
    unjudged: str = "zero",
) -> OwnMetric:
    """A metric of your own, for everything that takes a metric.

    Parameters
    ----------
    function : function, or str
        ``function(ranking, feedback) -> number``: the ranking is a tuple of items, best first, and
        ``feedback[item]`` the label of an item. As text it is ``"my_metric.py:name"``; **the file is then
        run**, with your permissions.
    direction : "higher" or "lower"
        Which values are better.
    name : str, optional
        What it is called in tables; by default the name of the function.
    grades : int, optional
        How many labels 0, 1, ..., ``grades - 1`` the data have, for the search for a target. By default five,
        or as many as the function takes.
    nearest : bool
        Where the metric has no target, whether to train on the nearest one that has; else that is refused.
    ties : "average" or "row"
        Equal scores count the mean over all rankings that sort them, or are taken in the order of the rows.
        Where that takes thousands of calls, the mean comes from the target of the metric, if it has one that
        holds on lists of that length in all that is tried; else it is refused.
    empty : "skip", 0, 1 or "error"
        What a query counts for which the function gives None.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: of label 0, taken out of the list, or an error.

    Returns
    -------
    OwnMetric

    Examples
    --------
    >>> def revenue_at_3(ranking, feedback):
    ...     return sum((0, 1, 5)[feedback[item]] for item in ranking[:3])
    >>> import rankproof as rp
    >>> metric = rp.own_metric(revenue_at_3, grades=3)
    >>> metric, metric.of_labels([2, 0, 1, 1])
    (revenue_at_3, 6)
    >>> rp.target_for(metric)
    label-worth(worths=[0,1,5])
    """
    if isinstance(function, str):
        label, code = name or function, _loaded(function)
    elif callable(function) and not isinstance(function, type):
        label, code = name or str(getattr(function, "__name__", type(function).__name__)), function
    else:
        raise ArgumentError(
            f"Argument function of own_metric must be a function (ranking, feedback) -> number, or its place "
            f"'file.py:name', got {function!r}."
        )
    return OwnMetric(
        function=code,
        label=label,
        direction=direction,
        grades=grades,
        nearest=nearest,
        ties=ties,
        empty=empty,
        unjudged=unjudged,
    )


def _loaded(place: str) -> Callable[..., Any]:
    """The function in a file; a file that has not changed is run once."""
    if is_place(place) and not place.endswith(".py"):
        file = Path(place.rpartition(":")[0])
        if file.is_file():
            return _once(place, str(file.resolve()), file.read_bytes())
    return load_function(place)


@lru_cache(maxsize=32)
def _once(place: str, resolved: str, content: bytes) -> Callable[..., Any]:  # noqa: ARG001 - the key
    return load_function(place)
