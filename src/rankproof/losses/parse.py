"""Loss strings: ``softmax:normalised-gain@10``, ``softmax:nDCG@10``, ``order-preserving(margin=huber):gain``.

Grammar: ``NAME [ "(" name=value { "," name=value } ")" ] [ ":" TARGET ]``, where the target may also be given
by the metric it is made for. ``str(loss)`` is the string that parses back to an equal loss. RankSVM, RankNet
and RankBoost are names for the preorder loss with their margins.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import fields, replace
from typing import Any

from rankproof.errors import ArgumentError, UnknownNameError
from rankproof.losses.base import LOSSES, Loss
from rankproof.losses.other_names import our_loss_name
from rankproof.losses.preorder import PRESETS, Preorder
from rankproof.metrics.base import METRICS, Metric
from rankproof.metrics.other_names import our_name
from rankproof.metrics.parse import metric as metric_of
from rankproof.targets.base import TARGETS, Target
from rankproof.targets.choose import target_for
from rankproof.targets.parse import checked_parameters, read_call
from rankproof.targets.parse import target as target_of
from rankproof.targets.positional import PositionalTarget

__all__ = ["aimed_at", "loss"]

_PRESETS = {name.casefold(): parameters for name, parameters in PRESETS.items()}


def loss(
    spec: str | Loss,
    *,
    metric: str | Metric | None = None,
    target: str | Target | None = None,
    noise: str | None = None,
    **parameters: Any,
) -> Loss:
    """The loss that ``spec`` names; keyword arguments set or override its parameters.

    Parameters
    ----------
    spec : str or Loss
        ``NAME(parameter=value,...)``, then ``:TARGET`` or ``:METRIC`` to say what it aims at. What LightGBM,
        XGBoost and CatBoost call a loss is understood: ``rank_xendcg``, ``rank:ndcg``, ``PairLogit``.
    metric : metric or str, optional
        The metric whose target the loss is to aim at (see `rankproof.targets.target_for`).
    target : target or str, optional
        The target itself, in place of a metric.
    noise : str, optional
        A condition on the noise in the labels, for metrics that have a target only under one: a key of
        `rankproof.targets.CONDITIONS`.
    **parameters
        Parameters of the loss, which override those in ``spec``; ``rankproof losses NAME`` describes them.

    Returns
    -------
    Loss

    Examples
    --------
    >>> loss("softmax:nDCG@10")
    softmax:normalised-gain@10
    >>> loss("softmax", metric="nDCG@10") == loss("softmax:normalised-gain@10")
    True
    >>> loss("softmax", metric="ERR", noise="independent")
    softmax:satisfaction
    >>> loss("RankNet")
    preorder(margin=logistic)
    """
    aim: str | None = None
    if isinstance(spec, Loss):
        base, cls = spec, type(spec)
        written: dict[str, Any] = {}
    elif isinstance(spec, str):
        head, colon, rest = (part.strip() for part in our_loss_name(spec).partition(":"))
        if not head:
            raise ArgumentError(f"A loss is named, such as softmax or softmax:nDCG@10, got {spec!r}.")
        name, written = read_call("loss", head)
        preset = _PRESETS.get(name.casefold())
        cls, written = (LOSSES[name], written) if preset is None else (Preorder, {**preset, **written})
        base, aim = None, rest if colon else None
    else:
        raise ArgumentError(f"A loss is a string such as 'softmax:nDCG@10' or a loss object, got {spec!r}.")
    aims = [thing for thing in (aim, metric, target) if thing is not None]
    if len(aims) > 1:
        raise ArgumentError(
            f"What the loss {cls.name} aims at is given {len(aims)} times: "
            f"{' and '.join(map(repr, map(str, aims)))}. Give one target or one metric."
        )
    own = [field for field in fields(cls) if field.name != "target"]
    values = checked_parameters(cls.name, own, {**written, **parameters})
    if metric is not None and any(field.name == "metric" for field in own):
        values["metric"] = metric_of(metric)
    elif aims:
        values["target"] = _aimed(cls, aim, metric, target, noise)
    elif noise is not None:
        raise ArgumentError(f"Argument noise of the loss {cls.name} goes with a metric, and none is given.")
    return cls(**values) if base is None else replace(base, **values)


def aimed_at(metric: Metric, spec: str, noise: str | None = None) -> Loss:
    """The loss that ``spec`` names, aimed at the metric unless it says what it aims at, or reads the labels.

    >>> aimed_at(metric_of("nDCG@10"), "squared"), aimed_at(metric_of("nDCG@10"), "squared:gain")
    (squared:normalised-gain@10, squared:gain)
    >>> aimed_at(metric_of("nDCG@10"), "RankNet")
    preorder(margin=logistic)
    """
    spec = our_loss_name(spec)
    plain = loss(spec)
    takes_metric = any(field.name == "metric" for field in fields(plain))
    if ":" in spec or "metric=" in spec or (plain.needs == "labels" and not takes_metric):
        return plain
    return loss(spec, metric=metric, noise=noise)


def _aimed(
    cls: type[Loss],
    aim: str | None,
    metric: str | Metric | None,
    target: str | Target | None,
    noise: str | None,
) -> Target:
    if cls.needs == "labels":
        raise ArgumentError(
            f"Loss {cls.name} reads the labels as they are and takes no target, so it cannot be aimed at "
            f"{aim or metric or target}. Losses that can: "
            f"{', '.join(name for name, kind in LOSSES.items() if kind.needs != 'labels')}."
        )
    if target is not None:
        return target_of(target)
    if metric is not None:
        return target_for(metric, noise)
    word = re.split(r"[(@:]", aim or "", maxsplit=1)[0].strip()
    if word in TARGETS or word.casefold() in (PositionalTarget.name, "label-worth"):
        return target_of(aim or "")
    if word in METRICS or our_name(aim or "") != aim:
        return target_for(aim or "", noise)
    near = difflib.get_close_matches(word.casefold(), {k.casefold(): k for k in (*TARGETS, *METRICS)}, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise UnknownNameError(
        f"Unknown target or metric {word!r} for the loss {cls.name}.{hint} "
        f"Targets: {', '.join(TARGETS)}. Metrics: {', '.join(METRICS)}."
    )
