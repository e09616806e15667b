"""``rankproof metrics``."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["metrics"]


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def metrics(name: str | None, as_json: bool) -> None:
    """List all metrics and their parameters. With NAME, show one: definition, parameters and known facts.

    \b
    rankproof metrics
    rankproof metrics nDCG@10
    """
    from rankproof.cli.parameters import parameter_table
    from rankproof.cli.terminal import show_table
    from rankproof.evaluation.tables import Table
    from rankproof.metrics import METRICS
    from rankproof.metrics.parse import metric

    if name is not None:
        chosen = metric(name)
        described = _described(chosen)
        if as_json:
            import json

            click.echo(json.dumps(described, ensure_ascii=False))
            return
        claims, shown = described.pop("claims"), str(described.pop("metric"))
        described.pop("parameters")
        show_table(
            Table(["metric", shown], [[k, str(v)] for k, v in described.items()], text_columns=[shown])
        )
        click.echo()
        show_table(parameter_table(chosen))
        rows = [[c["name"], str(c["value"]), c["reference"]] for c in claims]
        click.echo()
        show_table(Table(["claim", "value", "because"], rows, text_columns=["value", "because"]))
        return
    listed = [_described(cls()) for cls in METRICS.values()]
    if as_json:
        import json

        click.echo(json.dumps(listed, ensure_ascii=False))
        return
    rows = [[str(m["metric"]), str(m["better"]), str(m["parameters"]), str(m["summary"])] for m in listed]
    notes = [
        (
            "Every metric also has empty=skip|0|1|error (what a query without any relevant item counts) and "
            "unjudged=zero|drop|error (what an item without a judgment counts). @k means cutoff=k."
        ),
        "rankproof metrics NAME explains the parameters of a metric.",
    ]
    columns = ["metric", "better", "parameters (defaults)", "what"]
    show_table(Table(columns, rows, notes, text_columns=columns))


def _described(m: Any) -> dict[str, Any]:
    from rankproof.metrics.other_names import names_elsewhere
    from rankproof.metrics.parameters import written

    own = [f for f in type(m).parameters() if f.name not in ("empty", "unjudged")]
    shown = [
        "@k" if f.name == "cutoff" else f.name if f.default is None else f"{f.name}={written(f.default)}"
        for f in own
    ]
    return {
        "metric": str(m),
        "summary": m.summary,
        "definition": m.definition,
        "domain": m.domain,
        "better": m.direction,
        "parameters": " ".join(shown),
        "reference": m.reference,
        "also called": ", ".join((*type(m).aliases, *names_elsewhere(m.name))),
        "claims": [{"name": c.name, "value": c.value, "reference": c.reference} for c in m.claims.values()],
    }
