"""All joint types, in a row."""

from rbdkit.joints.composite import Composite
from rbdkit.joints.cylindrical import Cylindrical
from rbdkit.joints.euler_angles import EulerAngles
from rbdkit.joints.euler_spherical import EulerSpherical
from rbdkit.joints.exponential_spherical import ExponentialSpherical
from rbdkit.joints.fixed import Fixed
from rbdkit.joints.free import Free
from rbdkit.joints.free_in_plane import FreeInPlane
from rbdkit.joints.helical import Helical
from rbdkit.joints.joint_type import JointType
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
from rbdkit.joints.spline_surface import SplineSurface
from rbdkit.joints.translational import Translational
from rbdkit.joints.universal import Universal

TYPES: tuple[type[JointType], ...] = (
    Fixed, Revolute, Prismatic, Helical, RackAndPinion, Cylindrical, PlanarTranslation, Planar, FreeInPlane, Universal,
    Spherical, EulerSpherical, EulerAngles, ExponentialSpherical, SphereInCylinder, Translational, Free, SplineCurve,
    SplineSurface, Composite, Reversed, Prescribed,
)  # fmt: skip
"""All of them, the simplest first; whatever lists joint types is made from this."""
