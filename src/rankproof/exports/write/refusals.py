"""What a format cannot express, said with the reason and the nearest thing that can."""

from __future__ import annotations

from rankproof.errors import ArgumentError
from rankproof.exports.forms.draft import Request
from rankproof.exports.forms.thresholds import splits_of
from rankproof.exports.forms.trees import MISSING_OR_ZERO, TreeForm

__all__ = ["refuse_categories", "refuse_deep", "refuse_missing", "refuse_zero_as_missing"]

# Readers of JSON in Java and Python give up at about a thousand levels, two of which are one of a tree.
_MOST_LEVELS = 400


def refuse_categories(form: TreeForm, title: str) -> None:
    """Raise `ArgumentError` when some split reads categories."""
    if form.categorical:
        column = form.names[form.categorical[0]]
        raise ArgumentError(
            f"{title} has no categorical splits, and the model splits the categories of feature {column!r}. "
            "Export to onnx, treelite, lightgbm or json, or train with one 0/1 feature per category."
        )


def refuse_zero_as_missing(form: TreeForm, title: str) -> None:
    """Raise `ArgumentError` when some split takes zero for missing (LightGBM's zero_as_missing)."""
    if MISSING_OR_ZERO in form.missing_kinds():
        raise ArgumentError(
            f"{title} tells 0 from a missing value, and the model does not (zero_as_missing=true). Train "
            f"without "
            "zero_as_missing and with NaN for what is missing, or export to json or lightgbm."
        )


def refuse_deep(form: TreeForm, title: str) -> None:
    """Raise `ArgumentError` when a tree is deeper than nested JSON can be."""
    depth = max((tree.depth for tree in form.trees), default=0)
    if depth > _MOST_LEVELS:
        raise ArgumentError(
            f"A tree is {depth} splits deep, and readers of {title} give up at about {_MOST_LEVELS}. "
            f"Train with "
            "max_depth, or export to onnx, treelite or json."
        )


def refuse_missing(request: Request, title: str, rule: str, way_out: str) -> bool:
    """Whether missing values can be asked for: ``rule`` says where the target sends them, right or as 0.

    Raises `ArgumentError` when some go elsewhere, unless it was said that none are ever missing.
    """
    form = request.form
    if not isinstance(form, TreeForm) or request.missing == "never":
        return False
    other, first = 0, ""
    total = 0
    for number, node, feature in splits_of(form):
        tree = form.trees[number]
        threshold = tree.threshold[node]
        wanted = form.goes_left_when_missing(tree, node)
        there = False if rule == "right" else bool(threshold > 0 if form.strict else threshold >= 0)
        total += 1
        if wanted != there:
            other, first = other + 1, first or form.names[feature]
    if other:
        place = "to the right" if rule == "right" else "where 0 goes"
        raise ArgumentError(
            f"{title} sends a missing feature {place} in every split, and {other} of the {total} splits "
            f"of the model "
            f"do not (the first is of feature {first!r}). {way_out} If no feature is ever missing there, say "
            "missing='never'."
        )
    return True
