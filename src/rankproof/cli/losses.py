"""``rankproof losses``."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["losses"]

# Claims that stand in the list of all losses; one loss alone shows all of its claims.
_LISTED = ("convex", "smooth", "order_preserving", "shift_invariant", "hessian")


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def losses(name: str | None, as_json: bool) -> None:
    """List all losses and what is known about them. With NAME, show one: definition, parameters, proofs.

    \b
    rankproof losses
    rankproof losses softmax
    rankproof losses softmax:nDCG@10
    """
    from rankproof.cli.parameters import parameter_table
    from rankproof.cli.terminal import show_table
    from rankproof.evaluation.tables import Table
    from rankproof.losses import LOSSES
    from rankproof.losses.parse import loss
    from rankproof.papers import sources_in

    if name is not None:
        chosen = loss(name)
        described = _described(chosen)
        if as_json:
            _print_json(described)
            return
        claims, shown = described.pop("claims"), str(described.pop("loss"))
        described.pop("name")
        described.pop("parameters")
        show_table(
            Table(["loss", shown], [[k, _text(v)] for k, v in described.items()], text_columns=[shown])
        )
        parameters = parameter_table(chosen, without=["target"])
        if parameters.rows:
            click.echo()
            show_table(parameters)
        rows = [[c["name"], _text(c["value"]), c["reference"]] for c in claims]
        cited = sources_in(" ".join([described["reference"], *(c["reference"] for c in claims)]))
        notes = [f"{short}: {paper}" for short, paper in cited.items()]
        click.echo()
        show_table(Table(["claim", "value", "because"], rows, notes, text_columns=["value", "because"]))
        return
    listed = [_described(cls()) for cls in LOSSES.values()]
    if as_json:
        _print_json(listed)
        return
    rows = []
    for one in listed:
        claimed = {c["name"]: _text(c["value"]) for c in one["claims"]}
        rows.append([one["name"], one["reads"], *(claimed.get(c, "-") for c in _LISTED), one["summary"]])
    columns = ["loss", "reads", *(c.replace("_", " ") for c in _LISTED), "what"]
    notes = [
        (
            "order preserving: minimising the loss sorts items by the mean of their target (the number per "
            "item that the loss learns to predict), given unlimited data and a model that can represent any "
            "scores."
        ),
        (
            "LOSS:METRIC, such as softmax:nDCG@10, sets the target of that metric, so that the loss "
            "optimises it."
        ),
        "rankproof losses NAME shows why these facts hold.",
    ]
    show_table(Table(columns, rows, notes, text_columns=columns))


def _print_json(plain: Any) -> None:
    import json

    click.echo(json.dumps(plain, ensure_ascii=False))


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _described(one: Any) -> dict[str, Any]:
    from dataclasses import fields

    from rankproof.losses.other_names import names_elsewhere
    from rankproof.metrics.parameters import written

    own = {f.name: getattr(one, f.name) for f in fields(one) if f.name != "target"}
    return {
        "name": one.name,
        "loss": str(one),
        "summary": one.summary,
        "definition": one.definition,
        "reads": one.needs,
        "target": None if one.target is None else str(one.target),
        "parameters": " ".join(f"{k}={written(v)}" for k, v in own.items() if v is not None),
        "item weights": one.takes_item_weights,
        "reference": one.reference,
        "also called": ", ".join((*type(one).aliases, *names_elsewhere(one.name))) or None,
        "claims": [{"name": c.name, "value": c.value, "reference": c.reference} for c in one.claims.values()],
    }
