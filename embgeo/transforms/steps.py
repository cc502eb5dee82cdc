"""The steps of a transform as values, how they are spelled, and how they are said."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DropRogue:
    """Zero the `count` coordinates that contribute most to the raw table's mean cosine."""

    count: int


@dataclass(frozen=True)
class Centre:
    """Subtract the mean row; `weighted`, the mean in which frequent tokens count for more."""

    weighted: bool = False


@dataclass(frozen=True)
class Standardise:
    """Divide each coordinate by its standard deviation over the table."""


@dataclass(frozen=True)
class DropTop:
    """Remove the `count` principal components of largest variance (all-but-the-top)."""

    count: int


@dataclass(frozen=True)
class Whiten:
    """Scale the first `k` principal components to unit variance and drop the rest (all: None).

    Attributes
    ----------
    shrinkage
        ρ in [0, 1]: variances are those of (1 − ρ)Σ + ρ(tr Σ / d)I, so that small ones are not
        blown up; 0 whitens fully, 1 only rotates and scales.
    weighted
        Whether Σ is the covariance in which frequent tokens count for more.
    """

    k: int | None = None
    shrinkage: float = 0.0
    weighted: bool = False


Step = DropRogue | Centre | Standardise | DropTop | Whiten
Transform = tuple[Step, ...]

RAW: Transform = ()
CENTRED: Transform = (Centre(),)
NAMES = ("raw", "centred", "standardised", "abtt", "whitened")


def default_dropped(dim: int) -> int:
    """Components that all-but-the-top removes: about one in a hundred (Mu & Viswanath 2018).

    >>> default_dropped(384), default_dropped(576), default_dropped(20)
    (4, 6, 1)
    """
    return max(1, round(dim / 100))


def uses_weights(transform: Transform) -> bool:
    """Whether a step needs the frequency-weighted mean or covariance."""
    return any(isinstance(step, Centre | Whiten) and step.weighted for step in transform)


def spelled(transform: Transform) -> str:
    """A transform as one readable word, the same for equal steps: "centre+whiten:128".

    >>> spelled((Centre(), DropTop(4))), spelled(RAW)
    ('centre+drop:4', 'raw')
    >>> spelled((DropRogue(3), Centre(weighted=True), Whiten(128, shrinkage=0.1)))
    'rogue:3+zipf-centre+whiten:128~0.1'
    """
    return "+".join(map(_word, transform)) or "raw"


def _word(step: Step) -> str:
    match step:
        case DropRogue(count):
            return f"rogue:{count}"
        case Centre(weighted):
            return "zipf-centre" if weighted else "centre"
        case Standardise():
            return "standardise"
        case DropTop(count):
            return f"drop:{count}"
        case Whiten(k, shrinkage, weighted):
            kept = "" if k is None else f":{k}"
            shrunk = f"~{shrinkage:g}" if shrinkage else ""
            return f"{'zipf-' if weighted else ''}whiten{kept}{shrunk}"


def described(transform: Transform) -> str:
    """A transform in a person's words.

    >>> described((Centre(), DropTop(4))), described(RAW)
    ('centred, top 4 components removed', 'raw')
    >>> described((DropRogue(1), Whiten(shrinkage=0.1, weighted=True)))
    '1 rogue dimension zeroed, Zipf-whitened (shrinkage 0.1)'
    """
    return ", ".join(map(_said, transform)) or "raw"


def _said(step: Step) -> str:
    match step:
        case DropRogue(count):
            return f"{count} rogue dimension{'s' if count > 1 else ''} zeroed"
        case Centre(weighted):
            return "Zipf-centred" if weighted else "centred"
        case Standardise():
            return "standardised"
        case DropTop(count):
            return f"top {count} components removed"
        case Whiten(k, shrinkage, weighted):
            kept = "" if k is None else f" to {k} components"
            shrunk = f" (shrinkage {shrinkage:g})" if shrinkage else ""
            return f"{'Zipf-whitened' if weighted else 'whitened'}{kept}{shrunk}"
