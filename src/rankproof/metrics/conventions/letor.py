"""The conventions of data sets: the LETOR 3.0, LETOR 4.0 and MSLR scripts, and the Yahoo! challenge."""

from __future__ import annotations

from rankproof.metrics.conventions.rules import Convention, Offer

__all__ = ["LETOR3", "LETOR4", "MSLR", "YAHOO"]

_DISCOUNTED = {"discount": ("letor",), "empty": (0,)}
_EMPTY_0 = {"empty": (0,)}
_SUMMARY = "ties by line; discounts 1, 1, 1/log2(3), ...; empty queries count 0; nDCG@k of shorter lists is 0"

LETOR3 = Convention(
    name="letor3",
    tool="the LETOR 3.0 script",
    summary=_SUMMARY + "; so is P@k",
    ties="row",
    offers=(
        Offer(metric="P", called="precision", options=_EMPTY_0, cutoff="required", short="zero", highest=2),
        Offer(metric="AP", called="MAP", options=_EMPTY_0, cutoff="none", highest=2),
        Offer(metric="nDCG", called="NDCG", options=_DISCOUNTED, cutoff="required", short="zero", highest=2),
    ),
)

LETOR4 = Convention(
    name="letor4",
    tool="the LETOR 4.0 script",
    summary=_SUMMARY,
    ties="row",
    offers=(
        Offer(metric="P", called="P@k", options=_EMPTY_0, cutoff="required", highest=2),
        Offer(metric="AP", called="MAP", options=_EMPTY_0, cutoff="none", highest=2),
        Offer(
            metric="nDCG", called="NDCG@k", options=_DISCOUNTED, cutoff="required", short="zero", highest=2
        ),
        Offer(metric="MeanNDCG", called="MeanNDCG", options=_DISCOUNTED, cutoff="none", highest=2),
    ),
)

_FROM_2 = {"rel": (2,), "empty": (0,)}

MSLR = Convention(
    name="mslr",
    tool="the MSLR script",
    summary=_SUMMARY + "; grade 1 is not relevant in P and AP",
    ties="row",
    offers=(
        Offer(metric="P", called="P@k", options=_FROM_2, cutoff="required", highest=4),
        Offer(metric="AP", called="MAP", options=_FROM_2, cutoff="none", highest=4),
        Offer(
            metric="nDCG", called="NDCG@k", options=_DISCOUNTED, cutoff="required", short="zero", highest=4
        ),
        Offer(metric="MeanNDCG", called="MeanNDCG", options=_DISCOUNTED, cutoff="none", highest=4),
    ),
)

YAHOO = Convention(
    name="yahoo",
    tool="the Yahoo! challenge's script",
    summary="exponential gain; ERR with max_grade=4; empty queries count 0.5 in nDCG and 0 in ERR",
    ties="row",
    offers=(
        # The printed definition divides by the best DCG; only the script says what 0/0 is.
        Offer(metric="nDCG", called="NDCG", options=_EMPTY_0, cutoff="required", empty_value=0.5, highest=4),
        Offer(
            metric="ERR", called="ERR", options={"max_grade": (4,), "empty": (0,)}, cutoff="none", highest=4
        ),
    ),
)
