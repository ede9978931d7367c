"""Spatial arithmetic on as few numbers as it takes, and in as few operations (Featherstone 2008, Appendix A).

Plain Python scalars in small immutable objects, on the 3-vectors and matrices of `rbdkit.spatial.vector3`: floats
compute, arrays of floats compute a stack of states at once, symbols of `rbdkit.engine` are traced and counted. The
class names are those of Table A.3; ``of(flat)`` builds from scalars in the order given here, ``flat()`` goes back.

    mv(omega, v)    motion vector                6    omega, v
    fv(n, f)        force vector                 6    n, f
    plx(E, r)       Plücker transform           12    rows of E, r
    Pose(R, p)      pose                        12    rows of R, p: ``T.X`` is the transform to the frame that stands so
    rbi(m, h, I)    rigid-body inertia          10    m, h, lt(I): the `ten_parameters` of an `Inertia`
    abi(M, H, I)    articulated-body inertia    21    lt(M), rows of H, lt(I)
    Coriolis(N, p)  Coriolis matrix             12    rows of N, p
    abi_z(M, H, I)  I^a of a joint about z      15    lt(M), two rows of H, Ixx, Ixy, Iyy; row and column 3 are zero

lt(A) is xx, xy, xz, yy, yz, zz. Inertias and transforms have ``rows()``, the 6x6 matrix.

What there is, with its cost (m multiplications, a additions and subtractions; a change of sign is free):

    alpha * x                       6m, 10m, 21m      v.dot(f), f.dot(v)   6m + 5a
    v + w, f + g, v - w, f - g      6a                v.cross(w), v.cross(f)   18m + 12a each
    I + I, IA + IA, IA + I          10a, 21a, 15a     I @ v   24m + 18a    IA @ v   36m + 30a    Ia @ v   25m + 20a
    X @ X, X.inverse()              33m + 24a, 9m + 6a

    X.apply(x), X.inv_apply(x)      of a plx          of a screw scrx, scry, scrz (theta, d); 2m + 3a once
      mv     X v, X^-1 v            24m + 18a         10m + 6a
      fv     X* f, X^T f            24m + 18a         10m + 6a
      rbi    X* I X^-1, X^T I X     52m + 56a         16m + 15a
      abi    likewise               128m + 137a *     38m + 40a
      abi_z  likewise                                 z: 28m + 34a and remains abi_z; x, y: 32m + 28a, becomes abi

* Table A.4 has 137m + 137a, for the formula as it stands there; common factors save 9m.

X is the transform to the new frame: ``plx(E, r)`` is `spatial.plucker.plucker`, ``scrz(theta, d)`` is rotz(theta)
xlt([0, 0, d]). ``screw.E`` holds c, s and the constants made once; ``AxialScrew(AxialRotation.of(axis, c, s), d)`` is
made of cosine and sine. ``screw.plx()`` is the general transform, ``screw.inverse()`` costs nothing.

Whatever else is combined (m + f, m . m, f x f, I f, X f, X* m, an fv made of an mv) is a TypeError that names both
kinds and says what there is instead. ``X.star @ f`` is X* f, for those who want to write it.

    rotation       product, rotate, rotate_symmetric: rotation matrices at less than their usual cost
    axial          rx, ry, rz: the same about a coordinate axis
    motion_force, inertias, free_about_z, transform, screw    the kinds above
    crosses, shift, screw_on_free, numbers, refusal           what these are made of
    chain          dynamics of a chain with Denavit-Hartenberg frames, made of all this
"""

from rbdkit.spatial.compact import axial, rotation
from rbdkit.spatial.compact.axial import AxialRotation
from rbdkit.spatial.compact.coriolis import Coriolis
from rbdkit.spatial.compact.free_about_z import abi_z
from rbdkit.spatial.compact.inertias import abi, rbi
from rbdkit.spatial.compact.joint_space import Diagonal, Forces, JointBlock, JointMatrix, JointVector, Subspace
from rbdkit.spatial.compact.motion_force import fv, mv
from rbdkit.spatial.compact.pose import Pose
from rbdkit.spatial.compact.screw import AxialScrew, scrx, scry, scrz
from rbdkit.spatial.compact.transform import plx
from rbdkit.spatial.vector3 import Matrix, Scalar, Symmetric, Vector

__all__ = [
    "AxialRotation",
    "AxialScrew",
    "Coriolis",
    "Diagonal",
    "Forces",
    "JointBlock",
    "JointMatrix",
    "JointVector",
    "Matrix",
    "Pose",
    "Scalar",
    "Subspace",
    "Symmetric",
    "Vector",
    "abi",
    "abi_z",
    "axial",
    "fv",
    "mv",
    "plx",
    "rbi",
    "rotation",
    "scrx",
    "scry",
    "scrz",
]
