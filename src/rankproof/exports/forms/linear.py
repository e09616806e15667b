"""A linear function of features as they are: what a search engine multiplies, with no scaling left to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError

__all__ = ["LinearForm", "linear_form_scores"]


@dataclass(frozen=True, eq=False)
class LinearForm:
    """Weights of raw features and an intercept."""

    names: tuple[str, ...]
    weights: Float64s
    intercept: float = 0.0
    source: str = ""

    def __post_init__(self) -> None:
        if self.weights.shape != (len(self.names),):
            raise ArgumentError(f"{self.weights.size} weights do not fit {len(self.names)} features.")
        if not (np.isfinite(self.weights).all() and np.isfinite(self.intercept)):
            raise ArgumentError("The weights of a linear model must be finite.")

    @property
    def kind(self) -> str:
        """The word for it in messages."""
        return "a linear function"

    @property
    def features(self) -> int:
        """How many features an item has."""
        return len(self.names)


def linear_form_scores(form: LinearForm, X: NDArray[Any]) -> Float64s:
    """The score of every row: products summed feature by feature, then the intercept."""
    total = np.zeros(len(X))
    for column, weight in enumerate(form.weights):
        total += np.asarray(X[:, column], dtype=np.float64) * weight
    return total + form.intercept
