"""A world of finitely many kinds of queries, with exact laws."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError
from rankproof.worlds.label_law import LabelLaw, place_of
from rankproof.worlds.world import KnownData, World

__all__ = ["FiniteWorld"]


class FiniteWorld(World):
    """Finitely many kinds of queries, each with an exact law of its labels.

    Parameters
    ----------
    laws : sequence of laws
        One per kind of query: ``{label vector: probability}`` with exact probabilities, or a `Law` on grades.
    probabilities : ints, Fractions or strings such as ``"1/3"``, optional
        How often each kind of query comes, with sum exactly 1; all alike when not given.
    features : sequence of matrices, optional
        The features of each kind, one row per item; by default an indicator of (kind, item), so that a linear
        scorer can represent every function of the items.

    Examples
    --------
    >>> world = FiniteWorld([{(5, 4): "0.3", (1, 3): "0.7"}])
    >>> world.sample(queries=3)
    RankingData(3 queries, 6 items, 2 features)
    >>> round(world.population().regret("nDCG", [10.0, 9.4]), 5)
    0.15935
    """

    def __init__(
        self,
        laws: Sequence[Any],
        probabilities: Sequence[Any] | None = None,
        features: Sequence[ArrayLike] | None = None,
    ) -> None:
        self.laws = tuple(law if isinstance(law, LabelLaw) else LabelLaw.from_table(law) for law in laws)
        if not self.laws:
            raise ArgumentError("A FiniteWorld needs at least one law, got none.")
        if probabilities is None:
            probabilities = [Fraction(1, len(self.laws))] * len(self.laws)
        # The kinds have a law of their own: one label, the number of the kind.
        self._kinds = LabelLaw([[k] for k in range(len(self.laws))], probabilities)
        if self._kinds.exact is None or any(law.exact is None for law in self.laws):
            raise ArgumentError(
                "A FiniteWorld has exact probabilities: give ints, Fractions or strings, no floats."
            )
        self.probabilities: tuple[Fraction, ...] = self._kinds.exact
        self.features = _kind_features(self.laws, features)
        self._number = {_key(X): k for k, X in enumerate(self.features)}
        if len(self._number) < len(self.laws):
            raise ArgumentError(
                "Two kinds of queries of a FiniteWorld have the same features, so one law too few."
            )

    def law(self, X: ArrayLike) -> LabelLaw:
        """The law of the kind of query with exactly these features."""
        try:
            return self.laws[self._number[_key(np.asarray(X, dtype=np.float32))]]
        except KeyError:
            raise ArgumentError(f"No kind of query of this FiniteWorld has the features {X!r:.80}.") from None

    def population(self) -> KnownData:
        """Every kind of query once, weighted by its probability: means over it are those of the whole world.

        The labels are not judged (NaN): what is known is their law.
        """
        offsets = np.concatenate(([0], np.cumsum([law.items for law in self.laws]))).astype(np.int64)
        data = RankingData(
            labels=np.full(int(offsets[-1]), np.nan),
            offsets=offsets,
            X=np.concatenate(self.features),
            query_weights=self._kinds.probabilities,
        )
        return KnownData(data, self.laws)

    def draw_features(self, rng: np.random.Generator) -> NDArray[np.float32]:
        """The features of a random kind of query."""
        return self.features[place_of(rng.random(), np.cumsum(self._kinds.probabilities))]

    def draw_labels(self, X: NDArray[np.float32], rng: np.random.Generator) -> Float64s:
        """Labels from the law of this kind of query."""
        return self.law(X).draw(rng)


def _kind_features(
    laws: tuple[LabelLaw, ...], features: Sequence[ArrayLike] | None
) -> tuple[NDArray[np.float32], ...]:
    sizes = [law.items for law in laws]
    if features is None:
        whole = np.eye(sum(sizes), dtype=np.float32)
        return tuple(np.ascontiguousarray(part) for part in np.split(whole, np.cumsum(sizes)[:-1]))
    matrices = tuple(np.ascontiguousarray(X, dtype=np.float32) for X in features)
    if [X.shape[:1] for X in matrices] != [(size,) for size in sizes] or len(
        {X.shape[1:] for X in matrices}
    ) != 1:
        raise ArgumentError(
            f"Argument features of FiniteWorld must hold matrices with {', '.join(map(str, sizes))} rows "
            f"and one number of columns, got shapes {', '.join(str(X.shape) for X in matrices)}."
        )
    return matrices


def _key(X: NDArray[np.float32]) -> bytes:
    """The bytes of the features; adding 0 makes -0.0 the 0.0 it equals."""
    return (np.ascontiguousarray(X) + np.float32(0)).tobytes()
