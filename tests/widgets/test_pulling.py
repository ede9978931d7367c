"""Bodies dragged in a picture with sliders: the joints follow, within limits, with loops closed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

import rbdkit as rbd


def place(model: rbd.Model, q: np.ndarray, body: str, point: list[float]) -> np.ndarray:
    return (rbd.forward_kinematics(model, q).poses[model.body(body).index] @ [*point, 1.0])[:3]


@pytest.fixture
def posing():
    views = []

    def posing(*args):
        views.append(rbd.sliders(*args))
        return views[-1]

    yield posing
    for view in views:
        view.close()


@pytest.mark.parametrize("seed", range(4))
def test_a_hand_comes_to_where_it_is_dragged(posing, seed):
    model, rng = rbd.load(rbd.library.robot_file("panda")), np.random.default_rng(seed)
    view = posing(model, 0.5 * (model.random_q(rng) + model.random_q(rng)))
    point = [0.0, 0.02, 0.1]
    target = place(model, view.q, "panda_link7", point) + 0.05 * rng.standard_normal(3)
    view.pull("panda_link7", point, target)
    np.testing.assert_allclose(place(model, view.q, "panda_link7", point), target, atol=1e-9)
    model.check_q(view.q)
    np.testing.assert_allclose(view.coordinates.q(view.panel.numbers), view.q, atol=1e-12)


def test_out_of_reach_the_arm_points_there(posing):
    model = rbd.library.double_pendulum()
    view = posing(model, [0.4, -0.9])
    view.pull("rod2", [0.0, 0.0, -0.5], [3.0, 0.0, -4.0])
    np.testing.assert_allclose(place(model, view.q, "rod2", [0.0, 0.0, -0.5]), [0.9, 0.0, -1.2], atol=5e-3)
    view.pull("rod2", [0.0, 0.0, -0.5], [0.5, 7.0, -0.5])  # across the plane in which it moves
    np.testing.assert_allclose(place(model, view.q, "rod2", [0.0, 0.0, -0.5]), [0.5, 0.0, -0.5], atol=1e-4)


def test_limits_hold_and_the_others_go_on(posing):
    model = rbd.Model("arm")
    mass = rbd.Inertia(1.0, [0.25, 0, 0])
    parent = "world"
    for k, (low, high) in enumerate([(-0.4, 0.4), (-0.5, 1.0), (-2.0, 0.3)]):
        limits = rbd.Limits(low, high)
        parent = model.add_body(f"link{k}", parent, rbd.Revolute("z"), [0.5 * (k > 0), 0, 0], mass, limits=limits)
    tip, target = [0.5, 0.0, 0.0], np.array([0.2, 1.3, 0.0])
    view = posing(model, [0.1, 0.2, -0.3])
    view.pull("link2", tip, target)
    bounds = ([-0.4, -0.5, -2.0], [0.4, 1.0, 0.3])
    best = least_squares(lambda q: place(model, q, "link2", tip) - target, [0.1, 0.2, -0.3], bounds=bounds, xtol=1e-14)
    off = np.linalg.norm(place(model, view.q, "link2", tip) - target)
    assert off == pytest.approx(np.sqrt(2.0 * best.cost), abs=1e-5) and off > 0.05
    assert (view.q >= bounds[0]).all() and (view.q <= bounds[1]).all() and 0.4 in view.q


def test_loops_stay_closed(posing):
    model = rbd.library.planar_four_bar()
    q = rbd.assemble(model)
    turned = rbd.assemble(model, np.array(q) + np.eye(model.nq)[0] * 0.5, fix=model.joints[1].name)
    point, body = [0.1, 0.0, 0.2], model.bodies[2].name
    view = posing(model, q)
    view.pull(body, point, place(model, turned, body, point))  # a place on its own way
    np.testing.assert_allclose(view.q, turned, atol=1e-8)
    view.pull(body, point, [0.3, 0.0, 0.9])
    np.testing.assert_allclose(rbd.assemble(model, view.q), view.q, atol=1e-9)


def test_a_base_that_floats_stays_where_it_is(posing):
    model = rbd.load(rbd.library.robot_file("anymal"), floating=True)
    view = posing(model)
    foot = "RH_SHANK"
    toe = [0.0, 0.0, -0.3]
    target = place(model, view.q, foot, toe) + [0.05, 0.02, 0.05]
    view.pull(foot, toe, target)
    np.testing.assert_allclose(place(model, view.q, foot, toe), target, atol=1e-9)
    np.testing.assert_array_equal(view.q[:7], model.neutral()[:7])
    base = model.bodies[1].name
    view.pull(base, [0.0, 0.0, 0.0], [0.1, 0.2, 0.3])
    np.testing.assert_allclose(place(model, view.q, base, [0.0, 0.0, 0.0]), [0.1, 0.2, 0.3], atol=1e-9)


def test_what_is_no_body_is_not_pulled(posing):
    view = posing(rbd.library.double_pendulum(), [0.3, 0.2])
    view._held = {"body": "world", "point": [0, 0, 0], "target": [1, 0, 0]}
    view._asked += 1  # as the browser does
    assert view.q.tolist() == [0.3, 0.2] and view._answered == view._asked
    with pytest.raises(rbd.ModelError, match="rod3"):
        view.pull("rod3", [0, 0, 0], [1, 0, 0])
