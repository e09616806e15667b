"""Objectives of the engines that are plain losses, and have a name in this library too."""

from __future__ import annotations

from rankproof.losses.base import Loss
from rankproof.losses.parse import loss as loss_of
from rankproof.theory.shipped.objective import EngineObjective, engine_objective, is_engine_objective

__all__ = ["is_words", "plain_loss", "plain_loss_of"]

# Compared with the gradients of the installed engine by tests.
_PLAIN = {"catboost:QuerySoftMax": "softmax:gain(gain=linear)", "catboost:PairLogit": "RankNet"}


def plain_loss(objective: EngineObjective) -> Loss | None:
    """The loss that an objective is, up to a factor of the scores; None for objectives that are none.

    >>> plain_loss(engine_objective("catboost:QuerySoftMax"))
    softmax:gain(gain=linear)
    """
    spec = _PLAIN.get(f"{objective.engine}:{objective.name}")
    return None if spec is None else loss_of(spec)


def plain_loss_of(spec: str | None) -> tuple[EngineObjective, Loss] | None:
    """The objective and its loss, when a text names an objective that is a loss."""
    if spec is None or not is_engine_objective(spec):
        return None
    objective = engine_objective(spec)
    loss = plain_loss(objective)
    return None if loss is None else (objective, loss)


def is_words(objective: EngineObjective, loss: Loss) -> str:
    """What a verdict on the loss says to be one on the objective."""
    scale = ", up to the scale of the scores" if objective.parameters else ""
    return f"{objective} is the loss {loss}{scale} (read in {objective.shipped.cited})"
