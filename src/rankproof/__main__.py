"""``python -m rankproof`` is ``rankproof``: the command line, which Ctrl-C may meet at any moment."""

from __future__ import annotations

import sys

from rankproof.cli.interrupts import NOTHING_LEFT, leave_interrupted, patiently


def _say_compiling() -> None:
    # On standard error also where nobody looks at a terminal: a log shall say what the seconds were spent on.
    if sys.stderr is not None:
        print("rankproof: compiling for this machine, a few seconds, the first time only", file=sys.stderr)  # noqa: T201


def main() -> None:
    """Load the command line and run it."""
    try:
        patiently()
        from rankproof.cli.main import main as command
        from rankproof.kernels.notice import tell_before_compiling

        tell_before_compiling(_say_compiling)
        command()
    except KeyboardInterrupt:
        leave_interrupted(NOTHING_LEFT)


if __name__ == "__main__":
    main()
