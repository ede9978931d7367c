"""Coordinates, velocities and mobility where constraints hold bodies that were added beside loop joints, or without."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms import element_rows
from rbdkit.errors import ModelError, StateError
from rbdkit.model.closing import is_closed, require_closed

CRANK, COUPLER, BASE, ROCKER = 0.2, 0.5, 0.45, 0.4


def with_rod() -> rbd.Model:
    """The four-bar of the same lengths, whose coupler is a rod without a body."""
    model = rbd.Model("rod for a coupler")
    for name, length, place in (("crank", CRANK, 0.0), ("rocker", ROCKER, BASE)):
        bar = rbd.Inertia.cylinder(0.01, length, mass=length).transformed(
            rbd.spatial.se3.pose(position=[0, 0, length / 2])
        )
        model.add_body(name, joint=rbd.Revolute("y"), placement=[place, 0, 0], inertia=bar, joint_name=f"{name}_joint")
    model.add_constraint("rod", rbd.Distance("crank", "rocker", COUPLER, (0, 0, CRANK), (0, 0, ROCKER)))
    return model


def rockers(angle: float) -> list[float]:
    """The two angles at which the end of the rocker is a coupler away from that of the crank, by circles that cut."""
    x, z = CRANK * np.sin(angle) - BASE, CRANK * np.cos(angle)
    far, towards = np.hypot(x, z), np.arctan2(x, z)
    half = np.arccos((far**2 + ROCKER**2 - COUPLER**2) / (2.0 * far * ROCKER))
    return sorted((np.array([towards + half, towards - half]) + np.pi) % (2.0 * np.pi) - np.pi)


@pytest.mark.parametrize("angle", [0.0, 1.0, -2.5])
def test_a_rod_leaves_the_rocker_two_places(angle):
    model, expected = with_rod(), rockers(angle)
    q = rbd.assemble(model, [0.0, 0.4], fix={"crank_joint": angle})
    assert q[0] == angle and min(abs(q[1] - own) for own in expected) < 2e-14
    np.testing.assert_array_equal(rbd.assemble(model, q), q)
    modes = rbd.assembly_modes(model, fix={"crank_joint": angle})
    np.testing.assert_allclose(sorted(((modes[:, 1] + np.pi) % (2.0 * np.pi)) - np.pi), expected, atol=2e-14)
    v = rbd.project_velocity(model, q, fix={"crank_joint": 2.0})
    h = 1e-6
    ahead, behind = (rbd.assemble(model, q, fix={"crank_joint": angle + s * h}) for s in (1.0, -1.0))
    np.testing.assert_allclose(v, (ahead - behind) / h, rtol=1e-8, atol=1e-8)  # of a difference quotient
    require_closed(model, q, v)


def test_a_rod_beside_loops_and_one_that_is_too_many():
    """A second, parallel crank joined by a rod: redundant in a parallelogram, rigid if its length is another one."""
    model = rbd.library.planar_four_bar(crank=0.3, coupler=0.5, base=0.5, rocker=0.3)
    model.add_constraint("brace", rbd.Distance("crank", "rocker", 0.5, (0, 0, 0.15), (0, 0, 0.15)))
    q = rbd.assemble(model, fix={"crank_joint": 0.7})
    assert is_closed(model, q) and abs(q[0] - 0.7) < 1e-15
    found = rbd.mobility(model, q)
    assert (found.counted, found.instantaneous, found.finite, found.redundant) == (0, 1, (1,), 4)
    assert [(own.name, own.constraints) for own in found.loops] == [("pin", 5), ("brace", 1)]
    assert sum(own.share for own in found.loops) == pytest.approx(4.0)
    assert "'pin'" in str(found) and "loop joints and constraints 'pin', 'brace' together: 1" in str(found)
    shorter = model.with_parameters({"brace.length": 0.45})
    with pytest.raises(StateError, match=r"close the loops and fulfil the constraints .* constraint 'brace' is off by"):
        rbd.assemble(shorter, fix={"crank_joint": 0.7})
    assert not is_closed(shorter, q)
    (finding,) = [own for own in model.with_parameters({"brace.length": 9.0}).validate() if own.severity == "warning"]
    assert finding.where == "brace" and "off by" in finding.message


def test_velocities_obey_rows_that_positions_do_not_know():
    wheel = rbd.Model("wheel")
    wheel.add_body("disc", joint=rbd.Planar("z"), inertia=rbd.Inertia.cylinder(0.1, 0.01, mass=1.0))
    wheel.add_constraint("edge", Edge("disc"))
    q = np.array([0.4, 1.0, 2.0])
    np.testing.assert_array_equal(rbd.assemble(wheel, q), q)  # a skate may stand anywhere
    v = rbd.project_velocity(wheel, q, [1.0, 3.0, 2.0], norm="plain")
    np.testing.assert_allclose(element_rows(wheel, q, v).slip, 0.0, atol=1e-15)
    np.testing.assert_allclose(v, [1.0, 3.0, 0.0], atol=1e-14)  # in axes of the disc: what goes along the edge stays
    found = rbd.mobility(wheel, q)
    assert (found.counted, found.instantaneous, found.redundant) == (2, 2, 0)
    assert str(found).splitlines()[1] == "  counted   2: 3 freedoms of 1 joints, less 1 of constraints"
    with pytest.raises(StateError, match=r"no velocities keep all loops and constraints .* constraint 'edge'"):
        rbd.project_velocity(wheel, q, fix={wheel.joints[1].name: [0.0, 0.0, 1.0]})


class Edge(rbd.ConstraintElement):
    """No slip across an edge along x of a body in the plane."""

    body: str
    slip_unit = "m/s"

    def slip(self, at):
        return at.rotation(self.body)[:, 1] @ at.velocity(self.body)


def test_bounds_and_open_starts_are_refused_by_name():
    model = with_rod()
    with pytest.raises(StateError, match=r"constraint 'rod' is off by .* m at q\. .*assemble"):
        rbd.project_velocity(model, [0.3, 0.3])
    with pytest.raises(StateError, match=r"constraint 'rod' does not hold: q0 .*rbdkit\.assemble\(model, q0\)"):
        rbd.simulate(model, [0.3, 0.3], duration=0.01)
    far = model.with_parameters({"rod.length": 5.0})
    with pytest.raises(StateError, match=r"constraint 'rod' is off by 3\.\d+ m"):
        rbd.assemble(far)
    model.add_constraint("string", rbd.TautString("crank", "world", 1.0))
    for ask in (rbd.assemble, rbd.mobility, rbd.assembly_modes):
        with pytest.raises(ModelError, match="'string'"):
            ask(model)
