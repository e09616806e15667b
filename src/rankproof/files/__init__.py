"""Files: the one opener, the one atomic writer of files and folders, the one digest."""

from rankproof.files.folders import (
    draft_folder,
    read_whole,
    replace_folder,
    set_aside,
)
from rankproof.files.open import (
    STANDARD,
    Bytes,
    StrPath,
    as_path,
    forget,
    largest_input,
    open_bytes,
    plain_name,
    sha256_of,
    sha256_of_bytes,
)
from rankproof.files.write import (
    check_folder,
    create_bytes,
    write_bytes,
    write_files,
    writing,
)

__all__ = [
    "STANDARD",
    "Bytes",
    "StrPath",
    "as_path",
    "check_folder",
    "create_bytes",
    "draft_folder",
    "forget",
    "largest_input",
    "open_bytes",
    "plain_name",
    "read_whole",
    "replace_folder",
    "set_aside",
    "sha256_of",
    "sha256_of_bytes",
    "write_bytes",
    "write_files",
    "writing",
]
