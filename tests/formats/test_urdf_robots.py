"""Real robots: all of example-robot-data is read, and four agree with Pinocchio."""

from __future__ import annotations

import warnings
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pinocchio
import pytest

from rbdkit.errors import FormatError
from rbdkit.formats import FormatWarning, load
from rbdkit.model import Model

pytestmark = pytest.mark.robots

FOLDER = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
FILES = sorted(path.relative_to(FOLDER) for path in FOLDER.rglob("*.urdf"))
EMPTY = Path("ur_description/urdf/ur3.urdf")  # a <robot> without a single link
FOUR = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "anymal": "anymal_b_simple_description/robots/anymal.urdf",
}


def read(file: Path, **options) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        return load(file, **options)


def mass_of(model: Model) -> float:
    """The mass of all bodies, a fixed base included."""
    return sum(body.inertia.mass for body in model.bodies if body.inertia is not None)


def center_of_all_mass(model: Model, places: dict[str, np.ndarray]) -> np.ndarray:
    given = [(body.inertia, places[body.name]) for body in model.bodies if body.inertia is not None]
    return sum(I.mass * (pose[:3, :3] @ I.com + pose[:3, 3]) for I, pose in given) / mass_of(model)


def test_there_are_robots_to_read():
    assert len(FILES) > 50
    assert EMPTY in FILES


@pytest.mark.parametrize("file", [file for file in FILES if file != EMPTY], ids=str)
def test_every_robot_is_read_and_fixed_joints_make_no_difference(file, link_poses):
    merged, whole = read(FOLDER / file), read(FOLDER / file, merge_fixed=False)
    names = {frame.name for frame in merged.frames} | {body.name for body in merged.bodies}
    assert names == {body.name for body in whole.bodies}
    assert not whole.frames
    assert [j.name for j in merged.joints if j.nv] == [j.name for j in whole.joints if j.nv]
    q = merged.random_q(1)
    places, others = link_poses(merged, q), link_poses(whole, q)
    for name in names:
        np.testing.assert_allclose(places[name], others[name], atol=1e-13, err_msg=name)
    assert mass_of(merged) == pytest.approx(mass_of(whole), rel=1e-14)


def test_a_robot_without_links_is_told():
    with pytest.raises(FormatError, match=r"ur3\.urdf, line 6: the robot has no <link>"):
        load(FOLDER / EMPTY)


def test_meshes_of_the_robots_are_found():
    for file in FOUR.values():
        meshes = [g.shape for b in load(FOLDER / file).bodies for g in b.geometry if hasattr(g.shape, "found")]
        assert meshes
        assert all(Path(mesh.found).is_file() for mesh in meshes)


def test_a_mimic_of_a_joint_that_does_not_exist_in_a_real_file():
    with pytest.warns(FormatWarning, match=r"joint 'Left_index_q2' moves by itself here: 'index_q1'"):
        load(FOLDER / "alex_description/urdf/alex_psyonic_hands.urdf")


def configuration(reference: pinocchio.Model, model: Model, q: np.ndarray) -> np.ndarray:
    """Coordinates as Pinocchio has them: joints by name, (x, y, z, w) quaternions, (cos, sin) of continuous joints."""
    other = pinocchio.neutral(reference)
    for name, joint in zip(reference.names[1:], reference.joints[1:]):
        own = q[model.joint(name).q_slice]
        if joint.nq == 7:
            own = [*own[4:], *own[1:4], own[0]]
        elif joint.nq == 2:
            own = [np.cos(own[0]), np.sin(own[0])]
        other[joint.idx_q : joint.idx_q + joint.nq] = own
    return other


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", FOUR)
def test_four_robots_agree_with_pinocchio(name, floating, link_poses, rng):
    file = str(FOLDER / FOUR[name])
    model = load(file, floating=floating, mimic=False)
    if floating:
        base = model.bodies[1].joint.name
        reference = pinocchio.buildModelFromUrdf(file, pinocchio.JointModelFreeFlyer(), base)
    else:
        reference = pinocchio.buildModelFromUrdf(file)
    data = reference.createData()
    assert {j.name for j in model.joints if j.nv} == set(reference.names[1:])
    assert mass_of(model) == pytest.approx(sum(I.mass for I in reference.inertias), rel=1e-14)
    for joint, idx_q, idx_v, nq in zip(
        reference.names[1:], reference.idx_qs[1:], reference.idx_vs[1:], reference.nqs[1:]
    ):
        limits = model.joint(joint).limits
        if nq == 1:
            assert limits.lower == reference.lowerPositionLimit[idx_q]
            assert limits.upper == reference.upperPositionLimit[idx_q]
        if nq < 7:
            assert limits.velocity == reference.velocityLimit[idx_v]
            assert limits.effort == reference.effortLimit[idx_v]
    for _ in range(5):
        q = model.random_q(rng)
        pinocchio.framesForwardKinematics(reference, data, configuration(reference, model, q))
        places = link_poses(model, q)
        links = [
            frame for frame in reference.frames if frame.type == pinocchio.FrameType.BODY and frame.name != "universe"
        ]
        assert {frame.name for frame in links} | {"world"} == places.keys()
        for frame in links:
            if frame.name == "world":
                continue  # the world of a floating robot stays behind
            expected = data.oMf[reference.getFrameId(frame.name, pinocchio.FrameType.BODY)].homogeneous
            np.testing.assert_allclose(places[frame.name], expected, atol=1e-12, err_msg=frame.name)
        moment = sum(I.mass * data.oMi[i].act(I.lever) for i, I in enumerate(reference.inertias))
        np.testing.assert_allclose(center_of_all_mass(model, places), moment / mass_of(model), atol=1e-12)


@pytest.mark.parametrize("file", [FOUR["panda"], "tiago_pro_description/robots/tiago_pro.urdf"])
def test_mimic_joints_agree_with_pinocchio(file, link_poses, rng):
    model = read(FOLDER / file)
    reference = pinocchio.buildModelFromUrdf(str(FOLDER / file), mimic=True)
    data = reference.createData()
    assert model.mimics
    assert (model.nv, sum(j.nv for j in model.joints)) == (
        reference.nv,
        sum(j.nvExtended for j in reference.joints[1:]),
    )
    for _ in range(5):
        q = model.random_q(rng)
        other = pinocchio.neutral(reference)
        for name, joint in zip(reference.names[1:], reference.joints[1:]):
            if model.joint(name).mimic is None:
                own = q[model.joint(name).q_slice][0]
                other[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(own), np.sin(own)] if joint.nq == 2 else own
        pinocchio.framesForwardKinematics(reference, data, other)
        places = link_poses(model, q)
        for frame in reference.frames:
            if frame.type == pinocchio.FrameType.BODY and frame.name != "universe":
                expected = data.oMf[reference.getFrameId(frame.name, pinocchio.FrameType.BODY)].homogeneous
                np.testing.assert_allclose(places[frame.name], expected, atol=1e-12, err_msg=frame.name)
