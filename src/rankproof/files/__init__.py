"""Files: the one opener, the one atomic writer of files and folders, the one digest."""

from rankproof.files.open import (
    Bytes,
    StrPath,
    as_path,
    forget,
    open_bytes,
    plain_name,
    sha256_of,
    sha256_of_bytes,
)
from rankproof.files.write import (
    check_folder,
    create_bytes,
    draft_folder,
    fill_folder,
    replace_folder,
    set_aside,
    write_bytes,
    write_files,
    writing,
)

__all__ = [
    "Bytes",
    "StrPath",
    "as_path",
    "check_folder",
    "create_bytes",
    "draft_folder",
    "fill_folder",
    "forget",
    "open_bytes",
    "plain_name",
    "replace_folder",
    "set_aside",
    "sha256_of",
    "sha256_of_bytes",
    "write_bytes",
    "write_files",
    "writing",
]
