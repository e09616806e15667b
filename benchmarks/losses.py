"""Pairwise losses side by side: 10,000 queries of 120 items, value, gradient and diagonal Hessian.

    python benchmarks/losses.py [--json] [--quick] [--queries N] [--threads N]

The peers: the same sums as a compiled loop over all pairs (numba, as many threads), as padded tensors in
torch, LightGBM's lambdarank (its training time less that of plain regression with the same trees), and a bare
sort of the same scores, query by query. Results are compared before anything is timed.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial

import numba
import numpy as np

from rankproof.kernels.metrics.order import sort_queries
from rankproof.losses.base import LossResult
from rankproof.losses.order_preserving import OrderPreserving
from rankproof.losses.preorder import Preorder
from rankproof.threads import chunks_by_items, run, thread_count, using
from shared.made_data import Arrays, equal_lists
from shared.table import Row, best_in_turns, best_of, options, show

ITEMS = 120
MARGINS = ("squared-hinge", "huber")
WIDTH = 0.5


@numba.njit(nogil=True)
def squared(t: float) -> tuple[float, float, float]:
    if t >= 1.0:
        return 0.0, 0.0, 0.0
    return (1.0 - t) * (1.0 - t), 2.0 * (t - 1.0), 2.0


@numba.njit(nogil=True)
def huber(t: float) -> tuple[float, float, float]:
    if t >= 1.0 + WIDTH:
        return 0.0, 0.0, 0.0
    if t < 1.0 - WIDTH:
        return 1.0 - t, -1.0, 0.0
    d = 1.0 + WIDTH - t
    return d * d / (4.0 * WIDTH), -d / (2.0 * WIDTH), 1.0 / (2.0 * WIDTH)


def all_pairs(margin: Callable[[float], tuple[float, float, float]]) -> tuple[Callable[..., None], ...]:
    """The order-preserving and the preorder loss as plain loops over all pairs."""

    @numba.njit(nogil=True)
    def order_preserving(scores, u, offsets, low, high, values, gradient, hessian):  # type: ignore[no-untyped-def]
        for q in range(low, high):
            start, end = offsets[q], offsets[q + 1]
            total = 0.0
            for i in range(start, end):
                g, h = 0.0, 0.0
                for j in range(start, end):
                    if i != j:
                        v, d, b = margin(scores[i] - scores[j])
                        total += u[i] * v
                        g += u[i] * d
                        h += u[i] * b
                        gradient[j] -= u[i] * d
                        hessian[j] += u[i] * b
                gradient[i] += g
                hessian[i] += h
            values[q] = total

    @numba.njit(nogil=True)
    def preorder(scores, y, offsets, low, high, values, gradient, hessian):  # type: ignore[no-untyped-def]
        for q in range(low, high):
            start, end = offsets[q], offsets[q + 1]
            total = 0.0
            for i in range(start, end):
                g, h = 0.0, 0.0
                for j in range(start, end):
                    if y[i] > y[j]:
                        v, d, b = margin(scores[i] - scores[j])
                        total += v
                        g += d
                        h += b
                        gradient[j] -= d
                        hessian[j] += b
                gradient[i] += g
                hessian[i] += h
            values[q] = total

    return order_preserving, preorder


def loop_over_pairs(loop: Callable[..., None], data: Arrays) -> Arrays:
    """One of `all_pairs`, on as many threads as our losses."""
    scores, targets, offsets = data
    values, gradient, hessian = np.zeros(offsets.size - 1), np.zeros(scores.size), np.zeros(scores.size)
    work = partial(loop, scores, targets, offsets)
    run(lambda a, b: work(a, b, values, gradient, hessian), chunks_by_items(offsets))
    return values, gradient, hessian


def in_torch(name: str, margin: str, data: Arrays, batch: int = 100) -> Arrays:
    """Padded tensors, a batch of queries at a time: what a training loop in torch does."""
    import torch

    torch.set_num_threads(thread_count())
    scores, targets, offsets = (torch.from_numpy(x) for x in data)
    queries = offsets.numel() - 1
    s_all, u_all = scores.view(queries, -1), targets.view(queries, -1)
    parts: list[list[torch.Tensor]] = [[], [], []]
    for start in range(0, queries, batch):
        s, u = s_all[start : start + batch], u_all[start : start + batch]
        t = s[:, :, None] - s[:, None, :]
        if margin == "huber":
            line, d = t < 1 - WIDTH, (1 + WIDTH - t).clamp(min=0)
            v = torch.where(line, 1 - t, d * d / (4 * WIDTH))
            g = torch.where(line, -1.0, -d / (2 * WIDTH))
            h = ((t >= 1 - WIDTH) & (t < 1 + WIDTH)).to(t.dtype) / (2 * WIDTH)
        else:
            d = (1 - t).clamp(min=0)
            v, g, h = d * d, -2 * d, 2.0 * (t < 1).to(t.dtype)
        if name == "preorder":
            w = (u[:, :, None] > u[:, None, :]).to(t.dtype)
        else:
            w = u[:, :, None] * (1 - torch.eye(s.shape[1], dtype=t.dtype))
        v, g, h = v * w, g * w, h * w
        parts[0].append(v.sum((1, 2)))
        parts[1].append(g.sum(2) - g.sum(1))
        parts[2].append(h.sum(2) + h.sum(1))
    values, gradient, hessian = (torch.cat(part).reshape(-1).numpy() for part in parts)
    return values, gradient, hessian


def same(name: str, ours: LossResult, theirs: Arrays) -> None:
    """Nothing is timed that does not compute the same."""
    assert ours.hessian is not None
    for mine, other in zip((ours.per_query, ours.gradient, ours.hessian), theirs, strict=True):
        gap = np.abs(mine - other).max() / np.abs(other).max()
        assert gap < 1e-10, f"{name}: results differ by {gap:.1e}"


def rows_of_losses(data: Arrays) -> tuple[list[Row], dict[str, float]]:
    """Each loss against the loop and torch, and its seconds."""
    scores, labels, offsets = data
    rows, times = [], {}
    for margin in MARGINS:
        loops = all_pairs(huber if margin == "huber" else squared)
        for loss, loop in zip((OrderPreserving(margin=margin), Preorder(margin=margin)), loops, strict=True):
            targets = np.exp2(labels) - 1 if loss.name == "order-preserving" else labels
            name, mine = f"{loss.name}, {margin}", (scores, targets, offsets)
            ours = partial(loss.fast, *mine, hessian=True)
            by_loop, by_torch = (
                partial(loop_over_pairs, loop, mine),
                partial(in_torch, loss.name, margin, mine),
            )
            found = ours()
            for peer in (by_loop(), by_torch()):
                same(name, found, peer)
            slow, fast = best_in_turns(3, (1, by_loop), (5, ours))
            times[name] = fast
            rows.append(Row(f"{name}: against all pairs", fast * 1e3, slow * 1e3, "ms", 6))
            rows.append(Row(f"{name}: against torch", fast * 1e3, best_of(1, by_torch) * 1e3, "ms", 20))
    return rows, times


def rows_of_long_queries() -> list[Row]:
    """One query of 10,000 items against all pairs, and a hundred times as many items against that."""
    rows, huge = [], equal_lists(1, 10_000)
    loops = all_pairs(huber)
    for loss, loop in zip((OrderPreserving(margin="huber"), Preorder(margin="huber")), loops, strict=True):
        ours, peer = (
            partial(loss.fast, *huge, hessian=True),
            partial(loop_over_pairs, loop, huge),
        )
        found = ours()
        same(loss.name, found, peer())
        fast = best_of(30, ours)
        rows.append(
            Row(
                f"{loss.name}, huber: one query of 10,000 items",
                fast * 1e3,
                best_of(3, peer) * 1e3,
                "ms",
                300,
            )
        )
        larger = partial(loss.fast, *equal_lists(1, 1_000_000), hessian=True)
        larger()
        rows.append(
            Row(
                f"{loss.name}, huber: 1,000,000 items against 10,000",
                best_of(3, larger) * 1e3,
                fast * 1e3,
                "ms",
                250,
                "lower",
            )
        )
    return rows


@numba.njit(nogil=True)
def sort_each(scores, offsets, low, high, order):  # type: ignore[no-untyped-def]
    for q in range(low, high):
        order[offsets[q] : offsets[q + 1]] = np.argsort(scores[offsets[q] : offsets[q + 1]])


def rows_of_sorting(data: Arrays, times: dict[str, float]) -> list[Row]:
    """A bare sort of each query: the faster of a compiled loop and numpy's argsort, called query by query."""
    scores, _, offsets = data
    chunks, order = chunks_by_items(offsets), np.empty(scores.size, np.int64)

    def compiled() -> None:
        run(lambda a, b: sort_each(scores, offsets, a, b, order), chunks)

    def by_numpy() -> None:
        def some(low: int, high: int) -> None:
            for q in range(low, high):
                order[offsets[q] : offsets[q + 1]] = np.argsort(scores[offsets[q] : offsets[q + 1]])

        run(some, chunks)

    compiled()
    bare = min(best_of(7, compiled), best_of(7, by_numpy))
    places, ends = np.empty(scores.size, np.int32), np.empty(scores.size, np.int32)
    tied, depth = np.empty(offsets.size - 1, np.bool_), np.diff(offsets)
    batched = best_of(
        15,
        lambda: run(lambda a, b: sort_queries(scores, offsets, depth, places, ends, tied, a, b), chunks),
    )
    print(
        f"bare sort of each query {bare * 1e3:.1f} ms; our sort of whole batches {batched * 1e3:.1f} ms",
        file=sys.stderr,
    )
    return [
        Row(f"{name}: against a bare sort of each query", time * 1e3, bare * 1e3, "ms", 2.5, "lower")
        for name, time in times.items()
    ]


def rows_of_lightgbm(data: Arrays, times: dict[str, float]) -> list[Row]:
    """What lambdarank adds to a training iteration: the gradients, for trees that cost the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import lightgbm

    scores, labels, offsets = data
    features = np.stack((scores, np.random.default_rng(1).normal(size=scores.size)), axis=1)
    rounds = 20

    def train(objective: str) -> Callable[[], object]:
        parameters = {
            "objective": objective,
            "num_leaves": 4,
            "num_threads": thread_count(),
            "verbosity": -1,
            "force_row_wise": True,
            "max_bin": 63,
        }
        ready = lightgbm.Dataset(
            features, labels, group=np.diff(offsets), params=parameters, free_raw_data=False
        )
        ready.construct()
        return lambda: lightgbm.train(parameters, ready, num_boost_round=rounds)

    ranked, regressed = train("lambdarank"), train("regression")
    with_pairs, without = best_in_turns(4, (1, ranked), (1, regressed))
    peer = (with_pairs - without) / rounds
    return [
        Row(f"{name}: against lambdarank's share in LightGBM", time * 1e3, peer * 1e3, "ms", 3)
        for name, time in times.items()
    ]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--queries", type=int, help="10,000 unless said otherwise, 2,000 with --quick")
    parser.add_argument("--threads", type=int, default=None)
    args = parser.parse_args()
    data = equal_lists(args.queries or (2_000 if args.quick else 10_000), ITEMS)
    with using(args.threads):
        rows, times = rows_of_losses(data)
        rows += rows_of_long_queries()
        rows += rows_of_sorting(data, times)
        rows += rows_of_lightgbm(data, times)
    sys.exit(0 if show(rows, as_json=args.json) else 1)


if __name__ == "__main__":
    main()
