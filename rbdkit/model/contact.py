"""Contact rules as the user gave them, and the pairs of shapes that they allow to touch.

Rules name bodies, and apply to whatever shapes and bodies the model has when `pairs` expands them: so one rule covers
bodies that are added later. A rule for two named bodies overrides the material of general rules.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.joints.axis import plane_basis
from rbdkit.model.geometry import Geometry, colliding
from rbdkit.model.material import Material
from rbdkit.model.numbering import did_you_mean
from rbdkit.model.placement import frozen
from rbdkit.spatial.read_numbers import number, numbers, shown
from rbdkit.spatial.read_only import KeepsReadOnly

if TYPE_CHECKING:
    from rbdkit.model.body import Body
    from rbdkit.model.model import Model

FRICTION = 0.8
"""Default friction coefficient of a ground: rubber on concrete."""


@dataclass(frozen=True, eq=False)
class Ground(KeepsReadOnly):
    """A ground: a half-space of the world, solid below a plane, that all movable bodies can touch.

    Attributes
    ----------
    name : str
        Unique in the model.
    normal : ndarray (3,)
        Outward unit normal of the plane.
    height : float
        Distance of the plane from the world's origin along the normal, m.
    material : Material
        Material of its surface.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.Model("court").add_ground(friction=0.6, height=-0.5)
    <Ground 'ground': up to -0.5 m along 0 0 1>
    """

    name: str
    normal: NDArray
    height: float
    material: Material

    @classmethod
    def make(cls, name: str, normal: ArrayLike, height: float, material: Material | None) -> Ground:
        """Make a ground from checked arguments.

        Raises
        ------
        ModelError
            If the normal is zero or a number is not finite.
        """
        who = f"ground {name!r}"
        n = np.array(numbers(normal, (3,), lambda v: f"normal of {who} must be three finite numbers, not {v}"))
        if (length := float(np.linalg.norm(n))) == 0.0:
            raise ModelError(f"normal {shown(normal)} of {who} has no direction")
        if abs(length - 1.0) > 4.0 * np.finfo(float).eps:
            n /= length
        up_to = number(height, lambda v: f"height of {who} must be a finite number of m, not {v}")
        _require_material(material, who)
        return cls(name, frozen(n), up_to, material or Material())

    @cached_property
    def placement(self) -> NDArray:
        """Pose of a frame in the world whose z is the normal and whose origin is in the plane, (4, 4)."""
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = plane_basis(self.normal), self.height * self.normal
        return frozen(T)

    @property
    def what(self) -> str:
        """Text for reports: 'up to 0 m along 0 0 1'."""
        return f"up to {self.height:.6g} m along {' '.join(f'{x:.4g}' for x in self.normal)}"

    def __repr__(self) -> str:
        return f"<Ground {self.name!r}: {self.what}>"


@dataclass(frozen=True, eq=False)
class Touch:
    """A rule that two bodies, or one shape of each, may touch.

    Attributes
    ----------
    name : str
        Unique in the model.
    first, second : str
        A body, 'body:shape' for one named shape of it, or, as the first one, a ground.
    material : Material or None
        Combined material of both; None to combine the materials of the shapes.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("billiards")
    >>> for name in ("red", "white"):
    ...     _ = model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.03, 0.2), geometry=rbd.Sphere(0.03))
    >>> model.add_contact("red", "white", restitution=0.95).name
    'red/white'
    """

    name: str
    first: str
    second: str
    material: Material | None = None

    def __post_init__(self) -> None:
        if self.material is not None:
            _require_material(self.material, f"contact {self.name!r}")

    @property
    def what(self) -> str:
        """Text for reports: 'red on white'."""
        return f"{self.second} on {self.first}"

    def __repr__(self) -> str:
        return f"<Touch {self.name!r}: {self.what}>"


@dataclass(frozen=True, eq=False)
class AllTouch:
    """A rule that all bodies that can move relative to each other may touch, except neighbours in the tree.

    Attributes
    ----------
    name : str
        Unique in the model.
    but : tuple of (str, str)
        Excluded pairs of bodies.
    material : Material or None
        Combined material of each pair; None to combine the materials of the shapes.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.Model("pile").add_contacts(friction=0.4)
    <AllTouch 'contacts': all>
    """

    name: str
    but: tuple[tuple[str, str], ...] = ()
    material: Material | None = None

    def __post_init__(self) -> None:
        if self.material is not None:
            _require_material(self.material, f"contacts {self.name!r}")

    @property
    def what(self) -> str:
        """Text for reports: 'all but hand/cup'."""
        return "all" + (f" but {', '.join(f'{a}/{b}' for a, b in self.but)}" if self.but else "")

    def __repr__(self) -> str:
        return f"<AllTouch {self.name!r}: {self.what}>"


ContactRule = Ground | Touch | AllTouch


@dataclass(frozen=True, eq=False)
class ContactPair:
    """A pair of shapes that may touch.

    Attributes
    ----------
    name : str
        'ground/foot'; where bodies have several shapes, these by name, 'ground/foot:heel', or number, 'ground/foot[2]'.
    predecessor, successor : str
        Names of their bodies; normals point from predecessor to successor, and contact forces are those on the
        successor.
    shape_p, shape_s : Geometry or Ground
        The shapes; only the first may be a ground.
    material : Material
        Combined material of both.
    rule : str
        Name of the contact rule that it comes from.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("drop")
    >>> _ = model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, 1.0), geometry=rbd.Sphere(0.1))
    >>> _ = model.add_ground(friction=0.5)
    >>> model.contact_pairs
    (<ContactPair 'ground/ball'>,)
    """

    name: str
    predecessor: str
    successor: str
    shape_p: Geometry | Ground
    shape_s: Geometry
    material: Material
    rule: str

    def __repr__(self) -> str:
        return f"<ContactPair {self.name!r}>"


def add_rule(model: Model, rule: ContactRule) -> None:
    """Add a rule of one model to another one; raises `ModelError` if it names a body that does not exist there."""
    if isinstance(rule, Ground):
        model.add_ground(height=rule.height, normal=rule.normal, material=rule.material, name=rule.name)
    elif isinstance(rule, Touch):
        model.add_contact(rule.first, rule.second, material=rule.material, name=rule.name)
    else:
        model.add_contacts(except_=rule.but, material=rule.material, name=rule.name)


def renamed(rule: ContactRule, names: Mapping[str, str]) -> ContactRule:
    """Return the rule with bodies and grounds renamed. names : new names by old ones."""
    if isinstance(rule, Ground):
        return rule
    if isinstance(rule, AllTouch):
        return replace(rule, but=tuple((names.get(a, a), names.get(b, b)) for a, b in rule.but))

    def end(name: str) -> str:
        owner, colon, shape = name.rpartition(":")
        return names.get(name, name) if name in names or not colon else f"{names.get(owner, owner)}:{shape}"

    return replace(rule, first=end(rule.first), second=end(rule.second))


def without(rule: ContactRule, bodies: Collection[str]) -> ContactRule | None:
    """Return the rule after these bodies were removed; None if it was about one of them."""
    if isinstance(rule, Ground):
        return rule
    if isinstance(rule, AllTouch):
        return replace(rule, but=tuple(two for two in rule.but if not set(two) & set(bodies)))
    ends = {rule.first, rule.second, rule.first.rpartition(":")[0], rule.second.rpartition(":")[0]}
    return None if ends & set(bodies) else rule


def material_of(
    who: str, material: Material | None, friction: float | None, restitution: float | None
) -> Material | None:
    """Return the material that a call gave, whole or by friction and restitution; None if it gave none of these."""
    if material is None:
        if friction is None and restitution is None:
            return None
        try:
            return Material(0.0 if friction is None else friction, 0.0 if restitution is None else restitution)
        except ModelError as fault:
            raise ModelError(f"{who}: {fault}") from None
    _require_material(material, who)
    if friction is not None or restitution is not None:
        raise ModelError(f"{who} is given a material and its friction or restitution; say these in the material")
    return material


def bodies_named(model: Model, given: object, who: str) -> tuple[tuple[str, str], ...]:
    """Return the names of given pairs of bodies, checked, as `AllTouch.but` stores them."""
    try:
        two = [(a, b) for a, b in given]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise ModelError(
            f"{who}: except_ must be pairs of bodies such as [('hand', 'cup')], not {shown(given)}"
        ) from None
    return tuple((_named(model, a), _named(model, b)) for a, b in two)


def _named(model: Model, body: str | Body) -> str:
    return model.body(body if isinstance(body, str | int) else body.name).name


@dataclass(frozen=True)
class _Shape:
    """A shape of a body, or a ground. key : its identity, (body, index). label : its name in those of pairs."""

    key: tuple[str, int]
    body: int
    label: str
    shape: Geometry | Ground


def shapes_named(model: Model, name: str, who: str) -> list[_Shape]:
    """Return the contact shapes of a body, of 'body:shape' or of a ground.

    Raises
    ------
    ModelError
        If there is no such body or shape, or it has no contact shape.
    """
    for rule in model.contact_rules:
        if isinstance(rule, Ground) and rule.name == name:
            return [_of_ground(rule)]
    if not isinstance(name, str) or name in model._body_index or ":" not in name:
        body = model.body(name)
        if not (found := _of_body(body)):
            raise ModelError(
                f"{who}: body {body.name!r} has no shape that can touch; give it one, or one without collide=False"
            )
        return found
    owner, _, shape = name.rpartition(":")
    body = model.body(owner)
    numbered = [k for k, own in enumerate(body.geometry) if own.name == shape]
    if len(numbered) != 1:
        hint = did_you_mean(shape, [own.name for own in body.geometry if own.name])
        many = "several shapes" if numbered else "no shape"
        raise ModelError(f"{who}: body {owner!r} has {many} of the name {shape!r}{hint}")
    if body.geometry[numbered[0]].collide is False:
        raise ModelError(f"{who}: shape {name!r} is not to touch anything, it has collide=False")
    return [_Shape((owner, numbered[0]), body.index, name, body.geometry[numbered[0]])]


def pairs(model: Model) -> tuple[ContactPair, ...]:
    """Return all pairs of shapes that may touch, in the order of the rules.

    Each pair occurs once. If several rules make it, a `Touch` rule decides on its material, else the first rule.
    """
    found: dict[frozenset[tuple[str, int]], tuple[str, _Shape, _Shape, Material | None]] = {}
    for rule in model.contact_rules:
        for a, b in _of_rule(model, rule):
            key = frozenset((a.key, b.key))
            if key not in found or isinstance(rule, Touch):
                found[key] = rule.name, a, b, None if isinstance(rule, Ground) else rule.material
    names: set[str] = set()
    made = []
    for rule_name, a, b, material in found.values():
        assert isinstance(b.shape, Geometry)
        name = _new(f"{a.label}/{b.label}", names)
        both = _together(a.shape.material, b.shape.material) if material is None else material
        ends = model.bodies[a.body].name, model.bodies[b.body].name
        made.append(ContactPair(name, *ends, a.shape, b.shape, both, rule_name))
    return tuple(made)


def _of_rule(model: Model, rule: ContactRule) -> Iterator[tuple[_Shape, _Shape]]:
    """Yield the pairs of shapes that a rule allows to touch."""
    if isinstance(rule, Touch):
        who = f"contact {rule.name!r}"
        seconds = shapes_named(model, rule.second, who)
        yield from ((a, b) for a in shapes_named(model, rule.first, who) for b in seconds)
        return
    lumps = rigid_groups(model)
    shapes = {body.index: _of_body(body) for body in model.bodies}
    if isinstance(rule, Ground):
        ground = _of_ground(rule)
        yield from ((ground, own) for i, of_body in shapes.items() if lumps[i] > 0 for own in of_body)
        return
    near, but = neighbours(model, lumps), {frozenset(two) for two in rule.but}
    bodies = [body for body in model.bodies if shapes[body.index]]
    for k, one in enumerate(bodies):
        for two in bodies[k + 1 :]:
            i, j = lumps[one.index], lumps[two.index]
            if i != j and frozenset((i, j)) not in near and frozenset((one.name, two.name)) not in but:
                yield from ((a, b) for a in shapes[one.index] for b in shapes[two.index])


def require_apart(model: Model, first: str, second: str, who: str) -> None:
    """Raise `ModelError` unless two bodies, shapes or grounds exist, have contact shapes and can move relatively."""
    a, b = shapes_named(model, first, who), shapes_named(model, second, who)
    if isinstance(b[0].shape, Ground):
        raise ModelError(f"{who}: name the ground {second!r} first")
    lumps = rigid_groups(model)
    if lumps[a[0].body] == lumps[b[0].body]:
        raise ModelError(f"{who}: {first!r} and {second!r} do not move against each other")


def rigid_groups(model: Model) -> list[int]:
    """Return for each body the root of the rigid group that fixed joints weld it into; 0 for the world's group."""
    lumps = [0]
    for body in model.bodies[1:]:
        lumps.append(lumps[body.parent] if body.joint.type.is_fixed else body.index)
    return lumps


def neighbours(model: Model, lumps: list[int]) -> set[frozenset[int]]:
    """Return the pairs of rigid groups that a joint connects, except pairs with the world.

    A body that a joint connects to the world may still touch things that stand in the world.
    """
    ends = [(lumps[body.parent], lumps[body.index]) for body in model.bodies[1:]]
    ends += [(lumps[loop.predecessor], lumps[loop.successor]) for loop in model.loops]
    return {frozenset(two) for two in ends if min(two) > 0}


def _of_body(body: Body) -> list[_Shape]:
    numbered = colliding(body.geometry)
    names = [own.name for own in body.geometry]
    found = []
    for k in numbered:
        name = names[k]
        if len(numbered) == 1:
            label = body.name
        elif name and names.count(name) == 1:
            label = f"{body.name}:{name}"
        else:
            label = f"{body.name}[{k}]"
        found.append(_Shape((body.name, k), body.index, label, body.geometry[k]))
    return found


def _of_ground(rule: Ground) -> _Shape:
    return _Shape((rule.name, -1), 0, rule.name, rule)


def _together(a: Material | None, b: Material | None) -> Material:
    """Return the combined material of two surfaces; a missing one counts as like the other, two as smooth and rigid."""
    if a is None or b is None:
        return a or b or Material()
    return a.on(b)


def _new(name: str, taken: set[str]) -> str:
    """Return the name, made unique by a suffix, and add it to `taken`."""
    free = name
    k = 2
    while free in taken:
        free, k = f"{name}#{k}", k + 1
    taken.add(free)
    return free


def _require_material(material: object, who: str) -> None:
    if not isinstance(material, Material):
        raise ModelError(f"material {shown(material)} of {who} is not an rbdkit.Material")
