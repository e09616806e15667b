"""The command line that trains a run again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

__all__ = ["fit_command", "option_name"]


def option_name(setting: str) -> str:
    """The option of a setting.

    >>> option_name("max_iter")
    '--max-iter'
    """
    return f"--{setting.replace('_', '-')}"


def fit_command(run: Mapping[str, Any], out: str = "run") -> str:
    """The command that makes the run again, with every setting, so that it does not hang on defaults.

    >>> data = {"train": {"files": [{"path": "my train.txt"}]}, "test": {"files": [{"path": "test.txt"}]}}
    >>> settings = {"metric": "nDCG@10", "l2": "1,0.1", "max_iter": 500, "noise": None, "seed": 0}
    >>> print(fit_command({"data": data, "settings": settings}))
    rankproof fit 'my train.txt' --test test.txt --metric nDCG@10 --l2 1,0.1 --max-iter 500 --seed 0 --out run
    """
    words = ["rankproof", "fit"]
    for part, source in run["data"].items():
        for file in source["files"]:
            words += [file["path"]] if part == "train" else [f"--{part}", file["path"]]
    for name, value in run["settings"].items():
        option = option_name(name)
        if isinstance(value, bool):
            words += [option] if value else []
        elif isinstance(value, list | tuple):
            words += [word for one in value for word in (option, str(one))]
        elif value is not None:
            words += [option, str(value)]
    return shlex.join([*words, "--out", out])
