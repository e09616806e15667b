"""`export`: a model as the file of a target, written only when the target says what the model says."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version as version_of
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError, DataError
from rankproof.exports.formats import formats
from rankproof.exports.forms.draft import Draft, Format, Request
from rankproof.exports.forms.source import Source
from rankproof.exports.forms.trees import TreeForm
from rankproof.exports.names import FeatureNames, target_names
from rankproof.exports.parity import Parity, check_parity
from rankproof.exports.read.files import read_source
from rankproof.exports.rows import Domain, made_rows
from rankproof.files import check_folder, write_files
from rankproof.fit.matrix import as_dense
from rankproof.losses.supervision import query_offsets
from rankproof.plain import html_text, json_text
from rankproof.runs.card import read_card, record_export
from rankproof.runs.run_folder import CARD

__all__ = ["Export", "export"]

MISSING = ("as-trained", "never")
_LEAST, _MOST = 2_000, 100_000
_ITEMS_OF_A_QUERY = 20


@dataclass(frozen=True, eq=False)
class Export:
    """What was written, and how it compares with the model.

    Parameters
    ----------
    files : tuple of str
        The files, the one that was asked for first.
    format : str
        The target.
    kind : str
        What the model is: trees, a linear function or a network.
    parity : Parity
        What was tried, and what came out.
    notes : tuple of str
        What the target needs to be told, or does in another way.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rankproof as rp
    >>> train, _ = rp.samples.diabetes_wards()
    >>> ranker = rp.LinearRanker("nDCG@10").fit(train.X, train.labels, qid=train.qids)
    >>> done = rp.export(ranker, pathlib.Path(tempfile.mkdtemp()) / "model.json", format="json")
    >>> done.kind, len(done.files), done.parity.passed
    ('a linear function', 2, True)
    """

    files: tuple[str, ...]
    format: str
    kind: str
    parity: Parity
    notes: tuple[str, ...]

    def __str__(self) -> str:
        lines = [
            f"{self.format}: {', '.join(self.files)}",
            str(self.parity),
            *(f"note: {one}" for one in self.notes),
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The fields, as plain data."""
        return {
            "files": list(self.files),
            "format": self.format,
            "kind": self.kind,
            "parity": self.parity.to_dict(),
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))


def export(
    model: Any,
    path: str | PathLike[str],
    *,
    format: str,  # noqa: A002  # the word of the field
    features: FeatureNames | None = None,
    version: str | None = None,
    name: str | None = None,
    missing: str = "as-trained",
    X: Any = None,
    qid: Any = None,
    rows: int = _MOST,
) -> Export:
    """Write a model for a search engine or a runtime, after a check that it ranks there as it does here.

    The model is read into an exact form (every threshold, direction and leaf; scaling folded into weights), a
    writer makes the file, and an independent evaluator of that format scores rows that lie on, just below
    and just above every threshold, with missing and extreme values. When a score differs by more than
    rounding, or an order within a query changes, nothing is written.

    Parameters
    ----------
    model : ranker, booster, network or path
        A fitted ranker of this library, a model of LightGBM, XGBoost or CatBoost, a ``torch.nn.Sequential``
        of linear layers, the folder of a run or of a saved model, or a model file of an engine.
    path : str or path
        The file to write. Beside it lie ``.parity.json`` with what was checked and, for Elasticsearch,
        OpenSearch and Solr, ``.features.json``. The model card of a run has the parity, too.
    format : str
        The target: compiled, elasticsearch, json, lightgbm, onnx, opensearch, solr, treelite or vespa.
    features : dict, list or path, optional
        Names in the target: by the model's names, or in order, or a JSON file of either, or a text with a
        name per line. A dict as a name holds its definition in the feature set, with ``"name"``.
    version : str, optional
        Of the target, where it matters: OpenSearch ``"3.2"``, ``"3.3"`` or ``"3.6"``; Solr ``"9.1"`` or
        ``"9.2"``; ONNX trees ``"3"`` or ``"5"`` (opset of ai.onnx.ml).
    name : str, optional
        What the model is called in the target; by default the name of the file.
    missing : "as-trained" or "never"
        Whether features can be missing in the target. With ``"never"`` no row with a missing value is
        tried, and a target that treats them in another way than the model is not refused.
    X, qid : array, optional
        Rows of your own to be tried too, with their query ids.
    rows : int
        The most rows that are made.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rankproof as rp
    >>> train, test = rp.samples.diabetes_wards()
    >>> ranker = rp.LinearRanker("nDCG@10").fit(train.X, train.labels, qid=train.qids)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> done = export(ranker, file, format="solr", X=test.X, qid=test.qids)
    >>> done.parity.passed, done.parity.orders_changed
    (True, 0)
    """
    target = formats()[format]
    if missing not in MISSING:
        raise ArgumentError(
            f"Argument missing of export must be one of {', '.join(MISSING)}, got {missing!r}."
        )
    place = Path(path)
    if place.is_dir():
        raise ArgumentError(f"Argument path of export must be a file, and {fspath(path)!r} is a folder.")
    check_folder(place.parent)
    source, identity = read_source(model)
    run = _run_of(model)
    if run is not None:
        # What a card that was changed says of its run is not to be added to: that is told before the work.
        read_card(run)
    draft, request = drafted(source, target, place, features, version, name, missing)
    parity = tried(source, draft, X, qid, rows)
    if not parity.passed:
        raise DataError(
            f"The export to {target.title} does not say what the model says, so nothing was written. "
            f"{parity}. "
            f"The first such row: {_row(parity)}. This is a fault of the export: please report it with "
            f"the model."
        )
    notes = (*source.notes, *draft.notes)
    sidecar = {
        "format": target.name,
        "version": request.version,
        "rankproof": version_of("rankproof"),
        "model": {"kind": source.form.kind, "source": source.form.source, **identity},
        "features": list(request.names),
        "missing": missing,
        "notes": list(notes),
        "parity": parity.to_dict(),
    }
    contents = {place.name + suffix: raw for suffix, raw in draft.files.items()}
    contents[f"{place.name}.parity.json"] = json.dumps(sidecar, indent=1).encode() + b"\n"
    written = write_files(place.parent, contents)
    if run is not None:
        numbers = {
            key: value
            for key, value in parity.to_dict().items()
            if isinstance(value, bool | int | float | str)
        }
        record_export(run, {"file": place.name, "format": target.name, "version": request.version, **numbers})
    return Export(tuple(map(str, written)), target.name, source.form.kind, parity, notes)


def _run_of(model: Any) -> Path | None:
    """The folder of a run with a card, if that is what is exported."""
    folder = Path(model) if isinstance(model, str | PathLike) else None
    return folder if folder is not None and (folder / CARD).is_file() else None


def drafted(
    source: Source,
    target: Format,
    place: Path,
    features: FeatureNames | None = None,
    version: str | None = None,
    name: str | None = None,
    missing: str = "as-trained",
) -> tuple[Draft, Request]:
    """What a target would get for a model."""
    if version is not None and version not in target.versions:
        choice = f"one of {', '.join(target.versions)}" if target.versions else "left out"
        raise ArgumentError(
            f"Argument version of export for {target.name} must be {choice}, got {version!r}."
        )
    form = source.form
    if form.kind not in target.holds:
        able = [one for one, kind in formats().items() if form.kind in kind.holds]
        raise ArgumentError(f"{target.title} does not hold {form.kind}. Export to {', '.join(able)}.")
    names, definitions = target_names(form.names, features, target)
    called = name or re.sub(r"[^A-Za-z0-9_-]+", "_", place.name.split(".")[0]) or "model"
    request = Request(form, names, called, version, missing, source.tiny, definitions, source.category_names)
    return target.write(request), request


def tried(
    source: Source, draft: Draft, X: Any = None, qid: Any = None, rows: int = _MOST, least: int = _LEAST
) -> Parity:
    """The parity of a draft on made rows, and on rows of the caller's own."""
    form = source.form
    domain = Domain(
        precision=draft.precision,
        missing=source.missing and draft.missing,
        infinite=source.infinite and draft.infinite,
        tiny=max(source.tiny, draft.tiny),
        categorical=form.categorical if isinstance(form, TreeForm) else (),
    )
    rows_made = made_rows(form, domain, least=least, most=rows)
    cuts = np.append(np.arange(0, len(rows_made), _ITEMS_OF_A_QUERY), len(rows_made)).astype(np.int64)
    if X is None:
        return check_parity(source, draft, rows_made, cuts, 0)
    own = domain.clipped(_own_rows(X, form.features))
    own_cuts = query_offsets(qid, len(own)) if qid is not None else np.array([0, len(own)])
    offsets = np.append(cuts, own_cuts[1:] + len(rows_made)).astype(np.int64)
    return check_parity(source, draft, np.concatenate([rows_made, own]), offsets, len(own))


def _own_rows(X: Any, features: int) -> Float64s:
    rows = np.asarray(as_dense(X.to_numpy() if hasattr(X, "to_numpy") else X), dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != features:
        raise ArgumentError(
            f"Argument X of export must have the {features} features of the model, got {rows.shape}."
        )
    return rows


def _row(parity: Parity) -> str:
    values: Sequence[float] = parity.first_wrong or ()
    return ", ".join(f"{one!r}" for one in values[:20]) + (" ..." if len(values) > 20 else "")
