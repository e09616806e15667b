"""``python -m rankproof`` is ``rankproof``: the command line, which Ctrl-C may meet at any moment."""

from __future__ import annotations

from rankproof.cli.interrupts import NOTHING_LEFT, leave_interrupted, patiently


def main() -> None:
    """Load the command line and run it."""
    try:
        patiently()
        from rankproof.cli.main import main as command

        command()
    except KeyboardInterrupt:
        leave_interrupted(NOTHING_LEFT)


if __name__ == "__main__":
    main()
