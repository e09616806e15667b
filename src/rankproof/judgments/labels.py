"""Judgments in the place of labels: what `fit` and the adapters make of them.

A loss that is linear in its target is trained on E[u] in place of u: its mean over the law is the same but
for a number, so every statement on its minimum holds (Jensen's inequality does not enter). A loss that is
not, but sorts as the mean of its target does whatever the law of the *targets* (query-ordinal), is trained on
E[u] too: what judgments say of a query is a random target whose mean is E[u] again. Other losses are refused.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.data.ranking import RankingData, ranking_data
from rankproof.errors import ArgumentError, DataError
from rankproof.ids import as_ids, as_text
from rankproof.judgments.container import Judgments
from rankproof.judgments.expected import ExpectedTarget
from rankproof.judgments.pairs import PairJudgments
from rankproof.judgments.soft import from_probabilities, is_soft
from rankproof.losses.base import LOSSES, Loss
from rankproof.shown import quoted

__all__ = [
    "assumed_noise",
    "expected_labels",
    "for_data",
    "is_judged",
    "judged_rows",
    "labels_to_learn",
    "targets_of",
    "with_judgments",
]

Judged: TypeAlias = Judgments | PairJudgments | ExpectedTarget


def is_judged(y: Any) -> bool:
    """Whether labels are judgments, their expected target, or a matrix of P(grade)."""
    return isinstance(y, (Judgments, PairJudgments, ExpectedTarget)) or is_soft(y)


def assumed_noise(y: Any, noise: str | None) -> str | None:
    """The condition on the labels that is stated; judgments that are read as independent state one.

    >>> assumed_noise(np.array([[0.5, 0.5]]), None), assumed_noise(np.array([1.0]), None)
    ('independent', None)
    """
    if noise is not None or not is_judged(y):
        return noise
    return "independent" if is_soft(y) or getattr(y, "reading", None) == "independent" else None


def labels_to_learn(data: RankingData) -> Any:
    """What a ranker is fitted to: the labels, which say so where they are the mean of a target."""
    return data.labels if data.expected is None else ExpectedTarget(data.labels, data.expected, "as stated")


def judged_rows(y: Any) -> int:
    """How many items judgments are of."""
    if isinstance(y, ExpectedTarget):
        return y.values.size
    return y.items if isinstance(y, (Judgments, PairJudgments)) else int(np.shape(y)[0])


def targets_of(loss: Loss, y: Any, offsets: Int64s) -> Float64s:
    """What a loss reads for labels, or for judgments in their place."""
    if is_judged(y):
        return expected_labels(y, loss, offsets).values
    return loss.targets(y, offsets)


def with_judgments(data: RankingData, y: Any, loss: Loss) -> RankingData:
    """The data with E[u] under judgments of its rows as labels; as they are without any."""
    if y is None:
        return data
    if not is_judged(y):
        raise ArgumentError(
            f"Argument judgments must be Judgments or a matrix of P(grade), got {type(y).__name__}."
        )
    values = expected_labels(y, loss, data.offsets).values
    weights = data.query_weights, data.item_weights
    return ranking_data(values, data.offsets, data.X, *weights, expected=loss.target)


def expected_labels(y: Any, loss: Loss, offsets: Int64s, qid: Any = None) -> ExpectedTarget:
    """E[u] of every row for the target of a loss, after checks that the judgments are those of the rows."""
    _check_takes_means(loss)
    target = loss.target
    if target is None:
        raise ArgumentError(
            f"Loss {loss} has no target, so it is not known which mean to take of the judgments. Name one, "
            "as in "
            f"{loss.name}:nDCG@10, or use loss='auto'."
        )
    rows = int(offsets[-1])
    if isinstance(y, ExpectedTarget):
        if y.target != target or y.values.size != rows:
            raise ArgumentError(
                f"The labels are E[{y.target}] of {y.values.size} items, and the loss {loss} with {rows} "
                "rows of X "
                f"needs E[{target}] of these. Give the judgments themselves."
            )
        return y
    if not isinstance(y, (Judgments, PairJudgments)):
        if np.shape(y)[0] != rows:
            raise ArgumentError(
                f"Argument y must have one row of P(grade) per row of X ({rows}), got {len(y)}."
            )
        return from_probabilities(np.asarray(y), offsets=offsets).expected_target(target)
    _check_rows(y, offsets, qid)
    return y.expected_target(target)


def _check_takes_means(loss: Loss) -> None:
    claim = loss.declared("linearity")()
    if _takes_means(loss):
        return
    why = "its class does not claim it" if claim is None else claim.reference
    others = [name for name, cls in LOSSES.items() if _takes_means(cls())]
    raise ArgumentError(
        f"Loss {loss} is not linear in what it reads ({why}), and is not known to sort as the mean of its "
        "target does, so training on the mean of the judgments is not training on the judgments. Use one of "
        f"{', '.join(others)}."
    )


def _takes_means(loss: Loss) -> bool:
    """Whether training on the mean of the target under the judgments keeps what is known of the minimum."""
    claim = loss.declared("linearity")()
    if claim is not None and claim.value is True:
        return True
    return loss.states_its_claims and loss.claims.value("order_preserving") is True


def _check_rows(y: Judgments | PairJudgments, offsets: Int64s, qid: Any) -> None:
    way_out = "Bring them into the order of the data: judgments.for_data(data)."
    if y.offsets.size != offsets.size or not np.array_equal(y.offsets, offsets):
        raise DataError(
            f"The judgments are of {y.queries} queries with {y.items} items, and X has {offsets.size - 1} "
            "queries "
            f"with {int(offsets[-1])} rows, or they are of other sizes. {way_out}"
        )
    if qid is None:
        return
    names = as_text(as_ids(qid)[offsets[:-1]])
    off = np.flatnonzero(names != as_text(y.query_ids))
    if off.size:
        q = int(off[0])
        raise DataError(
            f"Query {q} (counted from 0) is {quoted(y.query_ids[q])} in the judgments and {quoted(names[q])} "
            "in qid. "
            f"{way_out}"
        )


def for_data(y: Judgments, data: RankingData, unjudged: str = "error") -> Judgments:
    """The judgments of the items of ``data``, in their order; see `Judgments.for_data`."""
    if unjudged not in ("error", "pool"):
        raise ArgumentError(f"Argument unjudged must be 'error' or 'pool', got {unjudged!r}.")
    if data.doc_ids is None:
        within = np.arange(data.items) - np.repeat(data.offsets[:-1], data.sizes)
        docs = within.astype(np.str_)
    else:
        docs = as_text(data.doc_ids)
    ids = as_text(data.query_ids)
    place = {name: q for q, name in enumerate(as_text(y.query_ids).tolist())}
    own = {}
    for q in {place[name] for name in ids.tolist() if name in place}:
        low, high = int(y.offsets[q]), int(y.offsets[q + 1])
        own[q] = dict(zip(y.doc_ids[low:high].tolist(), range(low, high), strict=True))
    items = np.full(data.items, -1, np.int64)
    for q, name in enumerate(ids.tolist()):
        low, high = int(data.offsets[q]), int(data.offsets[q + 1])
        of_query = own.get(place.get(name, -1), {})
        items[low:high] = [of_query.get(doc, -1) for doc in docs[low:high].tolist()]
    lacking = items < 0
    if lacking.any() and (unjudged == "error" or y.soft):
        at = int(np.argmax(lacking))
        q = int(np.searchsorted(data.offsets, at, side="right")) - 1
        raise DataError(
            f"Item {quoted(docs[at])} of query {quoted(ids[q])} has no judgment ({int(lacking.sum())} of "
            f"{data.items} items have none). Judge it, or leave "
            "such items out of the data; in Python judgments.for_data(data, unjudged='pool') gives them the "
            "grades "
            "of the pool."
        )
    return y.rearranged(items, data.offsets, data.query_ids, docs)
