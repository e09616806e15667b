"""What the shell offers for half a word: files, metrics, losses, conventions, conditions.

Set from the names that options carry in --help, and only while a shell asks: a command that runs loads
nothing for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import click
from click.shell_completion import CompletionItem

__all__ = ["offer_words"]

_CUTOFFS = (1, 5, 10, 20, 100, 1000)


class _Offered(click.types.StringParamType):
    """Text, with the words that a shell offers for it."""

    def __init__(self, words: Callable[[], Iterable[str]]) -> None:
        self.words = words

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        name, at, _ = incomplete.partition("@")
        words = [f"{name}@{cutoff}" for cutoff in _CUTOFFS] if at and name else self.words()
        return [CompletionItem(word) for word in words if word.lower().startswith(incomplete.lower())]


class _Folder(click.types.StringParamType):
    """Text, for which a shell offers folders."""

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="dir")]


def _metrics() -> Iterable[str]:
    from rankproof.metrics import METRICS

    return METRICS


def _losses() -> Iterable[str]:
    from rankproof.losses import LOSSES

    return LOSSES


def _conventions() -> Iterable[str]:
    from rankproof.metrics.conventions.named import CONVENTIONS

    return CONVENTIONS


def _conditions() -> Iterable[str]:
    from rankproof.targets.base import CONDITIONS

    return CONDITIONS


_BY_METAVAR: dict[str, Any] = {
    "METRIC": _Offered(_metrics),
    "LOSS": _Offered(_losses),
    "TOOL": _Offered(_conventions),
    "CONDITION": _Offered(_conditions),
    "FILE": click.Path(),
    "DIR": _Folder(),
}
_BY_NAME = {"metric": "METRIC", "loss": "LOSS"}
# The one argument of the commands that list things names one of them.
_BY_COMMAND = {"metrics": "METRIC", "losses": "LOSS"}


def offer_words(command: click.Command) -> click.Command:
    """The command with types that answer a shell; what cannot be told stays as it is."""
    for parameter in command.params:
        if not isinstance(parameter.type, click.types.StringParamType):
            continue
        is_argument = isinstance(parameter, click.Argument)
        kind = parameter.metavar or _BY_NAME.get(str(parameter.name), "")
        if is_argument and not kind:
            kind = _BY_COMMAND.get(str(command.name), "FILE")
        if kind in _BY_METAVAR:
            parameter.type = _BY_METAVAR[kind]
        elif "|" in kind:
            # Offered, not enforced: the command itself says what it takes. "a,b" is a form, not a word.
            words = [word for word in kind.split("|") if "," not in word]
            parameter.type = _Offered(partial(iter, words))
    return command
