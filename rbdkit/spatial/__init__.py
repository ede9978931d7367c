"""Spatial algebra: rotations, poses, motion and force vectors, Plücker transforms, rigid-body inertia.

Spatial vectors are angular first; quaternions are scalar first; angles are in radians, everything else in SI units.

    rotations      so3 (exponential map and tangent operators), quaternion, axis_angle, euler
    poses          se3, so3xr3 (the same elements with another product)
    directions     sphere, twist (triads that move without twist)
    coordinates    plucker (transforms X), basis (Plücker and dual bases, coordinate order)
    vectors        cross (spatial cross products), MotionVector and ForceVector, fields, screw, rates, dyadic
    bodies         Inertia (with the usual solids and meshes), body (momentum, equation of motion)
    mechanisms     ArticulatedInertia, ArticulatedInverse (what a body feels like with others on it)
    in the plane   planar
    constraints    subspace (sums, complements in the dual sense)
    arithmetic     vector3 (three dimensions on any scalar), compact (on as few numbers and operations as it takes)

The group functions take stacks on leading axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rbdkit.loaded import loads_later

if TYPE_CHECKING:
    from rbdkit.spatial import (
        axis_angle,
        basis,
        body,
        compact,
        euler,
        fields,
        planar,
        plucker,
        quaternion,
        rates,
        screw,
        se3,
        so3,
        so3xr3,
        sphere,
        subspace,
        twist,
    )
    from rbdkit.spatial.articulated import ArticulatedInertia, ArticulatedInverse
    from rbdkit.spatial.cross import crf, crm, cross_force, cross_motion
    from rbdkit.spatial.dyadic import Dyadic
    from rbdkit.spatial.inertia import Inertia, Principal
    from rbdkit.spatial.screw import Screw
    from rbdkit.spatial.vectors import ForceVector, MotionVector

__all__ = [
    "ArticulatedInertia",
    "ArticulatedInverse",
    "Dyadic",
    "ForceVector",
    "Inertia",
    "MotionVector",
    "Principal",
    "Screw",
    "axis_angle",
    "basis",
    "body",
    "compact",
    "crf",
    "crm",
    "cross_force",
    "cross_motion",
    "euler",
    "fields",
    "planar",
    "plucker",
    "quaternion",
    "rates",
    "screw",
    "se3",
    "so3",
    "so3xr3",
    "sphere",
    "subspace",
    "twist",
]

# What models need of it is little.
__getattr__, __dir__ = loads_later(
    __name__,
    {
        "rbdkit.spatial.articulated": ["ArticulatedInertia", "ArticulatedInverse"],
        "rbdkit.spatial.cross": ["crf", "crm", "cross_force", "cross_motion"],
        "rbdkit.spatial.dyadic": ["Dyadic"],
        "rbdkit.spatial.inertia": ["Inertia", "Principal"],
        "rbdkit.spatial.screw": ["Screw"],
        "rbdkit.spatial.vectors": ["ForceVector", "MotionVector"],
    },
    __all__,
)
