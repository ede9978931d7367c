"""What may touch what: rules as the user gave them, and the pairs of shapes that they make."""

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
"""Of a ground of which nothing is said: rubber on concrete."""


@dataclass(frozen=True, eq=False)
class Ground(KeepsReadOnly):
    """A half-space of the world, full below a plane, that all bodies touch that can move.

    Attributes
    ----------
    name : str
        Unique in the model.
    normal : ndarray (3,)
        Of the plane, outwards, of unit length.
    height : float
        Of the plane along the normal, from the world's origin, m.
    material : Material
        Of its surface.

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
        """A ground from what a user gave.

        Raises
        ------
        ModelError
            If the normal has no direction or a number no meaning.
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
        """In words: 'up to 0 m along 0 0 1'."""
        return f"up to {self.height:.6g} m along {' '.join(f'{x:.4g}' for x in self.normal)}"

    def __repr__(self) -> str:
        return f"<Ground {self.name!r}: {self.what}>"


@dataclass(frozen=True, eq=False)
class Touch:
    """Two bodies, or two shapes of theirs, may touch.

    Attributes
    ----------
    name : str
        Unique in the model.
    first, second : str
        A body, 'body:shape' for one named shape of it, or, as the first one, a ground.
    material : Material or None
        Of both together; None where the materials of the shapes count.

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
        """In words: 'red on white'."""
        return f"{self.second} on {self.first}"

    def __repr__(self) -> str:
        return f"<Touch {self.name!r}: {self.what}>"


@dataclass(frozen=True, eq=False)
class AllTouch:
    """All bodies may touch each other that move against each other, but for neighbours.

    Attributes
    ----------
    name : str
        Unique in the model.
    but : tuple of (str, str)
        Pairs of bodies that do not.
    material : Material or None
        Of each two together; None where the materials of the shapes count.

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
        """In words: 'all but hand/cup'."""
        return "all" + (f" but {', '.join(f'{a}/{b}' for a, b in self.but)}" if self.but else "")

    def __repr__(self) -> str:
        return f"<AllTouch {self.name!r}: {self.what}>"


ContactRule = Ground | Touch | AllTouch


@dataclass(frozen=True, eq=False)
class ContactPair:
    """Two shapes that may touch.

    Attributes
    ----------
    name : str
        'ground/foot'; where bodies have several shapes, these by name, 'ground/foot:heel', or number, 'ground/foot[2]'.
    predecessor, successor : str
        Names of the bodies that have them; normals point from the first to the second, and forces are those on the
        second.
    shape_p, shape_s : Geometry or Ground
        The shapes; only the first may be a ground.
    material : Material
        Of both together.
    rule : str
        Name of the rule that made it.

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
    """Add a rule of one model to another one; raises `ModelError` if it names what is not there."""
    if isinstance(rule, Ground):
        model.add_ground(height=rule.height, normal=rule.normal, material=rule.material, name=rule.name)
    elif isinstance(rule, Touch):
        model.add_contact(rule.first, rule.second, material=rule.material, name=rule.name)
    else:
        model.add_contacts(except_=rule.but, material=rule.material, name=rule.name)


def renamed(rule: ContactRule, names: Mapping[str, str]) -> ContactRule:
    """The same rule where bodies and grounds go by other names; keys of `names` are the old ones."""
    if isinstance(rule, Ground):
        return rule
    if isinstance(rule, AllTouch):
        return replace(rule, but=tuple((names.get(a, a), names.get(b, b)) for a, b in rule.but))

    def end(name: str) -> str:
        owner, colon, shape = name.rpartition(":")
        return names.get(name, name) if name in names or not colon else f"{names.get(owner, owner)}:{shape}"

    return replace(rule, first=end(rule.first), second=end(rule.second))


def without(rule: ContactRule, bodies: Collection[str]) -> ContactRule | None:
    """The same rule where these bodies are gone; None if it was about one of them."""
    if isinstance(rule, Ground):
        return rule
    if isinstance(rule, AllTouch):
        return replace(rule, but=tuple(two for two in rule.but if not set(two) & set(bodies)))
    ends = {rule.first, rule.second, rule.first.rpartition(":")[0], rule.second.rpartition(":")[0]}
    return None if ends & set(bodies) else rule


def material_of(
    who: str, material: Material | None, friction: float | None, restitution: float | None
) -> Material | None:
    """A material as calls give it: whole, or by its friction and restitution; None if they say nothing."""
    if material is None:
        if friction is None and restitution is None:
            return None
        given = {"friction": friction, "restitution": restitution}
        try:
            return Material(**{name: x for name, x in given.items() if x is not None})
        except ModelError as fault:
            raise ModelError(f"{who}: {fault}") from None
    _require_material(material, who)
    if friction is not None or restitution is not None:
        raise ModelError(f"{who} is given a material and its friction or restitution; say these in the material")
    return material


def bodies_named(model: Model, given: object, who: str) -> tuple[tuple[str, str], ...]:
    """Pairs of bodies of the model, as `but` gives them."""
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
    """A shape of a body, or a ground. key : which it is. label : what it is called."""

    key: tuple[str, int]
    body: int
    label: str
    shape: Geometry | Ground


def shapes_named(model: Model, name: str, who: str) -> list[_Shape]:
    """The shapes that a body, 'body:shape' or a ground has for contact.

    Raises
    ------
    ModelError
        If there is no such body or shape, or it has none for contact.
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
    """All pairs of shapes that may touch, in the order of the rules; a `Touch` goes before the other rules."""
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
    """The shapes that a rule lets touch, two and two."""
    if isinstance(rule, Touch):
        who = f"contact {rule.name!r}"
        seconds = shapes_named(model, rule.second, who)
        yield from ((a, b) for a in shapes_named(model, rule.first, who) for b in seconds)
        return
    lumps = _lumps(model)
    shapes = {body.index: _of_body(body) for body in model.bodies}
    if isinstance(rule, Ground):
        ground = _of_ground(rule)
        yield from ((ground, own) for i, of_body in shapes.items() if lumps[i] > 0 for own in of_body)
        return
    near, but = _neighbours(model, lumps), {frozenset(two) for two in rule.but}
    bodies = [body for body in model.bodies if shapes[body.index]]
    for k, one in enumerate(bodies):
        for two in bodies[k + 1 :]:
            i, j = lumps[one.index], lumps[two.index]
            if i != j and frozenset((i, j)) not in near and frozenset((one.name, two.name)) not in but:
                yield from ((a, b) for a in shapes[one.index] for b in shapes[two.index])


def require_apart(model: Model, first: str, second: str, who: str) -> None:
    """Raise `ModelError` unless two bodies, shapes or grounds are there, can touch, and move against each other."""
    a, b = shapes_named(model, first, who), shapes_named(model, second, who)
    if isinstance(b[0].shape, Ground):
        raise ModelError(f"{who}: name the ground {second!r} first")
    lumps = _lumps(model)
    if lumps[a[0].body] == lumps[b[0].body]:
        raise ModelError(f"{who}: {first!r} and {second!r} do not move against each other")


def _lumps(model: Model) -> list[int]:
    """For each body the first one of those that are fixed to each other; 0 where that is the world."""
    lumps = [0]
    for body in model.bodies[1:]:
        lumps.append(lumps[body.parent] if body.joint.type.is_fixed else body.index)
    return lumps


def _neighbours(model: Model, lumps: list[int]) -> set[frozenset[int]]:
    """Lumps that a joint connects; what is jointed to the world may touch what stands in it."""
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
    """Of two surfaces; one of which nothing is said is like the other one, and two such are smooth and rigid."""
    if a is None or b is None:
        return a or b or Material()
    return a.on(b)


def _new(name: str, taken: set[str]) -> str:
    """The name, or one like it that is not taken; it is from now on."""
    free = name
    k = 2
    while free in taken:
        free, k = f"{name}#{k}", k + 1
    taken.add(free)
    return free


def _require_material(material: object, who: str) -> None:
    if not isinstance(material, Material):
        raise ModelError(f"material {shown(material)} of {who} is not an rbdkit.Material")
