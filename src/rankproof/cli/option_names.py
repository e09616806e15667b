"""Messages of the library as a command says them: what is an argument in Python is an option here."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

import click

__all__ = ["in_options", "option_words"]

_ARGUMENT = re.compile(r"\bArgument (\w+)(?: of \w+)?\b")
_SETTING = re.compile(r"\b([a-z_]+)=('[^']*'|\"[^\"]*\"|\w+)")


def option_words(command: click.Command | None) -> dict[str, str]:
    """The options of a command, by the name of the argument that each stands for.

    >>> @click.command()
    ... @click.option("--query-file", "query_files", multiple=True)
    ... @click.option("-m", "--metric", "metrics", multiple=True)
    ... def evaluate(): ...
    >>> option_words(evaluate)
    {'query_file': '--query-file', 'query_files': '--query-file', 'metric': '--metric', 'metrics': '--metric'}
    """
    words: dict[str, str] = {}
    for parameter in [] if command is None else command.params:
        if isinstance(parameter, click.Option):
            option = max(parameter.opts, key=len)
            words[option.lstrip("-").replace("-", "_")] = option
            words[str(parameter.name)] = option
    if "seed" in words:
        # The rankers call it as scikit-learn does.
        words["random_state"] = words["seed"]
    return words


def in_options(text: str, options: Mapping[str, str]) -> str:
    """A message with options in place of arguments, where the command has them.

    >>> options = {"group": "--group", "query_file": "--query-file", "depth": "--depth"}
    >>> in_options("Argument depth must be an int >= 1, got 0.", options)
    'Option --depth must be an int >= 1, got 0.'
    >>> in_options("Sort the rows, or pass group=True to have that done.", options)
    'Sort the rows, or pass --group to have that done.'
    >>> in_options("The row has a qid, though query_file='a b.query' is given.", options)
    "The row has a qid, though --query-file 'a b.query' is given."
    >>> in_options("Use empty=skip.", options)
    'Use empty=skip.'
    """

    def argument(match: re.Match[str]) -> str:
        return f"Option {options[match[1]]}" if match[1] in options else match[0]

    def setting(match: re.Match[str]) -> str:
        if match[1] not in options:
            return match[0]
        value = match[2].strip("'\"")
        return options[match[1]] if value == "True" else f"{options[match[1]]} {shlex.quote(value)}"

    return _SETTING.sub(setting, _ARGUMENT.sub(argument, text))
