"""Make a model from a sheet, or list all findings that prevent it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from rbdkit.drafting.density import solid_inertia
from rbdkit.drafting.fresh import FIELDS, IN_LOOPS
from rbdkit.drafting.remark import Remark
from rbdkit.drafting.sheet import GROUND, Closure, Part, Sheet
from rbdkit.errors import ModelError
from rbdkit.model import Joint, Limits, Mimic, Model
from rbdkit.model.contact import add_rule
from rbdkit.model.joint import require_in_loop
from rbdkit.model.numbering import WORLD
from rbdkit.model.validation import NOTHING_TOUCHES
from rbdkit.spatial.inertia import Inertia

LIMITS = ("lower", "upper", "velocity", "effort")


class Assembly(NamedTuple):
    """Result of `assemble`.

    model : the model, None if it cannot be made. remarks : all findings. bodies : keys of the model's bodies, by index.
    """

    model: Model | None
    remarks: tuple[Remark, ...]
    bodies: tuple[int, ...]


def assemble(sheet: Sheet) -> Assembly:
    """Make the model of a sheet, with the findings of `Model.validate`; or list all findings that prevent it."""
    densities = list(_density_remarks(sheet))
    order = build_order(sheet)
    blocking = [*_name_remarks(sheet), *_number_remarks(sheet), *_order_remarks(sheet, order)]
    if blocking:
        return Assembly(None, (*blocking, *densities), ())
    model = Model(sheet.name, sheet.gravity)
    for part in order:
        _add(model, sheet, part)
    for mark in sheet.marks:
        model.add_frame(mark.name, sheet.body_name(mark.body), mark.placement)
    for closure in sheet.closures:
        predecessor, successor = (sheet.body_name(key) for key in (closure.predecessor, closure.successor))
        model.add_loop(
            closure.name,
            predecessor,
            successor,
            closure.joint,
            closure.placement,
            closure.successor_placement,
            **_numbers(closure),
        )
    refused = list(_add_elements(model, sheet))
    if refused:
        return Assembly(None, (*refused, *densities), ())
    body, loop = ({item.name: item.key for item in items} for items in (sheet.parts, sheet.closures))
    of_loops = {"loop that cannot close", "redundant constraints", "constraint that cannot hold"}
    held = {**loop, **{own.name: GROUND for own in sheet.constraints}}
    rule = {own.name: GROUND for own in sheet.contact_rules}
    keys = {**dict.fromkeys(of_loops, held), NOTHING_TOUCHES: rule}  # whose names a finding is about
    found = [Remark.of(keys.get(one.what, body)[one.where], one) for one in model.validate()]
    explained = {remark.key for remark in densities}
    found = [remark for remark in found if not (remark.key in explained and remark.field == "inertia")]
    return Assembly(model, (*densities, *found), (GROUND, *(part.key for part in order)))


def inertia_of(part: Part) -> Inertia | None:
    """Return the inertia of a body, given by hand or computed from its density; None if there is none."""
    if part.density is None:
        return part.inertia
    try:
        return solid_inertia(part.geometry, part.density)
    except ModelError:
        return None


def build_order(sheet: Sheet) -> list[Part]:
    """Return the bodies in the order of the sheet, but each after its parent and its master joint's body.

    Bodies that cannot be ordered so, being in a cycle, are left out.
    """
    order: list[Part] = []
    done = {GROUND}
    waiting = list(sheet.parts)
    while waiting:
        ready = next((part for part in waiting if _needs(part) <= done), None)
        if ready is None:
            break
        order.append(ready)
        done.add(ready.key)
        waiting.remove(ready)
    return order


def _needs(part: Part) -> set[int]:
    return {part.parent} if part.follows is None else {part.parent, part.follows.leader}


def mimic(sheet: Sheet, part: Part) -> Mimic | None:
    """Return the mimic of a body's joint, with the name of the master joint; None if it is independent."""
    if part.follows is None:
        return None
    return Mimic(sheet.part(part.follows.leader).called, part.follows.multiplier, part.follows.offset)


def _add(model: Model, sheet: Sheet, part: Part) -> None:
    model.add_body(
        part.name,
        sheet.body_name(part.parent),
        part.joint,
        part.placement,
        inertia_of(part),
        part.geometry,
        part.called,
        part.damping,
        part.friction,
        part.stiffness,
        part.rest,
        part.armature,
        Limits(part.lower, part.upper, part.velocity, part.effort),
        mimic(sheet, part),
    )


def _add_elements(model: Model, sheet: Sheet) -> Iterator[Remark]:
    for force in sheet.forces:
        try:
            model.add_force(force.name, force.element)
        except ModelError as fault:
            yield Remark(GROUND, "forces", "blocking", f"{fault}; put it back, or delete the force")
    for own in sheet.constraints:
        try:
            model.add_constraint(own.name, own.element)
        except ModelError as fault:
            yield Remark(GROUND, "constraints", "blocking", f"{fault}; put it back, or delete the constraint")
    for rule in sheet.contact_rules:
        try:
            add_rule(model, rule)
        except ModelError as fault:
            yield Remark(GROUND, "contact_rules", "blocking", f"{fault}; put it back, or delete the contact")


def _name_remarks(sheet: Sheet) -> Iterator[Remark]:
    """Empty names and names that are taken: those of bodies and frames, and those of joints."""
    places = [(part.key, "name", part.name) for part in sheet.parts] + [(m.key, "name", m.name) for m in sheet.marks]
    remarks = list(_taken(places, (WORLD,), "a body or frame"))
    yield from remarks
    said = {(remark.key, remark.field) for remark in remarks}
    joints = [(p.key, "name" if p.joint_name is None else "joint_name", p.called) for p in sheet.parts]
    joints += [(closure.key, "name", closure.name) for closure in sheet.closures]
    yield from (r for r in _taken(joints, (WORLD,), "a joint") if (r.key, r.field) not in said)


def _taken(places: list[tuple[int, str, str]], reserved: tuple[str, ...], what: str) -> Iterator[Remark]:
    counts = Counter([*reserved, *(name for _, _, name in places)])
    for key, field, name in places:
        if not name:
            yield Remark(key, field, "blocking", "it has no name; type one")
        elif counts[name] > 1:
            yield Remark(key, field, "blocking", f"{what} called {name!r} is there already; choose another name")


def _number_remarks(sheet: Sheet) -> Iterator[Remark]:
    """Numbers of joints that no joint can have, each tried on its own."""
    for part in sheet.parts:
        for name in FIELDS:
            values = getattr(part, name)
            given: dict[str, object] = {"limits": Limits(**{name: values})} if name in LIMITS else {name: values}
            yield from _tried(part, name, given)
        if all(lower <= upper for lower, upper in zip(part.lower, part.upper, strict=True)):
            continue
        yield from _tried(part, "lower", {"limits": Limits(part.lower, part.upper)})
    for closure in sheet.closures:
        given = _numbers(closure)
        remarks = [remark for name in given for remark in _tried(closure, name, {name: given[name]})]
        yield from remarks or _tried(closure, "rest", given)


def _numbers(closure: Closure) -> dict[str, Any]:
    """Return the spring and loss coefficients of a loop joint that are set."""
    return {name: values for name in IN_LOOPS if (values := getattr(closure, name))}


def _tried(item: Part | Closure, field: str, given: dict[str, Any]) -> Iterator[Remark]:
    try:
        joint = Joint.make(item.called, item.joint, None, 0, 0, **given)
        if isinstance(item, Closure):
            require_in_loop(joint, {})
    except ModelError as fault:
        yield Remark(item.key, field, "blocking", str(fault))


def _order_remarks(sheet: Sheet, order: list[Part]) -> Iterator[Remark]:
    """Joints that follow one which follows another, has not one coordinate, or comes after them."""
    placed = {part.key for part in order}
    for part in sheet.parts:
        if part.follows is None:
            continue
        leader = sheet.part(part.follows.leader)
        if leader.follows is not None:
            first = sheet.part(leader.follows.leader).called
            message = f"{leader.called!r} itself follows {first!r}; let this joint follow {first!r}"
        elif leader.joint.nq != 1:
            message = (
                f"{leader.called!r} has {leader.joint.nq} coordinates; a joint follows one with a single coordinate"
            )
        elif part.key not in placed:
            message = f"{leader.called!r} is on the branch that this joint carries; let that one follow this one"
        else:
            continue
        yield Remark(part.key, "follows", "blocking", message)


def _density_remarks(sheet: Sheet) -> Iterator[Remark]:
    for part in sheet.parts:
        if part.density is None:
            continue
        try:
            solid_inertia(part.geometry, part.density)
        except ModelError as fault:
            yield Remark(part.key, "density", "error", str(fault))


def error_of(sheet: Sheet, remarks: tuple[Remark, ...]) -> ModelError:
    """All that keeps the model of a sheet from being made, as an error."""
    lines = [f"{_whose(sheet, r.key)}: {r.field}: {r.message}" for r in remarks if r.severity == "blocking"]
    return ModelError("no model can be made of this draft yet:" + "".join(f"\n  {line}" for line in lines))


def _whose(sheet: Sheet, key: int) -> str:
    if key == GROUND:
        return "the model"
    item = sheet.item(key)
    kind = "body" if isinstance(item, Part) else "loop joint" if isinstance(item, Closure) else "frame"
    return f"{kind} {item.name!r}"
