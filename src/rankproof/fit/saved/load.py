"""`load_model`: a saved model of any kind, read back as the ranker that wrote it."""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from typing import Any

from rankproof.errors import RankproofError
from rankproof.fit.model_files import read_model

__all__ = ["load_model"]

# Kind of model -> the module of the class of that name. Imported when a model needs it: torch and the engines
# are heavy, and may not be installed.
_MODULES = {
    "LinearRanker": "rankproof.fit.linear.ranker",
    "LinearRankerCV": "rankproof.fit.linear.ranker_cv",
    "BoostedRanker": "rankproof.fit.trees.ranker",
    "NeuralRanker": "rankproof.fit.neural.ranker",
}


def load_model(path: str | PathLike[str]) -> Any:
    """The fitted model that ``save`` wrote into the directory ``path``.

    Nothing is unpickled and no code of the model runs. Checksums find damage, not intent: load a model only
    from someone you trust, as a changed file of an engine can crash the engine itself. See SECURITY.md.

    Parameters
    ----------
    path : str or path
        The directory that ``save`` wrote, or the folder of a run (``rankproof fit --out``).

    Returns
    -------
    LinearRanker, LinearRankerCV, BoostedRanker or NeuralRanker
        The ranker that was saved, fitted as it was.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rankproof as rp
    >>> train, test = rp.samples.diabetes_wards()
    >>> ranker = rp.LinearRanker("nDCG@10").fit(train.X, train.labels, qid=train.qids)
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "model"
    >>> ranker.save(folder)
    >>> bool((load_model(folder).predict(test.X) == ranker.predict(test.X)).all())
    True
    """
    saved = read_model(path)
    if saved.kind not in _MODULES:
        raise saved.wrong(f"unknown kind of model {saved.kind!r}; known: {', '.join(_MODULES)}.")
    maker = getattr(import_module(_MODULES[saved.kind]), saved.kind)
    try:
        return maker.from_files(saved)
    except (RankproofError, ImportError, MemoryError):
        raise
    except Exception as error:
        # The checksums fit, so somebody changed the file and made them fit: any field may hold anything.
        raise saved.wrong(
            f"the content is not that of a {saved.kind} ({type(error).__name__}: {error})."
        ) from error
