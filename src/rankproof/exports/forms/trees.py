"""Trees as numbers: which way every value of a feature goes, and what the leaves are worth.

A score is the sum of one leaf per tree and the base. Engines differ in what they compare, how they round and
where a missing value goes; all of this is said here, so that a format can be exact or refuse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.errors import ArgumentError

__all__ = [
    "LARGEST_CATEGORY",
    "MISSING_DEFAULT",
    "MISSING_IS_ZERO",
    "MISSING_OR_ZERO",
    "MOST_LEAVES",
    "ZERO_BELOW",
    "BoostedTree",
    "TreeForm",
]

# What a split does with a missing value: read it as 0, send it the default way, or send it the default way
# together with every number that counts as 0.
MISSING_IS_ZERO, MISSING_DEFAULT, MISSING_OR_ZERO = 0, 1, 2
# LightGBM takes numbers up to this size for 0: 1e-35 as a float32.
ZERO_BELOW = 1.0000000180025095e-35
# Codes of categories, as the engines hold them.
LARGEST_CATEGORY = 2**24 - 1
# More than this is not a ranker that anything serves, but a file that is wrong.
MOST_LEAVES = 1_000_000


@dataclass(frozen=True, eq=False)
class BoostedTree:
    """Nodes by number, the root is 0; a leaf has feature -1.

    A numerical split sends ``x <= threshold`` (or ``x < threshold``, as the form says) to the left; a
    categorical one sends the codes in ``categories`` to the left and any other to the right.
    """

    feature: Int64s
    threshold: Float64s
    left: Int64s
    right: Int64s
    default_left: NDArray[np.bool_]
    missing: NDArray[np.uint8]
    value: Float64s
    categories: dict[int, tuple[int, ...]]

    @property
    def leaves(self) -> int:
        """How many leaves it has."""
        return int((self.feature < 0).sum())

    @property
    def depth(self) -> int:
        """Splits between the root and the deepest leaf."""
        return max(level for _, level in self.walk())

    def walk(self) -> Iterator[tuple[int, int]]:
        """Every node that the root leads to, with its depth, each parent before its children."""
        todo = [(0, 0)]
        while todo:
            node, level = todo.pop()
            yield node, level
            if self.feature[node] >= 0:
                todo += [(int(self.right[node]), level + 1), (int(self.left[node]), level + 1)]

    def check(self, features: int, number: int) -> None:
        """Raise `ArgumentError` when this is no tree over so many features; ``number`` is its place."""
        nodes = self.feature.size
        if nodes == 0:
            raise ArgumentError(f"Tree {number} has no nodes.")
        seen = np.zeros(nodes, dtype=bool)
        todo = [0]
        while todo:
            node = todo.pop()
            if seen[node]:
                raise ArgumentError(
                    f"Tree {number} is no tree: node {node} is reached in two ways or from itself (a cycle)."
                )
            seen[node] = True
            feature = int(self.feature[node])
            if feature < 0:
                if not np.isfinite(self.value[node]):
                    raise ArgumentError(f"Tree {number}: the value of leaf {node} is {self.value[node]}.")
                continue
            if feature >= features:
                raise ArgumentError(
                    f"Tree {number}, node {node} splits feature {feature}, but there are {features} "
                    "(counted from 0)."
                )
            if node not in self.categories and np.isnan(self.threshold[node]):
                raise ArgumentError(f"Tree {number}, node {node}: the threshold is not a number.")
            for child in (int(self.left[node]), int(self.right[node])):
                if not 0 <= child < nodes:
                    raise ArgumentError(
                        f"Tree {number}, node {node} leads to node {child}, which is not there."
                    )
                todo.append(child)


@dataclass(frozen=True, eq=False)
class TreeForm:
    """A sum of trees.

    ``strict`` says whether splits ask ``x < threshold``; ``precision`` is that in which features are compared
    with thresholds, ``sums`` that in which the engine adds. The score is ``base`` plus the leaves, in order
    (``base_last``: the leaves in order, and then the base).
    """

    names: tuple[str, ...]
    trees: tuple[BoostedTree, ...]
    base: float = 0.0
    strict: bool = False
    precision: str = "float64"
    sums: str = "float64"
    base_last: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        leaves = 0
        for number, tree in enumerate(self.trees):
            tree.check(len(self.names), number)
            leaves += tree.leaves
            if leaves > MOST_LEAVES:
                raise ArgumentError(
                    f"The model has more than {MOST_LEAVES} leaves (by tree {number} of "
                    f"{len(self.trees)}), more than "
                    "any format here is written for. Train fewer or smaller trees, or serve it by its engine."
                )
        if not np.isfinite(self.base):
            raise ArgumentError(f"The base of a model must be finite, got {self.base}.")

    @property
    def kind(self) -> str:
        """The word for it in messages."""
        return "trees"

    @property
    def features(self) -> int:
        """How many features an item has."""
        return len(self.names)

    @property
    def leaves(self) -> int:
        """Leaves of all trees."""
        return sum(tree.leaves for tree in self.trees)

    @property
    def categorical(self) -> tuple[int, ...]:
        """Features that some split reads as categories."""
        return tuple(sorted({int(tree.feature[node]) for tree in self.trees for node in tree.categories}))

    def missing_kinds(self) -> set[int]:
        """How numerical splits treat missing values."""
        return {
            int(tree.missing[node])
            for tree in self.trees
            for node in np.flatnonzero(tree.feature >= 0)
            if int(node) not in tree.categories
        }

    def goes_left_when_missing(self, tree: BoostedTree, node: int) -> bool:
        """Where a missing value goes."""
        if node in tree.categories or tree.missing[node] != MISSING_IS_ZERO:
            return bool(tree.default_left[node])
        threshold = tree.threshold[node]
        return bool(threshold > 0 if self.strict else threshold >= 0)
