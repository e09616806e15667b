"""`Preconditioner`: variables in which an objective is about as steep in every direction.

The Hessian of the objective is about ``pull * C + l2 * I``: C the covariance of the scaled features (within
queries when the loss does not see shifts), ``pull`` the mean second derivative of the loss. With a root R of
that matrix, the solvers look for ``z = R p`` in place of the parameters p. The objective and its minimum stay
what they are; features of different size, or nearly the same as others, no longer slow the solver down, and
one tolerance serves all losses. For many features only the diagonal is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankproof.arrays import Float64s, Int64s, items_of_queries
from rankproof.fit.matrix import FeatureMatrix

__all__ = ["Preconditioner", "covariance", "norm_of"]

# With more columns than this, only variances are used: roots of a matrix cost the cube of its size.
_MOST_COLUMNS = 512
# Rows that the covariance is estimated from, at least, and for each column.
_LEAST_ROWS, _ROWS_PER_COLUMN = 8192, 20
# Correlations have eigenvalues around 1; below this they are rounding, or too few rows.
_FLOOR = 1e-7


@dataclass(frozen=True, eq=False)
class Preconditioner:
    """The change of variables p = B z (`parameters`), z = A p (`variables`), with B the inverse of A.

    Both are vectors when the matrices are diagonal.
    """

    into: Float64s
    back: Float64s

    @classmethod
    def from_covariance(
        cls, covariance: Float64s, pull: float, l2: float, *, intercept: bool
    ) -> Preconditioner:
        """From a covariance matrix, or a vector of variances."""
        size = covariance.shape[0]
        variances = covariance if covariance.ndim == 1 else np.diag(covariance)
        diagonal = pull * variances + l2
        diagonal = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        last = [np.sqrt(pull)] if intercept else []
        if covariance.ndim == 1:
            root = np.append(diagonal, last)
            return cls(root, 1.0 / root)
        shape = (pull * covariance + l2 * np.eye(size)) / np.outer(diagonal, diagonal)
        values, vectors = np.linalg.eigh(shape)
        values = np.sqrt(np.maximum(values, _FLOOR))
        into, back = np.eye(size + intercept), np.eye(size + intercept)
        into[:size, :size] = (values[:, np.newaxis] * vectors.T) * diagonal
        back[:size, :size] = (vectors / values) / diagonal[:, np.newaxis]
        if intercept:
            into[-1, -1], back[-1, -1] = last[0], 1.0 / last[0]
        return cls(into, back)

    def variables(self, parameters: Float64s) -> Float64s:
        """z of parameters."""
        return self.into * parameters if self.into.ndim == 1 else self.into @ parameters

    def parameters(self, variables: Float64s) -> Float64s:
        """The parameters of z."""
        return self.back * variables if self.back.ndim == 1 else self.back @ variables

    def gradient(self, gradient: Float64s) -> Float64s:
        """The gradient in z, from that in the parameters."""
        return self.back * gradient if self.back.ndim == 1 else self.back.T @ gradient


def norm_of(vector: Float64s) -> float:
    """The Euclidean norm, summed by numpy alone: no other library's order of summation moves a stop."""
    return float(np.sqrt(np.sum(np.square(vector))))


def covariance(X: FeatureMatrix, offsets: Int64s, divisor: Float64s, *, within: bool) -> Float64s:
    """Covariance of the scaled features, from a regular sample of the queries; variances for many features.

    ``within``: of the differences to the query's mean.
    """
    mean, variance = X.moments
    # Rounding leaves a little variance in a column of one large number.
    variance = np.where(variance <= 1e-14 * np.square(mean), 0.0, variance) / np.square(divisor)
    columns = X.shape[1]
    if columns > _MOST_COLUMNS or columns < 2:
        return variance
    starts, items = _sample(offsets, max(_LEAST_ROWS, _ROWS_PER_COLUMN * columns))
    rows: Any = X.take(items).dense()
    rows = (rows - mean) / divisor
    if within:
        sizes = np.diff(starts)
        means = np.add.reduceat(rows, starts[:-1], axis=0) / sizes[:, np.newaxis]
        rows -= np.repeat(means, sizes, axis=0)
    products: Float64s = rows.T @ rows / max(1, items.size)
    # A column that varies, but hardly in the sample, keeps its variance and loses its covariances: a
    # variance of 1e-42 in place of 1e-5 would blow its steps up.
    too_flat = np.diag(products) <= 1e-2 * variance
    products[too_flat, :] = 0.0
    products[:, too_flat] = 0.0
    products[too_flat, too_flat] = variance[too_flat]
    return products


def _sample(offsets: Int64s, rows: int) -> tuple[Int64s, Int64s]:
    """Every k-th query that has items, about ``rows`` rows in all: where they start, and their items."""
    step = max(1, int(offsets[-1]) // rows)
    chosen = np.flatnonzero(np.diff(offsets) > 0)[::step]
    return items_of_queries(offsets, chosen)
