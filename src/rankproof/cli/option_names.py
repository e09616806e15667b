"""Messages of the library as a command says them: what is an argument in Python is an option here."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

import click

__all__ = ["in_options", "in_running_options", "option_words"]

_ARGUMENT = re.compile(r"\bArgument (\w+)(?: of \w+)?\b")
_PENALTIES = re.compile(r"\bPenalties (\w+) are\b")
_PER_QUERY = re.compile(r"\bresults\.per_query\['([^']+)'\]")
_COUNTS = {"results.query_ids.size": "the number of queries", "results.items": "the number of items"}
_SETTING = re.compile(r"\b([a-z_]+\d?)=('[^']*'|\"[^\"]*\"|\w+|(?=[ ,.;)]|$))")
# What is called otherwise in Python than on the command line.
_OTHERWISE = {"random_state": "seed", "parameters": "parameter", "categorical_features": "categorical"}


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
    return words | {name: words[other] for name, other in _OTHERWISE.items() if other in words}


def in_options(text: str, options: Mapping[str, str]) -> str:
    """A message with options in place of arguments, where the command has them.

    >>> options = {"group": "--group", "query_file": "--query-file", "depth": "--depth"}
    >>> in_options("Argument depth must be an int >= 1, got 0.", options)
    'Option --depth must be an int >= 1, got 0.'
    >>> in_options("Sort the rows, or pass group=True to have that done.", options)
    'Sort the rows, or pass --group to have that done.'
    >>> in_options("The row has a qid, though query_file='a b.query' is given.", options)
    "The row has a qid, though --query-file 'a b.query' is given."
    >>> in_options("Leave it out, or use depth=.", options)
    'Leave it out, or use --depth.'
    >>> in_options("Use empty=skip.", options)
    'Use empty=skip.'
    >>> in_options("Take it of results.per_query['AP'].", {"per_query": "--per-query"})
    'Take it of the AP of every query (--per-query).'
    >>> in_options("Penalties l2 are numbers >= 0, got '-1'.", {"l2": "--l2"})
    "Option --l2 must be numbers >= 0, got '-1'."
    """

    def argument(match: re.Match[str]) -> str:
        return f"Option {options[match[1]]}" if match[1] in options else match[0]

    def setting(match: re.Match[str]) -> str:
        if match[1] not in options:
            return match[0]
        value = match[2].strip("'\"")
        if not value:
            return options[match[1]]
        return options[match[1]] if value == "True" else f"{options[match[1]]} {shlex.quote(value)}"

    def penalties(match: re.Match[str]) -> str:
        return f"Option {options[match[1]]} must be" if match[1] in options else match[0]

    def per_query(match: re.Match[str]) -> str:
        way = f" ({options['per_query']})" if "per_query" in options else ""
        return f"the {match[1]} of every query{way}"

    if "nearest" in options:
        text = text.replace("nearest=True of rankproof.own_metric", "nearest=True")
    for python, words in _COUNTS.items():
        text = text.replace(python, words)
    text = _PER_QUERY.sub(per_query, _PENALTIES.sub(penalties, text))
    return _SETTING.sub(setting, _ARGUMENT.sub(argument, text))


def in_running_options(text: str) -> str:
    """The same with the options of the command that is running, if one is."""
    context = click.get_current_context(silent=True)
    return in_options(text, option_words(None if context is None else context.command))
