"""One wording for files that are not what their name says."""

from pathlib import Path

from embgeo.errors import CheckpointError


def damaged(path: Path) -> CheckpointError:
    """The error for a file that does not open: its name, its size, and what to do.

    What the reader stumbled over is left out: it names the reader's inside, not the file's fault.
    """
    size = path.stat().st_size if path.is_file() else 0
    return CheckpointError(
        f"{path.name} ({size:,} bytes) is an incomplete download or git-LFS pointer, or no "
        f"{path.suffix} file at all. Download it again; in a git clone, run git lfs pull."
    )


def unreadable(path: Path, error: OSError) -> CheckpointError:
    """The error for a file that is missing or may not be read."""
    return CheckpointError(f"{path} cannot be read: {error.strerror or error}.")
