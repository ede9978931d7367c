"""Detection of probable unit mistakes: inertias that do not fit the shapes, joint limits that look like degrees."""

from __future__ import annotations

import numpy as np

from rbdkit.model.body import Body
from rbdkit.model.finding import Finding
from rbdkit.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Shape, Sphere

WIDER = 3.0
"""Largest plausible ratio of radius of gyration to the reach of the shapes; it is 1 for a spherical shell."""
ASIDE = 10.0
"""Largest plausible distance of the centre of mass from the shapes, in radii of these."""
TURNS = 30.0
"""rad; limits of a hinge beyond this that are multiples of `DEGREES` are taken for degrees."""
DEGREES = 5.0


def unit_findings(body: Body) -> list[Finding]:
    """Warnings about a body whose inertia does not fit its shapes, and about limits that may be degrees."""
    return [*_inertia_beside_shapes(body), *_degrees(body)]


def _inertia_beside_shapes(body: Body) -> list[Finding]:
    inertia, places = body.inertia, []
    if inertia is None or not inertia.mass > 0.0 or inertia.findings():
        return []
    for own in body.geometry:
        if (radius := _radius(own.shape)) is None:
            return []  # the size of a mesh is unknown until its file is read
        places.append((own.placement[:3, 3], radius))
    if not places or not any(radius > 0.0 for _, radius in places):
        return []
    away = [float(np.linalg.norm(place - inertia.com)) for place, _ in places]
    reach = max(distance + radius for distance, (_, radius) in zip(away, places, strict=True))
    gyration = float(np.sqrt(np.linalg.eigvalsh(inertia.inertia_com)[-1] / inertia.mass))
    found = []
    if gyration > WIDER * reach:
        message = (
            f"its radius of gyration is {gyration:.3g} m, but its shapes reach {reach:.3g} m from its centre of mass: "
            "check the units (kg, m, kg m^2)"
        )
        found.append(Finding("warning", body.name, "inertia beyond its shapes", message))
    if all(distance > ASIDE * max(radius for _, radius in places) for distance in away):
        message = (
            f"its centre of mass is {min(away):.3g} m away from its shapes, which have radii of up to "
            f"{max(radius for _, radius in places):.3g} m: check the units (m)"
        )
        found.append(Finding("warning", body.name, "centre of mass beside its shapes", message))
    return found


def _degrees(body: Body) -> list[Finding]:
    joint = body.joint
    if joint.nq != 1 or joint.type.q_units[0] != "rad":
        return []
    lower, upper = (float(np.ravel(x)[0]) for x in (joint.limits.lower, joint.limits.upper))
    bounds = [x for x in (lower, upper) if np.isfinite(x) and x != 0.0]
    whole = all(abs(x - DEGREES * round(x / DEGREES)) < 1e-9 * abs(x) for x in bounds)
    if not bounds or not whole or max(map(abs, bounds)) < TURNS:
        return []
    message = (
        f"limits of joint {joint.name!r} are {lower:g} and {upper:g} rad, which is up to "
        f"{max(map(abs, bounds)) / (2.0 * np.pi):.0f} turns: if they are degrees, give numpy.deg2rad of them"
    )
    return [Finding("warning", body.name, "limits in degrees", message)]


def _radius(shape: Shape) -> float | None:
    """Return the radius of the bounding sphere about a shape's origin, m; None for a mesh."""
    match shape:
        case Box(size=size):
            return 0.5 * float(np.linalg.norm(size))
        case Sphere(radius=radius):
            return radius
        case Ellipsoid(radii=radii):
            return float(max(radii))
        case Cylinder(radius=radius, length=length) | Cone(radius=radius, length=length):
            return float(np.hypot(radius, 0.5 * length))
        case Capsule(radius=radius, length=length):
            return radius + 0.5 * length
    return None
