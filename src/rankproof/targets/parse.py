"""Target strings: ``gain``, ``normalised-gain(gain=linear)@10``, ``positional:P@3``.

The grammar is that of metrics, and ``str(target)`` parses back to an equal target. A target of a user's own
has no string that parses.
"""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import Any

from rankproof.errors import ArgumentError, ParseError
from rankproof.metrics.parse import CALL, WHOLE_NUMBER, split_parameters
from rankproof.metrics.parse import metric as metric_of
from rankproof.targets.base import TARGETS, Target
from rankproof.targets.positional import PositionalTarget

__all__ = ["read_call", "target"]


def target(spec: str | Target, **parameters: Any) -> Target:
    """The target that ``spec`` names; keyword arguments set or override its parameters.

    >>> target("normalised-gain(gain=linear)@10")
    normalised-gain(gain=linear)@10
    >>> target("normalised-gain", cutoff=10)
    normalised-gain@10
    >>> target("positional:RBP(p=0.5)")
    positional:RBP(p=0.5)
    >>> target("normalized-gain")
    Traceback (most recent call last):
        ...
    rankproof.errors.UnknownNameError: Unknown target 'normalized-gain'. Did you mean 'normalised-gain'? ...
    """
    if isinstance(spec, Target):
        return (
            replace(spec, **checked_parameters(spec.name, spec.parameters(), parameters))
            if parameters
            else spec
        )
    if not isinstance(spec, str):
        raise ArgumentError(f"A target is a string such as 'gain' or a target object, got {spec!r}.")
    name, colon, rest = (part.strip() for part in spec.partition(":"))
    if colon and name.casefold() == PositionalTarget.name:
        return PositionalTarget(metric=metric_of(rest, **parameters))
    name, parameters_of_spec = read_call("target", spec)
    if name.casefold() == "label-worth":
        from rankproof.targets.label_worth import LabelWorth

        own = checked_parameters(
            LabelWorth.name, LabelWorth.parameters(), {**parameters_of_spec, **parameters}
        )
        return LabelWorth(**own)
    cls = TARGETS[name]
    return cls(**checked_parameters(cls.name, cls.parameters(), {**parameters_of_spec, **parameters}))


def read_call(kind: str, spec: str) -> tuple[str, dict[str, Any]]:
    """Name and parameters of ``NAME(parameter=value,...)@cutoff``."""
    match = CALL.match(spec)
    if not match:
        raise ParseError(f"Cannot read the {kind} {spec!r}: the form is NAME(parameter=value,...)@cutoff.")
    name, inner, cutoff = match.groups()
    parameters = dict(split_parameters(spec, inner)) if inner and inner.strip() else {}
    if cutoff is not None:
        if not WHOLE_NUMBER.match(cutoff):
            raise ParseError(f"Cannot read the cutoff {cutoff!r} of {spec!r}: it is a whole number.")
        if "cutoff" in parameters:
            raise ParseError(f"The cutoff of {spec!r} is given twice.")
        parameters["cutoff"] = int(cutoff)
    return name, parameters


def checked_parameters(name: str, fields: list[Any], parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters as given, when there are fields for all of them."""
    names = [field.name for field in fields]
    for parameter in parameters:
        if parameter not in names:
            if parameter == "cutoff":
                raise ArgumentError(f"{name} has no cutoff.")
            near = difflib.get_close_matches(parameter, names, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            listed = f" It has: {', '.join(names)}." if names else " It has none."
            raise ArgumentError(f"{name} has no parameter {parameter!r}.{hint}{listed}")
    return parameters
