"""The pictures of chapter 11 show what they say: their numbers by other routes, without a browser."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit_course.featherstone.pictures import contact_events, feasible_set

G = 9.81


def numbers(text: str) -> list[float]:
    return [float(part.split()[0]) for part in text.split(",")]


@pytest.mark.source("F11.06")
@pytest.mark.parametrize("place", [-0.3, 0.0, 0.1, 0.4])
def test_two_feet_share_the_load_as_a_lever_says(place):
    load = 20.0
    readout = dict(feasible_set.draw(place, load).readout)
    right = 0.5 * feasible_set.MASS * G + load * (place + feasible_set.FOOT) / (2.0 * feasible_set.FOOT)
    total = feasible_set.MASS * G + load
    assert_allclose(numbers(readout["λ, ζ' of the right foot"]), [right, 0.0], atol=6e-3)
    assert_allclose(numbers(readout["λ, ζ' of the left foot"]), [total - right, 0.0], atol=6e-3)


def test_a_load_far_out_lifts_the_other_foot():
    readout = dict(feasible_set.draw(0.6, 40.0).readout)
    force, rises = numbers(readout["λ, ζ' of the left foot"])
    assert force == 0.0 and rises > 0.1
    assert "lambda of left" not in readout["pivots"]
    assert len(feasible_set.draw(0.6, 40.0).arrows) == 2


def test_dragging_the_load():
    playground = feasible_set.feasible_set()
    pose = np.eye(4)
    pose[:3, 3] = -0.2, 0.0, feasible_set.HEIGHT + 0.02 + 0.25
    playground._dragged(pose, done=True)
    assert playground.values["place"] == pytest.approx(-0.2) and playground.values["load"] == pytest.approx(25.0)
    assert playground.picture.handle[:3, 3] == pytest.approx(pose[:3, 3])
    playground.close()


@pytest.mark.source("F11.08", "F11.11")
def test_the_events_of_a_block_that_leaves_the_table():
    run = contact_events.history()
    words = [dict(contact_events.draw(str(k + 1)).readout)["what happened"] for k in range(len(run.changes))]
    assert words == ["start of front, back", "geometric loss of front", "gain of edge", "negative force of back"]
    last = contact_events.draw("4")
    assert dict(last.readout)["tried"] == "edge" and len(last.arrows) == 1
    assert_allclose(np.linalg.norm(last.arrows[0].vector), contact_events.SCALE * 2.0 * G, rtol=1e-6)
    contact_events.contact_events().close()
