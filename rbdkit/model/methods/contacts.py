"""What may touch what in a model: grounds, two bodies, all bodies."""

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
    claim_name_of_all(self, name, "set of contacts")
    who = f"contacts {name!r}"
    rule = AllTouch(name, bodies_named(self, except_, who), material_of(who, material, friction, restitution))
    grow(self, "contact_rules", rule)
    return rule
