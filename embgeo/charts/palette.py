"""Every colour of the product, for a light and a dark page.

The qualitative colours were tuned so that any two stay apart under normal, protan, deutan and
tritan vision, and each reaches a contrast of 3 against its page. Diverging colours run blue to
orange through a neutral near the page, about equally light on both sides, so that neither
direction looks stronger.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np
import numpy.typing as npt

_INKS = ("#0b0d10", "#ffffff")
# The luminance Y that has equal contrast with both inks: (Y + 0.05)² = 1.05 × 0.054.
_EVEN_LUMINANCE = 0.188


@dataclass(frozen=True)
class Palette:
    """The colours of one page, as ``#rrggbb``.

    Attributes
    ----------
    name
        "light" or "dark".
    background, text, muted
        The page, what is read on it, and captions (contrast of at least 4.5).
    grid, area, floor, accent
        Grid lines, the whole vocabulary, the floor's rule, and the one emphasis.
    groups
        Ten qualitative colours, the most distinct first.
    diverging
        Eleven colours, low to high; the sixth is the neutral middle.
    sequential
        Ten colours, from near the page to far from it.
    """

    name: str
    background: str
    text: str
    muted: str
    grid: str
    area: str
    floor: str
    accent: str
    groups: tuple[str, ...]
    diverging: tuple[str, ...]
    sequential: tuple[str, ...]


def _colours(spaced: str) -> tuple[str, ...]:
    return tuple(spaced.split())


LIGHT = Palette(
    name="light",
    background="#ffffff",
    text="#1c2127",
    muted="#5a636e",
    grid="#e4e7eb",
    area="#cbd0d7",
    floor="#3f4750",
    accent="#2a5db8",
    groups=_colours(
        "#3671dc #d18204 #287253 #cf428f #069ed5 #821d04 #837517 #773b9d #7b9e6d #475463"
    ),
    diverging=_colours(
        "#175198 #3b71b8 #6593ce #95b4dc #c7d5e7 #f7f7f4 #edd3c5 #e3ae92 #d68a61 #c16835 #a54b0e"
    ),
    sequential=_colours(
        "#e1f2f9 #b6dcee #8cc6e4 #61afda #4b96ca #397dba #2b64a8 #275293 #23417d #1d3168"
    ),
)
DARK = Palette(
    name="dark",
    background="#11151a",
    text="#e6e9ed",
    muted="#98a2ae",
    grid="#2a3038",
    area="#3d4650",
    floor="#c3cad3",
    accent="#5089e6",
    groups=_colours(
        "#628ffc #f29a23 #47c687 #e55db7 #86e1ff #d23537 #f7cd4e #8f4fbf #c3dca3 #adb8c9"
    ),
    diverging=_colours(
        "#58acf1 #3b8ecf #2e70a6 #2b5578 #273a4b #1e2124 #45372d #724c2d #a06229 #cc7b2f #f19a4b"
    ),
    sequential=_colours(
        "#212938 #283a57 #2d4b78 #305e9a #3876b2 #418fc9 #4ba8e0 #6ac3e8 #90ddf0 #b9f4fb"
    ),
)


def palette(name: str) -> Palette:
    """The palette for a page that is "dark"; the light one for any other name."""
    return DARK if name == "dark" else LIGHT


def group_colours(names: Sequence[str], palette: Palette) -> dict[str, str]:
    """A colour for each group, by the order given; the eleventh group starts again at the first.

    >>> group_colours(["animals", "numbers"], LIGHT)
    {'animals': '#3671dc', 'numbers': '#d18204'}
    """
    return dict(zip(dict.fromkeys(names), cycle(palette.groups), strict=False))


def diverging_rgb(
    values: npt.ArrayLike, *, centre: float, reach: float, palette: Palette
) -> npt.NDArray[np.uint8]:
    """The diverging colour of each value, clipped to ``centre`` ± ``reach``.

    Parameters
    ----------
    values
        Any shape; NaN gives the neutral middle.
    centre, reach
        The value of the neutral middle, and the distance from it to either end (> 0).

    Returns
    -------
    numpy.ndarray
        Shape ``(*values.shape, 3)``, red, green and blue in 0..255.
    """
    position = np.nan_to_num((np.asarray(values, dtype=np.float64) - centre) / reach, nan=0.0)
    stops = np.array([_rgb(colour) for colour in palette.diverging])
    at = np.linspace(-1.0, 1.0, len(stops))
    channels = [np.interp(position, at, stops[:, channel]) for channel in range(3)]
    rgb: npt.NDArray[np.uint8] = np.rint(np.stack(channels, axis=-1)).astype(np.uint8)
    return rgb


def contrast(colour: str, other: str) -> float:
    """The WCAG 2 contrast ratio of two colours: 1 (the same) to 21 (black on white).

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    darker, lighter = sorted((_luminance(_rgb(colour)), _luminance(_rgb(other))))
    return float((lighter + 0.05) / (darker + 0.05))


def ink(values: npt.ArrayLike, *, centre: float, reach: float, palette: Palette) -> list[str]:
    """The text colour, near-black or white, that reads best on each value's diverging colour."""
    luminance = _luminance(
        diverging_rgb(values, centre=centre, reach=reach, palette=palette).astype(np.float64)
    )
    return [_INKS[int(value < _EVEN_LUMINANCE)] for value in np.atleast_1d(luminance)]


def _rgb(colour: str) -> npt.NDArray[np.float64]:
    return np.array(list(bytes.fromhex(colour.removeprefix("#"))), dtype=np.float64)


def _luminance(rgb: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    channels = rgb / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance: npt.NDArray[np.float64] = linear @ np.array([0.2126, 0.7152, 0.0722])
    return luminance
