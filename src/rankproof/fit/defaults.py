"""What the parameters of the rankers are unless they are given: the one place for classes and commands.

Nothing is imported here, so that a command can show the numbers without loading a solver.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BOOSTED", "LINEAR", "NEURAL", "BoostedDefaults", "LinearDefaults", "NeuralDefaults"]


@dataclass(frozen=True)
class LinearDefaults:
    """Of `LinearRanker` (with ``l2``) and `LinearRankerCV` (with ``l2s`` and ``folds``)."""

    l2: float = 1e-3
    l2s: tuple[float, ...] = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
    folds: int = 5
    solver: str = "lbfgs"
    # Penalty and tolerance mean the same for features of any unit once these are scaled.
    scale: str = "standard"
    max_iter: int = 500
    tol: float = 1e-4


@dataclass(frozen=True)
class BoostedDefaults:
    """Of `BoostedRanker`; None leaves it to the engine."""

    n_estimators: int = 500
    learning_rate: float | None = 0.05
    num_leaves: int | None = 16
    l2: float | None = None
    min_data_in_leaf: int | None = None
    early_stopping_rounds: int | None = 50


@dataclass(frozen=True)
class NeuralDefaults:
    """Of `NeuralRanker`."""

    hidden: tuple[int, ...] = (64, 32)
    scale: str = "both"
    learning_rate: float = 1e-3
    weight_decay: float = 1e-2
    dropout: float = 0.2
    batch_items: int = 1024
    max_iter: int = 100
    patience: int = 10
    valid_share: float = 0.2


LINEAR, BOOSTED, NEURAL = LinearDefaults(), BoostedDefaults(), NeuralDefaults()
