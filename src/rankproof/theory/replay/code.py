"""The loss of a verdict, without running a user's file unless that is allowed."""

from __future__ import annotations

from rankproof.errors import ArgumentError, DataError
from rankproof.losses.base import Loss
from rankproof.losses.parse import loss as loss_of
from rankproof.theory.base.verdict import FUNCTION, Verdict
from rankproof.theory.custom.loss import UserLoss, as_user_loss
from rankproof.user_code import is_place, load_function

__all__ = ["CodeNotRunError", "loss_of_verdict"]


class CodeNotRunError(ArgumentError):
    """Evidence names a Python file that would have to be run to check it.

    Attributes
    ----------
    place : str
        The file and the function in it.
    """

    def __init__(self, place: str) -> None:
        self.place = place
        super().__init__(
            f"The evidence is about the loss {place!r}, and to check it the file {self.file!r} has to be "
            "run. Evidence may name any file, so that is not done unasked: read the file, and if you trust "
            "it, use replay(..., run_code=True)."
        )

    @property
    def file(self) -> str:
        """The file alone."""
        return self.place if self.place.endswith(".py") else self.place.rpartition(":")[0]


def loss_of_verdict(verdict: Verdict, run_code: bool) -> Loss | UserLoss:
    """The loss that a verdict names; a function in a file only with ``run_code``."""
    if verdict.loss is None:
        raise DataError("a counterexample needs the loss that it refutes")
    if verdict.loss.startswith(FUNCTION):
        raise DataError(
            f"the loss {verdict.loss} was given in Python and is not at hand; write it into a file, and ask "
            "for it as my_loss.py:name"
        )
    if not is_place(verdict.loss):
        return loss_of(verdict.loss)
    if not run_code:
        raise CodeNotRunError(verdict.loss)
    return as_user_loss(load_function(verdict.loss), convex=verdict.scope.get("convex"), name=verdict.loss)
