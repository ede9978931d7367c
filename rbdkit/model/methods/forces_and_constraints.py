"""Methods of `Model` that add force elements (springs, dampers, muscles) and constraints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rbdkit import forces
from rbdkit.constraints import ConstraintElement
from rbdkit.constraints.element import require_constraint
from rbdkit.errors import ModelError
from rbdkit.forces import ForceElement
from rbdkit.forces.element import require_element
from rbdkit.forces.point_force import point_force
from rbdkit.forces.surroundings import ORIGIN
from rbdkit.model.constraint import Constraint
from rbdkit.model.constraint import try_out as try_constraint
from rbdkit.model.force import Force, neutral_distance, try_out
from rbdkit.model.growing import grow
from rbdkit.model.methods.naming import claim_name_of_all
from rbdkit.spatial.read_numbers import shown

if TYPE_CHECKING:
    from rbdkit.model.model import Model


def add_force(
    self: Model,
    name: str,
    element: ForceElement | Callable[..., Any],
    body: str | None = None,
    point: tuple[float, float, float] = ORIGIN,
) -> Force:
    """Add a force element, or a point force given by a function; it acts in every formulation.

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
        Point of application in coordinates of `body`, m.

    Returns
    -------
    Force
        The new force.

    Raises
    ------
    ModelError
        If the name is taken, the element refers to names that are not in the model or fails, a function is given
        without a body, or an element with one.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> wind = model.add_force("wind", lambda x, v: [0.4, 0.0, 0.0] - 0.1 * v, body="rod", point=(0.0, 0.0, -1.0))
    >>> rbd.passive_force(model, [0.0], [0.0]).round(9).tolist()
    [-0.4]
    """
    claim_name_of_all(self, name, "force")
    if body is None:
        own = require_element(element, f"force {name!r}")
    elif isinstance(element, ForceElement):
        raise ModelError(f"force {name!r}: {element.known_as} has its bodies itself; leave out body={shown(body)}")
    else:
        own = point_force(element)(body, point)
    numbers = own.parameters()
    force = Force(name, own.with_parameters(numbers) if own.is_changeable else own)
    try_out(self, force)
    grow(self, "forces", force)
    return force


def add_spring(
    self: Model,
    name: str,
    a: str,
    b: str,
    stiffness: float,
    rest_length: float | None = None,
    damping: float = 0.0,
    at_a: tuple[float, float, float] = ORIGIN,
    at_b: tuple[float, float, float] = ORIGIN,
) -> Force:
    """Add a spring with a parallel damper between two bodies, see `rbdkit.Spring`.

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
        return self.add_force(name, forces.ZeroLengthSpring(a, b, stiffness, damping, at_a, at_b))
    return self.add_force(name, forces.Spring(a, b, stiffness, rest_length, damping, at_a, at_b))


def add_damper(
    self: Model,
    name: str,
    a: str,
    b: str,
    damping: float,
    at_a: tuple[float, float, float] = ORIGIN,
    at_b: tuple[float, float, float] = ORIGIN,
) -> Force:
    """Add a damper between two points of bodies, see `rbdkit.Damper`.

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
    return self.add_force(name, forces.Damper(a, b, damping, at_a, at_b))


def add_muscle(
    self: Model,
    name: str,
    path: Sequence[str | tuple[str, Sequence[float]]],
    peak_force: float,
    optimal_length: float,
    activation: float | Callable[[Any], Any] = 0.5,
    excitation: float | None = None,
    **numbers: float,
) -> Force:
    """Add a muscle along a path through points of bodies, see `rbdkit.Muscle`.

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
    try:
        stops = [(stop, ORIGIN) if isinstance(stop, str) else stop for stop in path]
        names, points = zip(*stops, strict=True)
    except (TypeError, ValueError):
        raise ModelError(
            f"muscle {name!r}: path {shown(path)} must be made of names of bodies, each alone or as (name, point)"
        ) from None
    kind: type[forces.Muscle] = forces.Muscle
    if callable(activation):
        if excitation is not None:
            raise ModelError(f"muscle {name!r}: the activation is a function of time; leave out the excitation")
        kind = forces.timed_muscle(activation)
    else:
        numbers = {"activation": activation} | numbers
    if excitation is not None:
        kind, numbers = forces.ExcitedMuscle, {"excitation": excitation} | numbers
    try:
        element = kind(names, points, peak_force, optimal_length, **numbers)
    except TypeError as fault:
        raise ModelError(f"muscle {name!r}: {fault}") from None
    return self.add_force(name, element)


def add_constraint(self: Model, name: str, element: ConstraintElement) -> Constraint:
    """Add a constraint.

    `rbdkit.simulate` and `rbdkit.forward_dynamics` support constraints; algorithms for trees raise an error that names
    them.

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
        If the name is taken, the element refers to names that are not in the model, or it cannot be traced.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.double_pendulum()
    >>> model.add_constraint("gears", rbd.Tie("hinge2", "hinge1", ratio=-2.0))
    <Constraint 'gears': Tie(follower='hinge2', leader='hinge1', ratio=-2.0, offset=0.0)>
    """
    from rbdkit.model.constraint_rows import require_derived  # with the tracer, which other models do not need

    claim_name_of_all(self, name, "constraint")
    own = require_constraint(element, f"constraint {name!r}")
    constraint = Constraint(name, own.with_parameters(own.parameters()))
    try_constraint(self, constraint)
    require_derived(self, constraint)
    grow(self, "constraints", constraint)
    return constraint
