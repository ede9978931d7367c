"""Models that are played, as Python sees it: what the page gets, what it tells, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.simulation.played import PlayedPulls

MODEL = rbd.library.double_pendulum()


@pytest.fixture
def toys():
    """Make a `play`, closed at the end."""
    made = []

    def toys(*args, **options):
        made.append(rbd.play(*args, **options))
        return made[-1]

    yield toys
    for toy in made:
        toy.close()


def tell(toy, states, pulls, values=(), begun=True):
    """What the page would send."""
    rows = [np.asarray(rows, dtype=float).tobytes() for rows in (states, pulls)]
    toy._heard(None, {"do": "played", "begun": begun, "values": list(values)}, rows)


def test_hands_are_on_every_body_that_moves(toys):
    model = rbd.Model("arm")
    model.add_body("base", inertia=rbd.Inertia(1.0), joint=rbd.Fixed())
    model.add_body("link", parent="base", inertia=rbd.Inertia.sphere(0.1, mass=1.0), joint=rbd.Revolute("y"))
    model.add_body("tool", parent="link", inertia=rbd.Inertia.sphere(0.1, mass=1.0), joint=rbd.Fixed())
    assert toys(model)._live["bodies"] == ["link", "tool"]
    assert not model.forces  # the given one is as it was


def test_what_was_played_is_a_trajectory_with_the_forces_of_hands(toys):
    toy = toys(MODEL, {"gravity.z": (-20.0, 0.0), "rod1.mass": (0.1, 2.0)}, [1.0, 0.5])
    with pytest.raises(rbd.StateError, match="was not played yet"):
        toy.trajectory()
    t, q, v = np.array([0.0, 0.02, 0.04]), np.array([[1.0, 0.5], [1.1, 0.4], [1.2, 0.3]]), np.ones((3, 2))
    work = np.zeros((3, 2))  # of the two hands
    pull = [0.02, 1, 0.0, 0.0, -0.2, 0.3, 0.4, 0.5, 30.0, 2.0]  # in the second interval, on the second body
    tell(toy, np.c_[t, q, v, work][:2], [pull], [-5.0, 0.7])
    tell(toy, np.c_[t, q, v, work][2:], np.zeros((0, 10)), [-5.0, 0.7], begun=False)
    run = toy.trajectory()
    np.testing.assert_array_equal(run.t, t)
    np.testing.assert_array_equal(run.q, q)
    assert run.model.gravity[2] == -5.0 and run.model.body("rod1").inertia.mass == 0.7 and run.z.shape == (3, 0)
    assert MODEL.body("rod1").inertia.mass == 1.0
    assert not run.f_ext(0.01, q[0], v[0]).any() and not run.f_ext(0.045, q[2], v[2]).any()
    held = MODEL.with_parameters({"rod1.mass": 0.7})
    held.add_force("hand", rbd.Pull("rod2", 30.0, 2.0, (0.0, 0.0, -0.2), (0.3, 0.4, 0.5)))
    with_hand = rbd.forward_dynamics(held, q[1], v[1], np.zeros(2))
    light, forces = MODEL.with_parameters({"rod1.mass": 0.7}), run.f_ext(0.03, q[1], v[1])
    with_force = rbd.forward_dynamics(light, q[1], v[1], np.zeros(2), f_ext=forces)
    np.testing.assert_allclose(with_force, with_hand, rtol=1e-13)
    tell(toy, np.c_[t, q, v, work][:1], np.zeros((0, 10)), [-5.0, 0.7])
    assert len(toy.trajectory()) == 1 and toy.trajectory().f_ext is None  # begun anew


def test_joint_forces_are_those_that_acted(toys):
    toy = toys(MODEL, q0=[1.0, 0.5], tau=[0.3, -0.1])
    tell(toy, [[0.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0]], np.zeros((0, 10)))
    np.testing.assert_array_equal(toy.trajectory().tau, [[0.3, -0.1]])

    def law(t, q, v):
        return -2.0 * v

    toy = toys(MODEL, q0=[1.0, 0.5], tau=law)
    tell(toy, [[0.0, 1.0, 0.5, 0.4, 0.2, 0.0, 0.0]], np.zeros((0, 10)))
    np.testing.assert_allclose(toy.trajectory().tau, [[-0.8, -0.4]], rtol=1e-15)


@pytest.mark.parametrize(
    ("arguments", "options", "why"),
    [
        (("pendulum",), {}, "play: model = 'pendulum' must be a Model; load a file first"),
        ((MODEL,), {"integrator": "rk45"}, "steps of one length"),
        ((MODEL, {"rod1.weight": (0.1, 1.0)}), {}, "rod1.weight"),
    ],
)
def test_what_cannot_be_played_is_refused_by_name(arguments, options, why):
    with pytest.raises(rbd.SimulationError, match=why):
        rbd.play(*arguments, **options)


def sticks() -> rbd.Model:
    """Two rods without geometry, which are drawn as stick figures."""
    model = rbd.Model("sticks")
    rod = rbd.Inertia(1.0, [0.0, 0.0, -0.5], np.diag([0.1, 0.1, 0.01]))
    model.add_body("rod1", joint=rbd.Revolute("y"), inertia=rod, joint_name="hinge1")
    model.add_body("rod2", "rod1", rbd.Revolute("y"), [0.0, 0.0, -1.0], rod, joint_name="hinge2")
    return model


def test_lengths_are_turned_and_their_shapes_come_with_the_scene(toys):
    toy = toys(sticks(), {"hinge2.placement.z": (-1.5, -0.5), "gravity.z": (-20.0, 0.0)})
    (shape,) = toy._scene["shapes"]  # gravity changes no shape
    at, vertices = np.array(shape["at"]), len(shape["moved"]) // 4
    by = np.frombuffer(shape["by"], dtype="<f4").reshape(len(at), vertices, 3)
    assert shape["row"] == 0 and at[[0, -1]].tolist() == [-1.5, -0.5]
    lowest = by[:, :, 2].min(axis=1)  # the far end of the first rod hangs lower by as much as it is longer
    assert lowest[0] == pytest.approx(at[0] - toy._experiment.rest[0], abs=0.02)


def test_pulls_of_no_rows_are_no_forces():
    nothing = PlayedPulls(MODEL, ("rod1", "rod2"), np.array([0.0]), np.zeros((0, 10)))
    assert not nothing(0.0, np.zeros(2), np.zeros(2)).any()


def test_inertias_that_are_impossible_are_played_as_they_are():
    """As robot files have them: the base of ANYmal has no inertia but about one axis."""
    model = rbd.Model("file")
    odd = rbd.Inertia(1.0, [0.0, 0.0, -0.5], np.diag([0.0, 0.0, 3e-6]), check=False)
    model.add_body("base", joint=rbd.Revolute("y"), inertia=odd)
    toy = rbd.play(model, {"gravity.z": (-20.0, 0.0)}, [1.0])
    assert len(toy.to_html()) > 100_000
    toy.close()


def test_states_of_force_elements_go_along_where_a_motion_is_let_go(tmp_path):
    """Beside hands, which have states of their own."""
    model = rbd.Model("lift")
    model.add_body("weight", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(1.0))
    points = ((0, 0, 0.3), (0, 0, 0))
    model.add_force("biceps", rbd.ExcitedMuscle(("world", "weight"), points, 20.0, 0.3, excitation=1.0, activation=0.0))
    run = rbd.simulate(model, duration=0.1, progress=False)
    assert "cannot be let go" not in run.to_html(tmp_path / "lift.html")
    for z0 in ([0.3], {"biceps.activation": 0.3}):
        toy = rbd.play(model, z0=z0)
        assert toy._live["start"]["z"] == [0.3, 0.0]
        toy.close()
    for picture in (rbd.play, rbd.tweak):
        with pytest.raises(rbd.SimulationError, match=r"ranges = .* must be a mapping"):
            picture(model, [0.2])


def swing():
    """A rod on a hinge with limits."""
    model = rbd.Model("swing")
    rod = rbd.Inertia.box((0.02, 0.02, 1.0), mass=1.0).transformed(rbd.pose(position=(0, 0, -0.5)))
    model.add_body("rod", joint=rbd.Revolute("y"), joint_name="hinge", inertia=rod, limits=rbd.Limits(-0.5, 0.8))
    return model


def test_joints_stop_at_their_limits_in_the_page(toys):
    toy = toys(swing(), {"hinge.angle": (-0.4, 0.7), "rod.mass": (0.5, 2.0)}, [0.0], [4.0])
    assert toy._live["limits"] == "joints stop at their limits" and toy._live["measured"]
    assert toy._live["kernels"][0]["touching"]["names"] == ["hinge.angle"]
    own = rbd.library.pendulum()
    own.add_constraint("stop", rbd.Limit("hinge", -1.0, 1.0))
    live = toys(own)._live
    assert not live["limits"] and live["kernels"][0]["touching"]["names"] == ["stop"]
    assert not toys(MODEL)._live["limits"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"integrator": "heun"}, "integrator 'heun' has no part"),
        ({"contact": "none"}, "a contact law that stops joints"),
        ({"contact": "rigid"}, "'rigid' is not compiled for pages"),
        ({"limits": "watch"}, "as asked for"),
    ],
)
def test_a_picture_says_why_joints_pass_their_limits(toys, options, why):
    live = toys(swing(), None, [0.0], [4.0], **options)._live
    assert live["limits"].startswith("joints pass their limits: ") or options == {"limits": "watch"}
    assert why in live["limits"]
    assert not live["kernels"][0]["touching"]
    if "limits" not in options:
        with pytest.raises(rbd.errors.SimulationError, match="cannot be played in a page: joints pass their limits"):
            toys(swing(), limits="stop", **options)


def test_what_was_played_is_computed_again_with_stops(toys):
    alone = rbd.simulate(swing(), [0.0], [4.0], duration=0.4, limits="stop", every=20)
    toy = toys(swing(), None, [0.0], [4.0])
    tell(toy, np.c_[alone.t, alone.q, alone.v, np.zeros(len(alone))], np.zeros((0, 10)))
    again = toy.replay()
    assert np.max(again.q) < 0.8 + 1e-9
    np.testing.assert_allclose(again.q, alone.q, atol=1e-9)
