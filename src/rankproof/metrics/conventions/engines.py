"""The conventions of boosting engines: LightGBM, XGBoost, CatBoost."""

from __future__ import annotations

from rankproof.metrics.conventions.rules import Convention, Offer

__all__ = ["CATBOOST", "LIGHTGBM", "XGBOOST"]

LIGHTGBM = Convention(
    name="lightgbm",
    tool="LightGBM",
    summary="ties by row; exponential gain; empty queries count 1; AP@k divided by min(R, k)",
    ties="row",
    offers=(
        Offer(
            metric="nDCG",
            called="ndcg@k",
            options={"empty": (1,)},
            free=("gain",),
            cutoff="required",
            highest=30,
        ),
        Offer(
            metric="AP", called="map@k", options={"denominator": ("min",), "empty": (1,)}, cutoff="required"
        ),
    ),
)

# A suffix "-" makes XGBoost count empty queries 0. Without "@k" it cuts at rank 32 and does not say so, hence
# a cutoff must be given.
_ONE_OR_ZERO = (1, 0)

XGBOOST = Convention(
    name="xgboost",
    tool="XGBoost",
    summary="ties by row, in single precision; exponential gain; empty queries count 1; AP@k over min(R, k)",
    ties="row",
    scores="float32",
    offers=(
        Offer(
            metric="nDCG",
            called="ndcg@k",
            options={"gain": ("exp", "linear"), "empty": _ONE_OR_ZERO},
            cutoff="required",
            highest=31,
        ),
        Offer(
            metric="AP",
            called="map@k",
            options={"denominator": ("min",), "empty": _ONE_OR_ZERO},
            cutoff="required",
            highest=1,
        ),
        Offer(
            metric="P",
            called="pre@k",
            options={"empty": (0,)},
            cutoff="required",
            short="own length",
            highest=1,
        ),
    ),
)

_DISCOUNTS = ("log2", "reciprocal")

CATBOOST = Convention(
    name="catboost",
    tool="CatBoost",
    summary="ties pessimistic; linear gain; empty queries count 1 in nDCG and R, 0 in the others",
    ties="pessimistic",
    offers=(
        Offer(
            metric="nDCG",
            called="NDCG",
            options={"gain": ("linear",), "discount": _DISCOUNTS, "empty": (1,)},
            exp_table=True,
        ),
        Offer(
            metric="DCG",
            called="DCG",
            options={"gain": ("linear",), "discount": _DISCOUNTS, "empty": (0,)},
            exp_table=True,
        ),
        Offer(metric="AP", called="MAP", options={"denominator": ("min",), "empty": (0,)}, free=("rel",)),
        Offer(metric="P", called="PrecisionAt", options={"empty": (0,)}, free=("rel",), short="own length"),
        Offer(metric="R", called="RecallAt", options={"empty": (1,)}, free=("rel",)),
        Offer(metric="RR", called="MRR", options={"empty": (0,)}, free=("rel",)),
    ),
)
