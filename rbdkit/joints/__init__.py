"""Joint types, one a file: how a body may move relative to its parent.

Each gives its coordinates (`nq`) and velocity variables (`nv`), the pose and Plücker transform across the joint, the
motion subspace S and constraint subspace T, the velocity-product term c_J, the rate of its coordinates, and its
coordinates as a manifold (`integrate`, `difference`, `neutral`, `random`, `check`). Places in a model, limits and
springs belong to `rbdkit.model`.
"""

from rbdkit.joints.composite import Composite
from rbdkit.joints.cylindrical import Cylindrical
from rbdkit.joints.euler_angles import EulerAngles
from rbdkit.joints.euler_spherical import EulerSpherical
from rbdkit.joints.exponential_spherical import ExponentialSpherical
from rbdkit.joints.fixed import Fixed
from rbdkit.joints.free import Free
from rbdkit.joints.free_in_plane import FreeInPlane
from rbdkit.joints.helical import Helical
from rbdkit.joints.joint_type import JointType, VectorJoint
from rbdkit.joints.planar import Planar
from rbdkit.joints.planar_translation import PlanarTranslation
from rbdkit.joints.prescribed import Prescribed
from rbdkit.joints.prismatic import Prismatic
from rbdkit.joints.rack_and_pinion import RackAndPinion
from rbdkit.joints.reversed import Reversed
from rbdkit.joints.revolute import Revolute
from rbdkit.joints.sphere_in_cylinder import SphereInCylinder
from rbdkit.joints.spherical import Spherical
from rbdkit.joints.spline_curve import SplineCurve
from rbdkit.joints.spline_surface import SplineSurface, SplineWarning
from rbdkit.joints.translational import Translational
from rbdkit.joints.universal import Universal

TYPES: tuple[type[JointType], ...] = (
    Fixed, Revolute, Prismatic, Helical, RackAndPinion, Cylindrical, PlanarTranslation, Planar, FreeInPlane, Universal,
    Spherical, EulerSpherical, EulerAngles, ExponentialSpherical, SphereInCylinder, Translational, Free, SplineCurve,
    SplineSurface, Composite, Reversed, Prescribed,
)  # fmt: skip
"""All of them, the simplest first; whatever lists joint types is made from this."""

__all__ = [
    "TYPES",
    "Composite",
    "Cylindrical",
    "EulerAngles",
    "EulerSpherical",
    "ExponentialSpherical",
    "Fixed",
    "Free",
    "FreeInPlane",
    "Helical",
    "JointType",
    "Planar",
    "PlanarTranslation",
    "Prescribed",
    "Prismatic",
    "RackAndPinion",
    "Reversed",
    "Revolute",
    "SphereInCylinder",
    "Spherical",
    "SplineCurve",
    "SplineSurface",
    "SplineWarning",
    "Translational",
    "Universal",
    "VectorJoint",
]
