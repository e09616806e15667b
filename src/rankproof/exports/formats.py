"""All targets of an export; a further one is a file with a writer, one with an evaluator, and a line here."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from rankproof.exports.forms.draft import Format
from rankproof.registry import Registry

__all__ = ["formats"]

_PLACES = ("plain", "onnx", "elasticsearch", "solr", "vespa", "treelite", "lightgbm")


@cache
def formats() -> Registry[Format]:
    """The registry of formats."""
    registry: Registry[Format] = Registry("format")
    for place in _PLACES:
        for one in import_module(f"rankproof.exports.write.{place}").FORMATS:
            registry.add(one.name, one)
    return registry
