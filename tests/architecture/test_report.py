"""The report shows what it is handed: it imports values, and functions only to put them in words."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pathlib import Path

from architecture.layout import SOURCE, module_name, nodes, parsed

# What trains, evaluates, certifies or reads a model stands in these.
NEVER = (
    *(
        "rankproof.fit",
        "rankproof.evaluation.evaluate",
        "rankproof.evaluation.per_query",
        "rankproof.data.letor",
    ),
    *("rankproof.runs.train", "rankproof.runs.tune", "rankproof.runs.plan", "rankproof.runs.review"),
    *("rankproof.runs.run_folder", "rankproof.theory.certify", "rankproof.cli"),
)
# Functions of other folders that a page may call.
ALLOWED = {
    "rankproof.evaluation.differences.gaps",
    "rankproof.evaluation.tables.number",
    "rankproof.experiments.demo.cost.cost_in_words",
    "rankproof.experiments.demo.lambdamart_text.end_table",
    "rankproof.experiments.demo.lambdamart_text.lambdamart_in_words",
    "rankproof.experiments.demo.lambdamart_text.target_table",
    "rankproof.experiments.demo.real_losses_text.difference_table",
    "rankproof.experiments.demo.real_losses_text.in_words",
    "rankproof.experiments.demo.tables.law_table",
    "rankproof.experiments.demo.tables.regret_table",
    "rankproof.experiments.demo.tables.without_table",
    "rankproof.experiments.laws.grid.grid",
    "rankproof.files.open.as_path",
    "rankproof.files.write.write_bytes",
    "rankproof.papers.sources_in",
    "rankproof.runs.scored_part.main_part",
    "rankproof.runs.versions.versions",
    "rankproof.shown.visible",
    "rankproof.theory.base.verdict_text.evidence_lines",
    "rankproof.theory.matrix_tables.matrix_tables",
}
FILES = sorted((SOURCE / "report").rglob("*.py"))


def outside(path: Path) -> list[tuple[str, str]]:
    """Module and name of everything that a file of the report imports from other folders."""
    return [
        (str(node.module), alias.name)
        for node in nodes(parsed(path))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("rankproof")
        and not (node.module or "").startswith("rankproof.report")
        for alias in node.names
    ]


def is_forbidden(module: str) -> bool:
    return any(module == never or module.startswith(f"{never}.") for never in NEVER)


def computes(module: str, name: str) -> bool:
    """Whether a name is a function that a page may not call."""
    thing = getattr(import_module(module), name)
    return inspect.isfunction(thing) and f"{thing.__module__}.{thing.__name__}" not in ALLOWED


def test_the_report_imports_nothing_that_trains_evaluates_or_reads_a_model() -> None:
    wrong = [f"{module_name(path)}: {m}.{n}" for path in FILES for m, n in outside(path) if is_forbidden(m)]
    assert not wrong


def test_the_report_calls_no_function_that_computes() -> None:
    wrong = [f"{module_name(path)}: {m}.{n}" for path in FILES for m, n in outside(path) if computes(m, n)]
    assert not wrong


def test_every_allowed_function_is_in_use() -> None:
    used = set()
    for path in FILES:
        for module, name in outside(path):
            thing = getattr(import_module(module), name)
            if inspect.isfunction(thing):
                used.add(f"{thing.__module__}.{thing.__name__}")
    assert used == ALLOWED


def test_the_rules_can_be_broken() -> None:
    assert is_forbidden("rankproof.fit.linear.ranker")
    assert is_forbidden("rankproof.evaluation.evaluate")
    assert not is_forbidden("rankproof.runs.record")
    assert computes("rankproof.evaluation.pairs", "compare_pairs")
    assert not computes("rankproof.evaluation.results", "Results")
