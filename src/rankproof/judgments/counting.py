"""Exact means of targets over independent grades, for targets that follow from counts.

>>> from rankproof.targets import NormalisedGain
>>> laws = np.array([[0.1, 0.9], [0.5, 0.5]])
>>> form = NormalisedGain().count_form(np.array([0.0, 1.0]))
>>> exact_means(form, laws, np.array([0, 2]))  # .9 (.5 + .5 / 1.6309...), .5 (.1 + .9 / 1.6309...)
array([0.7259..., 0.3259...])
"""

from __future__ import annotations

import numpy as np

from rankproof.arrays import Float64s, Int64s, frozen
from rankproof.judgments.states import count_states, state_count
from rankproof.targets.count_form import CountForm
from rankproof.threads import chunks_by_items, run

__all__ = ["cost_of_counting", "exact_means"]

# More states than this are not listed.
MOST_STATES = 200_000


def cost_of_counting(form: CountForm, offsets: Int64s) -> float:
    """About how many steps `exact_means` takes; infinite where there are too many states."""
    if form.factor is None:
        return 0.0
    sizes = np.diff(offsets)
    classes, depth = int(form.classes.max(initial=0)), _depth(form, offsets)
    if classes == 0:
        return 0.0
    if state_count(classes, depth) > MOST_STATES:
        return float("inf")
    lengths, many = np.unique(sizes[sizes > 0], return_counts=True)
    if form.by_items and lengths.size * state_count(classes, depth) > 100 * MOST_STATES:
        return float("inf")
    steps = 0.0
    for n, count in zip(lengths.tolist(), many.tolist(), strict=True):
        steps += count * n * (1 + np.log2(n)) * state_count(classes, min(depth, n)) * classes
    return steps


def exact_means(form: CountForm, laws: Float64s, offsets: Int64s) -> Float64s:
    """The mean of u over independent grades; ``laws`` has P(grade) of every item."""
    if form.factor is None:
        means: Float64s = laws @ form.worths[form.classes]
        return means
    classes = int(form.classes.max(initial=0))
    if classes == 0:
        return np.zeros(laws.shape[0])
    from rankproof.kernels.targets.expected import expected_factors

    chances = np.zeros((laws.shape[0], classes + 1))
    for grade, own in enumerate(form.classes.tolist()):
        chances[:, own] += laws[:, grade]
    states = count_states(classes, _depth(form, offsets))
    sizes = np.diff(offsets)
    if form.by_items:
        lengths, row_of = np.unique(sizes, return_inverse=True)
    else:
        lengths, row_of = np.array([sizes.max(initial=0)]), np.zeros(sizes.size, np.int64)
    factors = np.array([form.factor(states.counts, int(n)) for n in lengths])
    arrays = (frozen(chances), frozen(offsets), frozen(np.asarray(form.worths, np.float64)))
    tables = (states.after, states.upto, frozen(factors), frozen(row_of.reshape(-1).astype(np.int64)))
    out = np.empty(laws.shape[0])
    run(lambda low, high: expected_factors(*arrays, *tables, low, high, out), chunks_by_items(offsets))
    return out


def _depth(form: CountForm, offsets: Int64s) -> int:
    longest = max(int(np.diff(offsets).max(initial=0)), 1)
    return longest if form.depth is None else min(form.depth, longest)
