"""Metric strings: ``nDCG@10``, ``AP(rel=2)@100``, ``ERR(max_grade=2)@20``, ``nDCG(gain=[0,1,5])``.

Grammar: ``NAME [ "(" name=value { "," name=value } ")" ] [ "@" cutoff ]``. A value is a whole number, a
decimal number, a word, or a table in square brackets. ``str(metric)`` parses back to an equal metric.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

from rankproof.errors import ArgumentError, ParseError
from rankproof.metrics.base import METRICS, Metric, MetricLike
from rankproof.metrics.other_names import our_name

__all__ = ["CALL", "WHOLE_NUMBER", "metric", "split_parameters"]

# NAME(parameters)@cutoff; targets are written alike.
CALL = re.compile(r"^\s*([A-Za-z][\w-]*)\s*(?:\((.*)\))?\s*(?:@\s*(.+?))?\s*$", re.DOTALL)
WHOLE_NUMBER = re.compile(r"^[+-]?\d+$")
_FLOAT = re.compile(r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")
_FRACTION = re.compile(r"[+-]?[0-9]+/[1-9][0-9]*\Z")
_WORD = re.compile(r"^[A-Za-z_][\w-]*$")


def metric(spec: MetricLike, **parameters: Any) -> Metric:
    """The metric that ``spec`` names.

    Parameters
    ----------
    spec : str, Metric or function
        ``NAME(parameter=value,...)@cutoff``, in any case, such as ``"nDCG@10"`` or ``"AP(rel=2)@100"``. The
        names of other tools are understood: ``ndcg_cut_10``, ``recip_rank``, ``P_10``, ``NDCG:top=10``. A
        name says which metric; whose rules count is the ``convention`` of `rankproof.evaluate`. A function
        ``(ranking, feedback) -> number`` is a metric of your own; see `rankproof.own_metric`.
    **parameters
        Parameters of the metric, which override those in ``spec``. A metric has some of these:

        - ``cutoff``: how many ranks count, all of them without it;
        - ``rel``: the lowest label of a relevant item;
        - ``gain``: what a grade y is worth, ``"exp"`` (2^y - 1), ``"linear"`` (y) or a table ``[0, 1, 5]``
          (the worth of grades 0, 1, 2);
        - ``discount``: what rank k counts, ``"log2"`` (1 / log2(1 + k)), ``"letor"`` (1 at ranks 1 and 2,
          then 1 / log2(k)), ``"ln"`` (1 / ln(1 + k)), ``"reciprocal"`` (1 / k) or a table ``[1, 0.5]``;
        - ``empty``: what a query counts in which nothing can be ranked well, ``"skip"`` (it is left out of
          the mean), 0, 1 or ``"error"``;
        - ``unjudged``: what an item without a judgment is, ``"zero"`` (grade 0), ``"drop"`` (taken out of
          the list) or ``"error"``;
        - ``max_grade`` (ERR): the highest grade there can be; ``p`` (RBP): the probability that the reader
          goes on; ``beta`` (F): how many times as much as precision recall counts;
        - ``denominator`` (AP): ``"relevant"``, the number R of relevant items, or ``"min"``, min(R, cutoff);
        - ``weight`` (WPDL): what a pair in the wrong order weighs, ``"one"``, ``"difference"`` (of
          the grades) or ``"gain"`` (difference of 2^y);
        - ``ties`` (PD, WPDL, tau): what a pair of tied scores counts, ``"half"`` or ``"full"`` of its weight;
          for tau ``"average"`` (the mean over the rankings that sort the scores) or ``"b"`` (tau-b);
        - ``normalize`` (PD, WPDL): whether to divide by the weight of all pairs.

        ``rankproof metrics NAME`` describes those of one metric.

    Returns
    -------
    Metric

    Examples
    --------
    >>> metric("nDCG@10")
    nDCG@10
    >>> metric("AP(rel=2)@100")
    AP(rel=2)@100
    >>> metric("ndcg", cutoff=5, gain="linear") == metric("nDCG(gain=linear)@5")
    True
    >>> metric("nDCG@0")
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Argument cutoff of nDCG must be an int >= 1, got 0.
    """
    if isinstance(spec, Metric):
        return replace(spec, **_checked_parameters(type(spec), parameters)) if parameters else spec
    if callable(spec) and not isinstance(spec, type):
        from rankproof.metrics.own_metric import own_metric

        return own_metric(spec, **parameters)
    if not isinstance(spec, str):
        raise ArgumentError(f"A metric is a string such as 'nDCG@10' or a metric object, got {spec!r}.")
    if ".py" in spec:
        from rankproof.metrics.own_named import refuse_place

        refuse_place(spec)
    match = CALL.match(spec)
    if not match or match[1] not in METRICS:
        # Not a name of ours, nor one that a user registered: another tool's, perhaps.
        match = CALL.match(our_name(spec))
    if not match:
        raise ParseError(f"Cannot read the metric {spec!r}: the form is NAME(parameter=value,...)@cutoff.")
    name, inner, cutoff = match.groups()
    cls = METRICS[name]
    chosen = dict(split_parameters(spec, inner)) if inner and inner.strip() else {}
    if cutoff is not None:
        if not WHOLE_NUMBER.match(cutoff):
            raise ParseError(f"Cannot read the cutoff {cutoff!r} of {spec!r}: it is a whole number.")
        if "cutoff" in chosen:
            raise ParseError(f"The cutoff of {spec!r} is given twice.")
        chosen["cutoff"] = int(cutoff)
    return cls(**_checked_parameters(cls, {**chosen, **parameters}))


def _checked_parameters(cls: type[Metric], parameters: dict[str, Any]) -> dict[str, Any]:
    names = [field.name for field in cls.parameters()]
    for name in parameters:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            if name == "cutoff":
                raise ArgumentError(f"{cls.name} has no cutoff.")
            raise ArgumentError(f"{cls.name} has no parameter {name!r}.{hint} It has: {', '.join(names)}.")
    return parameters


def split_parameters(spec: str, inner: str) -> list[tuple[str, Any]]:
    """The ``name=value`` pairs between the parentheses of ``spec``."""
    pairs: list[tuple[str, Any]] = []
    # Commas inside square brackets belong to a table.
    for piece in re.split(r",(?![^\[]*\])", inner):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals or not _WORD.match(name):
            raise ParseError(f"Cannot read {piece.strip()!r} in {spec!r}: parameters are written name=value.")
        if any(name == earlier for earlier, _ in pairs):
            raise ParseError(f"Parameter {name!r} of {spec!r} is given twice.")
        pairs.append((name, _value(spec, value)))
    return pairs


def _value(spec: str, text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        return tuple(_value(spec, part.strip()) for part in text[1:-1].split(","))
    if WHOLE_NUMBER.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    if _FRACTION.match(text):
        return Fraction(text)
    if text in ("true", "false"):
        return text == "true"
    if _WORD.match(text):
        return text
    raise ParseError(f"Cannot read the value {text!r} in {spec!r}: use a number, a word or [a,b,c].")
