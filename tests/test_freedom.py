"""In how many ways mechanisms move: what is counted, what is true at a pose, and what is true around it."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.loops import universal_state, with_loop_joint, with_universal_loops
from rbdkit.errors import ModelError, StateError
from rbdkit.joints import Revolute, SphereInCylinder
from rbdkit.library import (
    andrews_squeezer,
    crank_slider,
    n_four_bar,
    planar_four_bar,
    rectangular_bricard,
    sarrus_linkage,
    spatial_slider_crank,
    stewart_platform,
    three_bar_linkage,
    variable_mobility,
)

# planar, counted, by rank, finite, redundant: by hand or from the literature
KNOWN = {
    "four-bar": (planar_four_bar(), None, True, 1, 1, (1,), 3),
    "slider-crank": (crank_slider(), None, True, 1, 1, (1,), 3),
    "spatial slider-crank": (spatial_slider_crank(), None, False, 1, 1, (1,), 0),
    "Stewart platform": (stewart_platform(), None, False, 6, 6, (6,), 0),
    "squeezer": (*andrews_squeezer()[:2], True, 1, 1, (1,), 9),
    "Bricard": (rectangular_bricard(), None, False, 0, 1, (1,), 1),
    "Sarrus": (sarrus_linkage(), None, False, 0, 1, (1,), 1),
    "three balls": (*three_bar_linkage()[:2], False, 3, 3, (3,), 0),
    "double pendulum": (rbd.library.double_pendulum(), None, True, 2, 2, (2,), 0),
    "two parallelograms": (*n_four_bar(2)[:2], True, 1, 1, (1,), 6),
}


@pytest.mark.source("F8.14")
@pytest.mark.parametrize("name", KNOWN)
def test_known_mechanisms(name):
    model, q, planar, counted, instantaneous, finite, redundant = KNOWN[name]
    found = rbd.mobility(model, q)
    assert (found.is_planar, found.counted, found.instantaneous) == (planar, counted, instantaneous)
    assert (found.finite, found.redundant, found.is_singular) == (finite, redundant, False)
    assert found.motions.shape == (instantaneous, model.nv)
    for v in found.motions:  # they keep loops closed
        np.testing.assert_allclose(rbd.project_velocity(model, found.q, v, norm="plain"), v, atol=1e-10)
    assert sum(loop.share for loop in found.loops) == pytest.approx(redundant, abs=1e-9)
    assert f"counted   {counted}:" in str(found) or not model.loops


@pytest.mark.source("F8.15")
@pytest.mark.parametrize(("pose", "rank", "finite"), [("open", 4, (1,)), ("folded", 3, (2,)), ("between", 2, (1, 2))])
def test_a_mechanism_whose_mobility_varies(pose, rank, finite):
    """n = 5 throughout; r = 4, 3 and, where the two motions meet, 2."""
    model, q, _ = variable_mobility(pose)
    found = rbd.mobility(model, q)
    assert (found.numbers.n, found.numbers.r, found.instantaneous) == (5, rank, 5 - rank)
    assert found.finite == finite and found.is_singular == (pose == "between")
    assert found.always_redundant == (1 if pose == "folded" else 0)
    for angle in (0.2, 0.9):
        other = variable_mobility(pose, angle)
        np.testing.assert_array_equal(rbd.assemble(other.model, other.q), other.q)


@pytest.mark.parametrize("loops", [1, 3])
def test_flat_rows_of_four_bars_promise_more_than_they_keep(loops):
    """All bars in a line: each upright has a velocity of its own, and none of them leads further than one motion."""
    model = n_four_bar(loops).model
    q = np.full(model.nv, 0.5 * np.pi)
    q[1::2] *= -1.0
    found = rbd.mobility(model, q)
    assert (found.counted, found.instantaneous, found.finite) == (1, loops + 1, (1,))
    assert found.is_singular and found.always_redundant == 3 * loops < found.redundant
    assert "SINGULAR" in str(found)


def stretched():
    """Two bars between two bearings that are as far apart as both are long."""
    model = rbd.Model("stretched")
    bar = rbd.Inertia.box([1.0, 0.1, 0.1], mass=1.0)
    model.add_body("left", joint=Revolute("y"), inertia=bar)
    model.add_body("right", joint=Revolute("y"), placement=[2.0, 0, 0], inertia=bar)
    model.add_loop("pin", "left", "right", SphereInCylinder("y"), [1.0, 0, 0], [-1.0, 0, 0])
    return model


def test_a_structure_that_only_shakes():
    """It has a velocity, but where it is is the only place where it closes."""
    found = rbd.mobility(stretched())
    assert (found.counted, found.instantaneous, found.finite, found.redundant) == (0, 1, (0,), 1)
    assert "only shakes" in str(found)


def test_the_loops_to_blame():
    """A hinge says three things twice by itself; the two balls of a folded rhombus say one thing together."""
    (pin,) = rbd.mobility(planar_four_bar()).loops
    assert (pin.name, pin.constraints, pin.alone, round(pin.share, 9)) == ("pin", 5, 3, 3.0)
    folded = rbd.mobility(*variable_mobility("folded")[:2])
    assert [loop.alone for loop in folded.loops] == [0, 0] and all(loop.share > 0.1 for loop in folded.loops)
    assert "loop joints 'wrist1', 'wrist2' together: 1" in str(folded)


@pytest.mark.source("F8.14")
@pytest.mark.parametrize("name", ["four-bar", "squeezer", "Bricard", "Sarrus"])
def test_a_properly_constrained_model_moves_alike(name):
    """The same motion from the same start, in bodies with constraints; its loop forces are determined."""
    model, q = KNOWN[name][:2]
    weaker = rbd.properly_constrained(model, q)
    found = rbd.mobility(weaker, q)
    assert (
        found.redundant == 0
        and found.instantaneous == 1
        and [loop.alone for loop in found.loops] == [0] * len(found.loops)
    )
    assert [loop.joint.name for loop in weaker.loops] == [loop.joint.name for loop in model.loops]
    q0 = found.q
    v0 = rbd.project_velocity(model, q0, np.linspace(1.0, 2.0, model.nv))
    one, other = (
        rbd.simulate(each, q0, v0, duration=0.02, dt=2.5e-4, formulation="se3", integrator="rk4")
        for each in (model, weaker)
    )
    assert np.abs(one.q[-1] - q0).max() > 1e-3
    np.testing.assert_allclose(one.q, other.q, rtol=0.0, atol=1e-11)  # the squeezer turns fast: 1e-13 in 80 steps


def test_what_cannot_be_weakened_is_said_and_what_is_proper_stays():
    platform = stewart_platform()
    assert rbd.properly_constrained(platform) is platform
    with pytest.raises(ModelError, match="1 redundant constraint"):
        rbd.properly_constrained(*variable_mobility("folded")[:2])
    with pytest.raises(StateError, match=r"q leaves loop joint 'pin' open.*rbdkit\.assemble"):
        rbd.mobility(planar_four_bar(), [0.3, 0.0, 0.0])
    with pytest.raises(StateError, match=r"q has shape \(2, 3\); one pose"):
        rbd.mobility(planar_four_bar(), np.zeros((2, 3)))
    with pytest.raises(ModelError, match="pose = 'flat' must be one of 'open', 'folded', 'between'"):
        variable_mobility("flat")


def test_words_of_a_pose_where_branches_meet():
    """What is redundant there alone is told from what stays so."""
    said = str(rbd.mobility(*variable_mobility("between")[:2]))
    assert "redundant 2 constraints; of their forces nothing can be said; at the poses around none is redundant" in said
    flat = n_four_bar(1).model
    said = str(rbd.mobility(flat, rbd.assemble(flat, fix={"foot0": np.pi / 2, "foot1": np.pi / 2})))
    assert "redundant 4 constraints;" in said and "at the poses around 3 of them are redundant" in said


def with_springs(model, name, **given):
    """The model with what a loop joint exerts, whose axis is as it was."""
    loop = next(loop for loop in model.loops if loop.joint.name == name)
    loops, model.loops = model.loops, ()
    model._bind()
    for own in loops:
        ends = model.bodies[own.predecessor], model.bodies[own.successor]
        placed = own.joint.placement, own.successor_placement
        model.add_loop(own.joint.name, *ends, own.joint.type, *placed, **(given if own is loop else {}))
    return model


@pytest.mark.source("F8.14")
@pytest.mark.parametrize("given", [{"stiffness": 3.0, "rest": [0.4]}, {"damping": 0.5}, {"friction": 0.2}])
def test_springs_and_losses_of_loop_joints_are_not_lost(given):
    """A joint that exerts something keeps its type, or its refusal says so; one beside it is weakened all the same."""
    model = with_springs(planar_four_bar(), "pin", **given)
    with pytest.raises(ModelError, match=r"3 redundant.*'pin' stayed for the sake of springs or losses"):
        rbd.properly_constrained(model)
    with pytest.raises(ModelError, match=r"'pin' has a spring, a damper or friction.*force element"):
        with_loop_joint(model, "pin", rbd.Spherical())
    row = n_four_bar(2).model
    acting = with_springs(row, "pin1", **given)
    changed = with_loop_joint(acting, "pin2", SphereInCylinder("y"))
    before, after = (rbd.passive_force(each, *rbd.library.n_four_bar(2, 0.3)[1:]) for each in (acting, changed))
    assert np.abs(before).max() > 0.1
    np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("given", [{"stiffness": 3.0, "rest": [0.4]}, {"damping": 0.5}])
def test_massless_ends_of_loops_carry_their_springs(given):
    """What the loop joint exerts on the tree, the tree joint in its place exerts along the motion that is allowed."""
    model = with_springs(planar_four_bar(), "pin", **given)
    q = rbd.assemble(model, fix={"crank_joint": 0.7})
    v = rbd.project_velocity(model, q, fix={"crank_joint": 1.0})
    whole = with_universal_loops(model)
    wide_q, wide_v, _ = universal_state(model, q, v, np.zeros(3))
    powers = [rbd.passive_force(model, q, v) @ v, rbd.passive_force(whole, wide_q, wide_v) @ wide_v]
    assert abs(powers[0]) > 0.01
    np.testing.assert_allclose(powers[1], powers[0], rtol=1e-12)


def test_loops_in_planes_of_their_own_count_by_three():
    """An excavator swings, which takes its loops out of one plane, but each of them stays in its own; by hand."""
    found = rbd.mobility(rbd.library.excavator())
    assert not found.is_planar
    assert (found.counted, found.instantaneous, found.redundant) == (4, 4, 12)
    assert "counted   4: 16 freedoms of 16 joints, less 3 for each of 4 loops in a plane" in str(found)
    ball = rbd.mobility(rbd.library.excavator(rbd.SphereInCylinder("y")))  # of five freedoms two lead across
    assert (ball.counted, ball.numbers.counted) == (4, 4)
    mixed = rbd.library.excavator()
    mixed.add_body("swivel", joint=rbd.Revolute("x"), placement=[0, 9, 0], inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    mixed.add_loop("tie", "swivel", "bucket", rbd.Free())
    counted = rbd.mobility(mixed, mixed.neutral()).numbers
    assert counted.in_plane == (1, 1, 1, 1, None)
    assert counted.counted_by_loops == 5  # a free loop joint ties nothing


def driven_four_bar():
    """A four-bar linkage whose crank turns by 0.5 rad/s from its closed pose."""
    model = rbd.library.planar_four_bar()
    q = rbd.assemble(model)
    crank = model.joints[1]

    def motion(t):
        return q[crank.q_slice] + 0.5 * t, np.array([0.5]), np.zeros(1)

    driven = rbd.Model("driven", gravity=model.gravity)
    for body in model.bodies[1:]:
        joint = rbd.Prescribed(body.joint.type, motion) if body.joint is crank else body.joint.type
        parent = model.bodies[body.parent].name
        driven.add_body(body.name, parent, joint=joint, inertia=body.inertia, placement=body.joint.placement)
    for loop in model.loops:
        driven.add_loop(
            loop.joint.name, model.bodies[loop.predecessor].name, model.bodies[loop.successor].name, loop.joint.type,
            loop.joint.placement, loop.successor_placement,
        )  # fmt: skip
    return driven


def test_an_open_pose_is_refused_where_joints_are_prescribed():
    """It was taken as closed, and the mobility that of no pose of the mechanism."""
    model = driven_four_bar()
    q = rbd.assemble(model, t=0.3)
    assert rbd.mobility(model, q, t=0.3).instantaneous == 0
    with pytest.raises(StateError, match="q leaves loop joint 'pin' open"):
        rbd.mobility(model, q + 0.1, t=0.3)


class Conveyor(rbd.ConstraintElement):
    """Its body keeps beside a point that moves with time."""

    body: str

    def gap(self, at):
        return [at.position(self.body)[0] - 2.0 * at.time]


def test_a_constraint_that_time_moves_does_not_forbid_to_ask():
    """At rest it slips; that is no reason to refuse a pose."""
    model = rbd.Model("belt")
    model.add_body("box", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, 1.0))
    model.add_constraint("belt", Conveyor("box"))
    q = model.neutral()
    assert rbd.mobility(model, q, t=0.0).instantaneous == 5
    with pytest.raises(StateError, match="constraint 'belt' does not hold: q is off by 1 m"):
        rbd.mobility(model, q, t=0.5)
