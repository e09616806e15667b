"""Warnings of the library as lines of a command, each said once."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from rankproof.cli.option_names import in_running_options
from rankproof.errors import DataWarning
from rankproof.shown import visible

__all__ = ["data_warnings"]


@contextmanager
def data_warnings() -> Iterator[None]:
    """In this block, what is odd about the data is one line on standard error; other warnings are as ever."""
    said: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        shown_before = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, DataWarning):
                shown_before(message, category, *place, **more)
            elif str(message) not in said:
                said.add(str(message))
                click.echo(f"rankproof: warning: {visible(in_running_options(str(message)))}", err=True)

        warnings.showwarning = show
        yield
