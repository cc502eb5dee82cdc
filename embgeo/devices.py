"""Which device computes, and in which precision: the same number comes out on each.

Products and sums are float64 wherever the device has it; Apple's GPU does not, so there each
chunk's products are float32 and what is summed over chunks is summed in float64 on the CPU.
"""

from typing import TYPE_CHECKING

from embgeo.errors import EmbgeoError
from embgeo.settings import settings

if TYPE_CHECKING:
    import torch


def compute_device() -> "torch.device":
    """The device of `EMBGEO_DEVICE`, else a CUDA GPU, else Apple's, else the CPU.

    Raises
    ------
    EmbgeoError
        If the named device is not one that this PyTorch can use.
    """
    import torch

    wanted = settings().device
    if wanted is None:
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(wanted)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise EmbgeoError(
            f"EMBGEO_DEVICE={wanted!r} cannot be used here; this machine has "
            f"{', '.join(_present())}. ({str(error).splitlines()[0][:120]})"
        ) from error
    return device


def working_dtype(device: "torch.device") -> "torch.dtype":
    """The precision in which a chunk of rows is computed with on a device."""
    import torch

    return torch.float32 if device.type == "mps" else torch.float64


def fits_on(device: "torch.device", weight: "torch.Tensor", budget: int) -> bool:
    """Whether a whole weight, as it is stored, may rest on a device within a budget of bytes.

    Apple's GPU has no float64: such a weight goes there chunk by chunk, as float32.
    """
    exact = weight.dtype.itemsize <= working_dtype(device).itemsize
    return exact and weight.nbytes <= budget


def _present() -> list[str]:
    import torch

    found = ["cpu"]
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return found
