"""What LightGBM, XGBoost, CatBoost and others call losses: ours where we have it, advice where we do not."""

from __future__ import annotations

from rankproof.errors import UnknownNameError
from rankproof.losses.base import LOSSES

__all__ = ["NAMES", "names_elsewhere", "our_loss_name"]

# What others write, and the same loss here.
NAMES: dict[str, str] = {
    # LightGBM
    "rank_xendcg": "xe-ndcg",
    "regression_l2": "squared",
    "l2": "squared",
    "mse": "squared",
    "rmse": "squared",
    "mean_squared_error": "squared",
    "binary": "pointwise-logistic",
    # XGBoost
    "rank:ndcg": "lambdarank",
    "rank:pairwise": "RankNet",
    "reg:squarederror": "squared",
    "binary:logistic": "pointwise-logistic",
    # CatBoost
    "querysoftmax": "softmax",
    "queryrmse": "centred-squared",
    "pairlogit": "RankNet",
    "pairlogitpairwise": "RankNet",
    "logloss": "pointwise-logistic",
}

# Capitals, where their tool has them.
_WRITTEN = {
    name.casefold(): name
    for name in ("QuerySoftMax", "QueryRMSE", "PairLogit", "PairLogitPairwise", "Logloss", "RMSE")
}

# What we do not have: whose it is and what it is, then what to use.
_AUTO = "Use the loss 'auto' in training (it is consistent with the metric)"
_NOT_OURS: dict[str, tuple[str, str]] = {
    "yetirank": (
        "CatBoost's YetiRank: pairwise logistic losses on randomly perturbed rankings",
        f"{_AUTO}, or lambdarank, the nearest; YetiRank itself is in CatBoost.",
    ),
    "yetirankpairwise": (
        "CatBoost's YetiRank with its own way to grow trees",
        f"{_AUTO}, or lambdarank, the nearest; YetiRank itself is in CatBoost.",
    ),
    "stochasticrank": (
        "CatBoost's StochasticRank: a metric smoothed by noise in the scores",
        f"{_AUTO}, or approx-ndcg, another smooth form of nDCG.",
    ),
    "stochasticfilter": ("CatBoost's loss for filtering items", f"{_AUTO}."),
    "querycrossentropy": (
        "CatBoost's logistic loss with a free shift per query",
        "Use pointwise-logistic, or softmax, which does not see a shift.",
    ),
    "rank:map": (
        "XGBoost's pairwise logistic loss weighted by the change of AP",
        "Use the loss 'auto' in training for AP: it says which condition on the labels it needs.",
    ),
    "neuralndcg": ("nDCG with a relaxed sort", "Use approx-ndcg, another smooth form of nDCG."),
    "regression_l1": ("the absolute error", "Use squared: the median of a target is not its mean."),
    "mae": ("the absolute error", "Use squared: the median of a target is not its mean."),
}


def our_loss_name(spec: str) -> str:
    """The string of our loss for what another library calls it; any other string as it is.

    >>> our_loss_name("rank:ndcg"), our_loss_name("mse:nDCG@10"), our_loss_name("softmax:nDCG@10")
    ('lambdarank', 'squared:nDCG@10', 'softmax:nDCG@10')
    """
    text = spec.strip()
    head, colon, rest = text.partition(":")
    if head.partition("(")[0].strip() in LOSSES:
        return spec
    for name, aim in ((text, ""), (head.strip(), colon + rest)):
        lowered = name.casefold()
        if lowered in NAMES:
            return NAMES[lowered] + aim
        if lowered in _NOT_OURS:
            what, instead = _NOT_OURS[lowered]
            raise UnknownNameError(f"Loss {spec!r} is {what}, which rankproof does not have. {instead}")
    return spec


def names_elsewhere(name: str) -> tuple[str, ...]:
    """What other tools call a loss of ours.

    >>> names_elsewhere("RankNet")
    ('rank:pairwise', 'PairLogit', 'PairLogitPairwise')
    """
    return tuple(_WRITTEN.get(other, other) for other, ours in NAMES.items() if ours == name)
