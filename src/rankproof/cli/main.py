"""The ``rankproof`` command. A command's module is loaded when the command is asked for."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from rankproof.cli.failures import InterruptedCommandError, UnexpectedEndError, hint_of, one_line
from rankproof.cli.interrupts import NOTHING_LEFT, is_interrupt, leave_interrupted
from rankproof.cli.option_names import option_words
from rankproof.cli.warning_lines import data_warnings
from rankproof.kernels.notice import telling_of_damage
from rankproof.shown import visible

__all__ = ["BAD_USE", "command_line", "main"]

# Exit status of every command for wrong arguments and wrong data; 1 and 2 are left to verdicts.
BAD_USE = 3
# The same of a program whose reader went away (SIGPIPE); nothing is said then, as is the custom.
NO_READER = 141

# Name -> the line shown by --help. The module rankproof.cli.NAME holds the command under that name.
_COMMANDS = {
    "card": "Print the model card of a training run: what defends its numbers.",
    "certify": "Decide whether a loss optimises a metric, and show why.",
    "compare": "Compare systems on the same queries, with paired tests.",
    "convert": "Write data in another form: Parquet, CSV, Arrow, NumPy, LETOR, TREC.",
    "demo": "See what the wrong loss costs, on synthetic and real data.",
    "evaluate": "Compute metrics of a run or of scores, with ties handled exactly.",
    "explain": "Show how the metric of one query is computed, rank by rank.",
    "export": "Write a model for a search engine or runtime, with parity checked.",
    "fit": "Train a ranker for a metric (linear, boosted trees or neural) and save it.",
    "losses": "List all losses and what is known about them, or show one.",
    "metrics": "List all metrics and their parameters, or show one.",
    "predict": "Score data with a saved model; write a score file or a TREC run.",
    "replay": "Check the evidence of a verdict again, independently.",
    "report": "Write the report of a training run as one HTML file.",
    "reproduce": "Repeat the experiments of a paper (B11, R11) on your data.",
    "standardize": "Replace labels by the values to regress on for a metric.",
    "tune": "Search for the best settings of boosted trees; can be resumed.",
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"rankproof.cli.{cmd_name}"), cmd_name)
        if ctx.resilient_parsing:
            # A shell asks for words; a command that runs needs none.
            from rankproof.cli.completion import offer_words

            return offer_words(command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with data_warnings(), telling_of_damage(_warn):
                return super().invoke(ctx)
        except (KeyboardInterrupt, InterruptedCommandError):
            raise InterruptedCommandError(hint_of(ctx)) from None
        except Exception as error:
            if is_interrupt(error):
                raise InterruptedCommandError(hint_of(ctx)) from None
            if isinstance(error, EOFError):
                raise UnexpectedEndError(str(error)) from error
            if not isinstance(error, BrokenPipeError):
                raise
            # The reader of our output went away (``| head``). Keep Python from flushing into it.
            sys.stdout = None
            ctx.exit(NO_READER)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            import difflib

            near = difflib.get_close_matches(args[0], _COMMANDS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise click.UsageError(f"No such command '{args[0]}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        # Written from the table above: asking each command would load every module.
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rankproof", prog_name="rankproof")
@click.option("--debug", is_flag=True, help="Show the full traceback of errors.")
def command_line(debug: bool) -> None:
    """Learning to rank that optimises the metric you report, with proof.

    The proofs are about the limit: unlimited data and a model that can represent any scores.

    \b
    rankproof demo
    rankproof evaluate --example
    rankproof evaluate run.trec --qrels qrels.txt -m nDCG@10 -m AP
    rankproof compare a.trec b.trec --qrels qrels.txt -m nDCG@10
    rankproof explain nDCG@10 run.trec --qrels qrels.txt --query 301
    rankproof fit train.txt --valid vali.txt --test test.txt --metric nDCG@10 --out run/
    rankproof certify softmax --metric nDCG@10

    Exit status: 0 for success, 3 for wrong usage or invalid data, 130 when interrupted. certify and replay
    return 1 for "no"; certify returns 2 for "undecided" and 4 for "yes, on the few items that were tried".
    """


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line; an error becomes one line and exit status 3, an interrupt one line and 130."""
    argv = sys.argv[1:] if arguments is None else arguments
    try:
        _show_any_text()
        # Without its standalone mode click hands the status of ctx.exit() back instead of leaving with it.
        status = command_line.main(args=argv, prog_name="rankproof", standalone_mode=False)
        if isinstance(status, int) and status:
            sys.exit(status)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.exceptions.NoArgsIsHelpError as asked:
        asked.show()
        sys.exit(BAD_USE)
    except (InterruptedCommandError, click.Abort, KeyboardInterrupt) as stop:
        leave_interrupted(str(stop) or NOTHING_LEFT, for_good=arguments is None)
    except Exception as problem:  # a traceback is for those who ask for it
        if "--debug" in argv:
            traceback.print_exc()
            sys.exit(BAD_USE)
        name = next((word for word in argv if word in _COMMANDS), None)
        command = None if name is None else command_line.get_command(click.Context(command_line), name)
        click.echo(f"rankproof: error: {one_line(problem, option_words(command))}", err=True)
        sys.exit(BAD_USE)


def _warn(text: str) -> None:
    click.echo(f"rankproof: warning: {visible(text)}", err=True)


def _show_any_text() -> None:
    """A character that the terminal has no code for is shown as its number instead of ending the command."""
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
