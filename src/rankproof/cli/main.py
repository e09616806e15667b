"""The ``rankproof`` command. A command's module is loaded when the command is asked for."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from rankproof.errors import RankproofError

__all__ = ["BAD_USE", "command_line", "main"]

# Exit status of every command for wrong arguments and wrong data; 1 and 2 are left to verdicts.
BAD_USE = 3

# Name -> the line shown by --help. The module rankproof.cli.NAME holds the command under that name.
_COMMANDS = {
    "compare": "Compare runs on the same queries, with paired tests.",
    "evaluate": "Metrics of a run or of scores, exact under ties.",
    "explain": "How the number of one query came about, place by place.",
    "fit": "Train a ranker for a metric, choose its penalty, and save it with its results.",
    "losses": "List the losses with what is proven about them, or show one.",
    "metrics": "List the metrics with their parameters, or show one.",
    "predict": "Scores of a saved model, as a score file or a TREC run.",
    "reproduce": "Run the experiments of a paper (B11, R11) on your own folds.",
    "standardize": "Put the target that optimises a metric in place of the labels.",
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"rankproof.cli.{cmd_name}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        import difflib

        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
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
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def command_line(debug: bool) -> None:
    """Learning to rank that optimises the metric you report, with proof.

    \b
    rankproof evaluate --example
    rankproof evaluate run.trec --qrels qrels.txt -m nDCG@10 -m AP
    rankproof compare a.trec b.trec --qrels qrels.txt -m nDCG@10
    rankproof explain nDCG@10 run.trec --qrels qrels.txt --query 301
    rankproof fit train.txt --valid vali.txt --test test.txt --metric nDCG@10 --out run/

    Exit status: 0 when all went well, 3 for wrong use or wrong data.
    """


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line; errors of ours become one line and exit status 3."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        command_line.main(args=given, prog_name="rankproof", standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as problem:
        problem.show()
        sys.exit(BAD_USE)
    except (click.Abort, KeyboardInterrupt):
        click.echo("rankproof: interrupted; nothing was left half-written.", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output went away (``| head``): not an error. Keep Python from flushing into it.
        sys.stdout = None
        sys.exit(0)
    except (RankproofError, OSError) as problem:
        if "--debug" in given:
            raise
        click.echo(f"rankproof: error: {problem}", err=True)
        sys.exit(BAD_USE)
