"""Dynamics of a chain of revolute joints in Denavit-Hartenberg frames, an application of this compact arithmetic.

The joints turn about the z axes of their bodies; two screws lead from frame to frame, a constant one along x and then
the joint's along z (Featherstone 2008, Fig 4.8). Everything is a scalar, so that the chains can be traced and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from rbdkit.spatial.compact.axial import AxialRotation
from rbdkit.spatial.compact.free_about_z import abi_z
from rbdkit.spatial.compact.inertias import abi, rbi
from rbdkit.spatial.compact.motion_force import fv, mv
from rbdkit.spatial.compact.screw import AxialScrew
from rbdkit.spatial.vector3 import ZERO, Scalar, Symmetric, Vector

GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, slots=True)
class Link:
    """One body of the chain in its present position.

    Attributes
    ----------
    x : AxialScrew
        Constant screw along x of the frame before, scrx(alpha, a).
    z : AxialScrew
        The joint's, scrz(theta, d).
    inertia : rbi
        In the frame of the body.
    """

    x: AxialScrew
    z: AxialScrew
    inertia: rbi

    @classmethod
    def of(cls, x: Sequence[Scalar], turn: Sequence[Scalar], d: Scalar, inertia: ArrayLike) -> Link:
        """From c, s, c s, s^2, 2 c s, 1 - 2 s^2 and a of the screw along x, which stay, and what changes: cosine and
        sine of the joint's angle, and d; and from the ten parameters of the body."""
        fixed = AxialScrew(AxialRotation("x", *x[:6]), x[6])
        return cls(fixed, AxialScrew(AxialRotation.of("z", *turn), d), rbi.of(inertia))

    def here(self, motion: mv) -> mv:
        """X v: from the frame before to this one, 20m + 12a."""
        return self.z.apply(self.x.apply(motion))

    def before(self, force: fv) -> fv:
        """X^T f: from this frame to the one before, 20m + 12a."""
        return self.x.inv_apply(self.z.inv_apply(force))

    def inertia_before(self, inertia: abi_z) -> abi:
        """X^T I^a X: 60m + 62a."""
        return self.x.inv_apply(self.z.inv_apply(inertia))  # type: ignore[return-value]  # x is not about z


@dataclass(frozen=True, slots=True)
class Joint:
    """Terms of the articulated-body algorithm at one joint, of Table 7.1 with S = e3.

    Attributes
    ----------
    U : fv
        I^A S.
    D_inv : Scalar
        1/(S^T U).
    tau, u : Scalar
        Joint torque, and the part of it that accelerates, tau - S^T p^A.
    """

    U: fv
    D_inv: Scalar
    tau: Scalar
    u: Scalar

    @classmethod
    def of(cls, IA: abi, p: fv, tau: Scalar) -> Joint:
        """1a, a division, and no multiplication."""
        _, _, xz, _, yz, zz = IA.I
        return cls(fv(Vector((xz, yz, zz)), IA.H[2]), 1.0 / zz, tau, tau - p.n[2])

    def freed(self, IA: abi) -> abi_z:
        """I^a = I^A - U D^-1 U^T (Eq 7.43): 20m + 15a."""
        (Ux, Uy, _), (Vx, Vy, Vz) = self.U.n, self.U.f
        x, y = self.D_inv * Ux, self.D_inv * Uy
        G = self.D_inv * self.U.f
        xx, xy, _, yy, _, _ = IA.I
        M = IA.M - Symmetric((G[0] * Vx, G[0] * Vy, G[0] * Vz, G[1] * Vy, G[1] * Vz, G[2] * Vz))
        return abi_z(M, (IA.H[0] - x * self.U.f, IA.H[1] - y * self.U.f), (xx - x * Ux, xy - x * Uy, yy - y * Uy))

    def felt(self, p: fv, Ia_c: fv) -> fv:
        """p^a = p^A + I^a c + U D^-1 u (Eq 7.44): 6m + 10a; along the axis it is tau."""
        felt = p + Ia_c + (self.D_inv * self.u) * self.U
        return fv(Vector((felt.n[0], felt.n[1], self.tau)), felt.f)

    def acceleration(self, a: mv) -> Scalar:
        """D^-1 (u - U^T a'): 7m + 6a."""
        return self.D_inv * (self.u - self.U.dot(a))


def carried(v: mv, qd: Scalar) -> mv:
    """c = v x S qd, the acceleration of a joint axis that is carried along: 4m."""
    (x, y, _), (vx, vy, _) = v.omega, v.v
    return mv(Vector((y * qd, -(x * qd), 0.0)), Vector((vy * qd, -(vx * qd), 0.0)))


def faster(motion: mv, about_z: Scalar) -> mv:
    """motion + S about_z: 1a."""
    x, y, z = motion.omega
    return mv(Vector((x, y, z + about_z)), motion.v)


def rnea(
    links: Sequence[Link], qd: Sequence[Scalar], qdd: Sequence[Scalar], gravity: Sequence[Scalar] = GRAVITY
) -> list[Scalar]:
    """Inverse dynamics: joint torques, N m (Table 5.1 with S = e3).

    Parameters
    ----------
    links : sequence of Link
        From the base outward.
    qd, qdd : sequence of Scalar
        Of the joints, rad/s and rad/s^2.
    gravity : sequence of Scalar, optional
        Acceleration of free fall in the frame before the first link, m/s^2.
    """
    v, a, f = mv(ZERO, ZERO), mv(ZERO, -Vector(gravity)), []
    for link, qd_i, qdd_i in zip(links, qd, qdd, strict=True):
        v, a = link.here(v), link.here(a)
        a = faster(a + carried(v, qd_i), qdd_i)
        v = faster(v, qd_i)
        f.append(link.inertia @ a + v.cross(link.inertia @ v))
    for i in range(len(links) - 1, 0, -1):
        f[i - 1] = f[i - 1] + links[i].before(f[i])
    return [f_i.n[2] for f_i in f]


def aba(
    links: Sequence[Link], qd: Sequence[Scalar], tau: Sequence[Scalar], gravity: Sequence[Scalar] = GRAVITY
) -> list[Scalar]:
    """Forward dynamics: joint accelerations, rad/s^2 (Table 7.1 with S = e3, I^a in 15 numbers).

    Parameters
    ----------
    links : sequence of Link
        From the base outward.
    qd, tau : sequence of Scalar
        Of the joints, rad/s and N m.
    gravity : sequence of Scalar, optional
        Acceleration of free fall in the frame before the first link, m/s^2.
    """
    v, c, p = mv(ZERO, ZERO), [], []
    for link, qd_i in zip(links, qd, strict=True):
        v = link.here(v)
        c.append(carried(v, qd_i))  # S qd itself does not matter here, as S x S = 0
        v = faster(v, qd_i)
        p.append(v.cross(link.inertia @ v))
    IA, joints = links[-1].inertia.articulated(), []
    for i in range(len(links) - 1, -1, -1):
        joint = Joint.of(IA, p[i], tau[i])
        joints.append(joint)
        if i > 0:
            Ia = joint.freed(IA)
            IA = links[i].inertia_before(Ia) + links[i - 1].inertia
            p[i - 1] = p[i - 1] + links[i].before(joint.felt(p[i], Ia @ c[i]))
    a, qdd = mv(ZERO, -Vector(gravity)), []
    for link, joint, c_i in zip(links, reversed(joints), c, strict=True):
        a = link.here(a) + c_i
        qdd.append(joint.acceleration(a))
        a = faster(a, qdd[-1])
    return qdd
