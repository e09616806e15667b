"""Rows to try an export on: on, just below and just above every threshold, and at the edges of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.exports.forms.source import Form
from rankproof.exports.forms.thresholds import down32, splits_of, up32
from rankproof.exports.forms.trees import LARGEST_CATEGORY, BoostedTree, TreeForm

__all__ = ["Domain", "made_rows"]

_LARGEST = float(np.finfo(np.float32).max)
_EDGES = (0.0, -0.0, 1e-45, -1e-45, 1.1754944e-38, -1.1754944e-38, 1e-35, -1e-35, 1e-6, -1e-6, 1.0, -1.0)
_SIZES = (1e9, -1e9, _LARGEST, -_LARGEST, np.inf, -np.inf)
_LINEAR_SIZES = (1e-6, 1.0, 1e3, 1e6)


@dataclass(frozen=True)
class Domain:
    """What can be asked both of the model and of the target."""

    precision: str
    missing: bool
    infinite: bool
    tiny: float
    categorical: tuple[int, ...] = ()

    def clipped(self, X: Float64s) -> Float64s:
        """Rows with what is outside brought in: the nearest float32; 0 for missing and what counts as 0."""
        out = np.array(X, dtype=np.float64)
        if self.precision == "float32":
            with np.errstate(over="ignore", under="ignore"):
                out = out.astype(np.float32).astype(np.float64)
        out[(np.abs(out) <= self.tiny) & (out != 0)] = 0.0
        if not self.missing:
            out[np.isnan(out)] = 0.0
        if not self.infinite:
            big = np.abs(out) >= _LARGEST
            out[big] = np.sign(out[big]) * 1e38
        for column in self.categorical:
            codes = out[:, column]
            wrong = ~np.isnan(codes) & ((codes < 0) | (codes > LARGEST_CATEGORY) | (codes != np.trunc(codes)))
            codes[wrong] = 0.0
        return out


def made_rows(form: Form, domain: Domain, *, least: int, most: int, seed: int = 0) -> Float64s:
    """Rows for a form, from ``least`` to about ``most``; the same for the same form and seed."""
    random = np.random.default_rng(seed)
    if not isinstance(form, TreeForm):
        sizes = random.choice(_LINEAR_SIZES, size=(least, form.features))
        X = random.normal(size=(least, form.features)) * sizes
        X[random.random(X.shape) < 0.1] = 0.0
        return domain.clipped(X)
    values = _values(form, domain)
    reached = _reaching(form, values, random, most)
    size = max(max((len(one) for one in values), default=1), least - len(reached))
    grid = np.empty((min(size, most), form.features))
    for column, one in enumerate(values):
        grid[:, column] = np.resize(random.permutation(one), len(grid))
    # Half of the grid with fewer odd values, so that splits far down are seen too.
    calm = random.random(grid.shape) < np.linspace(0, 0.9, len(grid))[:, np.newaxis]
    usual = random.normal(size=grid.shape)
    for column in form.categorical:
        usual[:, column] = random.integers(0, 8, len(grid))
    grid = np.where(calm, usual, grid)
    return domain.clipped(np.concatenate([grid, reached]))


def _around(threshold: float, precision: str) -> list[float]:
    """The float32 on both sides of a threshold and their neighbours; in double precision, its own as well."""
    low, high = down32(threshold), up32(threshold)
    with np.errstate(over="ignore", under="ignore"):
        near = [np.nextafter(low, np.float32(-np.inf)), low, high, np.nextafter(high, np.float32(np.inf))]
    values = [float(one) for one in near]
    if precision == "float64":
        values += [threshold, float(np.nextafter(threshold, -np.inf)), float(np.nextafter(threshold, np.inf))]
    return values


def _values(form: TreeForm, domain: Domain) -> list[NDArray[Any]]:
    """For every feature: each of its thresholds with its neighbours, the edges, and missing."""
    values: list[set[float]] = [set() for _ in range(form.features)]
    for number, node, feature in splits_of(form):
        tree = form.trees[number]
        if node in tree.categories:
            codes = tree.categories[node]
            values[feature].update(map(float, codes))
            values[feature].update(
                (0.0, max(codes, default=0) + 1.0, 31.0, 32.0, 63.0, 64.0, float(LARGEST_CATEGORY))
            )
        else:
            values[feature].update(_around(tree.threshold[node], domain.precision))
    categorical = form.categorical
    arrays = []
    for column, one in enumerate(values):
        edges = () if column in categorical else (*_EDGES, *_SIZES)
        arrays.append(np.array([*sorted(one), *edges, *([np.nan] * (1 + len(one) // 20))]))
    return arrays


def _reaching(form: TreeForm, values: list[NDArray[Any]], random: np.random.Generator, most: int) -> Float64s:
    """For every split, rows that come to it from the root, with its feature on each side of the threshold."""
    rows: list[Float64s] = []
    parents = [_parents(tree) for tree in form.trees]
    splits = list(splits_of(form))
    if len(splits) * 5 > most:
        splits = [splits[place] for place in random.permutation(len(splits))[: max(1, most // 5)]]
    for number, node, feature in splits:
        tree = form.trees[number]
        base = np.array([one[random.integers(len(one))] for one in values])
        for ancestor, left in _path(parents[number], node):
            _steer(form, tree, ancestor, base, left=left)
        options = (
            [*map(float, tree.categories[node][:3]), float(random.integers(0, 64))]
            if node in tree.categories
            else _around(tree.threshold[node], "float32")
        )
        for option in (*options, np.nan):
            row = base.copy()
            row[feature] = option
            rows.append(row)
    return np.array(rows).reshape(len(rows), form.features)


def _parents(tree: BoostedTree) -> dict[int, tuple[int, bool]]:
    known_parents = {}
    for node, _ in tree.walk():
        if tree.feature[node] >= 0:
            known_parents[int(tree.left[node])] = (node, True)
            known_parents[int(tree.right[node])] = (node, False)
    return known_parents


def _path(parents: dict[int, tuple[int, bool]], node: int) -> list[tuple[int, bool]]:
    """The splits above a node and the side it lies on, from the root."""
    path = []
    while node in parents:
        node, left = parents[node]
        path.append((node, left))
    return path[::-1]


def _steer(form: TreeForm, tree: BoostedTree, node: int, row: Float64s, *, left: bool) -> None:
    """Change the feature of a split, where needed, so that the row goes to this side."""
    feature = int(tree.feature[node])
    x = row[feature]
    if node in tree.categories:
        inside = not np.isnan(x) and int(x) in tree.categories[node]
        if inside != left:
            outside = next(code for code in range(LARGEST_CATEGORY) if code not in tree.categories[node])
            row[feature] = (
                float(tree.categories[node][0]) if left and tree.categories[node] else float(outside)
            )
        return
    threshold = tree.threshold[node]
    if np.isnan(x):
        goes = form.goes_left_when_missing(tree, node)
    else:
        goes = bool(x < threshold if form.strict else x <= threshold)
    if goes != left:
        with np.errstate(over="ignore", under="ignore"):
            if left:
                row[feature] = float(np.nextafter(up32(threshold), np.float32(-np.inf)))
            else:
                row[feature] = float(np.nextafter(down32(threshold), np.float32(np.inf)))
