"""What a definition of a number consists of, and the changes of rows that it may not mind."""

from dataclasses import dataclass

ROTATE, SCALE, RESCALE_ROWS = "rotate", "scale", "rescale rows"
TRANSLATE, PERMUTE_COLUMNS = "translate", "permute columns"
TRANSFORMATIONS = (ROTATE, SCALE, RESCALE_ROWS, TRANSLATE, PERMUTE_COLUMNS)

# Numbers made of cosines see directions only; a constant added to every row turns them all.
DIRECTIONS = frozenset({ROTATE, SCALE, RESCALE_ROWS, PERMUTE_COLUMNS})
# Numbers made of centred rows no longer see the mean, but long rows count for more.
CENTRED = frozenset({ROTATE, SCALE, TRANSLATE, PERMUTE_COLUMNS})

ALL = "all rows that have a token and are not degenerate"
GROUPS = "the tokens of the chosen groups that have a row"
# A label is one per token, so these cannot place a token of several groups.
LABELLED = f"{GROUPS} and are in one group only"


@dataclass(frozen=True)
class Metric:
    """One number.

    Attributes
    ----------
    key, label
        Its name in code and on a page.
    formula
        In plain text; x rows, û unit rows, n rows, d dimensions, λ eigenvalues of the covariance.
    range
        The values it can take and what the ends mean.
    ideal
        What unrelated, random or isotropic rows would give.
    invariances
        Which of ``TRANSFORMATIONS`` leave it as it is; the others change it.
    population
        Which rows it is taken over.
    cost
        For n rows, d dimensions, K groups, R labellings.
    reference
        Where it comes from.
    """

    key: str
    label: str
    formula: str
    range: str
    ideal: str
    invariances: frozenset[str]
    population: str
    cost: str
    reference: str
