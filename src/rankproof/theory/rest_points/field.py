r"""The mean gradient of a loss whose weights follow the ranking, under a law.

Inside the scores of one ranking sigma the weights of all pairs are constant, so the mean gradient there is
that of one convex function, :math:`f_\sigma(s) = \sum_{ij} w^\sigma_{ij} A_{ij} \log(1 + e^{-\sigma (s_i -
s_j)})` with :math:`A_{ij} = E[\mathrm{lead}_{ij}]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.feedback import Law
from rankproof.losses.base import Loss
from rankproof.theory.arithmetic.functions import as_number_like, softplus, variables
from rankproof.theory.arithmetic.intervals import Enclosure, UnprovenError
from rankproof.theory.arithmetic.jets import Jet
from rankproof.theory.base.values import Ranking
from rankproof.theory.formulas.inputs import exact_inputs
from rankproof.theory.formulas.pairwise import Pairs
from rankproof.theory.formulas.table import theory_of
from rankproof.theory.formulas.target_numbers import ExactOrInterval

__all__ = ["MeanField", "PairSum"]


class PairSum:
    """The convex function sum of W_ij log(1 + e^(-sigma (s_i - s_j))), W at least 0, in any arithmetic."""

    def __init__(self, items: int, weights: Pairs, sigma: Fraction) -> None:
        if any((w.low if isinstance(w, Enclosure) else w) < 0 for w in weights.values()):
            raise UnprovenError(
                "A weight of a pair is not proven to be at least 0, so the sum may not be convex."
            )
        self.items, self.weights, self.sigma = items, weights, sigma

    def at(self, scores: Sequence[Any]) -> Any:
        """The sum at scores of any arithmetic."""
        terms = (
            as_number_like(scores, weight) * softplus((scores[j] - scores[i]) * self.sigma)
            for (i, j), weight in self.weights.items()
        )
        return sum(terms, scores[0] * 0)

    def jet(self, center: Sequence[Fraction], radius: Fraction) -> Jet:
        """Value, gradient and Hessian over the box of half-width ``radius`` around the center."""
        value: Jet = self.at(variables([Enclosure.from_bounds(c - radius, c + radius) for c in center]))
        return value


class MeanField:
    """The mean gradient of a loss under a law, ranking by ranking.

    Attributes
    ----------
    items : int
    sigma : the factor of differences of scores
    leads : A of the ordered pairs, where it is not 0
    """

    def __init__(self, loss: Loss, law: Law) -> None:
        pairs = theory_of(loss).follows_ranking
        if pairs is None:
            raise ArgumentError(f"The weights of {loss} do not follow the ranking, so it has no rest points.")
        self.items = law.items
        self.sigma = Fraction(loss.sigma)  # type: ignore[attr-defined]
        self.leads: Pairs = {}
        for y, p in law.pairs():
            for pair, lead in pairs.leads(loss, exact_inputs(loss, y)).items():
                self.leads[pair] = self.leads.get(pair, 0) + lead * p
        self._weights = pairs.weights(loss, law.items)

    def weight(self, ranking: Ranking, i: int, j: int) -> ExactOrInterval:
        """The weight of a pair in a ranking."""
        first, last = sorted((ranking.index(i), ranking.index(j)))
        return self._weights[first][last]

    def function(self, ranking: Ranking) -> PairSum:
        """The function whose gradient is the mean gradient inside of a ranking."""
        weights = {(i, j): self.weight(ranking, i, j) * lead for (i, j), lead in self.leads.items()}
        return PairSum(self.items, weights, self.sigma)
