"""Machines in a plane: Peaucellier's inversor, and arms with a linear actuator and a parallelogram."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, sin, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import JointType, Prismatic, Revolute
from rbdkit.library.bars import add_bar, apex, lying, require_lengths
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import entries, ready
from rbdkit.model import Box, Cylinder, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@ready
def peaucellier(
    long: float = 1.0, short: float = 0.4, crank: float = 0.35, angle: float = 0.3, closing: JointType | None = None
) -> Model:
    """Peaucellier's inversor in the x-z plane: seven bars that lead a point along an exact straight line.

    Two long bars from the origin, 'a' and 'b', hold two corners of a rhombus; its inner corner is led around a circle
    through the origin by the crank about (crank, 0, 0), its outer corner, the frame 'pen', then stays on the line
    ``x = (long^2 - short^2) / (2 crank)``. Loop joints 'inner1', 'inner2' and 'outer'. At ``neutral`` all are closed.

    Parameters
    ----------
    long, short, crank : float, optional
        Lengths of the long bars, of the rhombus' sides and of the crank, m.
    angle : float, optional
        Of the crank over the x axis at ``neutral``, counterclockwise, rad.
    closing : JointType, optional
        Of the loop joints; revolute joints about y if not given.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If a length is not a positive number, or the rhombus does not reach the crank's end at that angle.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.peaucellier(long=1.0, short=0.4, crank=0.35)
    >>> x, _, z = rbd.forward_kinematics(model, model.neutral()).pose("pen")[:3, 3]
    >>> round(float(x), 9)  # (1 - 0.16) / 0.7
    1.2
    """
    require_lengths(long=long, short=short, crank=crank)
    O, P = np.zeros(2), crank * np.array([1.0 + cos(angle), sin(angle)])
    A, B = apex(O, P, long, short, left=True), apex(O, P, long, short, left=False)
    if A is None or B is None or not np.hypot(*P) > 1e-9 * long:
        raise ModelError(
            f"long = {long:g}, short = {short:g}: with the crank at {angle:.6g} rad its end is {np.hypot(*P):.6g} m "
            f"from the origin, and the bars bridge {abs(long - short):g} to {long + short:g} m; take another angle"
        )
    Q = A + B - P
    model = Model("Peaucellier's inversor")
    hinge = Revolute("y")
    pin = closing or hinge
    add_bar(model, "a", "world", hinge, np.zeros(3), _up(A), "a_joint")
    add_bar(model, "a_in", "a", hinge, _up(A), _up(P - A), "a_in_joint")
    add_bar(model, "a_out", "a", hinge, _up(A), _up(Q - A), "a_out_joint")
    add_bar(model, "b", "world", hinge, np.zeros(3), _up(B), "b_joint")
    add_bar(model, "b_in", "b", hinge, _up(B), _up(P - B), "b_in_joint")
    add_bar(model, "b_out", "b", hinge, _up(B), _up(Q - B), "b_out_joint")
    C = np.array([crank, 0.0])
    add_bar(model, "crank", "world", hinge, _up(C), _up(P - C), "crank_joint")
    model.add_loop("inner1", "a_in", "crank", pin, _up(P - A), _up(P - C))
    model.add_loop("inner2", "b_in", "crank", pin, _up(P - B), _up(P - C))
    model.add_loop("outer", "a_out", "b_out", pin, _up(Q - A), _up(Q - B))
    model.add_frame("pen", "a_out", _up(Q - A))
    return model


@ready
def linear_actuator(
    l1: float = 0.6, l2: float = 0.5, arm: float = 0.8, forearm: float = 0.6, y1: float = 1.0, y2: float = -0.5
) -> Start:
    """The two-link arm with a linear actuator on its first link of Featherstone (2008), Figure 8.3, in the x-y plane.

    Bodies 'B1' and 'B4' are the arm, 'B2' and 'B3' cylinder and piston of the actuator; joints 'J1' to 'J4' are in the
    tree, with the angles of B1, of the cylinder and of B4 and, third, the actuator's length for coordinates; 'J5'
    closes the loop. Gravity acts along -y.

    Parameters
    ----------
    l1 : float, optional
        From joint 1 to joint 2, along x, m.
    l2 : float, optional
        From joint 1 to joint 5, along the arm, m.
    arm, forearm : float, optional
        Lengths of B1 and B4, m.
    y1, y2 : float, optional
        Angles q1 and q4 at the start, rad.

    Returns
    -------
    Start
        Model, coordinates (q1, q2, q3, q4), rad and m, that close the loop, and velocities, all zero.

    Raises
    ------
    ModelError
        If a length is not a positive number, or the actuator has no length at that angle.

    Examples
    --------
    The actuator and the sides l1 and l2 are a triangle; with a right angle at joint 1 it is easy:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model, q, _ = rbd.library.linear_actuator(l1=0.4, l2=0.3, y1=np.pi / 2)
    >>> round(float(q[2]), 9)
    0.5
    """
    require_lengths(l1=l1, l2=l2, arm=arm, forearm=forearm)
    d = sqrt(max(0.0, l1**2 + l2**2 - 2.0 * l1 * l2 * cos(y1)))
    if not d > 1e-9 * (l1 + l2):
        raise ModelError(f"l1 = {l1!r} and l2 = {l2!r} with y1 = {y1!r} leave the actuator no length")
    model = Model("arm with a linear actuator", gravity=(0.0, -9.81, 0.0))
    half = 0.5 * max(l1, l2)
    add_bar(model, "B1", "world", Revolute("z"), np.zeros(3), [arm, 0.0, 0.0], "J1")
    sleeve = se3.pose(_Z_TO_X, [0.5 * half, 0.0, 0.0])
    barrel = Inertia.cylinder(0.04, half, mass=2.0).transformed(sleeve)
    model.add_body(
        "B2", "world", Revolute("z"), [l1, 0.0, 0.0], barrel, Geometry(Cylinder(0.04, half), sleeve), joint_name="J2"
    )
    rod = lying(np.array([-half, 0.0, 0.0]))
    plunger = Inertia.cylinder(0.02, half, mass=1.0).transformed(rod)
    model.add_body("B3", "B2", Prismatic("x"), None, plunger, Geometry(Cylinder(0.02, half), rod), joint_name="J3")
    add_bar(model, "B4", "B1", Revolute("z"), [arm, 0.0, 0.0], [forearm, 0.0, 0.0], "J4")
    model.add_loop("J5", "B1", "B3", Revolute("z"), [l2, 0.0, 0.0])
    q = np.array([y1, atan2(l2 * sin(y1), l2 * cos(y1) - l1), d, y2])
    return Start(model, q, np.zeros(4))


@ready
def parallelogram_robot(arm: float = 1.0, crank: float = 0.4, forearm: float = 0.9) -> Model:
    """An industrial robot whose elbow is turned from the base by a parallelogram: yaw, arm and crank are its motors.

    The turret turns about z on 'yaw'. On it, about one axis, the arm turns on 'shoulder' and the crank on 'drive'; the
    crank's rod, on 'rod_joint', ends at the back of the forearm, which turns on 'elbow'; the loop joint 'pin' is there.
    At ``neutral`` the loop is closed, the arm points up and the forearm along x. While arm, crank, rod and the back of
    the forearm are a parallelogram, the forearm keeps its direction when the arm alone is moved.

    Parameters
    ----------
    arm, crank, forearm : float, optional
        Lengths, m; the rod is as long as the arm.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If a length is not a positive number.

    Examples
    --------
    In closed form the elbow is crank less shoulder, and so is the rod turned back.

    >>> import rbdkit as rbd
    >>> model = rbd.library.parallelogram_robot()
    >>> q = rbd.assemble(model, fix={"yaw": 0.0, "shoulder": 0.3, "drive": 0.1})
    >>> [round(float(q[model.joint(name).q_slice][0]), 9) for name in ("elbow", "rod_joint")]
    [-0.2, 0.2]
    """
    require_lengths(arm=arm, crank=crank, forearm=forearm)
    model = Model("robot with a parallelogram")
    drum = Inertia.cylinder(0.2, 0.2, mass=20.0)
    model.add_body("turret", "world", Revolute("z"), None, drum, Geometry(Cylinder(0.2, 0.2)), joint_name="yaw")
    axis, up, back = np.array([0.0, 0.0, 0.2]), np.array([0.0, 0.0, arm]), np.array([-crank, 0.0, 0.0])
    add_bar(model, "arm", "turret", Revolute("y"), axis, up, "shoulder", density=8.0)
    add_bar(model, "crank", "turret", Revolute("y"), axis, back, "drive", density=4.0)
    add_bar(model, "rod", "crank", Revolute("y"), back, up, "rod_joint", density=2.0)
    front = np.array([forearm, 0.0, 0.0])
    middle = se3.pose(position=0.5 * (front + back))
    edges = (forearm + crank, 0.06, 0.06)
    beam = Inertia.box(edges, mass=6.0).transformed(middle)
    model.add_body("forearm", "arm", Revolute("y"), up, beam, Geometry(Box(edges), middle), joint_name="elbow")
    model.add_loop("pin", "rod", "forearm", Revolute("y"), up, back)
    model.add_frame("tool", "forearm", front)
    return model


@ready
def parallelogram_robot_coordinates(y: Sequence[Any] | NDArray) -> NDArray:
    """Coordinates of a `parallelogram_robot` of any lengths whose three motors stand at given angles: its loop closes.

    In closed form: the gamma of a `rbdkit.algorithms.loops.LoopClosure`.

    Parameters
    ----------
    y : array_like (3,)
        Coordinates of 'yaw', 'shoulder' and 'drive', rad.

    Returns
    -------
    ndarray (5,)
        Coordinates of 'yaw', 'shoulder', 'drive', 'rod_joint' and 'elbow'.

    Examples
    --------
    The rod turns on the crank as the forearm does on the arm, the other way round.

    >>> import rbdkit as rbd
    >>> rbd.library.parallelogram_robot_coordinates([0.5, 0.25, 0.0]).tolist()
    [0.5, 0.25, 0.0, 0.25, -0.25]
    """
    yaw, shoulder, drive = entries(y, ("yaw", "shoulder", "drive"))
    return np.array([yaw, shoulder, drive, shoulder - drive, drive - shoulder])


def _up(xz: np.ndarray) -> np.ndarray:
    """A point of the x-z plane in space."""
    return np.array([xz[0], 0.0, xz[1]])


_Z_TO_X = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
