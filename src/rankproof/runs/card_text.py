"""The card of a run as a page of Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["card_text"]

_OUTCOMES = {
    "consistent": "consistent",
    "inconsistent": "**not consistent**",
    "undecided": "undecided",
    None: "no verdict",
}


def card_text(card: Mapping[str, Any]) -> str:
    """The page; the same card gives the same page."""
    sections = [
        ("Results", _results(card)),
        ("Verdict", _verdict(card)),
        ("Data", _data(card)),
        ("Exports", _exports(card["exports"])),
        ("Reproduce", _reproduce(card)),
    ]
    lines = [f"# A ranker for {card['metric']}", "", _lead(card), ""]
    for title, body in sections:
        lines += [f"## {title}", "", *body, ""]
    return "\n".join(lines)


def _lead(card: Mapping[str, Any]) -> str:
    target = "the labels as they are" if card["target"] is None else f"the target {_code(card['target'])}"
    loss = _code(card["loss"])
    return f"A {card['model']} model, trained for {card['metric']} with the loss {loss} on {target}."


def _results(card: Mapping[str, Any]) -> list[str]:
    rows = [
        [
            part,
            _number(one["mean"]),
            f"[{_number(one['interval'][0])}, {_number(one['interval'][1])}], {one['level']:.0%}",
            _number(one["constant"]),
            str(one["queries"]),
            str(one["empty"]),
            str(one["tied_queries"]),
        ]
        for part, one in card["results"].items()
    ]
    if not rows:
        return ["There were neither validation nor test data, so there are no results."]
    head = ["data", card["metric"], "interval", "constant scorer", "queries", "empty", "with ties"]
    notes = [
        f"- {part}: {one['as']}, {one['direction']} is better; convention {one['convention']}; "
        f"{one['unjudged_items']} items without a judgment"
        for part, one in card["results"].items()
    ]
    warnings = [f"- warning: {_line(text)}" for text in card["warnings"]]
    return [*_table(head, rows), "", *notes, *warnings]


def _verdict(card: Mapping[str, Any]) -> list[str]:
    verdict = card["verdict"]
    outcome = _OUTCOMES.get(verdict["outcome"], "no verdict")
    lines = [f"{_code(card['loss'])} with {card['metric']}: {outcome}. {_line(verdict['reason'])}"]
    if verdict.get("reference"):
        lines += ["", f"Source: {_line(verdict['reference'])}."]
    if verdict.get("evidence"):
        evidence = verdict["evidence"]
        lines += [
            "",
            f"Evidence: `{evidence}` (SHA-256 {verdict['sha256']}); `rankproof replay {evidence}` checks it.",
        ]
    presumes = [f"- {_line(one)}" for one in card["presumes"]]
    return [*lines, "", "It presumes:", "", *presumes]


def _data(card: Mapping[str, Any]) -> list[str]:
    rows = [
        [part, str(one["queries"]), str(one["items"]), str(one["features"])]
        for part, one in card["data"].items()
    ]
    files = [
        [part, _code(file["path"]), file["sha256"] or "-"]
        for part, one in card["data"].items()
        for file in one["files"]
    ]
    files += [["model", _code(name), digest] for name, digest in card["files"].items()]
    files += [["results", "`results.json`", card["results_sha256"]]]
    sizes = _table(["data", "queries", "items", "features"], rows)
    return [*sizes, "", *_table(["part", "file", "SHA-256"], files)]


def _exports(exports: Sequence[Mapping[str, Any]]) -> list[str]:
    if not exports:
        return ["None was recorded."]
    lines = []
    for one in exports:
        rest = [
            f"{_line(word)} {_plain(value)}" for word, value in one.items() if word not in ("file", "format")
        ]
        lines.append(f"- {_code(one['file'])} ({_line(one['format'])}): {', '.join(rest) or 'nothing told'}")
    return lines


def _reproduce(card: Mapping[str, Any]) -> list[str]:
    if card["command"] is None:
        first = ["The data were given as arrays: `rankproof.train` with these settings makes the run again."]
    else:
        first = ["```console", f"$ {card['command']}", "```"]
    settings = [[_code(name), _plain(value)] for name, value in card["settings"].items() if value is not None]
    versions = ", ".join(f"{name} {one}" for name, one in card["versions"].items())
    solver = ", ".join(f"{name} {_plain(value)}" for name, value in card["solver"].items())
    return [
        *first,
        "",
        *_table(["setting", "value"], settings),
        "",
        f"Versions: {_line(versions)}.",
        "",
        f"Solver: {_line(solver)}.",
    ]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(_line(cell).replace('|', chr(92) + '|') for cell in cells)} |"

    return [line(head), f"|{'---|' * len(head)}", *map(line, rows)]


def _code(text: Any) -> str:
    return f"`{_line(text).replace('`', chr(39))}`"


def _line(text: Any) -> str:
    return " ".join(str(text).split())


def _plain(value: Any) -> str:
    return _line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
