"""What a shell is offered for half a word."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete

from rankproof.cli.main import command_line
from rankproof.losses import LOSSES
from rankproof.metrics import METRICS
from rankproof.metrics.conventions.named import CONVENTIONS

CALL = "import sys; sys.argv = ['rankproof']; from rankproof.__main__ import main; main()"


def offered(*words: str) -> list[tuple[str, str]]:
    """Kind and text of what is offered for the last word."""
    shell = ShellComplete(command_line, {}, "rankproof", "_RANKPROOF_COMPLETE")
    return [(item.type, item.value) for item in shell.get_completions(list(words[:-1]), words[-1])]


def plain(names: object) -> list[tuple[str, str]]:
    return [("plain", name) for name in names]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "-m"],
        ["compare", "--metric"],
        ["fit", "-m"],
        ["explain"],
        ["metrics"],
        ["demo", "--metric"],
    ],
)
def test_metrics(command: list[str]) -> None:
    assert offered(*command, "") == plain(METRICS)
    assert offered(*command, "nd") == plain(["nDCG"])


def test_cutoffs() -> None:
    assert ("plain", "nDCG@10") in offered("evaluate", "-m", "nDCG@")
    assert offered("evaluate", "-m", "AP@2") == plain(["AP@20"])


@pytest.mark.parametrize("command", [["certify"], ["losses"], ["fit", "--loss"], ["tune", "--loss"]])
def test_losses(command: list[str]) -> None:
    assert offered(*command, "") == plain(LOSSES)
    assert offered(*command, "softm") == plain(["softmax"])


@pytest.mark.parametrize("command", ["evaluate", "compare", "explain", "reproduce"])
def test_conventions(command: str) -> None:
    assert offered(command, "--as", "") == plain(CONVENTIONS)
    assert offered(command, "--as", "tr") == plain(["trec_eval"])


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "ru"],
        ["evaluate", "--qrels", "ru"],
        ["compare", "a.run", "ru"],
        ["fit", "ru"],
        ["fit", "x", "--valid", "ru"],
        ["predict", "model", "ru"],
        ["replay", "ru"],
        ["tune", "ru"],
    ],
)
def test_files(words: list[str]) -> None:
    assert offered(*words) == [("file", "ru")]


def test_folders_conditions_choices_and_commands() -> None:
    assert offered("fit", "--out", "ru") == [("dir", "ru")]
    assert ("plain", "independent") in offered("certify", "--noise", "ind")
    assert offered("fit", "--solver", "") == plain(["lbfgs", "sgd"])
    assert offered("fit", "--model", "x") == plain(["xgboost"])
    assert ("plain", "evaluate") in offered("ev")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_through_the_shells_of_the_docs(shell: str) -> None:
    """The script that the docs load, and the answer it asks the command for."""

    def ask(instruction: str, **words: str) -> str:
        environment = {**os.environ, "_RANKPROOF_COMPLETE": f"{shell}_{instruction}", **words}
        ran = subprocess.run(
            [sys.executable, "-c", CALL],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ran.stderr == ""
        return ran.stdout

    assert "_RANKPROOF_COMPLETE" in ask("source")
    # fish hands over the half word, the others its number.
    answer = ask(
        "complete", COMP_WORDS="rankproof evaluate -m nD", COMP_CWORD="nD" if shell == "fish" else "3"
    )
    assert "nDCG" in answer
