"""The consumers themselves: LightGBM, treelite, compiled libraries and onnxruntime."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.errors import MissingDependencyError
from rankproof.optional import engine

__all__ = ["evaluate_compiled", "evaluate_lightgbm", "evaluate_onnx", "evaluate_treelite", "quietly"]


def evaluate_lightgbm(raw: bytes, X: NDArray[Any]) -> Float64s:
    """The scores of LightGBM for a model text."""
    booster = engine("lightgbm").Booster(model_str=raw.decode())
    return np.asarray(
        booster.predict(np.asarray(X, np.float64), raw_score=True, num_threads=1), dtype=np.float64
    )


@contextmanager
def quietly() -> Iterator[None]:
    """treelite and tl2cgen print what they do to standard output, where results of ours may go."""
    with redirect_stdout(io.StringIO()):
        yield


def evaluate_treelite(raw: bytes, X: NDArray[Any]) -> Float64s:
    """The scores of treelite's reference predictor."""
    import treelite

    with quietly():
        return _treelite(treelite, raw, X)


def _treelite(treelite: Any, raw: bytes, X: NDArray[Any]) -> Float64s:
    model = treelite.Model.deserialize_bytes(raw)
    rows = np.ascontiguousarray(X, dtype=np.float64)
    return np.asarray(treelite.gtil.predict(model, rows, nthread=1), dtype=np.float64).reshape(-1)


def evaluate_compiled(raw: bytes, X: NDArray[Any]) -> Float64s:
    """The scores of a compiled library."""
    import tl2cgen

    with TemporaryDirectory() as folder, quietly():
        place = Path(folder) / "model.so"
        place.write_bytes(raw)
        predictor = tl2cgen.Predictor(str(place), nthread=1)
        data = tl2cgen.DMatrix(np.ascontiguousarray(X, dtype=np.float64), dtype="float64")
        return np.asarray(predictor.predict(data), dtype=np.float64).reshape(-1)


def evaluate_onnx(raw: bytes, X: NDArray[Any]) -> Float64s:
    """The scores of onnxruntime, on one thread."""
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingDependencyError(
            f"An export to ONNX is checked by onnxruntime, which cannot be imported ({error}): pip install "
            "'rankproof[onnx]'"
        ) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])
    into = session.get_inputs()[0]
    kind = np.float32 if into.type == "tensor(float)" else np.float64
    out = session.run(None, {into.name: np.ascontiguousarray(X, dtype=kind)})[0]
    return np.asarray(out, dtype=np.float64).reshape(-1)
