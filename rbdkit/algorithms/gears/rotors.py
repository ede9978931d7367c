"""Approximation of geared rotors: no rotor bodies, their reflected inertia on the diagonal of H."""

from __future__ import annotations

import numpy as np

from rbdkit.algorithms.gears.gear import Gear, Gears
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.contact import add_rule
from rbdkit.spatial.inertia import Inertia


def without_rotors(gears: Gears, keep_mass: bool = True) -> Model:
    """Return the model without rotor bodies, rho^2 times their inertia added to the `armature` of their leaders.

    "Quick and dirty" (Featherstone 2008, Example 9.5): effects of rotors on other joints than their own, and all
    gyroscopic effects, are left out. `crba` adds the armature to the diagonal of H, `aba` to D_i (Eq 9.28).

    Parameters
    ----------
    gears : Gears
        Gears whose driven joints carry rotors only: a body without children behind a gear of one leader and constant
        ratio.
    keep_mass : bool, optional
        Weld the mass of each rotor to the body that carries it; False drops it.

    Returns
    -------
    Model
        Model whose q are the independent variables y of `gears`.
    """
    model = gears.model
    y = gears.independent(model.neutral())
    q, G = gears.gamma(y), gears.G(y)
    bodies = {joint.name: body for joint, body in zip(model.joints, model.bodies, strict=True)}
    armature = {joint.name: joint.armature.copy() for joint in model.joints}
    inertia = [Inertia.zero() if body.inertia is None else body.inertia for body in model.bodies]
    for gear in gears.gears:
        _require_rotor(gears, gear)
        rotor, leader = bodies[gear.follower], model.joint(gear.leaders[0])
        S = rotor.joint.motion_subspace(q)[:, 0]
        ratio = G[rotor.joint.v_slice.start].sum()  # one leader, so one entry
        armature[leader.name] += ratio**2 * (S @ model.I[rotor.index] @ S + rotor.joint.armature)
        if keep_mass:
            inertia[rotor.parent] = inertia[rotor.parent] + inertia[rotor.index].transformed(rotor.joint.pose(q))
    quick = Model(f"{model.name}, rotors as armature", gravity=model.gravity)
    for body in model.bodies[1:]:
        if body.joint.name not in gears.followers:
            joint = body.joint
            quick.add_body(
                body.name, model.bodies[body.parent].name, joint.type, joint.placement, inertia[body.index],
                body.geometry, joint.name, joint.damping, joint.friction, joint.stiffness, joint.rest,
                armature[joint.name], joint.limits, joint.mimic,
            )  # fmt: skip
    for frame in model.frames:
        if model.bodies[frame.body].joint.name not in gears.followers:
            quick.add_frame(frame.name, model.bodies[frame.body].name, frame.placement)
    for force in model.forces:
        quick.add_force(force.name, force.element)
    for rule in model.contact_rules:
        add_rule(quick, rule)
    return quick


def _require_rotor(gears: Gears, gear: Gear) -> None:
    model, name = gears.model, gear.follower
    if model.children(model.joints.index(model.joint(name))):
        raise ModelError(f"joint {name!r} carries other bodies; only a rotor can be left out for its inertia")
    y = gears.independent(model.neutral())
    row = model.joint(name).v_slice
    constant = np.array_equal(gears.G(y)[row], gears.G(gears.integrate(y, np.full(gears.ny, 0.7)))[row])
    if len(gear.leaders) > 1 or not constant:
        raise ModelError(
            f"the gear of joint {name!r} has no constant ratio to one leader; its rotor cannot be left out"
        )
