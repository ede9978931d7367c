"""Random mechanisms against Gauss' principle, by way of poses as Taylor series of order two.

The oracle shares nothing with rbdkit but the numbers of the model: its poses are products of series, constraints are
differences of points, axes and angles, and accelerations obey them in the null space of their derivatives, where no
mass comes in. `RBDKIT_TREES` says how many mechanisms there are.
"""

import os

import numpy as np
import pytest

import rbdkit as rbd


class Jet:
    """x(s) = c0 + c1 s + c2 s^2 / 2, of arrays."""

    __array_ufunc__ = None  # arrays leave products to it

    def __init__(self, c0, c1=None, c2=None):
        c0 = np.asarray(c0, float)
        self.c = [c0, *(np.zeros_like(c0) if x is None else np.asarray(x, float) for x in (c1, c2))]

    def __add__(self, o):
        return Jet(*(a + b for a, b in zip(self.c, jet(o).c)))

    __radd__ = __add__

    def __sub__(self, o):
        return Jet(*(a - b for a, b in zip(self.c, jet(o).c)))

    def __rsub__(self, o):
        return jet(o) - self

    def _times(self, o, f):
        (a, b, c), (x, y, z) = self.c, jet(o).c
        return Jet(f(a, x), f(b, x) + f(a, y), f(c, x) + 2 * f(b, y) + f(a, z))

    def __mul__(self, o):
        return self._times(o, np.multiply)

    __rmul__ = __mul__

    def __matmul__(self, o):
        return self._times(o, np.matmul)

    def __rmatmul__(self, o):
        return jet(o) @ self

    @property
    def T(self):
        return Jet(*(np.swapaxes(x, -1, -2) for x in self.c))

    def __getitem__(self, k):
        return Jet(*(x[k] for x in self.c))

    def of(self, f, d, dd):
        _, b, c = self.c
        return Jet(f, d * b, d * c + dd * b * b)

    def sqrt(self):
        r = np.sqrt(self.c[0])
        return self.of(r, 0.5 / r, -0.25 / r**3)


def jet(x):
    return x if isinstance(x, Jet) else Jet(x)


def hat(n):
    return np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])


def pose(R, p):
    R, p = jet(R), jet(p)
    found = []
    for k, (a, b) in enumerate(zip(R.c, p.c)):
        T = np.zeros((4, 4))
        T[:3, :3], T[:3, 3], T[3, 3] = a, b, k == 0
        found.append(T)
    return Jet(*found)


def inverse(T):
    R = T[:3, :3].T
    return pose(R, 0.0 - R @ T[:3, 3])


def turn(n, angle):
    """Rotation about a unit axis by a series of angles."""
    K, a = hat(n), angle.c
    R = np.eye(3) + np.sin(a[0]) * K + (1 - np.cos(a[0])) * K @ K
    return Jet(R, a[1] * K @ R, (a[2] * K + a[1] ** 2 * K @ K) @ R)


def of_quaternion(q):
    w, v = q[0], q[1:]
    return np.eye(3) + 2 * w * hat(v) + 2 * hat(v) @ hat(v)


def joint_pose(type, q, v, t):
    """Series of a joint that starts at q with velocities v and goes on with these."""
    kind = type.__class__.__name__
    if kind == "Reversed":
        return inverse(joint_pose(type.joint, q, v, t))
    if kind == "Prescribed":
        return driven_pose(type.joint, *(np.atleast_1d(x) for x in type.motion(t)))
    if kind in ("Spherical", "Free"):
        R0 = of_quaternion(q[:4])
        W = hat(v[:3])
        R = Jet(R0, R0 @ W, R0 @ W @ W)
        if kind == "Spherical":
            return pose(R, np.zeros(3))
        p0 = R0 @ q[4:] if type.translation == "successor" else q[4:]
        return pose(R, Jet(p0, R0 @ v[3:], R0 @ W @ v[3:]))
    return driven_pose(type, q, v, np.zeros(len(q)))


def driven_pose(type, q, v, a):
    kind, x = type.__class__.__name__, [Jet(*c) for c in zip(q, v, a)]
    if kind == "Reversed":
        return inverse(driven_pose(type.joint, q, v, a))
    none = np.eye(3)
    if kind == "Fixed":
        return pose(none, np.zeros(3))
    if kind == "Revolute":
        return pose(turn(type.axis, x[0]), np.zeros(3))
    if kind == "Prismatic":
        return pose(none, x[0] * np.array(type.axis))
    if kind == "Helical":
        return pose(turn(type.axis, x[0]), (type.pitch * x[0]) * np.array(type.axis))
    if kind == "Cylindrical":
        return pose(turn(type.axis, x[0]), x[1] * np.array(type.axis))
    if kind == "Universal":
        return pose(turn(type.axis1, x[0]) @ turn(type.axis2, x[1]), np.zeros(3))
    if kind == "Translational":
        return pose(none, x[0] * np.eye(3)[0] + x[1] * np.eye(3)[1] + x[2] * np.eye(3)[2])
    raise TypeError(kind)


def across(n):
    """Two unit vectors across another."""
    return np.linalg.svd(np.array(n)[None])[2][1:]


def closure(type, X):
    """What must vanish of a relative pose, a list of series; redundant rows are welcome."""
    kind = type.__class__.__name__
    if kind == "Reversed":
        return closure(type.joint, inverse(X))
    R, p = X[:3, :3], X[:3, 3]
    point = [p[k] for k in range(3)]
    stays = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    if kind == "Spherical":
        return point
    if kind == "Fixed":
        return point + stays
    if kind == "Translational":
        return stays
    if kind == "Universal":
        return point + [np.array(type.axis1) @ (R @ np.array(type.axis2)) - float(np.dot(type.axis1, type.axis2))]
    n = np.array(type.axis)
    e = across(n)
    tilt, aside = [x @ (R @ n) for x in e], [x @ p for x in e]
    if kind == "Revolute":
        return point + tilt
    if kind == "Cylindrical":
        return aside + tilt
    if kind == "Planar":
        return tilt + [n @ p]
    if kind == "SphereInCylinder":
        return aside
    if kind == "Prismatic":
        return stays + aside
    if kind == "Helical":
        c, s = e[0] @ (R @ e[0]), np.cross(n, e[0]) @ (R @ e[0])
        size = float(c.c[0] ** 2 + s.c[0] ** 2)
        first = float(c.c[0] * s.c[1] - s.c[0] * c.c[1]) / size
        second = float(c.c[0] * s.c[2] - s.c[0] * c.c[2]) / size
        second -= 2 * first * float(c.c[0] * c.c[1] + s.c[0] * s.c[1]) / size
        along = n @ p
        turns = np.arctan2(s.c[0], c.c[0])
        turns += 2 * np.pi * np.round((float(along.c[0]) / type.pitch - turns) / (2 * np.pi))
        return aside + tilt + [along - type.pitch * Jet(turns, first, second)]
    raise TypeError(kind)


class Oracle:
    """constraints : functions of poses, and of coordinates of joints by name, that return lists of series. forces :
    functions of poses that return bodies, points in them, and forces there."""

    def __init__(self, model):
        self.model, self.constraints, self.forces = model, [], []

    def series(self, q, v, t, moves=True):
        """Poses of bodies, and of joints with one coordinate. moves : whether time does."""
        T, x = [jet(np.eye(4))], {}
        for body in self.model.bodies[1:]:
            joint = body.joint
            own_q, own_v = q[joint.q_slice], v[joint.v_slice]
            if joint.mimic is not None:
                own_q, own_v = joint.mimic.multiplier * own_q + joint.mimic.offset, joint.mimic.multiplier * own_v
            X = joint_pose(joint.type, own_q, own_v, t)
            if isinstance(joint.type, rbd.Prescribed) and not moves:
                X = jet(X.c[0])
            if len(own_q) == 1 and len(own_v) == 1:
                x[joint.name] = Jet(float(own_q[0]), float(own_v[0]), 0.0)
            T.append(T[self.model.parent[body.index]] @ jet(joint.placement) @ X)
        return T, x

    def rows(self, T, x):
        return [r for c in self.constraints for r in c(T, x)]

    def jacobians(self, q, v, t):
        """J, J v + what time does, and what velocities make of the accelerations of rows; of bodies (w, v) likewise."""
        nv = self.model.nv
        units = [self.series(q, e, t, moves=False) for e in np.eye(nv)]
        T, x = self.series(q, v, t)
        bodies = np.array([[_twist(one) for one in unit[0]] for unit in units]).reshape(nv, len(T), 6)
        of_rows = self.rows(T, x)
        J = np.array([[float(r.c[1]) for r in self.rows(*unit)] for unit in units]).reshape(nv, len(of_rows)).T
        rate, more = (np.array([float(r.c[k]) for r in of_rows]) for k in (1, 2))
        return T, x, bodies, J, rate, more

    def consistent(self, q, v, t):
        J, rate = self.jacobians(q, v, t)[3:5]
        return v - np.linalg.pinv(J, rcond=1e-9) @ rate if len(J) else v

    def accelerations(self, q, v, tau, t, f_ext=None):
        """qdd, and the singular values of J."""
        model, nv = self.model, self.model.nv
        T, _, bodies, J, _, more = self.jacobians(q, v, t)
        H, Q = np.zeros((nv, nv)), tau.copy()
        for joint in model.joints[1:]:
            own = joint.v_slice
            f = joint.mimic.multiplier if joint.mimic is not None else 1.0
            H[own, own] += f * f * np.diag(joint.armature)
            Q[own] -= f * f * joint.damping * v[own]
            if joint.stiffness.any():
                Q[own] -= joint.stiffness * (q[joint.q_slice] - joint.rest)
        wrenches = np.zeros((len(T), 6))
        for force in self.forces:
            for body, point, F in force(T):
                arm = T[body].c[0][:3, :3] @ point
                wrenches[body] += [*np.cross(arm, F), *F]
        for body in model.bodies[1:]:
            i = body.index
            wrench = wrenches[i]
            if f_ext is not None:
                n, f = f_ext[i][:3], f_ext[i][3:]
                wrench = wrench + [*(n - np.cross(T[i].c[0][:3, 3], f)), *f]
            Q += bodies[:, i] @ wrench
            if body.inertia is None or body.inertia.mass == 0:
                continue
            R, m = T[i].c[0][:3, :3], body.inertia.mass
            c, I = R @ body.inertia.com, R @ body.inertia.inertia_com @ R.T
            Jw, Jv = bodies[:, i, :3], bodies[:, i, 3:] + np.cross(bodies[:, i, :3], c)
            H += m * Jv @ Jv.T + Jw @ I @ Jw.T
            w, _, dw, dv = _motion(T[i])
            a = dv + np.cross(dw, c) + np.cross(w, np.cross(w, c))
            Q += Jv @ (m * (np.asarray(model.gravity) - a)) - Jw @ (I @ dw + np.cross(w, I @ w))
        scale = 1.0 / np.sqrt(np.diag(H))
        self.missed = 0.0
        if not len(J):
            return scale * np.linalg.solve(scale[:, None] * H * scale, scale * Q), np.zeros(0)
        size = np.linalg.norm(J, axis=1)
        keep = size > 1e-11
        J, more = J[keep] / size[keep, None], more[keep] / size[keep]
        U, s, Vt = np.linalg.svd(J)
        r = int(np.sum(s > 1e-7))
        a = Vt[:r].T @ ((U[:, :r].T @ -more) / s[:r])
        self.missed = np.abs(J @ a + more).max(initial=0.0)
        N = Vt[r:].T
        if N.size:
            B = N.T @ H @ N
            d = 1.0 / np.sqrt(np.diag(B))
            a = a + N @ (d * np.linalg.solve(d[:, None] * B * d, d * (N.T @ (Q - H @ a))))
        return a, s


def _twist(T):
    """w and v of the origin, from the first terms."""
    W = T.c[1][:3, :3] @ T.c[0][:3, :3].T
    return np.array([W[2, 1], W[0, 2], W[1, 0], *T.c[1][:3, 3]])


def _motion(T):
    R, R1, R2 = (x[:3, :3] for x in T.c)
    W = R1 @ R.T
    dW = R2 @ R.T + R1 @ R1.T
    return axial(W), T.c[1][:3, 3], axial(dW), T.c[2][:3, 3]


def axial(x):
    return np.array([x[2, 1] - x[1, 2], x[0, 2] - x[2, 0], x[1, 0] - x[0, 1]]) / 2


def unit(rng):
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def placement(rng, size=0.5):
    return rbd.pose(rbd.spatial.so3.exp(rng.normal(size=3)), rng.uniform(-size, size, 3))


def tree_joint(rng, first):
    a, pitch = unit(rng), rng.uniform(0.05, 0.3)
    kinds = [rbd.Revolute(a), rbd.Prismatic(a), rbd.Spherical(), rbd.Free(), rbd.Helical(a, pitch=pitch), rbd.Fixed(),
             rbd.Cylindrical(a), rbd.Universal(a, unit(rng)), rbd.Free(translation="successor"), rbd.Translational(),
             rbd.Revolute(a)]  # fmt: skip
    found = kinds[rng.integers(4 if first else len(kinds))]
    return rbd.Reversed(found) if rng.uniform() < 0.2 and found.nv else found


def loop_joint(rng):
    a, pitch = unit(rng), rng.uniform(0.05, 0.3)
    kinds = [rbd.Spherical(), rbd.Revolute(a), rbd.Prismatic(a), rbd.Cylindrical(a), rbd.Universal(a, unit(rng)),
             rbd.SphereInCylinder(a), rbd.Planar(a), rbd.Fixed(), rbd.Helical(a, pitch=pitch),
             rbd.Translational()]  # fmt: skip
    found = kinds[rng.integers(len(kinds))]
    return rbd.Reversed(found) if rng.uniform() < 0.3 and found.nv else found


def swing(size, rate, start):
    def motion(t):
        s, c = np.sin(rate * t + start), np.cos(rate * t + start)
        return np.array([size * s]), np.array([size * rate * c]), np.array([-size * rate**2 * s])

    return motion


def tree(rng):
    """A model without loops, some of its bodies light beside others."""
    model, names, leaders = rbd.Model("mechanism", gravity=rng.choice([0.0, 9.81]) * unit(rng)), ["world"], []
    light = rng.uniform() < 0.7
    for k in range(int(rng.integers(3, 9))):
        kind, own = tree_joint(rng, k == 0), {}
        if kind.nv == 1 and rng.uniform() < 0.1:
            kind = rbd.Prescribed(kind, swing(*rng.uniform(0.3, 2.0, 3)))
        elif kind.nv == 1 and leaders and rng.uniform() < 0.25:
            ratio, offset = rng.uniform(0.3, 2.0) * rng.choice([-1, 1]), rng.uniform(-1.0, 1.0)
            own = {"mimic": rbd.Mimic(str(rng.choice(leaders)), ratio, offset)}
        elif kind.nv:
            own = {"damping": rng.uniform(0.0, 1.0, kind.nv), "armature": rng.choice([0.0, 0.3], kind.nv)}
            if kind.nv == 1:
                own |= {"stiffness": rng.uniform(0.0, 5.0, 1), "rest": rng.normal(size=1)}
                leaders.append(f"b{k}_joint")
        mass = 10.0 ** rng.uniform(-6.0, 0.0) if light and rng.uniform() < 0.5 else rng.uniform(0.5, 2.0)
        inertia = rbd.Inertia.box(tuple(rng.uniform(0.1, 0.6, 3)), mass=mass).transformed(placement(rng, 0.3))
        parent = names[-1] if rng.uniform() < 0.6 else str(rng.choice(names))
        model.add_body(f"b{k}", parent, kind, placement(rng), inertia, **own)
        names.append(f"b{k}")
    return model, names, leaders


def mechanism(seed):
    """A model with loops, constraints and springs, its oracle, coordinates that close it, and a time."""
    rng = np.random.default_rng(seed)
    model, names, leaders = tree(rng)
    oracle, t, q = (
        Oracle(model),
        rng.uniform(0.0, 2.0),
        model.integrate(model.neutral(), 0.7 * rng.normal(size=model.nv)),
    )
    T, freedom = [x.c[0] for x in oracle.series(q, np.zeros(model.nv), t)[0]], model.nv

    def two():
        (a, b), points = rng.choice(len(names), 2, replace=False), rng.uniform(-0.4, 0.4, (2, 3))
        return a, b, *points

    def at(poses, body, point):
        return (poses[body] @ np.append(point, 1.0))[:3]

    for k in range(int(rng.integers(0, 4))):
        (a, b, *_), kind, base = two(), loop_joint(rng), placement(rng)
        if 6 - kind.nv > freedom - 1:
            continue
        X = np.asarray(kind.pose(kind.integrate(kind.neutral(), 0.5 * rng.normal(size=kind.nv)), 0.0))
        tip = np.linalg.inv(T[b]) @ T[a] @ base @ X
        for again in range(1 + int(rng.uniform() < 0.15)):  # a loop may be closed twice
            model.add_loop(f"loop{k}{again}", names[a], names[b], kind, base, tip)
            oracle.constraints.append(
                lambda P, x, a=a, b=b, kind=kind, base=base, tip=tip: closure(
                    kind, inverse(P[a] @ jet(base)) @ P[b] @ jet(tip)
                )
            )
        freedom -= 6 - kind.nv
    for k in range(int(rng.integers(0, 3)) if freedom > 3 else 0):
        a, b, at_a, at_b = two()
        which = rng.integers(3)
        if which == 0:
            apart = float(np.linalg.norm(at(T, a, at_a) - at(T, b, at_b)))
            model.add_constraint(f"rod{k}", rbd.Distance(names[a], names[b], apart, tuple(at_a), tuple(at_b)))

            def held(P, x, a=a, b=b, at_a=at_a, at_b=at_b, apart=apart):
                d = at(P, b, at_b) - at(P, a, at_a)
                return [(d @ d).sqrt() - apart]

        elif which == 1:
            height = float((np.linalg.inv(T[b]) @ np.append(at(T, a, at_a), 1.0))[2])
            model.add_constraint(f"plane{k}", rbd.PointOnPlane(names[a], names[b], tuple(at_a), height))

            def held(P, x, a=a, b=b, at_a=at_a, height=height):
                return [at([inverse(P[b]) @ P[a]], 0, at_a)[2] - height]

        else:
            if len(leaders) < 2:
                continue
            one, other = (str(name) for name in rng.choice(leaders, 2, replace=False))
            offset = float(q[model.joint(one).q_slice][0] - 1.5 * q[model.joint(other).q_slice][0])
            model.add_constraint(f"tie{k}", rbd.Tie(one, other, 1.5, offset))

            def held(P, x, one=one, other=other, offset=offset):
                return [x[one] - 1.5 * x[other] - offset]

        oracle.constraints.append(held)
    for k in range(int(rng.integers(0, 3))):
        a, b, at_a, at_b = two()
        model.add_force(f"spring{k}", rbd.Spring(names[a], names[b], 9.0, 0.4, 0.7, tuple(at_a), tuple(at_b)))

        def force(P, a=a, b=b, at_a=at_a, at_b=at_b):
            e = at(P, b, at_b) - at(P, a, at_a)
            n = e.c[0] / np.linalg.norm(e.c[0])
            F = (9.0 * (np.linalg.norm(e.c[0]) - 0.4) + 0.7 * (n @ e.c[1])) * n
            return [(a, at_a, F), (b, at_b, -F)]

        oracle.forces.append(force)
    return model, oracle, q, t, rng


@pytest.mark.parametrize("number", range(int(os.environ.get("RBDKIT_TREES", "10"))))
def test_accelerations_of_random_mechanisms(number):
    """Loops, some of them twice, on trees of all joints, reversed, prescribed and mimic ones; ties, rods and planes;
    springs; bodies down to 1e-6 of others. Round-off grows with their ratio: 1e-16 times that, and some more."""
    model, oracle, q, t, rng = mechanism(number)
    v = oracle.consistent(q, rng.normal(size=model.nv), t)
    tau, f_ext = rng.normal(size=model.nv), rng.normal(size=(len(model.bodies), 6))
    expected, singular = oracle.accelerations(q, v, tau, t, f_ext)
    assert not ((singular > 1e-9) & (singular < 1e-4)).any()  # a pose where nobody can tell the rank; take another seed
    fed = {body.name: f_ext[body.index] for body in model.bodies[1:]}
    for backend in ("auto", "book"):
        found = rbd.forward_dynamics(model, q, v, tau, f_ext=fed, t=t, backend=backend)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * max(1.0, np.abs(expected).max()))
