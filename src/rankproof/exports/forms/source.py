"""A model to be exported: its exact form, and what it says itself of any row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.exports.forms.linear import LinearForm
from rankproof.exports.forms.network import NetworkForm
from rankproof.exports.forms.trees import TreeForm

__all__ = ["Form", "Source"]

Form: TypeAlias = TreeForm | LinearForm | NetworkForm


@dataclass(frozen=True, eq=False)
class Source:
    """A model that was read.

    ``scores`` is the model's own prediction, by whom ``by`` says. ``missing`` and ``infinite`` say whether it
    takes NaN and infinite numbers, ``tiny`` what size of numbers it does not tell from 0, and
    ``category_names`` what the codes of categorical features stand for.
    """

    form: Form
    scores: Callable[[NDArray[Any]], Float64s]
    by: str
    missing: bool = True
    infinite: bool = True
    tiny: float = 0.0
    category_names: dict[int, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
