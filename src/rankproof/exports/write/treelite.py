"""treelite: a checkpoint of its model, and with a C compiler the shared library that tl2cgen makes of it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from rankproof.errors import ArgumentError, MissingDependencyError
from rankproof.exports.check.runtimes import evaluate_compiled, evaluate_treelite, quietly
from rankproof.exports.forms.draft import Draft, Format, Request
from rankproof.exports.forms.thresholds import next32, thresholds_at_most
from rankproof.exports.forms.trees import BoostedTree, TreeForm
from rankproof.exports.write.refusals import refuse_zero_as_missing

__all__ = ["FORMATS", "build"]


def build(form: TreeForm, *, printed: bool = False) -> Any:
    """The model of treelite; for tl2cgen (``printed``) with thresholds halfway between two float32."""
    try:
        from treelite.model_builder import Metadata, ModelBuilder, PostProcessorFunc, TreeAnnotation
    except ImportError as error:
        raise MissingDependencyError(
            f"The format treelite needs the package treelite, which cannot be imported ({error}): pip "
            f"install "
            "'rankproof[compiled]'"
        ) from None
    if not form.trees:
        raise ArgumentError("treelite holds no model without trees, and this one has none.")
    number = len(form.trees)
    builder = ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=Metadata(
            num_feature=form.features,
            task_type="kRegressor",
            average_tree_output=False,
            num_target=1,
            num_class=[1],
            leaf_vector_shape=(1, 1),
        ),
        tree_annotation=TreeAnnotation(num_tree=number, target_id=[0] * number, class_id=[0] * number),
        postprocessor=PostProcessorFunc(name="identity"),
        base_scores=[form.base],
    )
    for tree in form.trees:
        _tree(builder, form, tree, printed)
    return builder.commit()


def _tree(builder: Any, form: TreeForm, tree: BoostedTree, printed: bool) -> None:
    builder.start_tree()
    for node, _ in tree.walk():
        builder.start_node(node)
        if tree.feature[node] < 0:
            builder.leaf(float(tree.value[node]))
        elif node in tree.categories:
            builder.categorical_test(
                int(tree.feature[node]),
                default_left=bool(tree.default_left[node]),
                category_list=list(tree.categories[node]),
                category_list_right_child=False,
                left_child_key=int(tree.left[node]),
                right_child_key=int(tree.right[node]),
            )
        else:
            builder.numerical_test(
                int(tree.feature[node]),
                _halfway(form, tree.threshold[node]) if printed else float(tree.threshold[node]),
                default_left=form.goes_left_when_missing(tree, node),
                opname="<" if form.strict else "<=",
                left_child_key=int(tree.left[node]),
                right_child_key=int(tree.right[node]),
            )
        builder.end_node()
    builder.end_tree()


def _halfway(form: TreeForm, threshold: float) -> float:
    """A threshold with the same float32 on both sides that loses nothing by tl2cgen's sixteen digits.

    C has no literal for an infinite one, either.
    """
    low = thresholds_at_most(form, threshold)
    largest = float(np.finfo(np.float32).max)
    return float(np.clip((float(low) + float(next32(low))) / 2, -2 * largest, 2 * largest))


def _form(request: Request, title: str) -> TreeForm:
    form = request.form
    if not isinstance(form, TreeForm):
        raise ArgumentError(f"{title} holds trees, and the model is {form.kind}. Export to onnx or json.")
    refuse_zero_as_missing(form, title)
    return form


def _draft(
    request: Request, form: TreeForm, raw: bytes, evaluate: Any, evaluator: str, *, infinite: bool
) -> Draft:
    return Draft(
        {"": raw},
        evaluate,
        evaluator,
        precision=form.precision if infinite else "float32",
        sums="float64",
        missing=request.missing != "never",
        infinite=infinite,
        notes=()
        if infinite
        else ("features are float32 numbers", "input of the library: float64, one row per item"),
    )


def _checkpoint(request: Request) -> Draft:
    form = _form(request, "treelite")
    raw = bytes(build(form).serialize_bytes())
    return _draft(
        request, form, raw, lambda X: evaluate_treelite(raw, X), "treelite's own predictor", infinite=True
    )


def _library(request: Request) -> Draft:
    form = _form(request, "tl2cgen")
    model = build(form, printed=True)
    try:
        import tl2cgen
    except ImportError as error:
        raise MissingDependencyError(
            f"The format compiled needs the package tl2cgen, which cannot be imported ({error}): pip install "
            "'rankproof[compiled]'"
        ) from None
    with TemporaryDirectory() as folder:
        place = Path(folder) / "model.so"
        try:
            with quietly():
                # Files of about a hundred trees: a compiler takes too long for one of thousands.
                parts = {"parallel_comp": -(-len(form.trees) // 100)} if len(form.trees) > 100 else {}
                tl2cgen.export_lib(model, toolchain="gcc", libpath=place, nthread=1, params=parts)
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise ArgumentError(
                f"The compiler of tl2cgen failed ({reason}). A C compiler is needed (gcc); or export to "
                f"treelite."
            ) from None
        raw = place.read_bytes()
    return _draft(
        request,
        form,
        raw,
        lambda X: evaluate_compiled(raw, X),
        "the library, through tl2cgen",
        infinite=False,
    )


def _format(name: str, title: str, suffix: str, checked_by: str, write: Any) -> Format:
    return Format(
        name=name,
        title=title,
        holds=("trees",),
        suffix=suffix,
        categories=True,
        missing="by split",
        numbers="float64",
        checked_by=checked_by,
        versions=(),
        write=write,
    )


FORMATS = (
    _format("treelite", "treelite checkpoint", ".tl", "treelite", _checkpoint),
    _format("compiled", "Shared library (tl2cgen)", ".so", "the library itself", _library),
)
