"""Charts as they are sent: a specification built once, and the frames and numbers of this drawing.

Building and validating an altair chart takes tens of milliseconds, a page has several, and almost
nothing in one depends on the numbers it shows. So a chart is built with named data and named
parameters, kept as the JSON it becomes, and drawn with whatever frames and values are at hand.
"""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import Any, ParamSpec, cast

import altair as alt
import pandas as pd

P = ParamSpec("P")
_BUILDING = threading.Lock()  # altair keeps global state while it builds


@dataclass(frozen=True, eq=False)
class Drawing:
    """A chart ready to be sent.

    Attributes
    ----------
    template
        The Vega-Lite specification as JSON; data and parameters are only named in it.
    frames
        The data by name.
    values
        The parameters by name.
    """

    template: str
    frames: Mapping[str, pd.DataFrame]
    values: Mapping[str, Any] = field(default_factory=dict)

    def spec(self) -> dict[str, Any]:
        """The whole specification, frames as they are under ``datasets``."""
        spec: dict[str, Any] = json.loads(self.template)
        named = [{"name": name, "value": value} for name, value in self.values.items()]
        spec["params"] = named + spec.get("params", [])
        spec["datasets"] = dict(self.frames)
        return spec

    def to_dict(self) -> dict[str, Any]:
        """The whole specification with frames as records, as Vega-Lite itself takes it."""
        spec = self.spec()
        spec["datasets"] = {
            name: json.loads(frame.to_json(orient="records")) for name, frame in self.frames.items()
        }
        return spec


def template(build: Callable[P, alt.LayerChart]) -> Callable[P, str]:
    """A chart function as one that gives its specification as JSON, built once per arguments."""

    @wraps(build)
    def built(*args: P.args, **kwargs: P.kwargs) -> str:
        with _BUILDING:
            # Validating here takes as long as building; the tests validate every chart.
            return json.dumps(build(*args, **kwargs).to_dict(validate=False))

    return cast(Callable[P, str], lru_cache(maxsize=256)(built))


def data(name: str) -> alt.Chart:
    """An empty chart over the frame that a drawing will name so."""
    return alt.Chart(alt.NamedData(name=name))
