"""torch: every loss as a module, for your own training code, on flat and on padded batches.

``rankproof.torch`` is this module. A loss is called with scores, targets and either ``offsets`` (flat: query
q owns the items from ``offsets[q]`` up to ``offsets[q + 1]``) or ``mask`` (padded: a row per query, True
where an item is). It runs wherever the scores are, and its values and gradients are those of
`rankproof.losses`.
"""

from __future__ import annotations

from typing import Any

from rankproof.losses.base import Loss
from rankproof.losses.parse import loss as parse_loss
from rankproof.metrics.base import Metric
from rankproof.targets.base import Target

__all__ = ["loss"]


def loss(
    spec: str | Loss,
    *,
    metric: str | Metric | None = None,
    target: str | Target | None = None,
    noise: str | None = None,
    reduction: str = "sum",
    check: bool = True,
    **parameters: Any,
) -> Any:
    """A loss as an ``nn.Module``.

    ``module(scores, targets, offsets, weights=None)`` or ``module(scores, targets, mask=mask)`` is the loss
    of a batch; ``module.targets(labels, offsets)`` makes the targets, once, before training.

    Parameters
    ----------
    spec : str or Loss
        ``"softmax:nDCG@10"``, ``"preorder(margin=hinge)"``, or a loss object; see `rankproof.losses.loss`.
    metric, target, noise, **parameters
        As in `rankproof.losses.loss`: what the loss aims at, and its parameters.
    reduction : "sum", "mean" or "none"
        Over queries: their (weighted) sum, that divided by the sum of the weights, or one value per query.
    check : bool
        Look at scores, targets, weights and offsets in every call, and refuse what the loss is not defined
        for. On a GPU that waits for the scores; without it, a query with scores that are not finite gives
        NaN. Compiled code does not look.

    Raises
    ------
    MissingDependencyError
        When torch is not installed.
    ArgumentError
        When a function of your own (a margin, a conjugate) does not work on tensors.

    Notes
    -----
    Cost per query of n items: O(n), but O(n log n) for ``listmle``, for ``order-preserving`` with the hinges,
    and times the logarithm of the number of grades for ``preorder`` with the hinges; O(n^2) for the logistic
    margin, for margins of your own, ``approx-ndcg``, ``lambdaloss`` and ``lambdarank``, which with a cutoff K
    takes O(K n). The weights of the two lambda losses have no gradient. Losses of norms, sorts and pairs can
    be differentiated once, the others as often as one likes. ``torch.compile`` takes padded batches in one
    graph; flat ones too, but for losses that sort or compare items, which make a break in the graph.
    """
    from rankproof.torch.module import module_class

    parsed = parse_loss(spec, metric=metric, target=target, noise=noise, **parameters)
    return module_class()(parsed, reduction=reduction, check=check)


def __getattr__(name: str) -> Any:
    # The class of the modules, by which pickle finds it; it cannot be made before torch is there.
    if name == "RankingLoss":
        from rankproof.torch.module import module_class

        return module_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
