"""The faults that ``scripts/faults`` seeds: each a small change that alters what the package computes.

The text to replace occurs exactly once in the package, so a fault is found wherever its file is moved to.
"""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """One fault: the top folder it stands in, the text, what stands there instead, and what that breaks."""

    folder: str
    old: str
    new: str
    breaks: str


FAULTS = (
    # Kernels -------------------------------------------------------------------------------------
    Fault(
        "kernels",
        "total += mass / (end - i) * (running[min(end, last)] - running[i])",
        "total += mass / (end - i + 1) * (running[min(end, last)] - running[i])",
        "DCG: the mean gain of a tie group is divided by one item too many",
    ),
    Fault(
        "kernels",
        "scores[start + order[low + b]] > scores[start + order[low + a]]",
        "scores[start + order[low + b]] >= scores[start + order[low + a]]",
        "the order of long runs of close scores is not stable",
    ),
    Fault(
        "kernels",
        "return above + 0.5 * tied",
        "return above + 1.0 * tied",
        "bpref: tied irrelevant items count as if all stood above",
    ),
    Fault(
        "kernels",
        "total += reach * stop / (i + 1)",
        "total += reach * stop / (i + 2)",
        "ERR: ranks are counted from 2",
    ),
    Fault(
        "kernels",
        "hessian[i] = all_targets * share * (1.0 - share)",
        "hessian[i] = all_targets * share",
        "softmax: the Hessian diagonal lacks its second factor",
    ),
    Fault(
        "kernels",
        "squares += (end - k) * share * share",
        "squares += share * share",
        "ListMLE: items that are tied in the labels count once in the Hessian",
    ),
    Fault(
        "kernels",
        "if ideal[middle] >= y:",
        "if ideal[middle] > y:",
        "rank-grade target: equal grades are counted on the wrong side",
    ),
    Fault(
        "kernels",
        "while at > 0 and x + right[at - 1] >= bound:",
        "while at > 0 and x + right[at - 1] > bound:",
        "randomisation test: sums equal to the observed one do not count",
    ),
    Fault(
        "kernels",
        "for j in range(4 * h, d):",
        "for j in range(4 * h + 1, d):",
        "matrix product: the first column beyond a multiple of four is left out",
    ),
    # Data ----------------------------------------------------------------------------------------
    Fault(
        "data",
        "key=lambda k: sizes[k] - exact[k])",
        "key=lambda k: exact[k] - sizes[k])",
        "split: left-over queries go to the part that needs them least",
    ),
    Fault(
        "data",
        "(chosen % self.queries)",
        "(np.abs(chosen))",
        "RankingData: negative query numbers count from the start",
    ),
    Fault(
        "kernels",
        "if not used[k]:",
        "if used[k]:",
        "join: judged items that were retrieved are listed again, those that were missed are lost",
    ),
    # Feedback ------------------------------------------------------------------------------------
    Fault(
        "feedback",
        "return self.weight(i, j) - self.weight(j, i)",
        "return self.weight(i, j) + self.weight(j, i)",
        "preference graph: the difference of an edge and its opposite is their sum",
    ),
    Fault(
        "feedback",
        "*((y, (1 - share) * p) for y, p in self.pairs())",
        "*((y, (1 - share) * p) for y, p in law.pairs())",
        "Law.mix: the first law is dropped",
    ),
    # Metrics -------------------------------------------------------------------------------------
    Fault(
        "metrics",
        "return 1.0 / math.log2(max(2, rank))",
        "return 1.0 / math.log2(max(2, rank + 1))",
        "discount letor: shifted by one rank",
    ),
    Fault(
        "metrics",
        "return np.where(empty, float(m.empty), values)",
        "return np.where(empty, 1.0 - float(m.empty), values)",
        "empty queries: 0 and 1 are exchanged",
    ),
    Fault(
        "metrics",
        'options={"gain": ("linear",), "discount": _DISCOUNTS, "empty": (1,)},',
        'options={"gain": ("linear",), "discount": _DISCOUNTS, "empty": (0,)},',
        "convention catboost: an empty query counts 0 in nDCG",
    ),
    # Targets -------------------------------------------------------------------------------------
    Fault(
        "targets",
        "per_relevant=square,",
        "per_relevant=float(self.beta),",
        "target of F: beta is not squared",
    ),
    Fault(
        "targets",
        "return [value - min(raised) for value in raised]",
        "return [value - max(raised) for value in raised]",
        "positional target: no longer nonnegative",
    ),
    # Losses --------------------------------------------------------------------------------------
    Fault(
        "losses",
        "return (1.0 + h - t) ** 2 / (4.0 * h) if t < 1.0 + h else 0.0",
        "return (1.0 + h - t) ** 2 / (2.0 * h) if t < 1.0 + h else 0.0",
        "margin huber: twice too large in its bend",
    ),
    Fault(
        "losses",
        "return np.repeat(self.query_weights, np.diff(self.offsets))",
        "return np.ones(self.offsets[-1])",
        "weights of queries are dropped where items need them",
    ),
    # Evaluation ----------------------------------------------------------------------------------
    Fault(
        "evaluation",
        "np.maximum.accumulate(factors * p[order])",
        "factors * p[order]",
        "Holm: a larger p-value can become the smaller one",
    ),
    Fault(
        "evaluation",
        "1.0 / d.n) if d.weights is None else d.weights / d.weights.sum()",
        "1.0 / d.n)",
        "effect size: the weights of the queries are dropped",
    ),
    Fault(
        "evaluation",
        "return (int((np.abs(sums) >= bound).sum()) + 1) / (samples + 1)",
        "return int((np.abs(sums) >= bound).sum()) / samples",
        "sampled randomisation test: the observed signs are not counted",
    ),
    # Worlds --------------------------------------------------------------------------------------
    Fault(
        "worlds",
        "total += float(targets[group].mean() * discounts[above : above + group.size].sum())",
        "total += float(targets[group].sum() * discounts[above])",
        "regret: a tie group has the discount of its first rank",
    ),
    Fault(
        "worlds",
        "np.prod(marginals[np.arange(items), support], axis=1)",
        "np.mean(marginals[np.arange(items), support], axis=1)",
        "world of independent grades: the law is no product",
    ),
    # Theory --------------------------------------------------------------------------------------
    Fault(
        "theory",
        "(self.low - o.high, self.high - o.low)",
        "(self.low - o.low, self.high - o.high)",
        "interval arithmetic: a difference that does not enclose",
    ),
    Fault(
        "theory",
        "if d[i][j] < d[i][k] + d[k][j]:",
        "if d[i][j] <= d[i][k] + d[k][j]:",
        "low noise: equality counts as a violation",
    ),
    Fault(
        "theory",
        "spread**2 / convexity * regret",
        "spread / convexity * regret",
        "excess bound: the spread of the rank weights is not squared",
    ),
    Fault(
        "theory",
        "if apart or sign_of(table, scale * abs(ahead[largest])) < 0:",
        "if apart:",
        "checker of targets: a target that sorts the wrong way round passes",
    ),
    # Torch ---------------------------------------------------------------------------------------
    Fault(
        "torch",
        "return layout.total(_weighted(s * (loss.nu * s - u), v))",
        "return layout.total(s * (loss.nu * s - u))",
        "duchi in torch: weights of items are dropped",
    ),
    Fault(
        "torch",
        "masked_fill(k > cutoff, 0.0)",
        "masked_fill(k >= cutoff, 0.0)",
        "lambdas in torch: the rank of the cutoff is left out",
    ),
    # Adapters ------------------------------------------------------------------------------------
    Fault(
        "adapters",
        "if height > self.best:",
        "if height >= self.best:",
        "early stopping in XGBoost: the last of equal rounds is kept",
    ),
    Fault(
        "adapters",
        "return np.where(equal, first, sums / np.maximum(sizes, 1))",
        "return first",
        "weights of a query: that of its first row instead of the mean of its rows",
    ),
    # Fit -----------------------------------------------------------------------------------------
    Fault(
        "fit",
        "return value / total + 0.5 * self.l2 * float(np.sum(np.square(v))), out",
        "return value / total + self.l2 * float(np.sum(np.square(v))), out",
        "linear objective: the penalty and its gradient disagree",
    ),
    Fault(
        "fit",
        "return np.sign(z) * np.log1p(np.abs(z))",
        "return np.log1p(np.abs(z))",
        "features of the neural ranker: the sign is lost",
    ),
    # Runs, experiments, report, command line ------------------------------------------------------
    Fault(
        "runs",
        "trial.value), -trial.number)",
        "trial.value), trial.number)",
        "tune: the last of equal trials wins",
    ),
    Fault(
        "experiments",
        'return "better" if self.difference > 0 else "worse"',
        'return "worse" if self.difference > 0 else "better"',
        "reproduce: better and worse are exchanged",
    ),
    Fault(
        "report",
        "return self.start + share * (self.stop - self.start)",
        "return self.stop - share * (self.stop - self.start)",
        "charts: axes run backwards",
    ),
    Fault(
        "cli",
        ".holds else 1)",
        ".holds else 0)",
        "replay: evidence that does not hold has exit status 0",
    ),
)
