"""``python -m rankproof`` is ``rankproof``."""

from rankproof.cli.main import main

if __name__ == "__main__":
    main()
