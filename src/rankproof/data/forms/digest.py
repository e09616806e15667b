"""The digest of data: that of a file, or of all files in a folder with their names.

>>> import pathlib, tempfile
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "part-0.csv").write_text("qid,label\\n1,0\\n")
>>> before = digest_of(folder)
>>> _ = (folder / "part-1.csv").write_text("qid,label\\n2,0\\n")
>>> before == digest_of(folder)
False
"""

from __future__ import annotations

import os

from rankproof.data.forms.content import files_of
from rankproof.files import StrPath, as_path, sha256_of, sha256_of_bytes

__all__ = ["digest_of"]


def digest_of(path: StrPath) -> str | None:
    """The SHA-256 of a file; of a folder that of the lines that sha256sum would print of its files.

    None for what is neither, such as a pipe.
    """
    folder = as_path(path)
    if not folder.is_dir():
        return sha256_of(path)
    lines = [
        f"{sha256_of(one.path)}  {as_path(one.path).relative_to(folder).as_posix()}\n"
        for one in files_of(path)
    ]
    return sha256_of_bytes(*(os.fsencode(line) for line in lines))
