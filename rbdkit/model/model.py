"""The description of a rigid-body system: bodies, joints, frames, loops, forces, constraints and gravity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import hypot
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike, NDArray

from rbdkit.constraints import ConstraintElement
from rbdkit.constraints.element import require_constraint
from rbdkit.errors import ModelError, StateError
from rbdkit.forces import Damper, ExcitedMuscle, ForceElement, Muscle, Spring, ZeroLengthSpring, timed_muscle
from rbdkit.forces.element import require_element
from rbdkit.forces.point_force import point_force
from rbdkit.forces.surroundings import ORIGIN
from rbdkit.joints import Fixed, JointType
from rbdkit.joints.joint_type import VectorJoint, require_joint_type
from rbdkit.model import parameters as _parameters
from rbdkit.model.body import Body, Frame, Loop
from rbdkit.model.constraint import Constraint
from rbdkit.model.constraint import try_out as try_constraint
from rbdkit.model.contact import (
    FRICTION,
    AllTouch,
    ContactPair,
    ContactRule,
    Ground,
    Touch,
    bodies_named,
    material_of,
    pairs,
    require_apart,
)
from rbdkit.model.deformable import Deformable, add_deformable
from rbdkit.model.describe import describe, describe_html
from rbdkit.model.element_states import check_states, initial_states, state_places
from rbdkit.model.finding import Finding
from rbdkit.model.force import Force, acting, lossy, neutral_distance, try_out
from rbdkit.model.geometry import Geometry, Shape, as_geometry
from rbdkit.model.gravity import Gravity
from rbdkit.model.growing import Growing, copied, grow
from rbdkit.model.joint import Joint, Limits, Mimic, require_in_loop
from rbdkit.model.kept import SETTLED, kept, require_unsettled, without_kept
from rbdkit.model.leading_axes import common_axes
from rbdkit.model.material import Material
from rbdkit.model.names import LONGEST_OF_JOINTS, require_name, require_short
from rbdkit.model.numbering import WORLD, did_you_mean
from rbdkit.model.placement import as_pose, frozen
from rbdkit.model.validation import validate
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.read_numbers import FLOAT, first_line, floats, number, shown, within

FARTHEST = 1e15
"""The largest coordinate: beyond, neighbouring floats are more than an eighth of a radian or metre apart."""

LARGEST = 1e100
"""The largest velocity, acceleration or force: products of two of them and of a model's numbers are still finite."""

Part = Literal["q_slice", "v_slice"]
"""What a vector holds, coordinates or velocities: the slice of it that belongs to a joint."""
_TOO_FAR = {
    "q_slice": "so far out neighbouring numbers are too far apart to say where the joint is",
    "v_slice": "with it the equations of motion would overflow",
}
_NO_INERTIA = frozen(np.zeros((6, 6)))


class Model:
    """What a rigid-body system is; formulations, integrators and views start from it (Featherstone 2008, Table 4.3).

    A model grows by `add_body`, `add_frame`, `add_loop`, `add_force`, `add_constraint`, `add_ground`, `add_contact` and
    `add_contacts`; what is in it never changes, and only `gravity` may be assigned. `with_parameters` gives one of the
    same topology with other numbers. Motions and formulations keep the model as it was when they were made.

    Parameters
    ----------
    name : str, optional
        For people.
    gravity : array_like (3,), optional
        Acceleration of free fall in world coordinates, m/s2.

    Attributes
    ----------
    bodies : tuple of Body
        ``bodies[0]`` is the fixed base 'world'. Every parent stands before its children.
    joints : tuple of Joint
        ``joints[i]`` connects body i to its parent; ``joints[0]``, the base's, has no freedom.
    frames : tuple of Frame
        Named frames besides the body frames.
    loops : tuple of Loop
        Joints that close kinematic loops.
    forces : tuple of Force
        Named force elements; the springs, dampers and friction of joints are the joints'.
    constraints : tuple of Constraint
        What holds besides joints.
    contact_rules : tuple of Ground, Touch or AllTouch
        Which bodies may touch what; `contact_pairs` says what comes of that.
    gravity : ndarray (3,)
        As given; what is assigned is copied.
    nq, nv : int
        Number of coordinates and of velocity variables.
    parent : tuple of int
        lambda(i), the number of body i's parent; -1 for the world.
    senseless : str or None
        Name of the first body whose inertia holds numbers that are not finite or beyond 1e12.
    X_tree, I : tuple of ndarray (6, 6)
        X_T and spatial inertia of every body; zeros where no inertia was given.

    Raises
    ------
    ModelError
        If the name is not short, or gravity is not a vector of three finite numbers.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("pendulum")
    >>> rod = model.add_body("rod", joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0, com=[0, 0, -0.5]))
    >>> model.nq, model.nv
    (1, 1)
    >>> model.with_parameters({"rod.mass": 2.5}).mass
    2.5
    """

    if TYPE_CHECKING:
        bodies: tuple[Body, ...]
        frames: tuple[Frame, ...]
        loops: tuple[Loop, ...]
        forces: tuple[Force, ...]
        constraints: tuple[Constraint, ...]
        contact_rules: tuple[ContactRule, ...]
        joints: tuple[Joint, ...]
        parent: tuple[int, ...]
        X_tree: tuple[NDArray, ...]
        I: tuple[NDArray, ...]
    else:
        bodies, frames, loops, forces, constraints = Growing(), Growing(), Growing(), Growing(), Growing()
        contact_rules = Growing()
        joints, parent, X_tree, I = Growing(), Growing(), Growing(), Growing()
    gravity = Gravity()

    def __init__(self, name: str = "model", gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        self.name = str(name)
        require_short(self.name, "the name of a model")
        self.gravity = gravity
        self.bodies = (Body(WORLD, 0, -1, Joint(WORLD)),)
        self.frames = ()
        self.loops = ()
        self.forces = ()
        self.constraints = ()
        self.contact_rules = ()
        self.nq = self.nv = 0
        self._bind()

    def __copy__(self) -> Model:
        twin = object.__new__(type(self))
        twin.__dict__.update(copied(without_kept(self.__dict__)))
        twin.__dict__.pop(SETTLED, None)
        twin._body_index, twin._joint_index = dict(self._body_index), dict(self._joint_index)
        twin._frame_index, twin._loop_names = dict(self._frame_index), set(self._loop_names)
        twin._independent, twin._curved = list(self._independent), list(self._curved)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return without_kept(self.__dict__)

    # --- building -----------------------------------------------------------------------------------------------------

    def add_body(
        self,
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
            Joint type, from `rbdkit.joints`; none is a fixed joint.
        placement : array_like or object, optional
            Pose of the joint frame in the parent body: a position (3,), a rotation (3, 3), a pose (4, 4) or a SciPy
            transform.
        inertia : Inertia, optional
            In body coordinates; the body frame is the joint's successor frame.
        geometry : Geometry or Shape or iterable, optional
            What to draw, and what touches other bodies if `add_ground` and its like say so: one or more shapes, or
            `Geometry` for a shape with a placement, colour, role or material.
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
        parent_body = self.body(parent.name if isinstance(parent, Body) else parent)
        self._claim_name(name)
        joint_name = f"{name}_joint" if joint_name is None else joint_name
        self._claim_joint_name(joint_name)
        if inertia is not None and not isinstance(inertia, Inertia):
            raise ModelError(
                f"body {name!r}: inertia {shown(inertia)} is not an rbdkit.Inertia; "
                "make one with Inertia(mass, com, inertia_com)"
            )
        shapes = as_geometry(geometry, f"body {name!r}")
        q_start, v_start = self._coordinate_start(joint_name, joint, mimic)
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

    def add_frame(self, name: str, body: str | Body, placement: ArrayLike | object | None = None) -> Frame:
        """Name a frame fixed to a body.

        Parameters
        ----------
        name : str
            Unique among bodies and frames.
        body : str or Body
            What it is fixed to.
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
        self._claim_name(name)
        owner = self.body(body.name if isinstance(body, Body) else body)
        frame = Frame(name, owner.index, as_pose(placement, f"frame {name!r}"))
        self._frame_index[name] = len(self._frame_index)
        grow(self, "frames", frame)
        return frame

    def add_loop(
        self,
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
        self._claim_joint_name(name)
        ends = [self.body(b.name if isinstance(b, Body) else b) for b in (predecessor, successor)]
        placed = Joint.make(name, joint, predecessor_placement, 0, 0, damping, friction, stiffness, rest)
        require_in_loop(placed, {"damping": damping, "friction": friction, "stiffness": stiffness})
        loop = Loop(placed, ends[0].index, ends[1].index, as_pose(successor_placement, f"loop joint {name!r}"))
        self._loop_names.add(name)
        grow(self, "loops", loop)
        return loop

    def add_force(
        self,
        name: str,
        element: ForceElement | Callable[..., Any],
        body: str | None = None,
        point: tuple[float, float, float] = ORIGIN,
    ) -> Force:
        """Let a force element, or a force that is a function, act in the model, in every formulation.

        Parameters
        ----------
        name : str
            Unique among forces, bodies, frames and joints.
        element : ForceElement or callable
            An object of a class of `rbdkit.forces`, or of one of your own, see `rbdkit.ForceElement`; or a function
            ``law(x, v)`` or ``law(x, v, t)`` that gives a force (3,), N, by position and velocity of a point of `body`,
            in m and m/s, all in world axes, and the time in s.
        body : str, optional
            Body or frame that a function acts on.
        point : tuple of float (3,), optional
            Where, in coordinates of `body`, m.

        Returns
        -------
        Force
            The new force.

        Raises
        ------
        ModelError
            If the name is taken, the element names what is not in the model or cannot act, a function is given without
            a body, or an element with one.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> model = rbd.library.pendulum()
        >>> wind = model.add_force("wind", lambda x, v: [0.4, 0.0, 0.0] - 0.1 * v, body="rod", point=(0.0, 0.0, -1.0))
        >>> rbd.passive_force(model, [0.0], [0.0]).round(9).tolist()
        [-0.4]
        """
        self._claim_name_of_all(name, "force")
        if body is None:
            own = require_element(element, f"force {name!r}")
        elif isinstance(element, ForceElement):
            raise ModelError(f"force {name!r}: {element.known_as} has its bodies itself; leave out body={shown(body)}")
        else:
            own = point_force(element)(body, point)
        force = Force(name, own.with_parameters(own.parameters()))  # no array that its giver may change later
        try_out(self, force)
        grow(self, "forces", force)
        return force

    def add_spring(
        self,
        name: str,
        a: str,
        b: str,
        stiffness: float,
        rest_length: float | None = None,
        damping: float = 0.0,
        at_a: tuple[float, float, float] = ORIGIN,
        at_b: tuple[float, float, float] = ORIGIN,
    ) -> Force:
        """Tie two bodies together by a spring with a damper in it, see `rbdkit.Spring`.

        Parameters
        ----------
        name : str
            Unique among forces, bodies, frames and joints.
        a, b : str
            Bodies or frames; 'world' is one.
        stiffness : float
            N/m. Sueda's k, Eq 1.65, is this times the rest length.
        rest_length : float, optional
            Length at which it is slack, m; the distance of its ends while the model is neutral if not given. A spring
            of length 0.0 is a `rbdkit.ZeroLengthSpring`, whose ends may meet.
        damping : float, optional
            N s/m.
        at_a, at_b : tuple of float (3,), optional
            Where it is fastened, in coordinates of a and of b, m.

        Raises
        ------
        ModelError
            As `add_force` and `rbdkit.Spring` do.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> model = rbd.library.pendulum()
        >>> model.add_spring("band", "rod", "world", 20.0, at_b=(1.0, 0.0, 0.0)).element.rest_length
        1.0
        """
        if rest_length is None:
            rest_length = neutral_distance(self, (a, at_a), (b, at_b))
        elif isinstance(rest_length, int | float) and rest_length == 0.0:
            return self.add_force(name, ZeroLengthSpring(a, b, stiffness, damping, at_a, at_b))
        return self.add_force(name, Spring(a, b, stiffness, rest_length, damping, at_a, at_b))

    def add_damper(
        self,
        name: str,
        a: str,
        b: str,
        damping: float,
        at_a: tuple[float, float, float] = ORIGIN,
        at_b: tuple[float, float, float] = ORIGIN,
    ) -> Force:
        """Put a damper between two points of bodies, see `rbdkit.Damper`.

        Parameters
        ----------
        name : str
            Unique among forces, bodies, frames and joints.
        a, b : str
            Bodies or frames; 'world' is one.
        damping : float
            N s/m.
        at_a, at_b : tuple of float (3,), optional
            Where it is fastened, in coordinates of a and of b, m.

        Raises
        ------
        ModelError
            As `add_force` and `rbdkit.Damper` do.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> model = rbd.library.pendulum()
        >>> model.add_damper("brake", "rod", "world", 3.0, at_a=(0.0, 0.0, -1.0), at_b=(1.0, 0.0, -1.0)).name
        'brake'
        """
        return self.add_force(name, Damper(a, b, damping, at_a, at_b))

    def add_muscle(
        self,
        name: str,
        path: Sequence[str | tuple[str, Sequence[float]]],
        peak_force: float,
        optimal_length: float,
        activation: float | Callable[[Any], Any] = 0.5,
        excitation: float | None = None,
        **numbers: float,
    ) -> Force:
        """Let a muscle run through points of bodies, see `rbdkit.Muscle`.

        Parameters
        ----------
        name : str
            Unique among forces, bodies, frames and joints.
        path : sequence of str or (str, point)
            Bodies or frames, and a point (3,) in the coordinates of each, m; two or more.
        peak_force : float
            N.
        optimal_length : float
            Of the muscle, m.
        activation : float or callable, optional
            From 0 to 1; or a function of the time in s that gives it.
        excitation : float, optional
            Makes the activation a state that follows it, see `rbdkit.ExcitedMuscle`.
        **numbers : float
            More of what `rbdkit.Muscle` and `rbdkit.ExcitedMuscle` take, by name, such as ``tendon_length=0.1``.

        Raises
        ------
        ModelError
            As `add_force` and `rbdkit.Muscle` do, and if there are both a function and an excitation.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> model = rbd.library.double_pendulum()
        >>> path = ["world", ("rod1", (0.1, 0.0, -0.5)), ("rod2", (0.0, 0.0, -0.5))]
        >>> model.add_muscle("biceps", path, peak_force=30.0, optimal_length=1.2, tendon_length=0.1).element.path
        ('world', 'rod1', 'rod2')
        """
        stops = [(stop, ORIGIN) if isinstance(stop, str) else stop for stop in path]
        try:
            names, points = zip(*stops, strict=True)
        except (TypeError, ValueError):
            raise ModelError(
                f"muscle {name!r}: path {shown(path)} must be made of names of bodies, each alone or as (name, point)"
            ) from None
        kind: type[Muscle] = Muscle
        if callable(activation):
            if excitation is not None:
                raise ModelError(f"muscle {name!r}: the activation is a function of time; leave out the excitation")
            kind = timed_muscle(activation)
        else:
            numbers = {"activation": activation} | numbers
        if excitation is not None:
            kind, numbers = ExcitedMuscle, {"excitation": excitation} | numbers
        try:
            element = kind(names, points, peak_force, optimal_length, **numbers)
        except TypeError as fault:
            raise ModelError(f"muscle {name!r}: {fault}") from None
        return self.add_force(name, element)

    def add_deformable(
        self,
        name: str,
        points: ArrayLike,
        edges: Sequence[tuple[int, int]],
        mass: float | ArrayLike,
        stiffness: float,
        damping: float = 0.0,
        attached: Mapping[int, str] | None = None,
    ) -> Deformable:
        """Add a deformable body of masses and springs (Sueda, section 2.7).

        Each node is a body without extent on a `rbdkit.Translational` joint from the world, or, where it is attached,
        fixed on another body; each edge is a `rbdkit.Spring` between two. So it moves in every formulation that knows
        joints, and is saved, tweaked and drawn as they are.

        Parameters
        ----------
        name : str
            Nodes are called by it and their number, springs by it and both of theirs: 'jelly3', 'jelly3-4'.
        points : array_like (n, 3)
            Where the nodes are while the model is neutral, in world coordinates, m; there no spring is under tension.
        edges : sequence of (int, int)
            Pairs of nodes with a spring between them.
        mass : float or array_like (n,)
            Of all nodes together, kg, or of each.
        stiffness : float
            Tension for each unit of strain, N.
        damping : float, optional
            Tension for each unit of strain rate, N s.
        attached : mapping of int to str, optional
            Nodes that ride on a body, or frame of one, by their numbers; 'world' is one.

        Returns
        -------
        Deformable
            Names of what was added.

        Raises
        ------
        ModelError
            If a number has no meaning, an edge does not join two nodes, or a name is taken. Nothing is added then.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> model = rbd.Model("rope")
        >>> points = [[0.1 * k, 0.0, 0.0] for k in range(5)]
        >>> edges = [(k, k + 1) for k in range(4)]
        >>> rope = model.add_deformable("rope", points, edges, mass=0.1, stiffness=20.0, attached={0: "world"})
        >>> model.nv, rope.nodes[-1]
        (12, 'rope4')
        """
        return add_deformable(self, name, points, edges, mass, stiffness, damping, attached)

    def add_constraint(self, name: str, element: ConstraintElement) -> Constraint:
        """Let a constraint hold in the model.

        Formulations with bodies, 'se3', 'so3xr3' and 'bodywise', know constraints; the algorithms for trees refuse them
        by name.

        Parameters
        ----------
        name : str
            Unique among constraints, forces, bodies, frames and joints.
        element : ConstraintElement
            An object of a class of `rbdkit.constraints`, or of one of your own, see `rbdkit.ConstraintElement`.

        Returns
        -------
        Constraint
            The new constraint.

        Raises
        ------
        ModelError
            If the name is taken, the element names what is not in the model, or cannot be derived.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> model = rbd.library.double_pendulum()
        >>> model.add_constraint("gears", rbd.Tie("hinge2", "hinge1", ratio=-2.0))
        <Constraint 'gears': Tie(follower='hinge2', leader='hinge1', ratio=-2.0, offset=0.0)>
        """
        from rbdkit.model.constraint_rows import require_derived  # with the tracer, which other models do not need

        self._claim_name_of_all(name, "constraint")
        own = require_constraint(element, f"constraint {name!r}")
        constraint = Constraint(name, own.with_parameters(own.parameters()))
        try_constraint(self, constraint)
        require_derived(self, constraint)
        grow(self, "constraints", constraint)
        return constraint

    def add_ground(
        self,
        friction: float | None = None,
        restitution: float | None = None,
        height: float = 0.0,
        normal: ArrayLike | None = None,
        material: Material | None = None,
        name: str = "ground",
    ) -> Ground:
        """Put a ground under all bodies that can move: a half-space of the world, which they may touch.

        Which shapes of a body do is said by `Geometry.collide` and by their roles.

        Parameters
        ----------
        friction, restitution : float, optional
            Of its surface, see `Material`; 0.8 and 0.
        height : float, optional
            Of its plane above the world's origin, along the normal, m.
        normal : array_like (3,), optional
            Upwards out of the ground, of any length; z if not given.
        material : Material, optional
            In place of friction and restitution.
        name : str, optional
            Unique in the model; give each of several grounds its own, walls and slopes say.

        Returns
        -------
        Ground
            The new ground.

        Raises
        ------
        ModelError
            If the name is taken, the normal has no direction or a number no meaning.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> model = rbd.Model("drop")
        >>> drop = rbd.Inertia.sphere(0.1, mass=1.0)
        >>> ball = model.add_body("ball", joint=rbd.Free(), inertia=drop, geometry=rbd.Sphere(0.1))
        >>> ground = model.add_ground(friction=0.5)
        >>> model.contact_pairs
        (<ContactPair 'ground/ball'>,)
        """
        self._claim_name_of_all(name, "ground")
        rubs = FRICTION if material is None and friction is None else friction
        given = material_of(f"ground {name!r}", material, rubs, restitution)
        rule = Ground.make(name, (0.0, 0.0, 1.0) if normal is None else normal, height, given)
        grow(self, "contact_rules", rule)
        return rule

    def add_contact(
        self,
        first: str | Body,
        second: str | Body,
        friction: float | None = None,
        restitution: float | None = None,
        material: Material | None = None,
        name: str | None = None,
    ) -> Touch:
        """Let two bodies, or two shapes of theirs, touch; or say of what a body is where it touches a ground.

        Parameters
        ----------
        first, second : str or Body
            Bodies, 'body:shape' for a shape by its name, or as the first one the name of a ground. Contact forces are
            told as those on the second.
        friction, restitution : float, optional
            Of both together, see `Material`. What is not given is 0; if nothing is, the materials of the shapes count.
        material : Material, optional
            Of both together, in place of friction and restitution.
        name : str, optional
            Unique in the model; 'first/second' if not given.

        Returns
        -------
        Touch
            The new rule.

        Raises
        ------
        ModelError
            If the name is taken, a body or shape is not there or is not to touch anything, or both do not move against
            each other.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> model = rbd.Model("billiards")
        >>> for name in ("red", "white"):
        ...     ball = rbd.Inertia.sphere(0.03, mass=0.2)
        ...     _ = model.add_body(name, joint=rbd.Free(), inertia=ball, geometry=rbd.Sphere(0.03))
        >>> _ = model.add_contact("red", "white", restitution=0.95)
        >>> [(pair.name, pair.material.restitution) for pair in model.contact_pairs]
        [('red/white', 0.95)]
        """
        ends = [end.name if isinstance(end, Body) else end for end in (first, second)]
        name = f"{ends[0]}/{ends[1]}" if name is None else name
        self._claim_name_of_all(name, "contact")
        rule = Touch(name, ends[0], ends[1], material_of(f"contact {name!r}", material, friction, restitution))
        require_apart(self, ends[0], ends[1], f"contact {name!r}")
        grow(self, "contact_rules", rule)
        return rule

    def add_contacts(
        self,
        friction: float | None = None,
        restitution: float | None = None,
        except_: Iterable[tuple[str | Body, str | Body]] = (),
        material: Material | None = None,
        name: str = "contacts",
    ) -> AllTouch:
        """Let all bodies touch each other that move against each other, also those that are added later.

        Not so neighbours, which a joint or loop joint connects, for where they meet they mostly overlap; but what is
        jointed to the world may touch what is fixed to it.

        Parameters
        ----------
        friction, restitution : float, optional
            Of each two together, see `Material`. What is not given is 0; if nothing is, the materials of shapes count.
        except_ : iterable of pairs of str or Body, optional
            Bodies that do not touch each other.
        material : Material, optional
            Of each two together, in place of friction and restitution.
        name : str, optional
            Unique in the model.

        Returns
        -------
        AllTouch
            The new rule.

        Raises
        ------
        ModelError
            If the name is taken, or a body is not there.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> model = rbd.Model("pile")
        >>> for name in ("a", "b", "c"):
        ...     _ = model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia(1.0), geometry=rbd.Sphere(0.1))
        >>> rule = model.add_contacts(friction=0.4, except_=[("a", "c")])
        >>> [pair.name for pair in model.contact_pairs]
        ['a/b', 'b/c']
        """
        self._claim_name_of_all(name, "set of contacts")
        who = f"contacts {name!r}"
        rule = AllTouch(name, bodies_named(self, except_, who), material_of(who, material, friction, restitution))
        grow(self, "contact_rules", rule)
        return rule

    @property
    def contact_pairs(self) -> tuple[ContactPair, ...]:
        """The pairs of shapes that may touch by `contact_rules`; a pair that `add_contact` names is as it says."""
        return kept(self, pairs) if self.contact_rules else ()

    @property
    def elements(self) -> tuple[Force | Constraint, ...]:
        """Forces and constraints, in this order."""
        return *self.forces, *self.constraints

    @property
    def acting(self) -> tuple[Force, ...]:
        """Everything that acts in the model besides gravity and the springs and dampers of its joints.

        These are its `forces`, and the dry friction of joints as `rbdkit.forces.JointFriction`.
        """
        return kept(self, acting)

    @property
    def lossy(self) -> bool:
        """Whether dampers, friction or force elements may take energy out of the model, or bring it in."""
        return kept(self, lossy)

    def _claim_name(self, name: str) -> None:
        require_name(name, "a name")
        if name in self._body_index or name in self._frame_index:
            raise ModelError(f"name {name!r} is taken; give every body and frame its own name")
        self._require_not_taken(name)

    def _claim_joint_name(self, name: str) -> None:
        require_unsettled(self, "its bodies and joints")
        require_name(name, "the name of a joint", LONGEST_OF_JOINTS)
        if name in self._joint_index or name in self._loop_names:
            raise ModelError(f"joint name {name!r} is taken; give every joint its own name")
        self._require_not_taken(name)

    def _claim_name_of_all(self, name: str, what: str) -> None:
        """Refuse a name of a force or constraint that anything in the model has."""
        require_unsettled(self, f"its {what}s")
        require_name(name, f"the name of a {what}")
        taken = (self._body_index, self._frame_index, self._joint_index, self._loop_names)
        if any(name in names for names in taken) or any(name == o.name for o in (*self.elements, *self.contact_rules)):
            raise ModelError(f"name {name!r} is taken; give every {what} a name that nothing else in the model has")

    def _require_not_taken(self, name: str) -> None:
        for what, named in (("force", self.forces), ("constraint", self.constraints), ("contact", self.contact_rules)):
            if any(own.name == name for own in cast("Iterable[Any]", named)):
                raise ModelError(f"name {name!r} is taken by a {what}; give everything in a model its own name")

    def _coordinate_start(self, joint_name: str, joint: JointType | None, mimic: Mimic | None) -> tuple[int, int]:
        """Where the joint's coordinates and velocities begin: at the end, or at its leader's."""
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
                partial(
                    "joint {!r}: the {} of its mimic holds a number that is not finite: {}".format, joint_name, what
                ),
            )
        return leader.q_slice.start, leader.v_slice.start

    def _bind(self) -> None:
        """Make the look-up tables anew from bodies and frames."""
        self.joints, self.parent, self.X_tree, self.I = (), (), (), ()
        self._independent: list[Joint] = []
        self._curved: list[Joint] = []
        self._body_index: dict[str, int] = {}
        self._joint_index: dict[str, int] = {}
        self._frame_index = {frame.name: i for i, frame in enumerate(self.frames)}
        self._loop_names = {loop.joint.name for loop in self.loops}
        self.senseless: str | None = None
        for body in self.bodies:
            self._enter(body)

    def _enter(self, body: Body) -> None:
        """Add a body to the look-up tables."""
        joint = body.joint
        grow(self, "joints", joint)
        grow(self, "parent", body.parent)
        grow(self, "X_tree", joint.X_tree)
        if body.inertia is None or body.inertia.sensible:
            grow(self, "I", _NO_INERTIA if body.inertia is None else body.inertia.matrix)
        else:
            with np.errstate(all="ignore"):  # it may overflow
                grow(self, "I", body.inertia.matrix)
            self.senseless = self.senseless or body.name
        if joint.mimic is None and joint.nv > 0:
            self._independent.append(joint)
            if joint.type.is_curved:
                self._curved.append(joint)
        self._body_index[body.name] = body.index
        self._joint_index[joint.name] = body.index

    # --- looking things up --------------------------------------------------------------------------------------------

    def body(self, name: str | int) -> Body:
        """The body of that name or number.

        Raises
        ------
        ModelError
            If there is none; the message suggests the closest name.
        """
        if isinstance(name, str) and name in self._body_index:
            return self.bodies[self._body_index[name]]
        if isinstance(name, int | np.integer) and 0 <= name < len(self.bodies):
            return self.bodies[name]
        raise self._unknown("body", name, self._body_index)

    def joint(self, name: str) -> Joint:
        """The joint of that name.

        Raises
        ------
        ModelError
            If there is none; the message suggests the closest name.
        """
        if not isinstance(name, str) or name not in self._joint_index:
            raise self._unknown("joint", name, self._joint_index)
        return self.joints[self._joint_index[name]]

    def loop(self, name: str) -> Loop | None:
        """The loop joint of that name with its two ends, None if there is none."""
        return next((loop for loop in self.loops if loop.joint.name == name), None)

    def frame(self, name: str) -> Frame:
        """The named frame; a body's own frame goes by the body's name.

        Raises
        ------
        ModelError
            If there is none; the message suggests the closest name.
        """
        if isinstance(name, str) and name in self._frame_index:
            return self.frames[self._frame_index[name]]
        if isinstance(name, str) and name in self._body_index:
            return Frame(name, self._body_index[name], np.eye(4))
        raise self._unknown("frame", name, [*self._frame_index, *self._body_index])

    def constraint(self, name: str) -> Constraint:
        """The constraint of that name.

        Raises
        ------
        ModelError
            If there is none; the message suggests the closest name.
        """
        for own in self.constraints:
            if own.name == name:
                return own
        raise self._unknown("constraint", name, [own.name for own in self.constraints])

    def _unknown(self, what: str, name: object, known: Iterable[str]) -> ModelError:
        hint = did_you_mean(name if isinstance(name, str) else "", known)
        return ModelError(f"{what} {shown(name)} is not in model {self.name!r}{hint}")

    @property
    def outward(self) -> range:
        """Body numbers from the base to the tips, without the base."""
        return range(1, len(self.bodies))

    @property
    def inward(self) -> range:
        """Body numbers from the tips to the base, without the base."""
        return range(len(self.bodies) - 1, 0, -1)

    def support(self, body: int) -> tuple[int, ...]:
        """kappa(i): the joints on the path from the base to body i."""
        path: list[int] = []
        while body > 0:
            path.append(body)
            body = self.parent[body]
        return tuple(path[::-1])

    def children(self, body: int) -> tuple[int, ...]:
        """mu(i): the bodies whose parent is body i."""
        return tuple(i for i in self.outward if self.parent[i] == body)

    def subtree(self, body: int) -> tuple[int, ...]:
        """nu(i): body i and all bodies that it carries."""
        carried = {body}
        for i in range(body + 1, len(self.bodies)):
            if self.parent[i] in carried:
                carried.add(i)
        return tuple(sorted(carried))

    @property
    def mass(self) -> float:
        """Total mass of the bodies, kg."""
        return sum(body.inertia.mass for body in self.bodies if body.inertia is not None)

    @property
    def mimics(self) -> bool:
        """Whether a joint follows another one."""
        return any(joint.mimic is not None for joint in self.joints)

    # --- states of force elements -------------------------------------------------------------------------------------

    @property
    def nz(self) -> int:
        """Number of states that force elements have of their own, beside q and v."""
        return state_places(self).size

    @property
    def z_names(self) -> tuple[str, ...]:
        """A name for each of them: 'muscle.activation', of vectors 'seal.stretch[0]'."""
        return state_places(self).entries

    def initial_z(self, z0: Mapping[str, ArrayLike] | ArrayLike | None = None) -> NDArray:
        """The states of force elements at the start of a motion, (nz,): as their fields say, or as given.

        Parameters
        ----------
        z0 : mapping of str to array_like, or array_like (nz,), optional
            Values by the names of states, ``{"muscle.activation": 0.2}``, or all of them.

        Returns
        -------
        ndarray (nz,)

        Raises
        ------
        StateError
            If there is no such state, or a value is not finite or has another shape.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> model = rbd.library.pendulum()
        >>> seal = rbd.Maxwell("rod", "world", stiffness=20.0, damping=5.0, dashpot=0.01, at_b=(1.0, 0.0, 0.0))
        >>> _ = model.add_force("seal", seal)
        >>> model.z_names, model.initial_z().tolist(), model.initial_z({"seal.dashpot": 0.02}).tolist()
        (('seal.dashpot',), [0.01], [0.02])
        """
        return initial_states(self, z0)

    def check_z(self, z: ArrayLike | None, name: str = "z") -> NDArray:
        """z as a float array of shape (..., nz).

        Raises
        ------
        StateError
            If the shape is wrong, or a number is not finite or beyond 1e100.
        ModelError
            If it is None and force elements have states.
        """
        return check_states(self, z, name)

    # --- states -------------------------------------------------------------------------------------------------------

    def neutral(self) -> NDArray:
        """Coordinates at which every joint's frames coincide.

        Returns
        -------
        ndarray (nq,)

        Examples
        --------
        >>> import rbdkit as rbd
        >>> rbd.library.spherical_pendulum().neutral().tolist()
        [1.0, 0.0, 0.0, 0.0]
        """
        q = np.zeros(self.nq)
        for joint in self._independent:
            q[joint.q_slice] = joint.type.neutral()
        return q

    def random_q(self, rng: np.random.Generator | int | None = None) -> NDArray:
        """Random coordinates on the manifold, within limits where both bounds are finite.

        Parameters
        ----------
        rng : numpy.random.Generator or int, optional
            A NumPy generator or a seed.

        Returns
        -------
        ndarray (nq,)

        Raises
        ------
        StateError
            If `rng` is neither.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> model = rbd.library.spherical_pendulum()
        >>> q = model.random_q(0)
        >>> round(float(q @ q), 9)
        1.0
        """
        try:
            rng = np.random.default_rng(rng)
        except (TypeError, ValueError, OverflowError) as fault:
            raise StateError(f"rng {shown(rng)} is neither a NumPy generator nor a seed: {first_line(fault)}") from None
        q = np.zeros(self.nq)
        for joint in self._independent:
            own = joint.type.random(rng)
            lower, upper = np.asarray(joint.limits.lower), np.asarray(joint.limits.upper)
            bounded = np.isfinite(lower) & np.isfinite(upper)
            own[bounded] = rng.uniform(lower[bounded], upper[bounded])
            q[joint.q_slice] = own
        return q

    def integrate(self, q: ArrayLike, dv: ArrayLike) -> NDArray:
        """q moved along the constant velocity dv for one unit of time, on its manifold.

        Parameters
        ----------
        q : array_like (..., nq)
            Coordinates; stacks allowed.
        dv : array_like (..., nv)
            Displacement, rad and m.

        Returns
        -------
        ndarray (..., nq)

        Raises
        ------
        StateError
            If a shape is wrong, or a number is not finite or beyond the limits of `check_q` and `check_v`.

        Examples
        --------
        Half a turn of a ball joint about z:

        >>> import numpy as np
        >>> import rbdkit as rbd
        >>> model = rbd.library.spherical_pendulum()
        >>> model.integrate(model.neutral(), [0, 0, np.pi]).round(9).tolist()
        [0.0, 0.0, 0.0, 1.0]
        """
        return self.move(*self._aligned(("q", q, "q_slice"), ("dv", dv, "v_slice")))

    def move(self, q: NDArray, dv: NDArray) -> NDArray:
        """As `integrate`, without a look at the arguments: for integrators, which see what comes out."""
        q_added, v_added, others = kept(self, _added)
        if not others:
            return q + dv
        moved = np.empty_like(q)
        moved[..., q_added] = q[..., q_added] + dv[..., v_added]
        for joint in others:
            moved[..., joint.q_slice] = joint.type.integrate(q[..., joint.q_slice], dv[..., joint.v_slice])
        return moved

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> NDArray:
        """The dv with ``integrate(q0, dv) = q1``.

        Parameters
        ----------
        q0, q1 : array_like (..., nq)
            Coordinates; stacks allowed.

        Returns
        -------
        ndarray (..., nv)
            rad and m.

        Raises
        ------
        StateError
            As `integrate` does.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> model = rbd.library.spherical_pendulum()
        >>> q = model.integrate(model.neutral(), [0.1, 0.2, 0.3])
        >>> model.difference(model.neutral(), q).round(9).tolist()
        [0.1, 0.2, 0.3]
        """
        return self.displacement(*self._aligned(("q0", q0, "q_slice"), ("q1", q1, "q_slice")))

    def displacement(self, q0: NDArray, q1: NDArray) -> NDArray:
        """As `difference`, without a look at the arguments."""
        q_added, v_added, others = kept(self, _added)
        if not others:
            return q1 - q0
        dv = np.empty((*q0.shape[:-1], self.nv))
        dv[..., v_added] = q1[..., q_added] - q0[..., q_added]
        for joint in others:
            dv[..., joint.v_slice] = joint.type.difference(q0[..., joint.q_slice], q1[..., joint.q_slice])
        return dv

    def rate(self, q: ArrayLike, v: ArrayLike) -> NDArray:
        """qdot = qdfn(model, q, v): rates of the coordinates as they are stored (Featherstone 2008, Eq 3.7).

        Parameters
        ----------
        q : array_like (..., nq)
            Coordinates; stacks allowed.
        v : array_like (..., nv)
            Joint velocities, rad/s and m/s.

        Returns
        -------
        ndarray (..., nq)
            rad/s, m/s, and 1/s of quaternions.

        Raises
        ------
        StateError
            As `integrate` does.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> model = rbd.library.spherical_pendulum()
        >>> model.rate(model.neutral(), [0, 0, 2.0])[1:].tolist()
        [0.0, 0.0, 1.0]
        """
        q, v = self._aligned(("q", q, "q_slice"), ("v", v, "v_slice"))
        qdot = np.empty_like(q)
        for joint in self._independent:
            qdot[..., joint.q_slice] = joint.type.rate(q[..., joint.q_slice], v[..., joint.v_slice])
        return qdot

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        """d/dt of u where ``q = integrate(q0, u)`` moves with velocity v; shape (nv,)."""
        du = v.copy()
        for joint in self._curved:
            du[joint.v_slice] = joint.type.local_rate(u[joint.v_slice]) @ v[joint.v_slice]
        return du

    def check_q(self, q: ArrayLike, name: str = "q") -> NDArray:
        """q as a float array of shape (..., nq).

        Raises
        ------
        StateError
            If they are not numbers, the shape is wrong, a number is not finite or beyond 1e15 (the joint is named), or
            q is off its manifold (with the norm of the quaternion). At 1e15 rad neighbouring floats are an eighth of a
            radian apart: beyond, an angle says no more where the joint is.
        """
        array = self._check_vector(q, name, "q_slice")
        for joint in self._curved if array.dtype != object else ():  # symbols have no values yet
            try:
                joint.type.check(array[..., joint.q_slice])
            except StateError as fault:
                raise StateError(f"{name} of joint {joint.name!r}: {fault}") from None
        return array

    def check_v(self, v: ArrayLike, name: str = "v") -> NDArray:
        """v, a or tau as a float array of shape (..., nv), none beyond 1e100; raises `StateError` like `check_q`."""
        return self._check_vector(v, name, "v_slice")

    def _check_vector(self, values: ArrayLike, name: str, part: Part) -> NDArray:
        """Coordinates or velocities as a float array, none of them beyond its limit."""
        size, limit = (self.nq, FARTHEST) if part == "q_slice" else (self.nv, LARGEST)
        if (
            type(values) is ndarray
            and values.dtype is FLOAT
            and values.shape == (size,)
            and hypot(*values.tolist()) <= limit  # the fastest way to know that all are finite, and how large
        ):
            return values
        try:
            array = self._sized(name, values, size)
        except StateError:
            if (on_symbols := _symbols_among(values)) is None:
                raise
            return self._of_size(name, on_symbols, size)
        if not within(array, limit):
            place = tuple(np.argwhere(~(np.abs(array) <= limit))[0])
            k, value = place[-1], array[place]
            joint = next(j.name for j in self.joints if getattr(j, part).start <= k < getattr(j, part).stop)
            where = f"{name}[{', '.join(map(str, place))}] (joint {joint!r})"
            raise StateError(
                f"{where} is beyond {limit:g}: {value:g}; {_TOO_FAR[part]}"
                if np.isfinite(value)
                else f"{where} is not finite: {value}"
            )
        return array

    def _sized(self, name: str, values: ArrayLike, size: int) -> NDArray:
        """The values as a float array of shape (..., size)."""
        return self._of_size(
            name, floats(values, lambda v: f"{name} is not an array of numbers: {v}", StateError), size
        )

    def _of_size(self, name: str, array: NDArray, size: int) -> NDArray:
        """The array, if its shape is (..., size)."""
        if array.shape[-1:] != (size,):
            raise StateError(
                f"{name} has shape {array.shape}; model {self.name!r} needs ({size},), or (..., {size}) for a stack"
            )
        return array

    def _aligned(self, *vectors: tuple[str, ArrayLike, Part]) -> list[NDArray]:
        """Vectors given by name, values and what they are, checked and brought to common leading axes."""
        arrays = [self._check_vector(values, name, part) for name, values, part in vectors]
        if len({array.shape[:-1] for array in arrays}) == 1:
            return arrays
        lead = common_axes({vector[0]: array for vector, array in zip(vectors, arrays, strict=True)})
        return [np.broadcast_to(array, (*lead, array.shape[-1])) for array in arrays]

    # --- numbers that can be changed ----------------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, Any]:
        """Every number that `with_parameters` can change, by name: 'link1.mass', 'elbow.placement', 'gravity', ..."""
        return _parameters.collect(self)

    def with_parameters(self, values: Mapping[str, Any]) -> Model:
        """A model of the same topology with some parameters changed.

        Parameters
        ----------
        values : mapping of str to array_like
            New values by the names of `parameters`.

        Returns
        -------
        Model
            Another model; this one stays as it is.

        Raises
        ------
        ModelError
            If a name is unknown, or a value has no physical meaning.

        Examples
        --------
        On the moon:

        >>> import rbdkit as rbd
        >>> model = rbd.library.pendulum()
        >>> moon = model.with_parameters({"gravity": [0, 0, -1.62]})
        >>> round(rbd.library.small_swing_period(moon) / rbd.library.small_swing_period(model), 2)
        2.46
        """
        return _parameters.replace(self, values)

    # --- talking about itself -----------------------------------------------------------------------------------------

    def validate(self) -> list[Finding]:
        """Findings about bodies, joints and loops that would spoil a simulation; an empty list is good news."""
        return list(kept(self, validate))

    def describe(self) -> str:
        """A table of bodies, joints, coordinates, masses and springs as text.

        Returns
        -------
        str

        Examples
        --------
        >>> import rbdkit as rbd
        >>> print(rbd.library.pendulum().describe())
        pendulum: 1 body, nq = 1, nv = 1, total mass 1 kg, gravity 0 0 -9.81 m/s²
        ...
        1  rod   world   hinge  revolute y  0  0  1 ...
        """
        return describe(self)

    def __repr__(self) -> str:
        count, moving = len(self.bodies) - 1, sum(joint.nv > 0 for joint in self.joints)
        return (
            f"<Model {self.name!r}: {count} {'body' if count == 1 else 'bodies'}, "
            f"{moving} moving {'joint' if moving == 1 else 'joints'}, nq={self.nq}, nv={self.nv}, {self.mass:.6g} kg>"
        )

    def _repr_html_(self) -> str:
        return describe_html(self)


def _added(model: Model) -> tuple[NDArray, NDArray, list[Joint]]:
    """Numbers of the coordinates to which displacements are simply added, and of those; and the joints that turn."""
    kinds = [type(joint.type) for joint in model._independent]
    simple = [(kind.integrate, kind.difference) == (VectorJoint.integrate, VectorJoint.difference) for kind in kinds]
    added = [joint for joint, adds in zip(model._independent, simple, strict=True) if adds]
    q_added = [k for joint in added for k in range(joint.q_slice.start, joint.q_slice.stop)]
    v_added = [k for joint in added for k in range(joint.v_slice.start, joint.v_slice.stop)]
    others = [joint for joint, adds in zip(model._independent, simple, strict=True) if not adds]
    return np.array(q_added, dtype=int), np.array(v_added, dtype=int), others


def _symbols_among(values: Any) -> NDArray | None:
    """The values as an array of symbols, if there are some among them."""
    from rbdkit.trace import symbolic  # which most models never need

    return symbolic(values)
