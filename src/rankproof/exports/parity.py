"""Whether a target says what the model says: scores within the rounding of both, orders within queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.exports.forms.draft import Draft
from rankproof.exports.forms.evaluate import leaf_values
from rankproof.exports.forms.linear import LinearForm
from rankproof.exports.forms.source import Form, Source
from rankproof.exports.forms.trees import TreeForm
from rankproof.plain import html_text, json_text, plain_fields

__all__ = ["Parity", "check_parity"]

# Rounding to nearest, relative.
_UNIT = {"float32": 2.0**-24, "float64": 2.0**-53}


@dataclass(frozen=True)
class Parity:
    """How a target compares with its model.

    Parameters
    ----------
    rows, given_rows, queries : int
        Rows that were tried, how many of them were handed over with the model, and their queries.
    model, target : str
        Who scored them: the model's own engine, and the evaluator of the format.
    features : str
        The precision in which the target takes features.
    largest_difference : float
        The largest between the two scores of a row.
    tolerance : float
        The most that rounding can make, in the arithmetic of both, on any of the rows; every row is held to
        its own.
    wrong_rows : int
        Rows beyond it.
    other_leaves : int or None
        Where the target adds in the order of the model: rows whose score is not, to the last bit, the sum of
        the model's own leaves in the target's precision.
    orders_changed : int
        Neighbours in the order of a query that the target reverses although rounding cannot.
    near_ties : int
        Neighbours that it reverses because its rounding does not hold them apart.
    first_wrong : tuple of float or None
        The first row that is wrong.

    Examples
    --------
    >>> parity = Parity(40, 0, 2, "LightGBM 4.7.0", "onnxruntime", "float64", 0.0, 1e-15, 0, None, 0, 0)
    >>> parity.passed
    True
    >>> print(parity)
    parity: 40 rows in 2 queries, onnxruntime against LightGBM 4.7.0: largest difference 0 (rounding: up to
    1e-15), 0 wrong, 0 orders changed
    """

    rows: int
    given_rows: int
    queries: int
    model: str
    target: str
    features: str
    largest_difference: float
    tolerance: float
    wrong_rows: int
    other_leaves: int | None
    orders_changed: int
    near_ties: int
    first_wrong: tuple[float, ...] | None = None

    @property
    def passed(self) -> bool:
        """Whether no row is wrong and no order is changed."""
        return not (self.wrong_rows or self.orders_changed or self.other_leaves)

    def __str__(self) -> str:
        word = "parity" if self.passed else "NO PARITY"
        leaves = "" if self.other_leaves is None else f", {self.other_leaves} with another leaf"
        ties = f", {self.near_ties} near ties swapped" if self.near_ties else ""
        return (
            f"{word}: {self.rows:,} rows in {self.queries:,} queries, {self.target} against "
            f"{self.model}: largest difference "
            f"{self.largest_difference:.3g} (rounding: up to {self.tolerance:.3g}), {self.wrong_rows} "
            f"wrong{leaves}, "
            f"{self.orders_changed} orders changed{ties}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The fields, as plain data."""
        return {"passed": self.passed, **plain_fields(self)}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))


def check_parity(
    source: Source, draft: Draft, X: Float64s, offsets: NDArray[np.int64], own_rows: int
) -> Parity:
    """Ask both for the scores of the rows, whose queries begin at ``offsets``."""
    wanted = source.scores(X)
    scores = draft.evaluate(X) + draft.shift
    bound, exact = _bounds(source.form, draft, X)
    with np.errstate(invalid="ignore"):
        off = np.abs(scores - wanted)
    off = np.where(np.isnan(scores) | np.isnan(wanted), np.inf, off)
    wrong = ~(off <= bound)
    other = None if exact is None else int((exact != scores - draft.shift).sum())
    changed, near = _reversed(wanted, scores, bound, offsets)
    odd = wrong if exact is None else wrong | (exact != scores - draft.shift)
    first = tuple(X[int(np.argmax(odd))].tolist()) if odd.any() else None
    return Parity(
        rows=len(X),
        given_rows=own_rows,
        queries=offsets.size - 1,
        model=source.by,
        target=draft.evaluator,
        features=draft.precision,
        largest_difference=float(off.max(initial=0.0)),
        tolerance=float(bound.max(initial=0.0)),
        wrong_rows=int(wrong.sum()),
        other_leaves=other,
        orders_changed=changed,
        near_ties=near,
        first_wrong=first,
    )


def _bounds(form: Form, draft: Draft, X: Float64s) -> tuple[Float64s, Float64s | None]:
    """What rounding can make of every row; and the score in the target's arithmetic, if its order is known.

    The sum of n numbers, added one by one, is off by at most (n - 1) u times the sum of their sizes, to
    first order in u (Higham, *Accuracy and Stability of Numerical Algorithms*, 4.2).
    """
    if isinstance(form, TreeForm):
        unit = _UNIT[draft.sums] + _UNIT[form.sums]
        kind: Any = np.float32 if draft.sums == "float32" else np.float64
        sizes = np.full(len(X), abs(form.base))
        total = np.full(len(X), 0.0 if form.base_last else form.base, dtype=kind)
        for values in leaf_values(form, X):
            sizes += np.abs(values)
            total += values.astype(kind)
        if form.base_last:
            total = total + kind(form.base)
        bound = 1.01 * (len(form.trees) + 3) * unit * sizes
        return bound, total.astype(np.float64) if draft.sequential else None
    if isinstance(form, LinearForm):
        sizes = np.abs(X) @ np.abs(form.weights) + abs(form.intercept)
        unit = _UNIT[draft.sums] + _UNIT["float64"]
        return 1.01 * (form.features + 4) * unit * sizes, None
    unit = 2 * _UNIT["float32"]
    h = X if form.centre is None or form.divisor is None else (X - form.centre) / form.divisor
    if form.squash:
        h = np.sign(h) * np.log1p(np.abs(h))
    off = unit * np.abs(h) + 4 * _UNIT["float64"]
    for layer in form.layers:
        weights = np.abs(layer.weights.astype(np.float64))
        sizes = np.abs(h) @ weights.T + np.abs(layer.biases)
        # No activation here spreads two numbers apart; the functions themselves are within 4 units.
        off = (off @ weights.T + (weights.shape[1] + 3) * unit * sizes) * 1.01
        h = _activated(layer.activation, h @ layer.weights.T.astype(np.float64) + layer.biases)
        off = off + 4 * unit * np.abs(h)
    return off[:, 0], None


def _activated(name: str, h: Float64s) -> Float64s:
    from rankproof.exports.forms.network import activated

    return activated(name, h)


def _reversed(
    wanted: Float64s, scores: Float64s, bound: Float64s, offsets: NDArray[np.int64]
) -> tuple[int, int]:
    """Neighbours in the model's order, query by query, that the target has the other way round."""
    query = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    order = np.lexsort((-wanted, query))
    first, second = order[:-1], order[1:]
    together = (query[first] == query[second]) & (wanted[first] > wanted[second])
    turned = together & (scores[first] < scores[second])
    apart = wanted[first] - wanted[second] > bound[first] + bound[second]
    return int((turned & apart).sum()), int((turned & ~apart).sum())
