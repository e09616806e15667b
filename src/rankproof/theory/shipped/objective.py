"""Objectives by the engine's own names: ``lightgbm:lambdarank(lambdarank_norm=false)``.

Grammar: ``ENGINE:NAME [ "(" name=value { "," name=value } ")" ]``. Parameters are those of the engine that
change the objective, under the engine's names. ``str(objective)`` lists only those that differ from the
engine's default, and parses back to an equal objective.

>>> engine_objective("LightGBM:lambdarank(lambdarank_norm=false, sigmoid=1)")
lightgbm:lambdarank(lambdarank_norm=false)
>>> engine_objective("xgboost:rank:ndcg").value("lambdarank_num_pair_per_sample")
32
>>> engine_objective("lightgbm:lamdarank")
Traceback (most recent call last):
    ...
rankproof.errors.UnknownNameError: Unknown objective 'lamdarank' of lightgbm. Did you mean 'lambdarank'? ...
"""

from __future__ import annotations

import difflib
import math
import re
from dataclasses import dataclass
from typing import Any

from rankproof.errors import ArgumentError, ParseError, UnknownNameError
from rankproof.metrics.parse import split_parameters
from rankproof.registry import Registry
from rankproof.theory.shipped.table import ENGINE_OBJECTIVES, ENGINES, Parameter, ShippedObjective, Value

__all__ = ["ENGINE_OBJECTIVES", "EngineObjective", "engine_objective", "is_engine_objective"]

_CALL = re.compile(r"^\s*([A-Za-z]+)\s*:\s*([A-Za-z_:]+?)\s*(?:\((.*)\))?\s*$", re.DOTALL)


@dataclass(frozen=True, repr=False)
class EngineObjective:
    """A ranking objective of an engine, with the engine's parameters.

    Attributes
    ----------
    engine : "lightgbm", "xgboost" or "catboost"
    name : what the engine calls it, such as ``rank:ndcg``
    parameters : names and values that differ from the engine's default, sorted by name
    """

    engine: str
    name: str
    parameters: tuple[tuple[str, Value], ...] = ()

    def __post_init__(self) -> None:
        if f"{self.engine}:{self.name}" not in {*ENGINE_OBJECTIVES}:
            raise UnknownNameError(_unknown_objective(self.engine, self.name))
        allowed = self.shipped.parameters
        chosen = {name: _checked(self, name, value) for name, value in self.parameters}
        kept = sorted((name, value) for name, value in chosen.items() if value != allowed[name].default)
        object.__setattr__(self, "parameters", tuple(kept))

    @property
    def shipped(self) -> ShippedObjective:
        """What the table says of the objective: its parameters, and where its definition was read."""
        return ENGINE_OBJECTIVES[f"{self.engine}:{self.name}"]

    def value(self, parameter: str) -> Value:
        """The value of a parameter, the engine's default unless another was given."""
        _parameter(self, parameter)
        return dict(self.parameters).get(parameter, self.shipped.parameters[parameter].default)

    def __str__(self) -> str:
        inner = ",".join(f"{name}={_written(value)}" for name, value in self.parameters)
        return f"{self.engine}:{self.name}" + (f"({inner})" if inner else "")

    def __repr__(self) -> str:
        return str(self)


def is_engine_objective(spec: object) -> bool:
    """Whether it is an objective, or a text that starts with an engine and a colon: the rest may be unknown.

    >>> is_engine_objective("catboost:YetiRank"), is_engine_objective("softmax:nDCG")
    (True, False)
    """
    if isinstance(spec, EngineObjective):
        return True
    return isinstance(spec, str) and ":" in spec and spec.partition(":")[0].strip().casefold() in ENGINES


def engine_objective(spec: str | EngineObjective) -> EngineObjective:
    """The objective that ``spec`` names.

    >>> engine_objective("catboost:yetirank(mode=NDCG)")
    catboost:YetiRank(mode=NDCG)
    """
    if isinstance(spec, EngineObjective):
        return spec
    match = _CALL.match(spec) if isinstance(spec, str) else None
    if match is None:
        raise ParseError(
            f"Cannot read the objective {spec!r}: the form is ENGINE:NAME(parameter=value,...), such as "
            "lightgbm:lambdarank(lambdarank_norm=false)."
        )
    engine, name, inner = match.groups()
    if engine.casefold() not in ENGINES:
        raise UnknownNameError(_engines_unknown(engine))
    full_name = f"{engine}:{name}"
    if full_name not in ENGINE_OBJECTIVES:
        raise UnknownNameError(_unknown_objective(engine.casefold(), name))
    shipped = ENGINE_OBJECTIVES[full_name]
    parameters = tuple(split_parameters(spec, inner)) if inner and inner.strip() else ()
    return EngineObjective(shipped.engine, shipped.name, parameters)


def _engines_unknown(engine: str) -> str:
    near = difflib.get_close_matches(engine.casefold(), ENGINES, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"Unknown engine {engine!r}.{hint} Known: {', '.join(ENGINES)}."


def _unknown_objective(engine: str, name: str) -> str:
    if engine not in ENGINES:
        return _engines_unknown(engine)
    here: Registry[ShippedObjective] = Registry("objective")
    for one in ENGINE_OBJECTIVES.values():
        if one.engine == engine:
            here.add(one.name, one)
    near = difflib.get_close_matches(name.casefold(), {n.casefold(): n for n in here}, n=1)
    hint = f" Did you mean {here[near[0]].name!r}?" if near else ""
    return f"Unknown objective {name!r} of {engine}.{hint} Known: {', '.join(here)}."


def _parameter(objective: EngineObjective, name: str) -> Parameter:
    parameters = objective.shipped.parameters
    if name in parameters:
        return parameters[name]
    near = difflib.get_close_matches(name, parameters, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ArgumentError(
        f"The objective {objective.engine}:{objective.name} has no parameter {name!r} here.{hint} "
        f"It has: {', '.join(parameters) or 'none'}."
    )


def _checked(objective: EngineObjective, name: str, value: object) -> Value:
    """The value as the parameter's type, so that 1 and 1.0 are one sigmoid."""
    parameter = _parameter(objective, name)
    default = parameter.default
    wanted = f"Parameter {name} of {objective.engine}:{objective.name} must be"
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ArgumentError(f"{wanted} true or false, got {value!r}.")
        return value
    if isinstance(default, str):
        words = {choice.casefold(): choice for choice in parameter.choices}
        if not isinstance(value, str) or value.casefold() not in words:
            raise ArgumentError(f"{wanted} one of {', '.join(parameter.choices)}, got {value!r}.")
        return words[value.casefold()]
    whole = isinstance(default, int)
    kind = "a whole number" if whole else "a finite number"
    right = isinstance(value, int) or (not whole and isinstance(value, float) and math.isfinite(value))
    if isinstance(value, bool) or not right or not parameter.allows(value):  # type: ignore[arg-type]
        raise ArgumentError(f"{wanted} {kind} {parameter.range_text}, got {value!r}.")
    number: Any = value
    return int(number) if whole else float(number)


def _written(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return str(value)
