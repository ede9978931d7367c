"""The picture of merged bodies says what the matrix is."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit_course.featherstone.pictures.merged_tree import PARENTS, draw, h11, merged_tree, model


def known(*driven: int) -> list[str]:
    return ["motion" if i in driven else "force" for i in range(1, len(PARENTS) + 1)]


def test_figure_9_1_is_where_it_begins():
    picture = merged_tree().picture
    readout = dict(picture.readout)
    assert readout["fd"] == "3, 4, 5, 6, 7"
    assert readout["λ'"] == "0, 0, 0, 3, 2"
    assert readout["map"] == "1→0, 2→0, 3→1, 4→2, 5→3, 6→4, 7→5"


@pytest.mark.parametrize("driven", [(), (1, 2), (5,), (2, 4, 7), tuple(range(1, 8))])
def test_zeros_are_counted_in_the_inertia_matrix(driven):
    free = [i - 1 for i in range(1, 8) if i not in driven]
    H = rbd.crba(model(), np.full(7, 0.4))[np.ix_(free, free)]
    assert h11(tuple(i + 1 for i in free)) == pytest.approx(H, abs=1e-13)
    assert dict(draw(*known(*driven)).readout)["zeros of H₁₁"] == f"{(H == 0.0).sum()} of {len(free) ** 2}"


def test_sliders_choose():
    playground = merged_tree()
    playground.set(**{"joint 1": "force", "joint 2": "force"})
    assert dict(playground.picture.readout)["fd"] == "1, 2, 3, 4, 5, 6, 7"
    playground.close()
