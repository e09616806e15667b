"""A class that gives itself as plain data is a result, and speaks as every result does."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from architecture.layout import FILES, module_name
from rankproof.fit.linear.solution import SolverReport
from rankproof.fit.neural.training import TrainingReport
from rankproof.fit.trees.booster import BoostingReport
from rankproof.losses.base import LossResult
from rankproof.losses.choose import choose_loss
from rankproof.runs.selection import Selection
from rankproof.runs.trials import Trial

# Data: their text is that of their files.
DATA = {"Run", "Qrels", "Prefs"}
NAN = float("nan")

# Results of fitting and of losses; those of other folders are tried where they are made.
RESULTS: dict[str, Any] = {
    "solver report": SolverReport("lbfgs", 3, 4, 0.5, NAN, converged=True, message="<b>"),
    "boosting report": BoostingReport("lightgbm", "4.7.0", 3, 5, None, "<b>"),
    "training report": TrainingReport(3, 2, 0.5, None, converged=False, message="<b>"),
    "choice": choose_loss("nDCG@10"),
    "choice with a warning": choose_loss("ERR"),
    "selection": Selection("l2", "The penalty", 0.1, "valid <b>", {1.0: 0.4, 0.1: 0.5}),
    "trial": Trial(0, 0.05, 16, None, "<b>", 20, 0.5, (0.4, 0.6)),
    "loss": LossResult(np.inf, np.array([np.inf]), np.array([1.0, NAN]), None),
    "loss with second derivatives": rp.loss("squared").evaluate([1, 2], [0, 1], [0, 2], hessian=True),
}
ROWS = {"selection": 2, "loss": 2, "loss with second derivatives": 2}


def classes() -> Iterator[type]:
    """Every class of the package that can be imported here."""
    for path in FILES:
        if path.stem == "__main__":
            continue
        try:
            module = importlib.import_module(module_name(path))
        except ImportError:
            continue
        own = (c for _, c in inspect.getmembers(module, inspect.isclass) if c.__module__ == module.__name__)
        yield from (c for c in own if not c.__name__.startswith("_"))


def test_what_has_plain_data_has_text_and_a_notebook_view() -> None:
    wanted = ("to_dict", "to_json", "_repr_html_")
    lacking = {
        cls.__name__: [name for name in wanted if not hasattr(cls, name)]
        for cls in classes()
        if any("to_dict" in vars(base) or "to_json" in vars(base) for base in cls.__mro__)
        and cls.__name__ not in DATA
    }
    assert len(lacking) > 30
    assert not {name: missing for name, missing in lacking.items() if missing}


@pytest.mark.parametrize("name", RESULTS)
def test_the_data_are_plain_and_the_text_is_theirs(name: str) -> None:
    plain = RESULTS[name].to_dict()
    assert json.loads(RESULTS[name].to_json(), parse_constant=pytest.fail) == plain


@pytest.mark.parametrize("name", RESULTS)
def test_the_view_is_escaped(name: str) -> None:
    shown = RESULTS[name]._repr_html_()
    assert shown.startswith(("<table>", "<div>"))
    assert "<b>" not in shown


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", ROWS)
def test_rows_are_a_frame(name: str, backend: str) -> None:
    assert RESULTS[name].to_frame(backend).shape[0] == ROWS[name]
