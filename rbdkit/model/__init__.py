"""What a rigid-body system is: bodies, joints in their places, frames, loops, shapes, gravity; no equations.

`Model` is built by code here or read by `rbdkit.formats`; `validate` tells what would spoil a simulation.
"""

from rbdkit.model.body import Body, Frame, Loop
from rbdkit.model.constraint import Constraint
from rbdkit.model.finding import Finding
from rbdkit.model.force import Force
from rbdkit.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Shape, Sphere
from rbdkit.model.joint import Joint, Limits, Mimic
from rbdkit.model.model import Model
from rbdkit.model.numbering import regular_order, structure_findings
from rbdkit.model.validation import validate

__all__ = [
    "Body",
    "Box",
    "Capsule",
    "Cone",
    "Constraint",
    "Cylinder",
    "Ellipsoid",
    "Finding",
    "Force",
    "Frame",
    "Geometry",
    "Joint",
    "Limits",
    "Loop",
    "Mesh",
    "Mimic",
    "Model",
    "Shape",
    "Sphere",
    "regular_order",
    "structure_findings",
    "validate",
]
