"""Any model as a source: a ranker, a folder, a model file of an engine, recognised by its content."""

from __future__ import annotations

import json
import os
from os import PathLike
from pathlib import Path
from typing import Any

from rankproof.errors import ArgumentError, DataError, FileFormatError
from rankproof.exports.forms.source import Source
from rankproof.exports.read.engines import (
    catboost_source,
    engine_source,
    is_engine_model,
    lightgbm_source,
    xgboost_source,
)
from rankproof.exports.read.rankers import RANKERS, ranker_source
from rankproof.exports.read.torch import is_module, module_source
from rankproof.files import sha256_of_bytes
from rankproof.fit.saved.load import load_model
from rankproof.optional import engine
from rankproof.runs.run_folder import check_model

__all__ = ["read_source"]

_KINDS = "LightGBM's text, XGBoost's JSON or binary JSON, CatBoost's JSON or cbm"


def read_source(model: Any) -> tuple[Source, dict[str, Any]]:
    """The source for a model, and what identifies it."""
    if isinstance(model, str | PathLike):
        path = Path(model)
        if path.is_dir():
            check_model(path)
            ranker = load_model(path)
            digest = sha256_of_bytes((path / "model.json").read_bytes())
            return ranker_source(ranker), {"path": os.fspath(model), "sha256": digest}
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise DataError(
                f"Model {os.fspath(model)!r} cannot be read: {error.strerror or error}."
            ) from None
        return file_source(path, raw), {"path": os.fspath(model), "sha256": sha256_of_bytes(raw)}
    if isinstance(model, RANKERS):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)
        return ranker_source(model), {"class": type(model).__name__}
    if is_engine_model(model):
        return engine_source(model), {
            "class": f"{type(model).__module__.split('.')[0]}.{type(model).__name__}"
        }
    if is_module(model):
        return module_source(model), {"class": f"torch.{type(model).__name__}"}
    raise ArgumentError(
        "Argument model of export must be a fitted ranker, a folder or file of a saved model, a model of "
        "LightGBM, "
        f"XGBoost or CatBoost, or a torch.nn.Sequential, got {type(model).__name__}."
    )


def file_source(path: Path, raw: bytes) -> Source:
    """The source for a model file of an engine."""
    try:
        if raw[:4] == b"CBM1":
            return catboost_source(_catboost(raw, "cbm"))
        if raw[:5] in (b"tree\n", b"tree\r"):
            return lightgbm_source(raw.decode("utf-8").replace("\r\n", "\n"))
        if raw[:1] == b"{" and (raw[1:2].isspace() or raw[1:2] == b'"'):
            document = json.loads(raw)
            if "learner" in document:
                return xgboost_source(raw)
            if "features_info" in document:
                return catboost_source(_catboost(raw, "json"))
            raise FileFormatError(path, None, f"this JSON is no model that is known here: {_KINDS}.")
        if raw[:1] == b"{":
            return xgboost_source(raw)
    except ArgumentError as error:
        raise FileFormatError(path, None, str(error)) from None
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(
            path, None, f"the file is damaged or cut off ({type(error).__name__}: {error}). Save it again."
        ) from None
    raise FileFormatError(path, None, f"this is no model that is known here: {_KINDS}.")


def _catboost(raw: bytes, kind: str) -> Any:
    cb = engine("catboost")
    model = cb.CatBoost()
    try:
        if kind == "cbm":
            return model.load_model(blob=raw)
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.json"
            file.write_bytes(raw)
            return model.load_model(str(file), format="json")
    except cb.CatBoostError as error:
        from rankproof.optional import reason_of

        raise ArgumentError(f"CatBoost cannot read it: {reason_of(error)}. Save it again.") from None
