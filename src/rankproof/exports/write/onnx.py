"""ONNX: trees as one node of ai.onnx.ml, linear functions and networks by the standard operators.

Version 5 (opset 5 of ai.onnx.ml, TreeEnsemble, ONNX 1.16): thresholds, leaves and sums in double precision,
sets of categories as they are. Version 3 (opset 3, TreeEnsembleRegressor), for older runtimes: float32,
thresholds
rounded down, and no categories.
"""

from __future__ import annotations

from typing import Any

from rankproof.errors import MissingDependencyError
from rankproof.exports.check.runtimes import evaluate_onnx
from rankproof.exports.forms.draft import Draft, Format, Request
from rankproof.exports.forms.linear import LinearForm
from rankproof.exports.forms.trees import TreeForm
from rankproof.exports.write.onnx_graphs import linear_nodes, network_nodes
from rankproof.exports.write.onnx_trees import ensemble_node, regressor_node
from rankproof.exports.write.refusals import refuse_categories, refuse_zero_as_missing

__all__ = ["FORMATS"]

# Of ai.onnx, with its operators in float32 and float64; and of the files.
_OPSET, _FILE = 17, 9


def _write(request: Request) -> Draft:
    try:
        import onnx
    except ImportError as error:
        raise MissingDependencyError(
            f"The format onnx needs the package onnx, which cannot be imported ({error}): pip install "
            f"'rankproof[onnx]'"
        ) from None
    form, older = request.form, request.version == "3"
    double = onnx.TensorProto.DOUBLE
    single = onnx.TensorProto.FLOAT
    missing = infinite = False
    notes: list[str] = []
    constants: list[Any]
    if isinstance(form, TreeForm):
        refuse_zero_as_missing(form, "ONNX")
        missing, infinite = request.missing != "never", True
        if older:
            refuse_categories(form, "Version 3 of ONNX trees")
            nodes, constants, into, out = [regressor_node(form)], [], single, single
        else:
            into = single if form.precision == "float32" else double
            nodes, constants, out = ensemble_node(form, cast=into == single), [], double
    elif isinstance(form, LinearForm):
        (nodes, constants), into, out = linear_nodes(form), double, double
    else:
        (nodes, constants), into, out = network_nodes(form), double if form.squash else single, single
    graph = onnx.helper.make_graph(
        nodes,
        request.name,
        [onnx.helper.make_tensor_value_info("features", into, ["items", form.features])],
        [onnx.helper.make_tensor_value_info("scores", out, ["items", 1])],
        initializer=constants,
    )
    ml = 3 if older else 5
    model = onnx.helper.make_model(
        graph,
        opset_imports=[onnx.helper.make_opsetid("", _OPSET), onnx.helper.make_opsetid("ai.onnx.ml", ml)],
        ir_version=_FILE,
        producer_name="rankproof",
    )
    onnx.helper.set_model_props(model, {"feature_names": "\n".join(request.names)})
    onnx.checker.check_model(model)
    raw = model.SerializeToString()
    trees = isinstance(form, TreeForm)
    notes.append(f"opset {_OPSET} of ai.onnx" + (f", {ml} of ai.onnx.ml" if trees else ""))
    notes.append(f"input features: {'float32' if into == single else 'float64'}, one row per item")
    return Draft(
        {"": raw},
        lambda X: evaluate_onnx(raw, X),
        "onnxruntime",
        precision="float32" if into == single else "float64",
        sums="float32" if out == single else "float64",
        missing=missing,
        infinite=infinite,
        notes=tuple(notes),
    )


FORMATS = (
    Format(
        name="onnx",
        title="ONNX",
        holds=("trees", "a linear function", "a network"),
        suffix=".onnx",
        categories=True,
        missing="by split",
        numbers="as the model (version 3: float32)",
        checked_by="onnxruntime",
        versions=("3", "5"),
        write=_write,
    ),
)
