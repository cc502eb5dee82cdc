"""Write `docs/metrics.md` from the metric catalogue, or ``--check`` that it is up to date."""

import sys
from pathlib import Path

from embgeo.metrics.catalogue import CATALOGUE, TRANSFORMATIONS, Metric

PAGE = Path(__file__).with_name("metrics.md")
HEAD = """\
# The numbers

Written by `make docs` from `embgeo/metrics/catalogue.py`, which the dashboard's explanations read
too. x is a row, û a row divided by its length, n the number of rows, d their width, λ an eigenvalue
of the covariance of the rows.
"""


def section(metric: Metric) -> str:
    """A metric as Markdown: its formula, then what a reader of the number has to know."""
    lines = {
        "Range": metric.range,
        "Unrelated rows give": metric.ideal,
        "Left as it is by": ", ".join(t for t in TRANSFORMATIONS if t in metric.invariances),
        "Taken over": metric.population,
        "Cost": metric.cost,
        "Source": metric.reference,
    }
    listed = "\n".join(f"- {label}: {text}" for label, text in lines.items() if text)
    return f"## {metric.label} (`{metric.key}`)\n\n```text\n{metric.formula}\n```\n\n{listed}\n"


def main() -> int:
    """Write the page; with ``--check`` 1 where it differs from what would be written."""
    text = "\n".join([HEAD, *map(section, CATALOGUE.values())])
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != text:
        print(f"{PAGE.name} is not what the catalogue says: run `make docs`.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
