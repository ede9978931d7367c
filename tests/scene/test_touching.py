"""Contact forces, cones and events as they are drawn: at the place, with the length and colour they are to have."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.scene.touching import KINDS, contact_plots, event_marks, force_scale, touching


@pytest.fixture(scope="module")
def sliding():
    return rbd.simulate(*rbd.library.block_on_slope(0.4, 0.3, speed=0.5), duration=0.02, dt=2e-3)


def test_arrows_carry_the_block_and_end_on_the_rim(sliding):
    """It slides: the forces together hold the block against the slope, and each ends on the rim of its cone."""
    drawn = touching(sliding, 4, 0.01, 1.0)
    total = sum(np.array(arrow.vector) for arrow in drawn.arrows) / 0.01
    normal = np.array([np.sin(0.4), 0.0, np.cos(0.4)])
    weight = 2.0 * 9.81 * np.cos(0.4)
    assert_allclose(total @ normal, weight, rtol=1e-6)
    assert len(drawn.cones) == len(drawn.arrows) == 4
    for arrow, cone in zip(drawn.arrows, drawn.cones, strict=True):
        assert arrow.node == 0 == cone.node
        end = np.array(arrow.start) + arrow.vector
        assert_allclose(np.linalg.norm(end - cone.center), cone.radii[0], rtol=1e-6)
        assert_allclose(cone.axes[:, 2], normal, atol=1e-12)
        assert_allclose(cone.axes @ cone.axes.T, np.eye(3), atol=1e-12)


def test_points_without_a_force_show_their_normals(sliding):
    run = replace(sliding, contacts=replace(sliding.contacts, force=np.zeros_like(sliding.contacts.force)))
    arrows = touching(run, 4, 1.0, 2.0).arrows
    assert len(arrows) == 4
    assert_allclose(arrows[0].vector, 0.1 * np.array([np.sin(0.4), 0.0, np.cos(0.4)]))
    assert touching(run, 4, 1.0, 2.0).cones == ()
    free = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.01)
    assert touching(free, 0, 1.0, 1.0).arrows == () and contact_plots(free) == () and force_scale(free, 1.0) == 0.0


def test_long_arrows_are_cut_off(sliding):
    drawn = touching(sliding, 4, 100.0, 0.5)
    assert_allclose([np.linalg.norm(arrow.vector) for arrow in drawn.arrows], 0.5)


def test_plots_of_contacts(sliding):
    (plot,) = contact_plots(sliding)
    force, impulse, gap, taken = plot.tabs
    assert plot.title == "Contact" and force.names == ("slope/block",)
    assert_allclose(force.values[0, 2:-1], 2.0 * 9.81 * np.cos(0.4), rtol=1e-6)
    assert_allclose(impulse.values[0, 2:-1], force.values[0, 2:-1] * 2e-3)
    assert np.isnan(impulse.values[0, -1])  # no step begins there: zero looked as if the block had been let go
    assert np.nanmin(gap.values) > -1e-6
    assert_allclose(taken.values[0], sliding.contacts.lost)
    scale = force_scale(sliding, 1.0)
    assert scale * np.linalg.norm(sliding.contacts.force, axis=1).max() < 0.5


def test_events_as_marks():
    run = rbd.simulate(*rbd.library.bouncing_ball(0.05, 0.5), duration=0.3, dt=2e-3)
    marks = event_marks(run)
    assert [mark[0] for mark in marks] == [event.t for event in run.events]
    assert all("ground/ball" in text and color in KINDS.values() for _, text, color in marks)
    few = event_marks(run, most=1)
    assert len(few) == 1 and few[0][0] == max(run.events, key=lambda event: event.impulse).t


def test_the_view_goes_from_event_to_event():
    run = rbd.simulate(*rbd.library.bouncing_ball(0.05, 0.5), duration=0.3, dt=2e-3)
    view = rbd.show(run)
    first = view.next_event()
    assert first.startswith(f"{run.events[0].t:.6g} s: impact") and view.t == pytest.approx(run.events[0].t)
    with_force = bytes(view._arrows)
    view.force_scale *= 0.5
    assert bytes(view._arrows) != with_force
    assert view.next_event() and view.t > run.events[0].t
    assert view.previous_event() == first
    assert view.previous_event() == ""
    view.t = 0.3
    assert view.next_event() == ""
    view.close()
    plain = rbd.show(run, contacts=False)
    assert plain._arrows == b"" and plain._marks == [] and plain.next_event() == ""
    plain.close()
