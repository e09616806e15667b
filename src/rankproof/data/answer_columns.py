"""Columns that should not become features unnoticed: predictions, labels and ids, told by their names.

A name that a program made up, such as ``Unnamed: 0`` of a CSV file, is most often an index.

>>> answer_columns(["bm25", "y_pred", "predictedGrade", "doc_id", "idf"])
['y_pred', 'predictedGrade', 'doc_id']
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

from rankproof.errors import DataWarning

__all__ = ["answer_columns", "warn_of_answers"]

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_SUSPECT = re.compile(
    r"scores?|model|run|lgbm?|xgb|pred(s|ict|icted|ictions?)?|prob(s|a|ability)?|logits?|yhat|ranks?|ranking|position"
    r"|labels?|targets?|grades?|rel|relevan(t|ce)|judge?ments?|y|gain|ratings?"
    r"|ids?|qid|queryid|docid|docno|fold|weights?|index|unnamed"
)


def answer_columns(names: Sequence[str]) -> list[str]:
    """Those of the names that have a word for a prediction, a label or an id in them."""
    return [name for name in names if any(_SUSPECT.fullmatch(word.lower()) for word in _WORD.findall(name))]


def warn_of_answers(taken: Sequence[str], *, what: str = "from_frame", stacklevel: int = 3) -> None:
    """Warn when columns that became features without being named look like answers; ``what`` took them."""
    suspects = answer_columns(taken)
    if suspects:
        columns = "column" if len(suspects) == 1 else "columns"
        rest = [name for name in taken if name not in suspects]
        way_out = f"Name the features, for example features={_listed(rest)}."
        if what != "from_frame":
            way_out = "Name the features with features=, or leave these out with drop=."
        taker = what if what == "from_frame" else f"Reading {what}"
        warnings.warn(
            f"{taker} took {columns} {', '.join(map(repr, suspects))} for {'a ' * (len(suspects) == 1)}"
            f"feature{'s' * (len(suspects) > 1)}. A prediction, a label or an id among the features makes "
            f"results look better than they are. {way_out}",
            DataWarning,
            stacklevel=stacklevel,
        )


def _listed(names: Sequence[str]) -> str:
    shown = list(map(repr, names[:5]))
    return f"[{', '.join(shown)}{', ...' * (len(names) > 5)}]"
