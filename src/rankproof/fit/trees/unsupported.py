"""Parameters that an engine takes, and that do nothing, or break what we promise, in our training.

Engines pass over parameters of losses, files and tools that are not in use. A user who gives one expects it
to do something, so it is refused with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankproof.errors import ArgumentError

__all__ = ["UNSUPPORTED", "refuse_idle", "refuse_unsupported"]

_OTHER_LOSS = "belongs to losses and metrics of LightGBM's own, and would change nothing"
_FILES = "is read from files or on LightGBM's command line, and would change nothing"
_PREDICT = "belongs to prediction, and would change nothing"
_MACHINES = "spreads rows over machines, where a loss would not see whole queries"

# Engine -> parameter -> what is wrong with it.
UNSUPPORTED: dict[str, dict[str, str]] = {
    "lightgbm": {
        "reg_sqrt": "takes the root of the target, with which squared loss is not consistent any more",
        "early_stopping_min_delta": "LightGBM reads with its own early stopping only",
        **dict.fromkeys(
            (
                *("alpha", "auc_mu_weights", "eval_at", "fair_c", "first_metric_only", "is_unbalance"),
                *("is_provide_training_metric", "label_gain", "lambdarank_norm", "metric_freq", "num_class"),
                *("lambdarank_position_bias_regularization", "lambdarank_truncation_level"),
                *("multi_error_top_k", "neg_bagging_fraction", "objective_seed", "poisson_max_delta_step"),
                *("pos_bagging_fraction", "scale_pos_weight", "sigmoid", "tweedie_variance_power"),
            ),
            _OTHER_LOSS,
        ),
        **dict.fromkeys(
            (
                *("config", "convert_model", "convert_model_language", "data", "group_column", "header"),
                *("ignore_column", "input_model", "label_column", "output_model", "output_result"),
                *("parser_config_file", "precise_float_parser", "refit_decay_rate", "save_binary"),
                *("snapshot_freq", "task", "two_round", "valid", "weight_column"),
            ),
            _FILES,
        ),
        **dict.fromkeys(
            (
                *("num_iteration_predict", "pred_early_stop", "pred_early_stop_freq", "predict_contrib"),
                *("pred_early_stop_margin", "predict_disable_shape_check", "predict_leaf_index"),
                *("predict_raw_score", "start_iteration_predict"),
            ),
            _PREDICT,
        ),
        **dict.fromkeys(
            (
                *("local_listen_port", "machine_list_filename", "machines", "num_machines", "pre_partition"),
                *("time_out", "top_k", "tree_learner"),
            ),
            _MACHINES,
        ),
    },
    "xgboost": {
        "scale_pos_weight": "weighs rows whose target is 1, and with that no loss of ours is consistent",
    },
    "catboost": {
        "best_model_min_trees": "keeps other trees than those with the best value of the metric",
    },
}

# Parameters of LightGBM -> what they do nothing without, any of these.
_DART, _GOSS = ("boosting",), ("data_sample_strategy", "boosting")
NEEDS: dict[str, tuple[str, ...]] = {
    "bagging_fraction": ("bagging_freq",),
    "linear_lambda": ("linear_tree",),
    **dict.fromkeys(("top_rate", "other_rate"), _GOSS),
    **dict.fromkeys(("drop_rate", "drop_seed", "max_drop", "skip_drop", "uniform_drop"), _DART),
    "xgboost_dart_mode": _DART,
}
_NAMES_OF_FILES = ("forcedbins_filename", "forcedsplits_filename")


def refuse_unsupported(engine: str, name: str, canonical: str | None = None) -> None:
    """Raise `ArgumentError` when a parameter is not supported; ``canonical`` is what its name stands for.

    >>> refuse_unsupported("lightgbm", "ndcg_at", "eval_at")
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Argument parameters of BoostedRanker has 'ndcg_at', which belongs to
    losses and metrics of LightGBM's own, and would change nothing. Leave it out.
    """
    reason = UNSUPPORTED[engine].get(canonical or name)
    if reason is not None:
        raise ArgumentError(
            f"Argument parameters of BoostedRanker has {name!r}, which {reason}. Leave it out."
        )


def refuse_idle(parameters: Mapping[str, Any]) -> None:
    """Raise `ArgumentError` for a parameter of LightGBM that does nothing without another, or a file.

    ``parameters`` are by LightGBM's own names.

    >>> refuse_idle({"bagging_fraction": 0.8})
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Argument parameters of BoostedRanker has 'bagging_fraction', which does
    nothing without 'bagging_freq'. Give both, or leave it out.
    """
    for name, value in parameters.items():
        if name in NEEDS and not parameters.keys() & NEEDS[name] and not _is_whole(name, value):
            others = " or ".join(repr(other) for other in NEEDS[name])
            raise ArgumentError(
                f"Argument parameters of BoostedRanker has {name!r}, which does nothing without {others}. "
                "Give both, or leave it out."
            )
        if name in _NAMES_OF_FILES and value and not Path(str(value)).is_file():
            raise ArgumentError(
                f"Argument parameters of BoostedRanker has {name!r}, and there is no file {str(value)!r}."
            )


def _is_whole(name: str, value: Any) -> bool:
    """Whether it stands for all rows, or more, which is for LightGBM to refuse; it takes text as well."""
    if name != "bagging_fraction":
        return False
    try:
        return float(value) >= 1
    except (TypeError, ValueError):
        return False
