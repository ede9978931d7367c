"""The class `Model` of a rigid-body system; most of its methods are in `rbdkit.model.methods`, by subject."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.model import controls, deformable
from rbdkit.model import parameters as _parameters
from rbdkit.model.body import Body, Frame, Loop
from rbdkit.model.constraint import Constraint
from rbdkit.model.contact import ContactPair, ContactRule, pairs
from rbdkit.model.describe import describe, describe_html
from rbdkit.model.element_states import state_places
from rbdkit.model.finding import Finding
from rbdkit.model.force import Force, acting, lossy
from rbdkit.model.gravity import Gravity
from rbdkit.model.growing import Growing, copied, grow
from rbdkit.model.joint import Joint
from rbdkit.model.kept import MOVED, PARTS, SETTLED, kept, without_kept
from rbdkit.model.methods import actuators, building, checks, contacts, forces_and_constraints, look_up, states
from rbdkit.model.names import require_short
from rbdkit.model.numbering import WORLD
from rbdkit.model.placement import frozen
from rbdkit.model.validation import validate

_NO_INERTIA = frozen(np.zeros((6, 6)))
_TABLES = (
    "joints", "parent", "X_tree", "I", "senseless", "_lists", "_shown", "_independent", "_curved", "_body_index",
    "_joint_index", "_frame_index", "_loop_names",
)  # fmt: skip
"""Attributes that are made from bodies, frames and loops."""


class Model:
    """The model of a rigid-body system, from which formulations and views start (Featherstone 2008, Table 4.3).

    A model grows by `add_body`, `add_frame`, `add_loop`, `add_force`, `add_constraint`, `add_ground`, `add_contact` and
    `add_contacts`; its parts never change, and only `gravity` may be assigned. `with_parameters` returns a model of the
    same topology with other parameter values. Trajectories and formulations keep a frozen copy of their model.

    Parameters
    ----------
    name : str, optional
        Name in messages and reports.
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
        Named constraints other than joints.
    contact_rules : tuple of Ground, Touch or AllTouch
        Rules that say which bodies may touch; `contact_pairs` has the resulting pairs of shapes.
    gravity : ndarray (3,)
        As given; what is assigned is copied.
    nq, nv : int
        Number of coordinates and of velocity variables.
    parent : tuple of int
        lambda(i), the number of body i's parent; -1 for the world.
    senseless : str or None
        Name of the first body whose inertia holds numbers that are not finite or beyond 1e30.
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
        twin.__dict__.pop(MOVED, None)
        twin._body_index, twin._joint_index = dict(self._body_index), dict(self._joint_index)
        twin._frame_index, twin._loop_names = dict(self._frame_index), set(self._loop_names)
        twin._independent, twin._curved = list(self._independent), list(self._curved)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        """Without look-up tables, which are made anew: a copy shares matrices with its own bodies, all read-only."""
        own = {name: value for name, value in without_kept(self.__dict__).items() if name not in _TABLES}
        return own | {name: getattr(self, name) for name in (*PARTS, "frames")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__dict__["gravity"] = frozen(state["gravity"])  # it comes back writable
        self._bind()

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

    # --- building -----------------------------------------------------------------------------------------------------

    add_body = building.add_body
    add_frame = building.add_frame
    add_loop = building.add_loop

    # --- what acts and what holds -------------------------------------------------------------------------------------

    add_force = forces_and_constraints.add_force
    add_spring = forces_and_constraints.add_spring
    add_damper = forces_and_constraints.add_damper
    add_muscle = forces_and_constraints.add_muscle
    add_motor = actuators.add_motor
    add_servo = actuators.add_servo
    add_deformable = deformable.add_deformable
    add_constraint = forces_and_constraints.add_constraint

    @property
    def elements(self) -> tuple[Force | Constraint, ...]:
        """Forces and constraints, in this order."""
        return *self.forces, *self.constraints

    @property
    def acting(self) -> tuple[Force, ...]:
        """Applied forces of the model other than gravity and the springs and dampers of tree joints.

        These are its `forces`, the dry friction of joints as `rbdkit.forces.JointFriction`, and the springs and
        dampers of loop joints.
        """
        return kept(self, acting)

    @property
    def lossy(self) -> bool:
        """Whether dampers, friction or force elements may dissipate energy or add it."""
        return kept(self, lossy)

    # --- contact ------------------------------------------------------------------------------------------------------

    add_ground = contacts.add_ground
    add_contact = contacts.add_contact
    add_contacts = contacts.add_contacts

    @property
    def contact_pairs(self) -> tuple[ContactPair, ...]:
        """The pairs of shapes that may touch by `contact_rules`; rules of `add_contact` override the others."""
        return kept(self, pairs) if self.contact_rules else ()

    # --- looking things up --------------------------------------------------------------------------------------------

    body = look_up.body
    joint = look_up.joint
    loop = look_up.loop
    frame = look_up.frame
    constraint = look_up.constraint
    support = look_up.support
    children = look_up.children
    subtree = look_up.subtree

    @property
    def outward(self) -> range:
        """Body numbers from the base to the tips, without the base."""
        return range(1, len(self.bodies))

    @property
    def inward(self) -> range:
        """Body numbers from the tips to the base, without the base."""
        return range(len(self.bodies) - 1, 0, -1)

    @property
    def mass(self) -> float:
        """Total mass of the bodies, kg."""
        return sum(body.inertia.mass for body in self.bodies if body.inertia is not None)

    @property
    def mimics(self) -> bool:
        """Whether the model has mimic joints."""
        return any(joint.mimic is not None for joint in self.joints)

    # --- states -------------------------------------------------------------------------------------------------------

    neutral = states.neutral
    random_q = states.random_q
    initial_z = states.initial_z
    integrate = states.integrate
    move = states.move
    difference = states.difference
    displacement = states.displacement
    rate = states.rate
    local_rate = states.local_rate
    check_q = checks.check_q
    check_v = checks.check_v
    check_z = checks.check_z

    @property
    def nz(self) -> int:
        """Number of internal states z of force elements."""
        return state_places(self).size

    @property
    def z_names(self) -> tuple[str, ...]:
        """Name of each entry of z: 'muscle.activation', of vectors 'seal.stretch[0]'."""
        return state_places(self).entries

    # --- controls of actuators ----------------------------------------------------------------------------------------

    @property
    def nu(self) -> int:
        """Number of controls u: one of each actuator."""
        return len(self.u_names)

    @property
    def u_names(self) -> tuple[str, ...]:
        """Name of each entry of u: that of its actuator."""
        return tuple(force.name for force in controls.actuators(self))

    @property
    def u_ranges(self) -> dict[str, tuple[float, float] | None]:
        """Smallest and largest control of each actuator, by its name; None where there are no limits."""
        return {force.name: force.element.u_range for force in controls.actuators(self)}

    check_u = controls.check_u
    with_controls = actuators.with_controls

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
