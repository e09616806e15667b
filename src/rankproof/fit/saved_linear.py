"""What of a linear ranker is saved, and how it is put together again."""

from __future__ import annotations

from typing import Any

from rankproof.fit.report import FitReport
from rankproof.fit.saved import Saved
from rankproof.fit.scaling import SCALES, Scaling

__all__ = ["parts", "restore"]


def parts(model: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, bytes]]:
    """State, arrays and files of a fitted `LinearRanker` or `LinearRankerCV`."""
    state = {
        "scaling": model.scaling_.kind,
        "intercept": model.intercept_,
        "report": model.report_.as_dict(),
    }
    arrays = {"coef": model.coef_, "centre": model.scaling_.centre, "divisor": model.scaling_.divisor}
    if hasattr(model, "l2_path_"):
        state["l2"] = model.l2_
        arrays |= {"l2_path": model.l2_path_, "scores": model.scores_}
    return state, arrays, {}


def restore(saved: Saved, parameters: dict[str, Any]) -> Any:
    """The fitted ranker, but for its loss and its features."""
    from rankproof.fit.linear import LinearRanker
    from rankproof.fit.linear_cv import LinearRankerCV

    state, arrays = saved.state, saved.arrays
    model: Any
    if saved.kind == "LinearRankerCV":
        model = LinearRankerCV(**parameters)
        model.l2_, model.l2_path_, model.scores_ = float(state["l2"]), arrays["l2_path"], arrays["scores"]
    else:
        model = LinearRanker(**parameters)
    features, kind = int(state["features"]), state["scaling"]
    model.coef_, model.intercept_, model.report_ = (
        arrays["coef"],
        float(state["intercept"]),
        FitReport(**state["report"]),
    )
    model.scaling_ = Scaling(kind, arrays["centre"], arrays["divisor"])
    model.n_iter_ = max(1, model.report_.iterations)
    each_feature = (model.coef_, model.scaling_.centre, model.scaling_.divisor)
    if kind not in SCALES or any(array.shape != (features,) for array in each_feature):
        raise saved.wrong(f"the arrays do not fit {features} features and scaling {kind!r}.")
    return model
