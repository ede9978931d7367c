"""Inspection of one body in one state: its quantities with units and the frames that they are expressed in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms import ExternalForces, forward_dynamics, forward_kinematics, rnea, with_elements
from rbdkit.errors import StateError
from rbdkit.model import Body, Model
from rbdkit.model.requirements import require_model
from rbdkit.spatial import plucker, se3

TIPS = {
    "T": "Rotation and origin of the body frame",
    "X": "Takes motion vectors from parent to body coordinates",
    "S": "Its columns span the velocities that the joint allows",
    "v": "Angular velocity, and velocity of the body point at the frame's origin",
    "a": "Rate of the velocity, as a fixed frame sees it that coincides with the body's now",
    "a_O": "Of the body point at the frame's origin: a + w x v",
    "f": "What the parent exerts on the body, about the frame's origin",
    "tau": "The part of the force along the joint's freedoms",
    "I": "Takes velocity to momentum, both about the frame's origin",
    "v_C": "The last three are the velocity of the centre of mass",
    "v_LWA": "Local, world-aligned: the classical w and v of the origin",
    "v_0": "Spatial velocity in world coordinates",
    "v_p": "The same motion as the parent's frame has it",
}
"""A sentence on each symbol, for tooltips."""


ROUND_OFF = 1e-14
"""Smaller numbers are shown as zero; `Fact.value` has them as they are."""
ROUND_OFF_BESIDE = 1e-11
"""Numbers smaller than this share of the largest number of the same quantity are shown as zero, too."""


@dataclass(frozen=True, eq=False)
class Fact:
    """One quantity of a body or its joint.

    Attributes
    ----------
    name : str
        Its name in words.
    symbol : str
        Its symbol in Featherstone's notation.
    unit : str
        Unit, or units, of its numbers.
    frame : str
        Frame in which they are expressed.
    value : ndarray
        The numbers.
    """

    name: str
    symbol: str
    unit: str
    frame: str
    value: NDArray

    @property
    def tip(self) -> str:
        """A sentence on what the quantity means; empty where the name is enough."""
        return TIPS.get(self.symbol, "")

    @property
    def rounded(self) -> NDArray:
        """The numbers for display: round-off beside far larger numbers is set to zero."""
        worth = max(ROUND_OFF, ROUND_OFF_BESIDE * float(np.abs(self.value).max(initial=0.0)))
        return np.where(np.abs(self.value) < worth, 0.0, self.value)

    @property
    def numpy(self) -> str:
        """Python source text of the value, exact to the last digit."""
        return f"np.array({self.value.tolist()!r})"


@dataclass(frozen=True)
class Inspection:
    """Quantities of a body and its joint, by section."""

    body: str
    joint: str
    sections: dict[str, list[Fact]]

    def __getitem__(self, symbol: str) -> NDArray:
        for facts in self.sections.values():
            for fact in facts:
                if fact.symbol == symbol:
                    return fact.value
        raise KeyError(f"nothing called {symbol!r} is known of body {self.body!r}")

    def __repr__(self) -> str:
        lines = [f"{self.body} (joint {self.joint})"]
        for title, facts in self.sections.items():
            lines.append(f"  {title}")
            for fact in facts:
                lines.append(f"    {fact.name} {fact.symbol}, {fact.unit}, in {fact.frame}")
                text = np.array2string(fact.rounded, precision=5, suppress_small=False, max_line_width=100)
                lines += [f"        {line}" for line in text.splitlines()]
        return "\n".join(lines)


def inspect(
    model: Model,
    body: str,
    q: ArrayLike,
    v: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> Inspection:
    """Frames, transforms, velocities, accelerations, forces and inertia of one body.

    Parameters
    ----------
    model : Model
        A tree of bodies.
    body : str
        Name of the body.
    q : array_like (nq,)
        Coordinates of one state.
    v, tau : array_like (nv,), optional
        Joint velocities and forces, zero if not given; springs, dampers and gravity act as well.
    f_ext : mapping of str to array_like (6,), or array_like (bodies, 6), optional
        External forces in world coordinates; see `wrench`.
    t : float, optional
        Time of the state, s; for prescribed joints.
    z : array_like (nz,), optional
        States of force elements, needed where they have some; see `Model.initial_z`.

    Returns
    -------
    rbdkit.inspection.Inspection
        Its repr lists all quantities by section; ``inspection[symbol]`` gives the numbers of one.

    Raises
    ------
    ModelError, StateError
        If there is no such body, joints close loops, a vector does not fit the model, or states of force elements are
        not given.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> facts = rbd.inspect(rbd.library.pendulum(), "rod", [0.0], v=[2.0])
    >>> facts["v"].tolist()
    [0.0, 2.0, 0.0, 0.0, 0.0, 0.0]
    >>> print(facts)
    rod (joint hinge)
      Placement
        pose in the world T, 1, m, in world
        ...
      Force
        force through the joint f, N m, N, in rod
            [ 0.    0.    0.    0.    0.   11.81]
        joint force tau, N m or N, in joint
            [0.]
      ...
    """
    require_model(model)
    i = model.body(body).index
    own, joint = model.bodies[i], model.bodies[i].joint
    q = model.check_q(q).astype(float)
    v = np.zeros(model.nv) if v is None else model.check_v(v, "v").astype(float)
    tau = np.zeros(model.nv) if tau is None else model.check_v(tau, "tau").astype(float)
    z = model.check_z(z) if model.nz or z is not None else None
    for name, given in (("q", q), ("v", v), ("tau", tau), *([] if z is None else [("z", z)])):
        if given.ndim != 1:
            raise StateError(f"{name} has shape {given.shape}; a body is inspected in one state, not in a stack")
    poses = forward_kinematics(model, q, t=t).poses
    sections = {"Placement": [Fact("pose in the world", "T", "1, m", "world", poses[i])]}
    if i == 0:
        return Inspection(body, "none", sections)
    acting = with_elements(model, q, v, f_ext=f_ext, t=t, z=z)  # what pulls at a body does not come through its joint
    moving = rnea(model, q, v, forward_dynamics(model, q, v, tau, f_ext=f_ext, t=t, z=z), f_ext=acting, t=t)
    sections["Placement"] += [
        Fact("transform from the parent", "X", "1, m", f"{body} from {model.bodies[own.parent].name}", moving.X[i]),
        Fact("joint axes", "S", "1, m", body, moving.S[i]),
    ]
    sections["Motion"] = _motion(body, moving.v[i], moving.a[i], poses[i, :3, :3].T @ model.gravity)
    sections["Force"] = [Fact("force through the joint", "f", "N m, N", body, moving.f[i])]
    if joint.nv and joint.mimic is None:
        sections["Force"].append(Fact("joint force", "tau", "N m or N", "joint", moving.tau[joint.v_slice]))
    if own.inertia is not None:
        sections["Inertia"] = [
            Fact("mass", "m", "kg", "any", np.array(own.inertia.mass)),
            Fact("centre of mass", "c", "m", body, np.asarray(own.inertia.com)),
            Fact("rotational inertia", "I_C", "kg m2", f"{body}, about c", np.asarray(own.inertia.inertia_com)),
            Fact("spatial inertia", "I", "kg m2, kg m, kg", body, model.I[i]),
        ]
    sections["One motion, many velocities"] = _many_velocities(model, own, poses, moving.v[i])
    return Inspection(body, joint.name, sections)


def _motion(body: str, v: NDArray, a: NDArray, gravity: NDArray) -> list[Fact]:
    """Return velocity and accelerations of a body.

    a : acceleration (6,) from `rnea`, whose base has the acceleration -g. gravity : g (3,) in body coordinates.
    """
    a = a + np.concatenate([np.zeros(3), gravity])
    return [
        Fact("velocity", "v", "rad/s, m/s", body, v),
        Fact("spatial acceleration", "a", "rad/s2, m/s2", body, a),
        Fact("acceleration of the origin", "a_O", "m/s2", body, a[3:] + np.cross(v[:3], v[3:])),
    ]


def _many_velocities(model: Model, body: Body, poses: NDArray, v: NDArray) -> list[Fact]:
    """Return the velocity of a body about different points and in different axes."""
    unit, parent = "rad/s, m/s", model.bodies[body.parent].name
    to_world = plucker.inverse(plucker.from_pose(poses[body.index]))
    to_parent = plucker.inverse(plucker.from_pose(se3.inverse(poses[body.parent]) @ poses[body.index]))
    R = poses[body.index, :3, :3]
    facts = [
        Fact("about its origin", "v", unit, body.name, v),
        Fact("about its origin", "v_LWA", unit, "world axes", np.concatenate([R @ v[:3], R @ v[3:]])),
        Fact("about the world's origin", "v_0", unit, "world", to_world @ v),
        Fact(f"about the origin of {parent}", "v_p", unit, parent, to_parent @ v),
    ]
    if body.inertia is not None:
        about_com = plucker.xlt(body.inertia.com) @ v
        facts.insert(1, Fact("about its centre of mass", "v_C", unit, body.name, about_com))
    return facts
