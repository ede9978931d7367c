"""Spatial algebra: rotations, poses, motion and force vectors, Plücker transforms, rigid-body inertia.

Spatial vectors are angular first; quaternions are scalar first; angles are in radians, everything else in SI units.

    rotations      so3 (exponential map and tangent operators), quaternion, axis_angle, euler
    poses          se3, so3xr3 (the same elements with another product)
    directions     sphere, twist (triads that move without twist)
    coordinates    plucker (transforms X), basis (Plücker and dual bases, coordinate order)
    vectors        cross (spatial cross products), MotionVector and ForceVector, fields, screw, rates, dyadic
    bodies         Inertia (with the usual solids and meshes), body (momentum, equation of motion)
    in the plane   planar

The group functions take stacks on leading axes.
"""

from rbdkit.spatial import (
    axis_angle,
    basis,
    body,
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
    twist,
)
from rbdkit.spatial.cross import crf, crm, cross_force, cross_motion
from rbdkit.spatial.dyadic import Dyadic
from rbdkit.spatial.inertia import Inertia, Principal
from rbdkit.spatial.screw import Screw
from rbdkit.spatial.vectors import ForceVector, MotionVector

__all__ = [
    "Dyadic",
    "ForceVector",
    "Inertia",
    "MotionVector",
    "Principal",
    "Screw",
    "axis_angle",
    "basis",
    "body",
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
    "twist",
]
