"""Feedback spaces: the finitely many things that can be observed about n items.

Statements on consistency are decided on such a space, for every law over it.

>>> graded_space(2, 2)
Space(graded, 2 items, 4 feedbacks)
>>> [str(len(graph_space(n).feedback)) for n in (2, 3)]
['3', '25']
>>> permutation_space(3).feedback[1]
Permutation((1, 3, 2))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations, product
from typing import Any

from rankproof.arrays import as_whole_number
from rankproof.errors import ArgumentError, DataError
from rankproof.feedback import Feedback, Graded, Law, Permutation, PreferenceGraph
from rankproof.feedback.law_text import law_from_plain, law_to_plain

__all__ = [
    "FEEDBACK_KINDS",
    "MOST_ITEMS",
    "Space",
    "graded_space",
    "graph_space",
    "one_grade_more",
    "permutation_space",
    "space_for",
    "space_from_plain",
    "space_of",
    "space_to_plain",
]

FEEDBACK_KINDS = ("graded", "preferences", "permutation")
# All n! rankings are looked at one by one.
MOST_ITEMS = 6
MOST_FEEDBACK = 5_000
# Renamings of a space that are remembered: all of up to five items.
MOST_RENAMINGS = 120


@dataclass(frozen=True, repr=False)
class Space:
    """All feedback of one kind on ``items`` items that can occur."""

    kind: str
    items: int
    feedback: tuple[Feedback, ...]
    _index: dict[Feedback, int] = field(init=False, repr=False, compare=False, hash=False)
    _renamed: dict[tuple[int, ...], tuple[int, ...]] = field(
        init=False, repr=False, compare=False, hash=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_index", {y: k for k, y in enumerate(self.feedback)})

    def index(self, feedback: Feedback) -> int:
        """The place of a feedback in the space."""
        return self._index[feedback]

    def relabelled(self, permutation: Sequence[int]) -> tuple[int, ...]:
        """For every feedback the place of what it becomes when new item i is old item ``permutation[i]``."""
        order = tuple(permutation)
        places = self._renamed.get(order)
        if places is None:
            places = tuple(self._index[y.relabel(order)] for y in self.feedback)
            if len(self._renamed) < MOST_RENAMINGS:
                self._renamed[order] = places
        return places

    @property
    def labels(self) -> tuple[Any, ...]:
        """The grades that occur; none on graphs and permutations."""
        return tuple(sorted({grade for y in self.feedback if isinstance(y, Graded) for grade in y}))

    @property
    def description(self) -> str:
        """Where something was tried, in words."""
        if self.kind == "graded":
            return f"on {self.items} items with grades {', '.join(map(str, self.labels))}"
        kinds = {"preferences": "preference graphs", "permutation": "permutations as feedback"}
        return f"on {self.items} items with {kinds[self.kind]}"

    @property
    def shown(self) -> str:
        """The condition of what was shown by trying all cases."""
        others = "longer lists and other grades are" if self.kind == "graded" else "longer lists are"
        return f"shown {self.description}; {others} not covered"

    def __len__(self) -> int:
        return len(self.feedback)

    def __repr__(self) -> str:
        return f"Space({self.kind}, {self.items} items, {len(self)} feedbacks)"


def graded_space(items: int, grades: int | Sequence[Any] = 2) -> Space:
    """All label vectors with grades 0, 1, ..., ``grades - 1`` (or with the grades that are listed)."""
    n = _items(items)
    if isinstance(grades, Sequence):
        scale = tuple(grades)
    else:
        scale = tuple(range(as_whole_number("grades", grades, 2)))
    _not_too_many(f"{len(scale)} grades on {n} items give", len(scale) ** n)
    return Space("graded", n, tuple(Graded(y) for y in product(scale, repeat=n)))


def graph_space(items: int) -> Space:
    """All directed graphs without cycles whose edges have weight 1."""
    n = _items(items)
    _not_too_many(f"preference graphs on {n} items are", {5: 29_281, 6: 3_781_503}.get(n, 0))
    pairs = list(combinations(range(n), 2))
    graphs = []
    for choice in product((None, 0, 1), repeat=len(pairs)):
        edges = [pair[:: 1 - 2 * way] for pair, way in zip(pairs, choice, strict=True) if way is not None]
        try:
            graphs.append(PreferenceGraph(edges, n))  # type: ignore[arg-type]
        except DataError:
            continue
    return Space("preferences", n, tuple(graphs))


def permutation_space(items: int) -> Space:
    """All n! rankings as feedback."""
    n = _items(items)
    return Space("permutation", n, tuple(Permutation(ranks) for ranks in permutations(range(1, n + 1))))


def space_to_plain(space: Space) -> dict[str, Any]:
    """A dict for files: the feedback is stored as the support of a law is."""
    plain = law_to_plain(space.feedback, ())
    return {key: plain[key] for key in ("feedback", "items", "support")}


def space_from_plain(plain: Mapping[str, Any]) -> Space:
    """The space that `space_to_plain` wrote.

    >>> space_from_plain(space_to_plain(graph_space(2))) == graph_space(2)
    True
    """
    if not isinstance(plain, Mapping) or not {"feedback", "items", "support"} <= set(plain):
        raise DataError(f"A stored feedback space has feedback, items and support, got {plain!r:.80}.")
    # Probabilities are not looked at here.
    head = law_to_plain((Graded((0,)),), ())
    pairs = law_from_plain({**head, **plain, "probabilities": ["0"] * len(plain["support"])})
    return Space(plain["feedback"], plain["items"], tuple(y for y, _ in pairs))


def space_of(law: Law) -> Space:
    """The support of a law."""
    return Space(law.kind, law.items, law.support)


def space_for(
    kinds: Sequence[str], items: int, grades: int = 2, feedback: str | None = None, top: int | None = None
) -> Space:
    """The space of that kind of feedback; without one, graded labels where they are among ``kinds``.

    ``top`` is the highest grade, when that is not ``grades - 1``: the grades are then spread from 0 to it.

    >>> space_for(("graded", "preferences"), 3, 2, "preferences")
    Space(preferences, 3 items, 25 feedbacks)
    >>> space_for(("graded",), 2, 2, top=4).feedback[1]
    Graded((0, 4))
    """
    kind = kinds[0] if feedback is None else feedback
    if kind not in FEEDBACK_KINDS:
        raise ArgumentError(
            f"Argument feedback must be one of {', '.join(FEEDBACK_KINDS)} or None, got {feedback!r}."
        )
    if kind not in kinds:
        raise ArgumentError(f"The metric is defined on feedback of kind {' or '.join(kinds)}, got {kind!r}.")
    if kind == "graded":
        return graded_space(items, _spread(as_whole_number("grades", grades, 2), top))
    return graph_space(items) if kind == "preferences" else permutation_space(items)


def _spread(grades: int, top: int | None) -> tuple[int, ...]:
    """Some grades from 0 to ``top``, evenly: for a metric whose scale of grades has its own end."""
    last = grades - 1 if top is None else max(top, grades - 1)
    return tuple((2 * k * last + grades - 1) // (2 * (grades - 1)) for k in range(grades))


def one_grade_more(labels: Sequence[int]) -> tuple[int, ...]:
    """The grades of a space with one grade more: between those there are, or else above them.

    >>> one_grade_more((0, 1)), one_grade_more((0, 4))
    ((0, 1, 2), (0, 2, 4))
    """
    count = len(labels) + 1
    return _spread(count, max(max(labels), count - 1))


def _items(items: int) -> int:
    n = as_whole_number("items", items, 2)
    if n > MOST_ITEMS:
        raise ArgumentError(
            f"Argument items must be at most {MOST_ITEMS}, since all rankings are tried one by one, got {n}. "
            "What fails on few items fails on many."
        )
    return n


def _not_too_many(what: str, many: int) -> None:
    if many > MOST_FEEDBACK:
        raise ArgumentError(
            f"{what} {many} feedbacks, more than the {MOST_FEEDBACK} that are looked at one by one. "
            "Take fewer items or fewer grades."
        )
