"""Methods of `Model` that add bodies with their joints, named frames and loop joints."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from rbdkit.errors import ModelError
from rbdkit.joints import Fixed, JointType
from rbdkit.joints.joint_type import require_joint_type
from rbdkit.model.body import Body, Frame, Loop
from rbdkit.model.geometry import Geometry, Shape, as_geometry
from rbdkit.model.growing import grow
from rbdkit.model.joint import Joint, Limits, Mimic, require_in_loop
from rbdkit.model.methods.naming import claim_joint_name, claim_name
from rbdkit.model.numbering import WORLD
from rbdkit.model.placement import as_pose
from rbdkit.spatial.check_arguments import answers_keywords
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.read_numbers import number, shown

if TYPE_CHECKING:
    from rbdkit.model.model import Model

PLACE = "where the joint is on the parent is placement=rbd.pose(rotation, position)"
MASSES = "masses are inertia=rbd.Inertia(mass, com, inertia_com), or Inertia.box, .sphere, ..."
SHAPES = "shapes are geometry=rbd.Box(...), a rbd.Geometry, or a list of them"
LIMITS = "limits are limits=rbd.Limits(lower, upper, velocity, effort)"
KEYWORDS = {
    **dict.fromkeys(("rpy", "xyz", "pos", "position", "quat", "rotation", "orientation", "origin", "pose"), PLACE),
    **dict.fromkeys(("mass", "com", "cog", "moments", "inertial"), MASSES),
    **dict.fromkeys(("shape", "shapes", "visual", "collision", "mesh", "geom"), SHAPES),
    **dict.fromkeys(("lower", "upper", "range", "limit", "joint_limits", "effort", "velocity_limit"), LIMITS),
    **dict.fromkeys(("axis", "joint_type", "type"), "the joint is joint=rbd.Revolute('y'), rbd.Free(), ..."),
    **dict.fromkeys(("frictionloss", "dry_friction"), "dry friction is friction=, viscous damping="),
    **dict.fromkeys(("spring", "k"), "the spring of the joint is stiffness="),
    **dict.fromkeys(("springref", "spring_ref", "q_rest"), "where the spring is slack is rest="),
    **dict.fromkeys(("rotor_inertia", "reflected_inertia"), "that of the rotor, seen from the joint, is armature="),
}
"""What to write in place of keywords that bodies and joints have elsewhere, in small letters."""


@answers_keywords(KEYWORDS)
def add_body(
    self: Model,
    name: str,
    parent: str | Body = WORLD,
    joint: JointType | None = None,
    placement: ArrayLike | object | None = None,
    inertia: Inertia | None = None,
    geometry: Geometry | Shape | Iterable[Geometry | Shape] = (),
    joint_name: str | None = None,
    damping: ArrayLike = 0.0,
    friction: ArrayLike = 0.0,
    stiffness: ArrayLike = 0.0,
    rest: ArrayLike | None = None,
    armature: ArrayLike = 0.0,
    limits: Limits | None = None,
    mimic: Mimic | None = None,
) -> Body:
    """Add a body and the joint that connects it to its parent.

    Parameters
    ----------
    name : str
        Unique name of the body.
    parent : str or Body, optional
        A body of this model or its name.
    joint : JointType, optional
        Joint type, from `rbdkit.joints`; fixed if not given.
    placement : array_like or object, optional
        Pose of the joint frame in the parent body: a position (3,), a rotation (3, 3), a pose (4, 4) or a SciPy
        transform.
    inertia : Inertia, optional
        In body coordinates; the body frame is the joint's successor frame.
    geometry : Geometry or Shape or iterable, optional
        Shapes for drawing, and for contact if contact rules are added: one or more shapes, or `Geometry` for a shape
        with a placement, colour, role or material.
    joint_name : str, optional
        Name of the joint; ``<name>_joint`` if not given.
    damping, friction, stiffness, rest, armature, limits, mimic : optional
        See `Joint`; numbers, or one entry a freedom.

    Returns
    -------
    Body
        The new body, which can be passed as `parent`.

    Raises
    ------
    ModelError
        If a name is taken or unknown, or a value has no physical meaning. The model is then as it was before.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("crane")
    >>> trolley = model.add_body("trolley", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(50.0), damping=20.0)
    >>> rope = rbd.Inertia(10.0, com=[0, 0, -3])
    >>> load = model.add_body("load", parent=trolley, joint=rbd.Spherical(), placement=[0, 0, -0.1], inertia=rope)
    >>> model
    <Model 'crane': 2 bodies, 2 moving joints, nq=5, nv=4, 60 kg>
    """
    if isinstance(parent, str) and parent in self._frame_index:
        on = self.bodies[self.frame(parent).body].name
        raise ModelError(
            f"the parent of body {name!r}, {parent!r}, is a frame on {on!r}: write parent={on!r} and "
            f"placement=model.frame({parent!r}).placement, with @ rbdkit.pose(...) behind it if the joint is not there"
        )
    parent_body = self.body(parent.name if isinstance(parent, Body) else parent)
    claim_name(self, name)
    joint_name = f"{name}_joint" if joint_name is None else joint_name
    claim_joint_name(self, joint_name)
    if inertia is not None and not isinstance(inertia, Inertia):
        raise ModelError(
            f"body {name!r}: inertia {shown(inertia)} is not an rbdkit.Inertia; "
            "make one with Inertia(mass, com, inertia_com)"
        )
    shapes = as_geometry(geometry, f"body {name!r}")
    q_start, v_start = _coordinate_start(self, joint_name, joint, mimic)
    placed = Joint.make(
        joint_name,
        Fixed() if joint is None else joint,
        placement,
        q_start,
        v_start,
        damping,
        friction,
        stiffness,
        rest,
        armature,
        limits,
        mimic,
    )
    body = Body(name, len(self._body_index), parent_body.index, placed, inertia, shapes)
    grow(self, "bodies", body)
    if mimic is None:
        self.nq += placed.nq
        self.nv += placed.nv
    self._enter(body)
    return body


def add_frame(self: Model, name: str, body: str | Body, placement: ArrayLike | object | None = None) -> Frame:
    """Add a named frame that is fixed to a body.

    Parameters
    ----------
    name : str
        Unique among bodies and frames.
    body : str or Body
        The body that it is fixed to.
    placement : array_like, optional
        Its pose in body coordinates, as for `add_body`.

    Returns
    -------
    Frame
        The new frame.

    Raises
    ------
    ModelError
        If the name is taken, the body is unknown, or the placement is not a pose.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> tip = model.add_frame("tip", "rod", [0, 0, -1])
    >>> rbd.forward_kinematics(model, [0.0]).pose("tip")[:3, 3].tolist()
    [0.0, 0.0, -1.0]
    """
    claim_name(self, name)
    owner = self.body(body.name if isinstance(body, Body) else body)
    frame = Frame(name, owner.index, as_pose(placement, f"frame {name!r}"))
    self._frame_index[name] = len(self._frame_index)
    grow(self, "frames", frame)
    return frame


def add_loop(
    self: Model,
    name: str,
    predecessor: str | Body,
    successor: str | Body,
    joint: JointType,
    predecessor_placement: ArrayLike | object | None = None,
    successor_placement: ArrayLike | object | None = None,
    *,
    damping: ArrayLike = 0.0,
    friction: ArrayLike = 0.0,
    stiffness: ArrayLike = 0.0,
    rest: ArrayLike | None = None,
) -> Loop:
    """Close a kinematic loop with a joint between two bodies of the tree.

    Parameters
    ----------
    name : str
        Name of the loop joint.
    predecessor, successor : str or Body
        The bodies (or names) that it connects.
    joint : JointType
        What the loop joint allows; it has no coordinates of its own.
    predecessor_placement, successor_placement : array_like, optional
        Poses of its two frames in these bodies, X_P and X_S of Table 4.3; as for `add_body`.
    damping, friction, stiffness, rest : optional
        Of the joint, as for `add_body`. Its coordinates are those that come closest to where its frames are, angles
        in (-pi, pi]: a spring in a loop joint does not count turns.

    Returns
    -------
    Loop
        The new loop.

    Raises
    ------
    ModelError
        If the name is taken, a body is unknown, or a placement is not a pose; if a spring, a damper or friction has
        no freedom to act on, or is slack where the joint never is.

    Examples
    --------
    A swing on two ropes. At neutral coordinates the loop is closed: the seat ends at the foot of the right rope.

    >>> import rbdkit as rbd
    >>> model = rbd.Model("swing")
    >>> hinge, rope = rbd.Revolute("y"), rbd.Inertia(0.1, com=[0, 0, -1])
    >>> left = model.add_body("left", joint=hinge, inertia=rope)
    >>> right = model.add_body("right", joint=hinge, placement=[1, 0, 0], inertia=rope)
    >>> seat = model.add_body("seat", left, hinge, placement=[0, 0, -2], inertia=rbd.Inertia(5.0, com=[0.5, 0, 0]))
    >>> loop = model.add_loop("knot", right, seat, hinge, [0, 0, -2], [1, 0, 0])
    >>> motion = rbd.simulate(model, v0=[0.5, 0.5, -0.5], duration=0.1, formulation="se3")
    >>> bool(motion.report.constraint_error < 1e-9)
    True
    """
    claim_joint_name(self, name)
    ends = [self.body(b.name if isinstance(b, Body) else b) for b in (predecessor, successor)]
    placed = Joint.make(name, joint, predecessor_placement, 0, 0, damping, friction, stiffness, rest)
    require_in_loop(placed, {"damping": damping, "friction": friction, "stiffness": stiffness})
    loop = Loop(placed, ends[0].index, ends[1].index, as_pose(successor_placement, f"loop joint {name!r}"))
    self._loop_names.add(name)
    grow(self, "loops", loop)
    return loop


def _coordinate_start(self: Model, joint_name: str, joint: JointType | None, mimic: Mimic | None) -> tuple[int, int]:
    """Return the first indices of a new joint in q and v: the present sizes, or those of the master joint."""
    if mimic is None:
        return self.nq, self.nv
    if not isinstance(mimic, Mimic):
        raise ModelError(
            f"joint {joint_name!r}: mimic {shown(mimic)} must be given as Mimic(leader, multiplier, offset)"
        )
    leader = self.joint(mimic.leader)
    if leader.mimic is not None:
        raise ModelError(
            f"joint {joint_name!r} mimics {leader.name!r}, which itself mimics {leader.mimic.leader!r}; "
            "name the last one"
        )
    if joint is None or require_joint_type(joint, f"joint {joint_name!r}").nq != 1 or leader.nq != 1:
        raise ModelError(f"joint {joint_name!r} cannot mimic {leader.name!r}: both must have one coordinate")
    for what, value in (("multiplier", mimic.multiplier), ("offset", mimic.offset)):
        number(
            value,
            partial("joint {!r}: the {} of its mimic holds a number that is not finite: {}".format, joint_name, what),
        )
    return leader.q_slice.start, leader.v_slice.start
