"""Polyhedra that strike where curves would slide or roll, and their cures, against closed forms (Fig 11.5)."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import library
from rbdkit.errors import ModelError
from rbdkit.library.pitfalls import OverFacets, PolygonOnIce
from rbdkit.simulation import SimulationWarning

EDGES, RADIUS, MASS, G = 8, 0.3, 2.0, 9.81
HALF, I = np.pi / EDGES, 0.5 * MASS * RADIUS**2


def outline(bulge: float) -> np.ndarray:
    """Many points of the bulging polygon, from nothing but circles through its corners."""
    a, inner = RADIUS * np.sin(HALF), RADIUS * np.cos(HALF)
    arc = 0.5 * (a**2 + bulge**2) / bulge
    half = np.arcsin(a / arc)
    way = np.linspace(-half, half, 20_001)
    face = np.stack([arc * np.sin(way), inner + bulge - arc + arc * np.cos(way)])
    turns = 2.0 * HALF * (np.arange(EDGES) + 0.5)
    return np.concatenate([np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]]) @ face for t in turns], axis=1)


def height(points: np.ndarray, angle: float) -> float:
    """Of the centre when the shape stands on the ground, turned by an angle."""
    return float((np.sin(angle) * points[0] + np.cos(angle) * points[1]).max())


@pytest.mark.source("F11.09")
def test_a_straight_edge_strikes_with_its_next_corner():
    """Before, the polygon turns about one corner; the blow at the other one is m (a w + a w'), upwards."""
    a, drop, rate = RADIUS * np.sin(HALF), RADIUS * (1.0 - np.cos(HALF)), 3.0
    before = np.sqrt((I * rate**2 + 2.0 * MASS * G * drop) / (I + MASS * a**2))  # energy: no friction does work
    after = before * (I - MASS * a**2) / (I + MASS * a**2)
    run = rbd.simulate(*library.polygon_on_ice(EDGES, rate=rate), duration=0.15, dt=5e-3, contact="rigid")
    blow = next(event for event in run.events if event.kind == "impact")
    assert blow.impulse == pytest.approx(MASS * a * (before + after), rel=1e-6)  # of a step's end by rk4
    assert run.v[-1, 0] < after


@pytest.mark.source("F11.09")
@pytest.mark.parametrize("bulge", [0.004, 0.012])
def test_a_bulging_polygon_turns_on_without_a_blow(bulge):
    """From corner to face to corner; the rate of turning follows from energy and the outline alone."""
    run = rbd.simulate(*library.polygon_on_ice(EDGES, bulge), duration=0.3, dt=5e-3, contact="rigid")
    assert not [event for event in run.events if event.kind == "impact"]
    points = outline(bulge)
    for q, v in zip(run.q[::6], run.v[::6]):
        h = height(points, q[0])
        slope = (height(points, q[0] + 1e-4) - height(points, q[0] - 1e-4)) / 2e-4
        assert q[1] == pytest.approx(h, abs=2e-6)  # where a face takes over from a corner a step of rk4 is less precise
        energy = 0.5 * I * 9.0 + MASS * G * (RADIUS - h)
        assert v[0] == pytest.approx(np.sqrt(2.0 * energy / (I + MASS * slope**2)), rel=2e-3)
    assert run.q[-1, 0] > 2.0 * HALF  # beyond the first face


def test_the_more_faces_bulge_the_less_is_lost_in_given_steps():
    lost = []
    for bulge in (0.0, 0.005, 0.02):
        run = rbd.simulate(*library.polygon_on_ice(EDGES, bulge), duration=0.5, dt=1e-3, contact="time_stepping")
        lost.append(-float(np.diff(run.energy().total[[0, -1]])[0]))
    assert lost[0] > 10.0 * lost[1] > 10.0 * lost[2]


def bead(turn: float, rounding: float) -> rbd.Model:
    """A point on a slope of 45 degrees that becomes less steep at x = 0.3, without weight."""
    model = rbd.Model("bead", gravity=(0.0, 0.0, 0.0))
    model.add_body("bead", joint=rbd.Planar("y"), inertia=rbd.Inertia.sphere(0.01, mass=1.0))
    over = OverFacets("bead", (0.0, 0.0, 0.0), (0.0, -1.0), (0.3,), (turn,), rounding)
    model.add_constraint("slope", over)
    return model


@pytest.mark.source("F11.09")
@pytest.mark.parametrize("turn", [0.4, 1.0])
def test_a_sharp_concave_edge_takes_what_goes_into_it(turn):
    """A point keeps the part of its speed that goes along the next facet; a rounded edge leaves it all."""
    angle = np.pi / 4.0 - np.arctan(1.0 - turn)
    start = [0.0, 0.0, 0.0], [0.0, -np.sqrt(0.5), np.sqrt(0.5)]
    sharp = rbd.simulate(bead(turn, 0.0), *start, duration=0.8, dt=4e-3, contact="rigid")
    assert np.hypot(*sharp.v[-1, 1:]) == pytest.approx(np.cos(angle), rel=1e-9)
    (blow,) = [event for event in sharp.events if event.kind == "impact"]
    assert blow.t == pytest.approx(0.3 * np.sqrt(2.0), abs=1e-4)  # the surface is met 10 um deep
    round_ = rbd.simulate(bead(turn, 0.05), *start, duration=0.55, dt=1e-3, contact="rigid")
    assert np.hypot(*round_.v[-1, 1:]) == pytest.approx(1.0, rel=1e-4)
    blows = [event.impulse for event in round_.events if event.kind == "impact"]
    assert max(blows, default=0.0) < 2e-4  # of a momentum of 1: what a surface of 10 um gives back, no edge


def test_a_block_loses_at_edges_and_keeps_where_they_are_round():
    lost = {}
    for rounding in (0.0, 0.15):
        run = rbd.simulate(*library.concave_slope(3, rounding), duration=0.4, dt=4e-3, contact="rigid")
        lost[rounding] = -float(np.diff(run.energy().total[[0, -1]])[0])
        assert run.contacts.lost[-1].sum() == pytest.approx(lost[rounding], abs=3e-3)  # rk4, in the step of a blow
    assert lost[0.0] > 0.1 and abs(lost[0.15]) < 1e-3


class Step(rbd.ConstraintElement):
    """The ground is a metre higher from x = 0.5 m on, and nothing tells of the wall between."""

    body: str
    unilateral = True

    def gap(self, at):
        x, _, z = at.position(self.body)
        return z - np.where(x > 0.5, 1.0, 0.0)


def test_a_constraint_that_is_passed_is_an_alarm():
    model = rbd.Model("step")
    model.add_body("puck", joint=rbd.Planar("y"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    model.add_constraint("ground", Step("puck"))
    with pytest.warns(SimulationWarning, match=r"STOP PASSED: constraint 'ground' is passed by 1 m"):
        rbd.simulate(model, [0.0, 0.0, 0.0], [0.0, 0.0, 2.0], duration=0.4, dt=1e-2, contact="rigid")


@pytest.mark.parametrize(
    "scene",
    [
        lambda: library.concave_slope(0),
        lambda: library.concave_slope(3, 0.3),
        lambda: library.concave_slope(3, -0.1),
        lambda: library.polygon_on_ice(2),
        lambda: library.polygon_on_ice(8, 0.1),
        lambda: library.polygon_on_ice(8, -1.0),
    ],
)
def test_what_is_no_polygon_or_slope_is_refused(scene):
    with pytest.raises(ModelError):
        scene()


def test_their_numbers_go_through_files():
    for model, own in (
        (library.concave_slope(2, 0.1).model, OverFacets),
        (library.polygon_on_ice().model, PolygonOnIce),
    ):
        again = rbd.load(rbd.formats.to_json(model), constraints=[own])
        assert [str(c) for c in again.constraints] == [str(c) for c in model.constraints]
