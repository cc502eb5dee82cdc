"""The packaged models' neighbours and coordinates against figures computed apart from embgeo."""

import pytest

from embgeo.statistics.coordinates import coordinate
from embgeo.statistics.nearest import looked_up
from embgeo.tables import EmbeddingTable

pytestmark = pytest.mark.real

MINILM = {
    4937: ([8870, 18401, 14433, 3899, 18551, 6077, 9004, 11266], [0.815262, 0.559992, 0.536922]),
    2332: ([5465, 3035, 11590, 3159, 12078, 2548, 8603, 2983], [0.690393, 0.627252, 0.493502]),
}
SMOLLM2 = {
    2644: ([9497, 27772, 9786, 7680, 2767, 47304, 24395, 40578], [0.732614, 0.688757, 0.643567]),
    4197: ([3261, 19787, 13367, 15731, 9568, 15870, 15578, 21353], [0.815395, 0.716475, 0.703901]),
}


@pytest.mark.parametrize(("name", "expected"), [("minilm", MINILM), ("smollm2", SMOLLM2)])
def test_neighbours(
    name: str, expected: dict[int, tuple[list[int], list[float]]], request: pytest.FixtureRequest
) -> None:
    table: EmbeddingTable = request.getfixturevalue(name)
    found = looked_up(table, list(expected))
    assert not found.apart.any()
    for token_id, (ids, cosines) in expected.items():
        at = found.place(token_id)
        assert found.near.ids[at].tolist() == ids
        assert found.near.cosines[at][:3].tolist() == pytest.approx(cosines, abs=1e-6)


def test_duplicate_rows_are_the_nearest_by_id(smollm2: EmbeddingTable) -> None:
    found = looked_up(smollm2, [10])
    assert found.near.ids[0][:6].tolist() == [8, 13, 15, 16, 36744, 48047]
    assert found.near.cosines[0][:6].tolist() == pytest.approx([1.0] * 6, abs=1e-12)
    assert found.near.cosines[0][6] < 1 - 1e-9


def test_the_rogue_coordinate_holds_far_more_than_its_share(smollm2: EmbeddingTable) -> None:
    assert coordinate(smollm2, 322).share > 20 / smollm2.dim
    assert coordinate(smollm2, 322, rotated=True).share < 2 / smollm2.dim
