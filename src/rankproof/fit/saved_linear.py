"""What of a linear ranker is saved, and how it is put together again."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.fit.report import FitReport
from rankproof.fit.saved import Saved, write_model
from rankproof.fit.saved_parameters import as_text, from_text, printed
from rankproof.fit.scaling import SCALES, Scaling

__all__ = ["KINDS", "restore_linear", "save_linear"]

KINDS = ("LinearRanker", "LinearRankerCV")


def save_linear(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted `LinearRanker` or `LinearRankerCV`."""
    kind = type(model).__name__
    if kind not in KINDS:
        raise ArgumentError(f"Only {' and '.join(KINDS)} are saved, got a {kind}.")
    parameters = {name: as_text(kind, name, value) for name, value in model.get_params(deep=False).items()}
    names = getattr(model, "feature_names_in_", None)
    state = {
        "features": model.n_features_in_,
        "feature_names": None if names is None else [str(name) for name in names],
        "loss": printed(kind, "loss_", model.loss_),
        "scaling": model.scaling_.kind,
        "intercept": model.intercept_,
        "report": model.report_.as_dict(),
    }
    arrays = {"coef": model.coef_, "centre": model.scaling_.centre, "divisor": model.scaling_.divisor}
    if kind == "LinearRankerCV":
        state["l2"] = model.l2_
        arrays |= {"l2_path": model.l2_path_, "scores": model.scores_}
    write_model(path, kind, parameters, state, arrays)


def restore_linear(saved: Saved) -> Any:
    """The fitted ranker that was saved."""
    from rankproof.fit.linear import LinearRanker
    from rankproof.fit.linear_cv import LinearRankerCV
    from rankproof.losses.parse import loss as parse_loss

    state, arrays = saved.state, saved.arrays
    try:
        coef, centre, divisor = (arrays[name] for name in ("coef", "centre", "divisor"))
        features = int(state["features"])
        model: Any = {"LinearRanker": LinearRanker, "LinearRankerCV": LinearRankerCV}[saved.kind](
            **from_text(saved.parameters)
        )
        loss, kind, report = parse_loss(state["loss"]), state["scaling"], FitReport(**state["report"])
        intercept, names = float(state["intercept"]), state["feature_names"]
        if saved.kind == "LinearRankerCV":
            model.l2_, model.l2_path_, model.scores_ = float(state["l2"]), arrays["l2_path"], arrays["scores"]
    except (KeyError, TypeError) as error:
        raise saved.wrong(f"a part of the model is missing or of a wrong kind: {error}.") from None
    if kind not in SCALES or any(a.shape != (features,) for a in (coef, centre, divisor)):
        raise saved.wrong(f"the arrays do not fit {features} features and scaling {kind!r}.")
    model.coef_, model.intercept_, model.loss_, model.report_ = coef, intercept, loss, report
    model.scaling_ = Scaling(kind, centre, divisor)
    model.n_features_in_, model.n_iter_ = features, max(1, report.iterations)
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    return model
