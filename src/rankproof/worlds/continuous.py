"""Worlds with continuous features: independent items, and hidden intents that make labels dependent."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankproof.arrays import Float64s, as_whole_number
from rankproof.errors import ArgumentError
from rankproof.worlds.label_law import LabelLaw, place_of
from rankproof.worlds.world import World

__all__ = ["IndependentWorld", "IntentWorld"]

MOST_LABEL_VECTORS = 200_000


class IndependentWorld(World):
    r"""Items whose grades are independent given the features.

    **Definition.** Features are standard normal (stored as float32). The grade of an item with features x is
    g with probability :math:`\exp(w_g·x + b_g) / \sum_h \exp(w_h·x + b_h)`, independently of the other items.

    Parameters
    ----------
    weights : matrix (grades, features)
        Row g is w_g of the definition: how strongly each feature speaks for grade g.
    biases : vector (grades,), optional
        The b_g of the definition: a larger one makes grade g more frequent. All are 0 when not given.
    items : int or (int, int)
        The number of items of a query, or the lowest and highest, all between equally likely.

    Notes
    -----
    `sample` and `item_laws` take any number of items. `law` enumerates ``grades ** items`` label vectors, at
    most 200,000; its probabilities are products of float64 numbers, correct to machine precision.

    Examples
    --------
    >>> world = IndependentWorld.random(features=3, grades=3, items=4)
    >>> known = world.sample_with_laws(queries=2)
    >>> known.data, known.laws[0]
    (RankingData(2 queries, 8 items, 3 features), LabelLaw(81 label vectors of 4 items))
    """

    def __init__(
        self, weights: ArrayLike, biases: ArrayLike | None = None, *, items: int | tuple[int, int] = 5
    ) -> None:
        self.weights = _matrix("weights of IndependentWorld", weights)
        grades = self.weights.shape[0]
        self.biases = np.zeros(grades) if biases is None else np.asarray(biases, dtype=np.float64)
        if self.biases.shape != (grades,):
            raise ArgumentError(
                f"Argument biases of IndependentWorld must have {grades} numbers, one per grade."
            )
        self.items = _as_sizes(items)

    @classmethod
    def random(
        cls,
        *,
        features: int = 4,
        grades: int = 3,
        items: int | tuple[int, int] = 5,
        strength: float = 1.0,
        seed: int = 0,
    ) -> Self:
        """A world with normal weights times ``strength``, and biases that make high grades rarer.

        Parameters
        ----------
        features, grades : int
            How many features an item has, and how many grades there are.
        items : int or (int, int)
            The number of items of a query, or the lowest and highest.
        strength : float
            How much the features say about the grades.
        seed : int
            The same seed gives the same world.
        """
        rng = np.random.Generator(np.random.PCG64(as_whole_number("seed", seed, 0)))
        weights = strength * rng.standard_normal((grades, as_whole_number("features", features, 1)))
        return cls(weights, -0.5 * np.arange(as_whole_number("grades", grades, 2)), items=items)

    def item_laws(self, X: ArrayLike) -> Float64s:
        """The probabilities of the grades (columns) of every item (rows)."""
        return _softmax(_matrix("X", X, columns=self.weights.shape[1]) @ self.weights.T + self.biases)

    def law(self, X: ArrayLike) -> LabelLaw:
        """The product of the item laws, over all label vectors."""
        marginals = self.item_laws(X)
        items, grades = marginals.shape
        if grades**items > MOST_LABEL_VECTORS:
            raise ArgumentError(
                f"The law of {items} independent items with {grades} grades has {grades**items} label "
                f"vectors, more than {MOST_LABEL_VECTORS}. Take fewer items, or item_laws for targets of "
                "single items."
            )
        support = np.indices((grades,) * items).reshape(items, -1).T
        return LabelLaw(support, np.prod(marginals[np.arange(items), support], axis=1))

    def draw_features(self, rng: np.random.Generator) -> NDArray[np.float32]:
        """Standard normal features."""
        return rng.standard_normal((_draw_size(self.items, rng), self.weights.shape[1])).astype(np.float32)

    def draw_labels(self, X: NDArray[np.float32], rng: np.random.Generator) -> Float64s:
        """One grade per item."""
        edges = np.cumsum(self.item_laws(X), axis=1)[:, :-1]
        grades: Float64s = np.sum(rng.random((X.shape[0], 1)) >= edges, axis=1).astype(np.float64)
        return grades


class IntentWorld(World):
    r"""Queries with a hidden intent, which decides the grades of all items together.

    **Definition.** A query has context features z and every item has features v, all standard normal (stored
    as float32); the features of an item are (z, v). The hidden intent is k with probability
    :math:`\exp(a_k·z) / \sum_l \exp(a_l·z)`; under intent k the grade of an item is the number of thresholds
    :math:`t_{k1} ≤ t_{k2} ≤ ...` below :math:`b_k·v`.

    Given the features there are at most as many label vectors as intents, at any number of items. Labels are
    dependent, and intents differ in how many items they make relevant, so that the targets of raw gains,
    nDCG, ERR and AP disagree.

    Parameters
    ----------
    context_weights : matrix (intents, context features)
        Row k is a_k of the definition: which contexts make intent k likely.
    item_weights : matrix (intents, item features)
        Row k is b_k of the definition: which items are relevant under intent k.
    thresholds : matrix (intents, grades - 1), rows in increasing order
        Row k holds the thresholds of intent k: the higher they are, the fewer items are relevant under it.
    items : int or (int, int)
        The number of items of a query, or the lowest and highest, all between equally likely.

    Notes
    -----
    The probabilities of a law are float64 numbers, correct to machine precision.

    Examples
    --------
    >>> world = IntentWorld.random(intents=3, items=20)
    >>> world.sample_with_laws(queries=1).laws[0]
    LabelLaw(3 label vectors of 20 items)
    """

    def __init__(
        self,
        context_weights: ArrayLike,
        item_weights: ArrayLike,
        thresholds: ArrayLike,
        *,
        items: int | tuple[int, int] = 10,
    ) -> None:
        self.context_weights = _matrix("context_weights of IntentWorld", context_weights)
        self.item_weights = _matrix("item_weights of IntentWorld", item_weights)
        self.thresholds = _matrix("thresholds of IntentWorld", thresholds)
        rows = {part.shape[0] for part in (self.context_weights, self.item_weights, self.thresholds)}
        if len(rows) > 1:
            raise ArgumentError(
                "Arguments context_weights, item_weights and thresholds of IntentWorld must have one row per "
                f"intent, got {sorted(rows)} rows."
            )
        if (np.diff(self.thresholds, axis=1) < 0).any():
            raise ArgumentError("Argument thresholds of IntentWorld must not decrease along a row.")
        self.items = _as_sizes(items)

    @classmethod
    def random(
        cls,
        *,
        intents: int = 3,
        context: int = 2,
        features: int = 4,
        grades: int = 3,
        items: int | tuple[int, int] = 10,
        seed: int = 0,
    ) -> Self:
        """A world with random directions; the first intent makes many items relevant, the last few.

        Parameters
        ----------
        intents : int
            How many hidden intents there are.
        context, features : int
            How many features a query has, and how many each item adds.
        grades : int
            How many grades there are, at least 2.
        items : int or (int, int)
            The number of items of a query, or the lowest and highest.
        seed : int
            The same seed gives the same world.
        """
        rng = np.random.Generator(np.random.PCG64(as_whole_number("seed", seed, 0)))
        intents = as_whole_number("intents", intents, 1)
        context_weights = rng.standard_normal((intents, as_whole_number("context", context, 1)))
        directions = rng.standard_normal((intents, as_whole_number("features", features, 1)))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        steps = np.linspace(0.0, 1.0, as_whole_number("grades", grades, 2) - 1)
        return cls(context_weights, directions, np.linspace(-0.5, 1.0, intents)[:, None] + steps, items=items)

    def intent_laws(self, X: ArrayLike) -> tuple[Float64s, Float64s]:
        """The labels under every intent (intents × items), and the probabilities of the intents."""
        context = self.context_weights.shape[1]
        rows = _matrix("X", X, columns=context + self.item_weights.shape[1])
        heights = self.item_weights @ rows[:, context:].T
        labels = np.sum(heights[:, :, None] > self.thresholds[:, None, :], axis=2).astype(np.float64)
        return labels, _softmax(self.context_weights @ rows[0, :context])

    def law(self, X: ArrayLike) -> LabelLaw:
        """The mixture over the intents; intents with the same labels are one outcome."""
        labels, probabilities = self.intent_laws(X)
        support, which = np.unique(labels, axis=0, return_inverse=True)
        return LabelLaw(support, np.bincount(which.reshape(-1), weights=probabilities))

    def draw_features(self, rng: np.random.Generator) -> NDArray[np.float32]:
        """The context of the query beside the features of every item."""
        size = _draw_size(self.items, rng)
        context = np.tile(rng.standard_normal(self.context_weights.shape[1]), (size, 1))
        return np.hstack((context, rng.standard_normal((size, self.item_weights.shape[1])))).astype(
            np.float32
        )

    def draw_labels(self, X: NDArray[np.float32], rng: np.random.Generator) -> Float64s:
        """The labels under a random intent."""
        labels, probabilities = self.intent_laws(X)
        chosen: Float64s = labels[place_of(rng.random(), np.cumsum(probabilities))]
        return chosen


def _softmax(heights: Float64s) -> Float64s:
    powers = np.exp(heights - heights.max(axis=-1, keepdims=True))
    shares: Float64s = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def _matrix(name: str, values: ArrayLike, columns: int | None = None) -> Float64s:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or 0 in array.shape or not np.isfinite(array).all():
        raise ArgumentError(f"Argument {name} must be a matrix of finite numbers, got shape {array.shape}.")
    if columns is not None and array.shape[1] != columns:
        raise ArgumentError(
            f"Argument {name} must have {columns} columns for this world, got {array.shape[1]}."
        )
    return array


def _as_sizes(items: int | tuple[int, int]) -> tuple[int, int]:
    low, high = items if isinstance(items, tuple) and len(items) == 2 else (items, items)
    low = as_whole_number("items", low, 1)
    return low, as_whole_number("items", high, low)


def _draw_size(items: tuple[int, int], rng: np.random.Generator) -> int:
    low, high = items
    return low if low == high else int(rng.integers(low, high + 1))
