"""What the packaged models show of what texts say, beside figures computed apart from this."""

import pytest

from embgeo.groups import DEFAULT, resolve
from embgeo.populations import Population
from embgeo.tables import EmbeddingTable
from embgeo.transforms import named
from embgeo.views.claim_figures import CLAIMS, Shown
from embgeo.views.group_rows import group_rows

pytestmark = pytest.mark.real

MINILM = {
    "Any two tokens": "no: 0.018 ± 0.092",
    "The rows fill": "no: 90 % of the variance takes 264 of 384 components",
    "A few coordinates": "not measurable here: mean cosine 0.018",
    "Zeroing them": "not measurable here: mean cosine 0.018",
    "Frequent tokens": "yes: Spearman(norm, id) −0.377",
    "Rare tokens have": "partly: median norm of the rarest quarter 0.98",
    "Rare tokens stay": "partly: distance to untrained rows 0.897",
    "Related tokens": "yes: within 0.278, between 0.097",
    "A high cosine": "no: any two of “single character, ids 20,000–30,521” 0.551",
    "Subtracting": "partly: effect size",
    "Most modern": "not measurable here: no output table",
}
SMOLLM2 = {
    "Any two tokens": "partly: 0.442 ± 0.143",
    "The rows fill": "no: 90 % of the variance takes 444 of 576 components",
    "A few coordinates": "partly: the top 3 of 576 coordinates add 23.4 %",
    "Zeroing them": "no: mean cosine 0.442, without the top 3 0.384",
    "Frequent tokens": "no: Spearman(norm, id) 0.465",
    "Rare tokens have": "no: median norm of the rarest quarter 3.46",
    "Rare tokens stay": "not measurable here: too few rows",
    "Related tokens": "yes: within 0.326, between 0.035",
    "A high cosine": "no: any two of “word start, ids 20,000–49,151”",
    "Subtracting": "no: effect size",
    "Most modern": "no: tied",
}


def test_claims_of_the_packaged_models(minilm: EmbeddingTable, smollm2: EmbeddingTable) -> None:
    tables = [minilm, smollm2]
    both = zip(tables, resolve(DEFAULT, tables), (MINILM, SMOLLM2), strict=True)
    for table, groups, expected in both:
        rows = (
            group_rows(table, groups, named(each, table.dim))
            for each in ("raw", "centred", "whitened")
        )
        shown = Shown(table, Population(), *rows)
        for claim in CLAIMS:
            [text] = [text for said, text in expected.items() if claim.said.startswith(said)]
            assert claim.measure(shown).text.startswith(text), claim.said
