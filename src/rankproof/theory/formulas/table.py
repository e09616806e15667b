"""What the theory knows of each loss of the library: one entry a class, and the only place that names them.

A loss is looked up by its very class: what is proven of a class need not hold for one that is derived from
it. A class from outside the package that has a method ``formula(self, scores, targets)`` takes part with it:
see `theory_of`.

To add a loss, write its formula (and what else is known of its minimum) in a file beside this one, and give
it an entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from rankproof.arrays import Float64s
from rankproof.losses import (
    KL,
    XENDCG,
    ApproxNDCG,
    Bregman,
    CentredSquared,
    Cosine,
    Duchi,
    LambdaLoss,
    LambdaRank,
    Lift,
    ListMLE,
    ListNet,
    OrderPreserving,
    Ordinal,
    PointwiseLogistic,
    Preorder,
    QFamily,
    QueryOrdinal,
    Relative,
    Softmax,
    Squared,
)
from rankproof.losses.base import Loss
from rankproof.losses.margins import Margin
from rankproof.losses.pairwise import margin_of
from rankproof.theory.arithmetic.intervals import Enclosure, UnprovenError
from rankproof.theory.formulas import closed_forms, directions, items, lambdas, lists, mean_vectors, orders
from rankproof.theory.formulas.inputs import GraphNumbers, net_weights
from rankproof.theory.formulas.pairwise import (
    Pairs,
    order_preserving_weights,
    pairwise_formula,
    preorder_weights,
)
from rankproof.theory.formulas.query_ordinal import query_ordinal
from rankproof.theory.formulas.target_numbers import ExactOrInterval

__all__ = ["LOSS_THEORY", "LossTheory", "RankedPairs", "loss_margin", "theory_of"]


@dataclass(frozen=True)
class RankedPairs:
    """What a query adds for a pair of items: its lead, times a weight of the ranks of the two.

    Attributes
    ----------
    leads : (loss, labels) -> the leads of ordered pairs, above 0
    weights : (loss, number of items) -> the weights by the two ranks, from 0, the better rank first
    """

    leads: Callable[[Any, Sequence[ExactOrInterval]], Pairs]
    weights: Callable[[Any, int], list[list[ExactOrInterval]]]


@dataclass(frozen=True, kw_only=True)
class LossTheory:
    """The facts of one class of losses. Functions take the loss first.

    Attributes
    ----------
    formula : (loss, scores, what it reads) -> number
        The definition, on floats, exact numbers and jets. None when it is not known.
    pair_weights : (loss, feedback) -> weights of ordered pairs, optional
        For losses that are a sum of these times a margin of differences (``margin`` and ``width``). Others
        read one number per item.
    graph_numbers : (graph) -> one number per item, optional
        What it reads of a preference graph when it has no target.
    reads_edges : bool
        Whether an edge of a preference graph is a pair of its own.
    reads_grades : bool
        Whether the formula needs exact grades also beside scores that are floats.
    follows_ranking : RankedPairs, optional
        For a sum over pairs of logistic terms whose weights follow the ranking of the scores. The gradient
        is then that of no function but on two items, where both orders weigh the same.
    minimum : "ball", "direction" or "mean"
        How its minimum is proven: by a ball around it, by the ray it lies on, or, where the infimum is not
        attained, by the order of E[u].
    closed_form : (loss, E[u]) -> scores or None, optional
        A minimiser in fractions.
    unique_up_to : "nothing", "shift" or "scale"
        What may be done to the closed form.
    summand : (loss, numbers) -> numbers, optional
        What is averaged for the ray, if not the numbers themselves.
    ray : (loss, the average) -> direction, optional
    sorting : (loss) -> Sorting or None, optional
        What the minimiser sorts by, where the loss does not claim to be order-preserving.
    mean_vectors : (loss, one row of inputs per feedback) -> rows or None, optional
        The same in floats, for the search.
    mean_bounds : (loss) -> (low, high), optional
        Between which numbers the means must lie for the minimum to be attained.
    sorts_ratings : bool
        Whether L12 Theorem 5 is about it: under rank-differentiable noise it sorts by the rating vector.
    """

    formula: Callable[[Any, Sequence[Any], Any], Any] | None = None
    pair_weights: Callable[[Any, Any], Pairs] | None = None
    graph_numbers: GraphNumbers | None = None
    reads_edges: bool = False
    reads_grades: bool = False
    follows_ranking: RankedPairs | None = None
    minimum: Literal["ball", "direction", "mean"] = "ball"
    closed_form: Callable[[Any, list[Fraction]], list[Fraction] | None] | None = None
    unique_up_to: Literal["nothing", "shift", "scale"] = "nothing"
    summand: Callable[[Any, Sequence[ExactOrInterval]], Sequence[ExactOrInterval]] | None = None
    ray: Callable[[Any, Sequence[Enclosure]], list[Enclosure]] | None = None
    sorting: Callable[[Any], orders.Sorting | None] | None = None
    mean_vectors: Callable[[Any, Float64s], Float64s | None] | None = None
    mean_bounds: Callable[[Any], tuple[float, float]] | None = None
    sorts_ratings: bool = False


_LAMBDAS = RankedPairs(lambdas.leads, lambdas.rank_weights)

LOSS_THEORY: dict[type[Loss], LossTheory] = {
    ApproxNDCG: LossTheory(formula=lists.approx_ndcg, minimum="mean", mean_bounds=mean_vectors.anywhere),
    Bregman: LossTheory(formula=lists.bregman, closed_form=closed_forms.bregman),
    CentredSquared: LossTheory(
        formula=items.centred_squared, closed_form=closed_forms.mean_itself, unique_up_to="shift"
    ),
    Cosine: LossTheory(
        formula=lists.cosine,
        minimum="direction",
        closed_form=closed_forms.cosine,
        unique_up_to="scale",
        summand=directions.cosine_summand,
        ray=directions.cosine_ray,
        sorting=orders.by_normed_target,
        mean_vectors=mean_vectors.unit_vectors,
    ),
    Duchi: LossTheory(formula=items.duchi, closed_form=closed_forms.duchi, graph_numbers=net_weights),
    KL: LossTheory(formula=items.kl),
    LambdaLoss: LossTheory(formula=lambdas.lambdas, reads_grades=True, follows_ranking=_LAMBDAS),
    LambdaRank: LossTheory(formula=lambdas.lambdas, reads_grades=True, follows_ranking=_LAMBDAS),
    Lift: LossTheory(formula=items.lift, closed_form=closed_forms.lift, unique_up_to="shift"),
    ListMLE: LossTheory(formula=lists.listmle),
    ListNet: LossTheory(
        formula=lists.listnet, sorting=orders.by_softmax, mean_vectors=mean_vectors.softmax_shares
    ),
    OrderPreserving: LossTheory(formula=pairwise_formula, pair_weights=order_preserving_weights),
    Ordinal: LossTheory(formula=items.ordinal, mean_bounds=mean_vectors.grade_counts),
    PointwiseLogistic: LossTheory(
        formula=items.pointwise_logistic,
        sorting=orders.by_relevance,
        mean_vectors=mean_vectors.relevance,
        mean_bounds=mean_vectors.probabilities,
    ),
    Preorder: LossTheory(
        formula=pairwise_formula, pair_weights=preorder_weights, reads_edges=True, sorts_ratings=True
    ),
    QFamily: LossTheory(
        formula=lists.q_family,
        minimum="direction",
        closed_form=closed_forms.q_family,
        unique_up_to="scale",
        ray=directions.q_family_ray,
        sorting=orders.by_normed_target,
    ),
    QueryOrdinal: LossTheory(formula=query_ordinal),
    Relative: LossTheory(formula=items.relative, closed_form=closed_forms.relative),
    Softmax: LossTheory(formula=lists.softmax),
    Squared: LossTheory(formula=items.squared, closed_form=closed_forms.mean_itself),
    XENDCG: LossTheory(
        formula=lists.xe_ndcg,
        sorting=orders.by_xe_ndcg,
        mean_vectors=mean_vectors.xe_ndcg_shares,
        mean_bounds=mean_vectors.above_zero,
    ),
}


def _formula_of_class(loss: Any, scores: Sequence[Any], targets: Sequence[Any]) -> Any:
    """The method ``formula`` of a class from outside."""
    if not all(isinstance(s, float) for s in scores):
        # Intervals, so that nothing can be rounded unseen; equal numbers are one object, known to be equal.
        shared = {u: Enclosure.from_number(u) for u in targets if not isinstance(u, Enclosure)}
        targets = [u if isinstance(u, Enclosure) else shared[u] for u in targets]
    try:
        return loss.formula(scores, targets)
    except UnprovenError:
        raise
    except Exception as error:
        raise UnprovenError(
            f"The formula of loss {loss} cannot be run on {type(scores[0]).__name__} "
            f"({type(error).__name__}: {error}). Write it with arithmetic and the functions of "
            "rankproof.arithmetic."
        ) from error


_UNKNOWN, _OUTSIDE = LossTheory(), LossTheory(formula=_formula_of_class)


def theory_of(loss: object) -> LossTheory:
    """What is known of the very class of a loss.

    A class that is not in the table may bring its definition as a method ``formula(self, scores, targets)``,
    which gives the loss of one query. It is called with sequences of one number per item, of floats or of
    numbers that enclose the true value, so it is written with arithmetic and the functions of
    `rankproof.theory.arithmetic.functions` (``exp``, ``log``, ``softplus``, ...), not with those of numpy or
    math. Then minima of a loss that claims to be ``convex`` are proven, and so are counterexamples.

    >>> theory_of(Cosine()).minimum, theory_of("no loss").formula is None
    ('direction', True)
    """
    entry = LOSS_THEORY.get(type(loss))  # type: ignore[arg-type]
    if entry is not None:
        return entry
    method = getattr(type(loss), "formula", None)
    brought = callable(method) and method is not getattr(Loss, "formula", None)
    return _OUTSIDE if brought else _UNKNOWN


def loss_margin(loss: Any) -> Margin:
    """The margin of a loss on pairs."""
    return margin_of(loss.margin, loss.width)
