"""Which device computes, and how precisely."""

import pytest
import torch

from embgeo.devices import compute_device, working_dtype
from embgeo.errors import EmbgeoError


def present(monkeypatch: pytest.MonkeyPatch, cuda: bool, mps: bool) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)


@pytest.mark.parametrize(
    ("cuda", "mps", "chosen"),
    [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")],
)
def test_the_fastest_device_is_chosen_by_itself(
    cuda: bool, mps: bool, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EMBGEO_DEVICE", raising=False)
    present(monkeypatch, cuda, mps)
    assert compute_device() == torch.device(chosen)


def test_the_named_device_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBGEO_DEVICE", "cpu")
    present(monkeypatch, cuda=True, mps=True)
    assert compute_device() == torch.device("cpu")


@pytest.mark.parametrize("name", ["gpu", "cuda:99", "cpu:x"])
def test_a_device_that_is_not_here_lists_those_that_are(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBGEO_DEVICE", name)
    with pytest.raises(
        EmbgeoError, match=f"EMBGEO_DEVICE='{name}' cannot be used here; .* has cpu"
    ):
        compute_device()


@pytest.mark.parametrize(
    ("name", "dtype"), [("cpu", torch.float64), ("cuda", torch.float64), ("mps", torch.float32)]
)
def test_only_what_lacks_float64_works_in_float32(name: str, dtype: torch.dtype) -> None:
    assert working_dtype(torch.device(name)) == dtype
