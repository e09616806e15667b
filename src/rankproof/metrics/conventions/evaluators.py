"""The conventions of evaluation tools: trec_eval, scikit-learn, ranx."""

from __future__ import annotations

from rankproof.metrics.conventions.rules import Convention, Offer

__all__ = ["RANX", "SKLEARN", "TREC_EVAL"]

_EMPTY_0 = {"empty": (0,)}
# Its option -J drops items without a judgment.
_JUDGED_ONLY = {"empty": (0,), "unjudged": ("zero", "drop")}

# Scores are C floats up to version 9 and in pytrec_eval; version 10 keeps doubles.
TREC_EVAL = Convention(
    name="trec_eval",
    tool="trec_eval",
    summary="ties by document id, last first, in single precision; linear gain; empty queries count 0",
    ties="doc_id",
    scores="float32",
    missing="skip",
    negative="unjudged",
    offers=(
        Offer(metric="AP", called="map, map_cut", options=_JUDGED_ONLY, free=("rel",)),
        Offer(metric="nDCG", called="ndcg, ndcg_cut", options={"gain": ("linear",), **_JUDGED_ONLY}),
        Offer(metric="P", called="set_P, P", options=_JUDGED_ONLY, free=("rel",)),
        Offer(metric="R", called="set_recall, recall", options=_JUDGED_ONLY, free=("rel",)),
        Offer(metric="F", called="set_F", options=_JUDGED_ONLY, free=("rel", "beta"), cutoff="none"),
        Offer(metric="Success", called="success", options=_JUDGED_ONLY, free=("rel",), cutoff="required"),
        Offer(metric="RR", called="recip_rank", options=_JUDGED_ONLY, free=("rel",), cutoff="none"),
        Offer(metric="Rprec", called="Rprec", options=_JUDGED_ONLY, free=("rel",), cutoff="none"),
        Offer(metric="bpref", called="bpref", options=_JUDGED_ONLY, free=("rel",), cutoff="none"),
        # Its rbp takes the grade itself as the gain, and scales grades above 1 by numbers it never sets.
        Offer(
            metric="RBP",
            called="rbp",
            options={"p": (0.9,), **_JUDGED_ONLY},
            free=("p",),
            cutoff="none",
            highest=1,
        ),
        Offer(metric="judged", called="1 - unj", options={"empty": (1,)}, cutoff="required", short="filled"),
    ),
)

SKLEARN = Convention(
    name="sklearn",
    tool="scikit-learn",
    summary="ties averaged; linear gain; empty queries count 0",
    ties="average",
    whole=False,
    offers=(
        Offer(metric="nDCG", called="ndcg_score", options={"gain": ("linear",), **_EMPTY_0}),
        Offer(
            metric="DCG",
            called="dcg_score",
            options={"gain": ("linear",), "discount": ("log2", "ln"), **_EMPTY_0},
        ),
        # Undefined for a query of one class: left out, as ours is.
        Offer(metric="AUC", called="roc_auc_score", cutoff="none", highest=1),
    ),
)

RANX = Convention(
    name="ranx",
    tool="ranx",
    summary="ties by row (up to 15 items); linear gain; empty queries count 0",
    ties="row",
    offers=(
        Offer(metric="AP", called="map", options=_EMPTY_0, free=("rel",)),
        Offer(
            metric="nDCG",
            called="ndcg, ndcg_burges",
            options={"gain": ("linear",), **_EMPTY_0},
            exp_table=True,
        ),
        Offer(
            metric="DCG", called="dcg, dcg_burges", options={"gain": ("linear",), **_EMPTY_0}, exp_table=True
        ),
        Offer(metric="P", called="precision", options=_EMPTY_0, free=("rel",)),
        Offer(metric="R", called="recall", options=_EMPTY_0, free=("rel",)),
        Offer(metric="F", called="f1", options=_EMPTY_0, free=("rel",)),
        Offer(metric="Success", called="hit_rate", options=_EMPTY_0, free=("rel",)),
        Offer(metric="RR", called="mrr", options=_EMPTY_0, free=("rel",)),
        Offer(metric="Rprec", called="r-precision", options=_EMPTY_0, free=("rel",), cutoff="none"),
        # Its rbp takes the grade itself as the gain.
        Offer(metric="RBP", called="rbp.p", options=_EMPTY_0, free=("p",), cutoff="none", highest=1),
    ),
)
