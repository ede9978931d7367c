"""Robots from files: a quadruped on servos, the same run in MuJoCo, and the checks of the notebook on robots."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.contact import contacts
from rbdkit.formats import FormatWarning, load, to_mjcf, to_mujoco_state
from rbdkit.functions import gravity_force
from rbdkit.library import dropped_robot, robot_file
from rbdkit.model import Model
from rbdkit_course.answers import brief, names, number, wholes
from rbdkit_course.checks import checks
from rbdkit_course.verdict import Verdict, right, wrong

STANCE = {"hip": 0.0, "thigh": 0.8, "calf": -1.5}
"""Angles of the three joints of each leg of the quadruped when it stands, rad."""
SAG = 0.02
"""Exercise 3: by how much the shoulder of the arm may sag, rad."""
BOX = (0.1, 0.2, 0.3)
"""Exercise 2: the size that MJCF is given, m."""


def mujoco_here() -> Any:
    """Return the module ``mujoco``, or None where it is not installed, with a line that says how to get it."""
    if find_spec("mujoco") is None:
        print('MuJoCo is not installed here, so cells with MJCF do nothing. To get it: pip install "rbdkit[mjcf]"')
        return None
    return import_module("mujoco")


def stance(model: Model) -> NDArray:
    """Return the targets of all servos of the quadruped (12,) when it stands, rad."""
    parts = [name.removesuffix("_joint_servo").partition("_")[2] for name in model.u_names]
    return np.array([STANCE[part] for part in parts])


def dog(height: float = 0.2, kp: float = 60.0, kd: float = 2.0) -> tuple[Model, NDArray, NDArray]:
    """Return a quadruped on servos that hold its stance, and a state in which its feet are above the ground.

    Parameters
    ----------
    height : float, optional
        Of the lowest foot, m.
    kp, kd : float, optional
        Gains of the twelve servos, N m/rad and N m s/rad.
    """
    model, q, v = dropped_robot("go2", height=1.0)
    for joint in model.joints:
        if joint.nv == 1:
            target = STANCE[joint.name.removesuffix("_joint").partition("_")[2]]
            q[joint.q_slice] = target
            model.add_servo(joint.name, kp=kp, kd=kd, target=target, limit=float(np.ravel(joint.limits.effort)[0]))
    q[6] += height - min(contact.phi for contact in contacts(model, q, v, margin=10.0))
    return model, q, v


@dataclass(frozen=True)
class MujocoRun:
    """A motion by MuJoCo: times, coordinates as rbdkit has them for the free joint's height, and deepest overlaps."""

    t: NDArray
    height: NDArray
    depth: NDArray


def in_mujoco(model: Model, q: NDArray, v: NDArray, u: NDArray, duration: float, dt: float) -> MujocoRun:
    """Simulate a floating model by MuJoCo, from the MJCF that rbdkit writes, with constant controls.

    Returns
    -------
    MujocoRun
        After each step: the time, the height of the free joint, and how deep the deepest contact is, all (steps,).
    """
    mujoco = import_module("mujoco")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)  # meshes for the eye only
        compiled = mujoco.MjModel.from_xml_string(to_mjcf(model))
    compiled.opt.timestep = dt
    data = mujoco.MjData(compiled)
    data.qpos[:], data.qvel[:] = to_mujoco_state(compiled, q, v)
    data.ctrl[:] = u
    rows = []
    for _ in range(round(duration / dt)):
        mujoco.mj_step(compiled, data)
        rows.append((data.time, data.qpos[2], max([-contact.dist for contact in data.contact], default=0.0)))
    t, height, depth = np.array(rows).T
    return MujocoRun(t, height, np.maximum(depth, 0.0))


def two_arms() -> tuple[Model, Model]:
    """Return two models of the same arm, one of them with a fault that its total mass does not show."""
    first = load(robot_file("ur5_robot"))
    com = np.array(first.parameters["forearm_link.com"])
    second = first.with_parameters({"forearm_link.com": com * [1.0, 1.0, -1.0]})
    return first, second


@checks("RO-1")
def coordinates_of_a_hand(answer: Any) -> Verdict:
    """Exercise 1: (nq, nv) of a hand of 16 hinges that floats."""
    found = wholes(answer, 2)
    if found is None:
        return wrong(f"{brief(answer)} are not two whole numbers, (nq, nv).")
    said: dict[tuple[int, ...], str] = {
        (16, 16): "that is the hand bolted to the world; it floats, which adds a free joint.",
        (22, 22): "the free joint stores its orientation as a quaternion, one number more than it has freedoms.",
        (23, 23): "a quaternion has four numbers, but a body turns about three axes: velocities are fewer.",
        (22, 23): "the other way round: coordinates come first, and there are more of them.",
        (19, 19): "a body in space also moves; turning alone are three of its six freedoms.",
    }
    if found == (23, 22):
        return right("16 + 7 coordinates and 16 + 6 velocities.")
    return wrong(said.get(found, f"(nq, nv) = {found} is off. A hinge has one of both; and a free joint?"))


@checks("RO-2")
def mass_of_a_box(answer: Any) -> Verdict:
    """Exercise 2: the mass (kg) of ``<geom type="box" size="0.1 0.2 0.3"/>`` of 1000 kg/m3."""
    found = number(answer)
    if found is None:
        return wrong(f"{brief(answer)} is not a mass in kg.")
    volume = float(np.prod(BOX))

    def near(value: float) -> bool:
        return abs(found - value) < 0.01 * value

    if near(8e3 * volume):
        return right("48 kg: sizes are halves in MJCF, from the centre to a face.")
    if near(1e3 * volume):
        return wrong("that takes 0.1, 0.2 and 0.3 m for the edges. MJCF gives half of each.")
    if near(8.0 * volume) or near(volume):
        return wrong("that is a volume in m³; water has 1000 kg in each.")
    if near(2e3 * volume) or near(4e3 * volume):
        return wrong("all three sizes are halves.")
    return wrong(f"{found:.4g} kg is off. Volume times density; what does `size` mean in MJCF?")


@checks("RO-3")
def stiff_enough(answer: Any) -> Verdict:
    """Exercise 3: the gain kp (N m/rad) with which the stretched-out arm sags by 0.02 rad at its shoulder; to 5 %."""
    found = number(answer)
    if found is None:
        return wrong(f"{brief(answer)} is not a gain in N m/rad.")
    arm = load(robot_file("ur5_robot"))
    lift = arm.joint("shoulder_lift_joint").v_slice.start
    torque = float(abs(gravity_force(arm, np.zeros(6))[lift]))

    def near(value: float) -> bool:
        return abs(found - value) < 0.05 * abs(value)

    if near(torque / SAG):
        return right(f"{torque:.1f} N m / {SAG} rad. A servo without an integral always sags: it has to see an error.")
    if near(-torque / SAG):
        return wrong("a gain is positive: the servo pulls back.")
    if near(torque * SAG):
        return wrong("kp times error is the torque, so kp is the torque *over* the error.")
    if near(torque):
        return wrong(f"with {found:.3g} N m/rad it would sag by a whole radian.")
    if near(torque / np.degrees(SAG)):
        return wrong("that is per degree; kp is per radian.")
    if near(torque / np.radians(SAG)):
        return wrong("0.02 is in radians already.")
    return wrong(
        f"with {found:.4g} N m/rad it sags by {torque / abs(found):.3g} rad." if found else "with none it falls."
    )


@checks("RO-4")
def the_other_link(answer: Any) -> Verdict:
    """Exercise 4: the link of `two_arms` that differs."""
    named, (first, _) = names(answer), two_arms()
    links = {body.name for body in first.bodies[1:]}
    if len(named) != 1 or not named <= links:
        return wrong(f"{brief(answer)} is not one link of the arm; it has {', '.join(sorted(links))}.")
    (link,) = named
    if link == "forearm_link":
        return right(
            "its centre of mass has the wrong sign along the link. Total mass, shapes and joints are the same."
        )
    if link in ("shoulder_link", "upper_arm_link"):
        return wrong(
            f"{link} carries the fault, and feels it in its joint, but is not it: compare gravity torques of joints "
            "farther out. Where does the difference begin?"
        )
    return wrong(f"{link} is the same in both. Moving its joint alone makes no difference between the two arms.")
