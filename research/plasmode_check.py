"""Are plasmode worlds like the data they were fitted to? Label by label, and method by method.

    python research/plasmode_check.py likeness [--world mq2008]     marginals and dependence, side by side
    python research/plasmode_check.py memory [--world mq2008]       do learners remember rows of real lists
    python research/plasmode_check.py order --cache order.jsonl     ten methods on the data and on the world

``likeness`` compares the data with a sample of the world of the same number of queries: what share of items
has each grade, how many relevant items queries have, what a ranker trained on the data scores them, how the
residuals of a classifier (cross-validated in the same way on both) go together within queries, and how well
trees tell made rows from real ones (area under the ROC curve; 0.5 is not at all).

``memory`` splits the real lists into halves, each a world of its own with the same law, and trains on one:
how much better is a ranker on new lists from its own half than on those from the other?

``order`` trains ten methods by five-fold cross-validation on the data, and several times on as many queries
of the world; there they are measured exactly. Both times the number of trees is the best of the mean over
runs. Pairs that differ significantly on the data (paired t-test over queries) are counted by whether the
world has the same sign.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from scipy.stats import kendalltau, ks_2samp, ttest_rel

import benchmark_path  # noqa: F401  (finds shared)
import rankproof as rp
from boosting_candidates import Candidate
from judged_worlds import METRICS, WORLDS, test, world_of
from rankproof.data.split import query_folds
from rankproof.threads import using
from rankproof.worlds.plasmode.lists import ListMaker, normal_scores
from rankproof.worlds.plasmode_world import TOPICS
from shared.judged_sets import whole_of
from shared.made_data import dense
from shared.resumed import Job, key, run

TREES, EVERY, FOLDS = 200, 25, 5
BOOSTED = {
    "LightGBM lambdarank": "lgb=lambdarank",
    "LightGBM rank_xendcg": "lgb=rank_xendcg",
    "XGBoost rank:ndcg": "xgb=rank:ndcg",
    "CatBoost YetiRank": "cat=YetiRank",
    "CatBoost QueryRMSE": "cat=QueryRMSE|labels=nDCG@10",
    "lift": "lift:nDCG@10|query=1/n|step=double",
    "softmax": "softmax:nDCG@10|step=limited",
    "regression of grades": "lgb=regression",
}
LINEAR, FEATURE = "linear ranker", "best single feature"
METHODS = [*BOOSTED, LINEAR, FEATURE]
CLASSIFIER = {"verbose": -1, "num_threads": 1, "learning_rate": 0.05, "num_leaves": 12}
SHOWN = ["nDCG@10", "nDCG", "AP"]


def scores_of(method: str, train: rp.RankingData, held: rp.RankingData, seed: int) -> list[np.ndarray]:
    """Scores of the held-out data, after every few trees where there are any."""
    if method in BOOSTED:
        candidate = Candidate.read(BOOSTED[method])
        (stages,) = candidate.staged(train, [held], seed=seed, trees=TREES, every=EVERY)
        return [stage.astype(float) for stage in stages]
    if method == LINEAR:
        ranker = rp.LinearRanker("nDCG@10").fit(dense(train), train.labels, qid=train.qids)
        return [ranker.predict(dense(held))]
    columns = np.hstack((dense(train), -dense(train))).astype(float)
    with using(1):
        values = [rp.evaluate(column, train, METRICS["nDCG@10"]).mean for column in columns.T]
    best = int(np.argmax([next(iter(value.values())) for value in values]))
    features = dense(train).shape[1]
    return [dense(held)[:, best % features].astype(float) * (1 if best < features else -1)]


def real_run(job: Job) -> Any:
    """The values of every query of a held-out fold of the data."""
    data = whole_of(job["world"])
    rest, held = query_folds(data, FOLDS, seed=0, index=True)[job["run"]]
    part = data[held]
    found: dict[str, list[list[float]]] = {name: [] for name in SHOWN}
    for scores in scores_of(job["method"], data[rest], part, job["run"]):
        results = rp.evaluate(scores, part, [METRICS[name] for name in SHOWN], warn=False)
        for name in SHOWN:
            found[name].append(np.round(results.per_query[METRICS[name]], 6).tolist())
    return found


def world_run(job: Job) -> Any:
    """The exact values on test queries of the world, after training on as many queries as a fold leaves."""
    world = world_of(job["world"])
    size = world.queries * (FOLDS - 1) // FOLDS
    train, drawn = world.sample(size, seed=500 + job["run"]), test(job["world"], job["run"])
    found: dict[str, list[float]] = {name: [] for name in SHOWN}
    for scores in scores_of(job["method"], train, drawn.drawn(0), job["run"]):
        for name, value in zip(
            SHOWN, drawn.means([METRICS[name] for name in SHOWN], scores).values(), strict=True
        ):
            found[name].append(round(value, 6))
    return found


def either_run(job: Job) -> Any:
    """A run on the data or on the world."""
    return (real_run if job["on"] == "data" else world_run)(job)


def order(name: str, cache: Path, runs: int) -> None:
    """Print how the methods come out on the data and on the world, and whether the signs agree."""
    digest = world_of(name).digest[:12]
    jobs = [
        {"on": on, "world": name, "digest": digest if on == "world" else "", "method": method, "run": k}
        for on, count in (("data", FOLDS), ("world", runs))
        for k in range(count)
        for method in METHODS
    ]
    found = run(jobs, either_run, cache)

    def kept(on: str, method: str) -> list[Any]:
        return [found[key(job)] for job in jobs if job["on"] == on and job["method"] == method]

    for metric in SHOWN:
        by_query, on_data, on_world = {}, [], []
        for method in METHODS:
            stages = np.concatenate([np.array(one[metric]) for one in kept("data", method)], axis=1)
            by_query[method] = stages[stages.mean(axis=1).argmax()]
            on_data.append(by_query[method].mean())
            on_world.append(np.mean([one[metric] for one in kept("world", method)], axis=0).max())
        print(f"\n{name}, {metric}: on the data, on the world ({runs} runs)")
        for k in np.argsort(on_data)[::-1]:
            print(f"  {METHODS[k]:22} {on_data[k]:.4f}  {on_world[k]:.4f}")
        tau = kendalltau(on_data, on_world).statistic
        pairs = list(combinations(range(len(METHODS)), 2))
        p_values = np.array([ttest_rel(by_query[METHODS[i]], by_query[METHODS[j]]).pvalue for i, j in pairs])
        same = np.array([(on_data[i] - on_data[j]) * (on_world[i] - on_world[j]) > 0 for i, j in pairs])
        for label, chosen in (("p < .05", p_values < 0.05), ("p < .05 after Holm", holm(p_values) < 0.05)):
            print(f"  pairs with {label}: {chosen.sum()}, same sign on the world: {(same & chosen).sum()}")
        for (i, j), p, agrees in zip(pairs, p_values, same, strict=True):
            if p < 0.05 and not agrees:
                print(
                    f"    not: {METHODS[i]} less {METHODS[j]}: {on_data[i] - on_data[j]:+.4f} (p = {p:.3f}), "
                    f"{on_world[i] - on_world[j]:+.4f}"
                )
        print(f"  Kendall's tau of the ten values: {tau:.2f}")


def holm(p_values: np.ndarray) -> np.ndarray:
    """Adjusted by Holm's method."""
    order_of_p = np.argsort(p_values)
    steps = np.maximum.accumulate(p_values[order_of_p] * np.arange(p_values.size, 0, -1))
    adjusted = np.empty(p_values.size)
    adjusted[order_of_p] = np.minimum(steps, 1.0)
    return adjusted


def likeness(name: str) -> None:
    """Print marginals and dependence of the data and of a sample of the world."""
    real, world = whole_of(name), world_of(name)
    made = world.sample(real.queries, seed=11)
    print(f"\n{name}: {real}; world {world.digest[:12]}: {made}")
    for grade in world.grades[1:]:
        share = [(data.labels >= grade).mean() for data in (real, made)]
        print(f"  share of items of grade {grade:g} or higher: {share[0]:.4f}  {share[1]:.4f}")
    shares = [relevant(data) / data.sizes for data in (real, made)]
    print(f"  queries without a relevant item: {(shares[0] == 0).mean():.3f}  {(shares[1] == 0).mean():.3f}")
    show_quantiles("the share relevant", shares, (0.1, 0.25, 0.5, 0.75, 0.9))
    print(f"  Kolmogorov-Smirnov p of that share: {ks_2samp(shares[0], shares[1]).pvalue:.3f}")
    halves = boosters(real)
    scores = [classifier_scores(halves, data) for data in (real, made)]
    show_quantiles("a classifier's scores", scores, (0.1, 0.5, 0.9, 0.99))
    pairs = [residual_products(data) for data in (real, made)]
    for row, what in enumerate(("all pairs of a query", "nearest neighbours in a query")):
        print(f"  correlation of residuals, {what}: {pairs[0][row]:.3f}  {pairs[1][row]:.3f}")
    print(f"  real rows against made ones, area under the ROC curve: {telling_apart(real):.3f}")


def relevant(data: rp.RankingData) -> np.ndarray:
    """How many items above the lowest grade each query has."""
    return np.add.reduceat((data.labels > 0).astype(float), data.offsets[:-1])


def show_quantiles(what: str, values: list[np.ndarray], levels: tuple[float, ...]) -> None:
    """Print quantiles of the data and of the sample."""
    for level in levels:
        cells = "  ".join(f"{np.quantile(one, level):.3f}" for one in values)
        print(f"  quantile {level} of {what}: {cells}")


def boosters(data: rp.RankingData) -> list[Any]:
    """Classifiers of relevance, of the queries with even and with odd numbers."""
    import lightgbm as lgb

    models = []
    for parity in (0, 1):
        rows = np.repeat(np.arange(data.queries) % 2 == parity, data.sizes)
        table = lgb.Dataset(dense(data)[rows], (data.labels > 0)[rows].astype(float))
        models.append(lgb.train({**CLASSIFIER, "objective": "binary"}, table, 100))
    return models


def classifier_scores(models: list[Any], data: rp.RankingData) -> np.ndarray:
    """Log odds of relevance: every query by the model of the other half."""
    odd = np.repeat(np.arange(data.queries) % 2, data.sizes).astype(bool)
    scores = [model.predict(dense(data), raw_score=True) for model in models]
    chosen: np.ndarray = np.where(odd, scores[0], scores[1])
    return chosen


def residual_products(data: rp.RankingData) -> tuple[float, float]:
    """The correlation of residuals of pairs in a query: of all, and of items with their nearest neighbour."""
    chance = 1 / (1 + np.exp(-classifier_scores(boosters(data), data)))
    residual = ((data.labels > 0) - chance) / np.sqrt(chance * (1 - chance))
    places = normal_scores(dense(data))
    every, near = [], []
    for low, high in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        r, size = residual[low:high], high - low
        if size < 2:
            continue
        every.append((r.sum() ** 2 - (r**2).sum()) / (size * (size - 1)))
        own = places[low:high]
        squares = np.square(own).sum(axis=1)
        distances = squares[:, None] + squares - 2 * own @ own.T
        np.fill_diagonal(distances, np.inf)
        near.append(np.mean(r * r[distances.argmin(axis=1)]))
    scale = float(np.square(residual).mean())
    return float(np.mean(every)) / scale, float(np.mean(near)) / scale


def telling_apart(real: rp.RankingData) -> float:
    """How well trees that saw half of the real lists, and lists made of them, tell those of the other."""
    import lightgbm as lgb

    def rows(half: rp.RankingData, seed: int) -> tuple[np.ndarray, np.ndarray]:
        X = dense(half)
        lists = ListMaker(X, half.offsets, topics=TOPICS).make(half.queries, np.random.default_rng(seed))
        return np.concatenate((X, lists.X)), np.repeat([0.0, 1.0], [len(X), len(lists.X)])

    X, y = rows(real[::2], 0)
    X_held, y_held = rows(real[1::2], 1)
    model = lgb.train({**CLASSIFIER, "objective": "binary"}, lgb.Dataset(X, y), 100)
    scores = np.asarray(model.predict(X_held))
    ranks = np.argsort(np.argsort(scores)) + 1.0
    ones = y_held.sum()
    return float((ranks[y_held == 1].sum() - ones * (ones + 1) / 2) / (ones * (y_held.size - ones)))


def memory(name: str, sizes: list[int]) -> None:
    """Print how much better rankers are on lists made of the rows they were trained on lists of."""
    world = world_of(name)
    data = whole_of(name)
    halves = []
    for queries in query_folds(data, 2, seed=0, index=True):
        part = data[queries[1]]
        halves.append(replace(world, _lists=ListMaker(dense(part), part.offsets, topics=TOPICS)))
    tests = [half.sample_with_draws(1000, seed=1, draws=32) for half in halves]
    for size in sizes:
        own, other = [], []
        for k, half in enumerate(halves):
            train = half.sample(size, seed=2)
            for candidate in (BOOSTED["lift"], "lgb=lambdarank"):
                staged = Candidate.read(candidate).staged(
                    train, [drawn.drawn(0) for drawn in tests], seed=0, trees=TREES, every=TREES // 2
                )
                values = [
                    drawn.means(METRICS["nDCG@10"], stages[0].astype(float))[METRICS["nDCG@10"]]
                    for drawn, stages in zip(tests, staged, strict=True)
                ]
                own.append(values[k])
                other.append(values[1 - k])
        print(
            f"{name}, {size} training queries, nDCG@10 after {TREES // 2} trees: "
            f"own half {np.mean(own):.4f}, other half {np.mean(other):.4f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("check", choices=["likeness", "memory", "order"])
    parser.add_argument("--world", action="append", choices=WORLDS, help="all by default")
    parser.add_argument("--cache", type=Path, help="file of finished runs, for order")
    parser.add_argument("--runs", type=int, default=3, help="runs on the world, for order")
    parser.add_argument("--queries", action="append", type=int, help="for memory; 1000 and 10000 by default")
    args = parser.parse_args()
    if args.check == "order" and args.cache is None:
        parser.error("order needs --cache FILE")
    for name in args.world or WORLDS:
        if args.check == "likeness":
            likeness(name)
        elif args.check == "memory":
            memory(name, args.queries or [1000, 10_000])
        else:
            order(name, args.cache, args.runs)


if __name__ == "__main__":
    main()
