"""Where a number comes from: enough to compute it again."""

from dataclasses import asdict, dataclass, field
from importlib.metadata import version

from embgeo import __version__
from embgeo.populations import Population
from embgeo.tables import EmbeddingTable
from embgeo.transforms import RAW, Transform, spelled


def _versions() -> dict[str, str]:
    return {"embgeo": __version__, "torch": version("torch"), "numpy": version("numpy")}


@dataclass(frozen=True)
class Provenance:
    """Source, revision, tensor, transform, population and versions behind a result."""

    source: str
    revision: str
    tensor: str
    transform: str
    population: str
    versions: dict[str, str] = field(default_factory=_versions)

    def record(self) -> dict[str, object]:
        """As JSON takes it."""
        return asdict(self)

    def columns(self) -> dict[str, str]:
        """What an exported table carries beside each row."""
        return {
            "source": self.source,
            "revision": self.revision,
            "transform": self.transform,
            "population": self.population,
        }


def provenance(
    table: EmbeddingTable, population: Population, transform: Transform = RAW
) -> Provenance:
    """The provenance of a result on a table."""
    source, revision, tensor = table.key
    return Provenance(source, revision, tensor, spelled(transform), population.spelled())
