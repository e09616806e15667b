"""One atomic writer and one digest: nobody else renames drafts into their place or counts a SHA-256."""

from __future__ import annotations

import ast
from pathlib import Path

from architecture.layout import imported, layer_of, module_name, nodes, offenders, parsed

# The cache of kernels stands below everything: it is read before any file of the package is.
ALLOWED = {"rankproof.kernels.cache", "rankproof.kernels.stored"}
# CatBoost, compilers and compiled libraries know paths alone, so bytes take a detour over a temporary folder.
# An array in a NumPy archive says its length first, so rows wait in a scratch file until all have come.
_DETOURS = ("check.runtimes", "read.engines", "read.files", "write.treelite")
TEMPORARY = {
    *("rankproof.cli.compile_ahead", "rankproof.fit.boosters.catboost", "rankproof.serving.compiled"),
    *("rankproof.data.forms.write", *ALLOWED),
    *(f"rankproof.exports.{name}" for name in _DETOURS),
}


def digests(tree: ast.AST) -> list[int]:
    """Lines that import a library of digests."""
    return [line for name, line in imported(tree) if name.split(".")[0] == "hashlib"]


def renames(tree: ast.AST) -> list[int]:
    """Lines that make temporary names or rename paths."""
    found = [line for name, line in imported(tree) if name.split(".")[0] in ("tempfile", "uuid")]
    for node in nodes(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        # Path.replace and Path.rename take one argument; str.replace takes two.
        named = node.func.attr == "urandom" or (node.func.attr == "rename" and len(node.args) == 1)
        moved = node.func.attr == "replace" and len(node.args) == 1 and not node.keywords
        if named or moved:
            found.append(node.lineno)
    return found


def test_only_files_counts_digests_and_renames_drafts() -> None:
    def complaints(path: Path) -> list[str]:
        module = module_name(path)
        if layer_of(module) == "files":
            return []
        return [
            *(["a digest of its own"] if module not in ALLOWED and digests(parsed(path)) else []),
            *(["renames a file"] if module not in TEMPORARY and renames(parsed(path)) else []),
        ]

    assert not offenders(complaints)


def test_the_rule_can_be_broken() -> None:
    assert digests(ast.parse("import hashlib"))
    assert renames(ast.parse("draft.replace(place)"))
    assert renames(ast.parse("import os\nos.urandom(6)"))
    assert not renames(ast.parse("text.replace('a', 'b')"))
    assert not renames(ast.parse("replace(part, X=wide)"))
