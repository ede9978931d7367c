"""Methods of `Model` that add contact rules: grounds, two bodies, all bodies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from rbdkit.model.body import Body
from rbdkit.model.contact import FRICTION, AllTouch, Ground, Touch, bodies_named, material_of, require_apart
from rbdkit.model.growing import grow
from rbdkit.model.material import Material
from rbdkit.model.methods.naming import claim_name_of_all

if TYPE_CHECKING:
    from rbdkit.model.model import Model


def add_ground(
    self: Model,
    friction: float | None = None,
    restitution: float | None = None,
    height: float = 0.0,
    normal: ArrayLike | None = None,
    material: Material | None = None,
    name: str = "ground",
) -> Ground:
    """Add a ground, a half-space of the world that all movable bodies can touch.

    `Geometry.collide` and the roles of its shapes decide which shapes of a body count.

    Parameters
    ----------
    friction, restitution : float, optional
        Coefficients of its surface, see `Material`; 0.8 and 0 if not given.
    height : float, optional
        Distance of its plane from the world's origin, along the normal, m.
    normal : array_like (3,), optional
        Outward normal of the plane, of any length; z if not given.
    material : Material, optional
        Material of its surface, in place of friction and restitution.
    name : str, optional
        Unique in the model; give each of several grounds its own, walls and slopes say.

    Returns
    -------
    Ground
        The new ground.

    Raises
    ------
    ModelError
        If the name is taken, the normal is zero or a number is invalid.

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
    claim_name_of_all(self, name, "ground")
    rubs = FRICTION if material is None and friction is None else friction
    given = material_of(f"ground {name!r}", material, rubs, restitution)
    rule = Ground.make(name, (0.0, 0.0, 1.0) if normal is None else normal, height, given)
    grow(self, "contact_rules", rule)
    return rule


def add_contact(
    self: Model,
    first: str | Body,
    second: str | Body,
    friction: float | None = None,
    restitution: float | None = None,
    material: Material | None = None,
    name: str | None = None,
) -> Touch:
    """Allow contact between two bodies, or two of their shapes; or set the material of a body on a ground.

    Parameters
    ----------
    first, second : str or Body
        Bodies, 'body:shape' for a shape by its name, or as the first one the name of a ground. Contact forces are
        reported as those on the second.
    friction, restitution : float, optional
        Combined coefficients of both, see `Material`. If only one is given the other is 0; if neither is, the
        materials of the shapes are combined.
    material : Material, optional
        Combined material of both, in place of friction and restitution.
    name : str, optional
        Unique in the model; 'first/second' if not given.

    Returns
    -------
    Touch
        The new rule.

    Raises
    ------
    ModelError
        If the name is taken, a body or shape does not exist or has no contact shape, or both cannot move relative to
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
    claim_name_of_all(self, name, "contact")
    rule = Touch(name, ends[0], ends[1], material_of(f"contact {name!r}", material, friction, restitution))
    require_apart(self, ends[0], ends[1], f"contact {name!r}")
    grow(self, "contact_rules", rule)
    return rule


def add_contacts(
    self: Model,
    friction: float | None = None,
    restitution: float | None = None,
    except_: Iterable[tuple[str | Body, str | Body]] = (),
    material: Material | None = None,
    name: str = "contacts",
) -> AllTouch:
    """Allow contact between all bodies that can move relative to each other, also those that are added later.

    Neighbours, which a joint or loop joint connects, are excluded, as their shapes mostly overlap at the joint; but a
    body that is jointed to the world may touch bodies fixed to it.

    Parameters
    ----------
    friction, restitution : float, optional
        Combined coefficients of each pair, see `Material`. If only one is given the other is 0; if neither is, the
        materials of the shapes are combined.
    except_ : iterable of pairs of str or Body, optional
        Pairs of bodies that do not touch.
    material : Material, optional
        Combined material of each pair, in place of friction and restitution.
    name : str, optional
        Unique in the model.

    Returns
    -------
    AllTouch
        The new rule.

    Raises
    ------
    ModelError
        If the name is taken, or a body does not exist.

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
    claim_name_of_all(self, name, "set of contacts")
    who = f"contacts {name!r}"
    rule = AllTouch(name, bodies_named(self, except_, who), material_of(who, material, friction, restitution))
    grow(self, "contact_rules", rule)
    return rule
