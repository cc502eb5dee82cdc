"""Opening PyTorch's own files without running anything that is in them.

They are pickles, read by PyTorch's restricted reader: it builds tensors and refuses whatever else a
file asks for. The numbers stay in the mapped file.
"""

from __future__ import annotations

import pickle
import re
import zipfile
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embgeo.checkpoints.damage import damaged, unreadable
from embgeo.errors import CheckpointError

if TYPE_CHECKING:
    import torch

_NESTED = ("state_dict", "model_state_dict", "model", "module", "params")
_ZIP = b"PK"
# How PyTorch's files began before they were zip archives: a pickle of this number.
_OLD = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
_ASKED = re.compile(r"GLOBAL (?P<name>[\w.]+)")


def tensors_in(path: Path, numbers: bool = False) -> Mapping[str, torch.Tensor]:
    """The tensors of a file by name; without `numbers` only their names and shapes are true."""
    import torch

    found = _opened(path, numbers)
    if isinstance(found, torch.Tensor):
        return {"weight": found.detach()}
    for name in _NESTED:
        if isinstance(found, dict) and isinstance(found.get(name), dict):
            found = found[name]
            break
    entries = found.items() if isinstance(found, dict) else ()
    return {
        name: tensor.detach()
        for name, tensor in entries
        if isinstance(name, str) and isinstance(tensor, torch.Tensor)
    }


def _opened(path: Path, numbers: bool) -> Any:
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode  # documented in PyTorch's notes

    mapped = can_be_mapped(path)
    if mapped:
        _refuse_compressed(path)
    # What cannot be mapped would be read as a whole to learn its names.
    shapes_only = nullcontext() if mapped or numbers else FakeTensorMode()
    try:
        with shapes_only:
            return torch.load(path, map_location="cpu", weights_only=True, mmap=mapped)
    except OSError as error:
        raise unreadable(path, error) from error
    except Exception as error:  # a file that is cut short may raise anything
        raise _refused(path, error) from error


def _refuse_compressed(path: Path) -> None:
    """Refuse what was packed again: mapped, its compressed bytes would be taken for numbers."""
    try:
        with zipfile.ZipFile(path) as archive:
            numbers = [each for each in archive.infolist() if "/data/" in each.filename]
            packed = any(each.compress_type != zipfile.ZIP_STORED for each in numbers)
    except (NotImplementedError, ValueError, zipfile.BadZipFile) as error:
        raise damaged(path) from error
    if packed:
        raise CheckpointError(
            f"{path.name} is a PyTorch file that was compressed afterwards, so that its numbers "
            "cannot be read where they lie. Load it with torch.load and save it with torch.save."
        )


def can_be_mapped(path: Path) -> bool:
    """Whether it is one of today's files; an error for a pickle that PyTorch has not written."""
    try:
        with path.open("rb") as file:
            head = file.read(len(_OLD))
    except OSError as error:
        raise unreadable(path, error) from error
    if head.startswith(_ZIP):
        return True
    if head == _OLD:
        return False
    if head.startswith(b"\x80"):
        raise CheckpointError(
            f"{path.name} is a pickle that PyTorch has not written; it is not opened, since that "
            "can run code. Save the tensors with safetensors or with torch.save."
        )
    raise damaged(path)


def _refused(path: Path, error: Exception) -> CheckpointError:
    text = str(error)
    asked = _ASKED.search(text)
    if isinstance(error, pickle.UnpicklingError) and asked and not _ends_with(path, asked["name"]):
        return CheckpointError(
            f"{path.name} asks to run code ({asked['name']}), which embgeo never does. Save its "
            "tensors alone, torch.save(model.state_dict()), or with transformers' save_pretrained."
        )
    if "TorchScript" in text:
        return CheckpointError(
            f"{path.name} is a TorchScript program, which is not opened since that runs code. Save "
            "its tensors alone: torch.save(model.state_dict())."
        )
    return damaged(path)


def _ends_with(path: Path, name: str) -> bool:
    """Whether a file breaks off in a name, so that it is cut short and asks for nothing."""
    last = name.rpartition(".")[2].encode()
    with path.open("rb") as file:
        # The reader takes the last letter for the end of the line.
        file.seek(max(0, path.stat().st_size - len(last) - 1))
        return file.read().startswith(last)
