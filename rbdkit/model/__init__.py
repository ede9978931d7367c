"""The model of a rigid-body system: bodies, joints, frames, loop joints, shapes, contacts and gravity; no equations.

`Model` is built by code here or read by `rbdkit.formats`; `validate` lists what would spoil a simulation.
"""

from rbdkit.model.body import Body, Frame, Loop
from rbdkit.model.constraint import Constraint
from rbdkit.model.contact import AllTouch, ContactPair, ContactRule, Ground, Touch
from rbdkit.model.deformable import Deformable
from rbdkit.model.finding import Finding
from rbdkit.model.force import Force
from rbdkit.model.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Shape, Sphere
from rbdkit.model.joint import Joint, Limits, Mimic
from rbdkit.model.material import Material
from rbdkit.model.model import Model
from rbdkit.model.numbering import regular_order, structure_findings
from rbdkit.model.validation import validate

__all__ = [
    "AllTouch",
    "Body",
    "Box",
    "Capsule",
    "Cone",
    "Constraint",
    "ContactPair",
    "ContactRule",
    "Cylinder",
    "Deformable",
    "Ellipsoid",
    "Finding",
    "Force",
    "Frame",
    "Geometry",
    "Ground",
    "Joint",
    "Limits",
    "Loop",
    "Material",
    "Mesh",
    "Mimic",
    "Model",
    "Shape",
    "Sphere",
    "Touch",
    "regular_order",
    "structure_findings",
    "validate",
]
