"""Sueda's joints: printed formulas against derivatives of the pose, and the joints in models."""

from __future__ import annotations

import itertools

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms.euler_charts import EulerChart, in_better_chart, room_to_lock
from rbdkit.algorithms.exponential_coordinates import exponential_joint, reparametrized
from rbdkit.joints import SplineWarning
from rbdkit.joints.spline_basis import BASES, weights
from rbdkit.library import led_joints
from rbdkit.scene.build import scene_of
from rbdkit.spatial import plucker, se3, so3

RNG = np.random.default_rng(24)


def slope(f, h=1e-3):
    """By five points; loses h^4 and 1e-13."""
    return (f(-2 * h) - 8 * f(-h) + 8 * f(h) - f(2 * h)) / (12 * h)


def twist_of(pose, q, k):
    e = np.eye(len(q))[k]
    B = se3.inverse(pose(q)) @ slope(lambda s: pose(q + s * e))
    return np.concatenate([so3.unskew(B[:3, :3]), B[:3, 3]])


@pytest.mark.source("S2.04", "S2.05", "S2.10")
def test_fixed_prismatic_and_revolute():
    assert rbd.Fixed().motion_subspace(np.zeros(0)).shape == (6, 0)
    assert_allclose(rbd.Prismatic("y").motion_subspace(np.zeros(1))[:, 0], [0, 0, 0, 0, 1, 0])  # Eq 2.24
    q = 0.7
    printed = [[np.cos(q), -np.sin(q), 0, 0], [np.sin(q), np.cos(q), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]  # Eq 2.41
    assert_allclose(rbd.Revolute("z").pose(np.array([q])), printed, atol=1e-16)
    assert_allclose(rbd.Revolute("z").motion_subspace(np.array([q]))[:, 0], [0, 0, 1, 0, 0, 0])


@pytest.mark.source("S2.06", "S2.07")
def test_translations():
    assert_allclose(rbd.PlanarTranslation("z").motion_subspace(np.zeros(2)), np.eye(6)[:, 3:5])  # Eq 2.26
    assert_allclose(rbd.Translational().motion_subspace(np.zeros(3)), np.eye(6)[:, 3:])  # Eq 2.28
    assert_allclose(rbd.Translational().pose(np.array([1.0, 2, 3])), se3.pose(position=[1, 2, 3]))


@pytest.mark.source("S2.08")
def test_xzx_as_printed():
    q, v = RNG.uniform(-3, 3, 3), RNG.normal(size=3)
    (c1, c2, c3), (s1, s2, s3) = np.cos(q), np.sin(q)
    R = [
        [c2, -s2 * c3, s2 * s3],
        [c1 * s2, c1 * c2 * c3 - s1 * s3, -s1 * c3 - c1 * c2 * s3],
        [s1 * s2, c1 * s3 + s1 * c2 * c3, c1 * c3 - s1 * c2 * s3],
    ]  # Eq 2.31
    S = [[c2, 0, 1], [-c3 * s2, s3, 0], [s2 * s3, c3, 0]]  # Eq 2.34
    Sdot = [
        [-s2 * v[1], 0, 0],
        [s3 * s2 * v[2] - c3 * c2 * v[1], c3 * v[2], 0],
        [c2 * s3 * v[1] + s2 * c3 * v[2], -s3 * v[2], 0],
    ]  # Eq 2.35
    joint = rbd.EulerAngles("xzx")
    assert_allclose(joint.pose(q)[:3, :3], R, atol=1e-15)
    assert_allclose(joint.motion_subspace(q)[:3], S, atol=1e-15)
    assert_allclose(joint.velocity_product(q, v)[:3], np.array(Sdot) @ v, atol=1e-14)


@pytest.mark.source("S2.08")
@pytest.mark.parametrize("sequence", [s for s in itertools.product("XYZ", repeat=3) if s[0] != s[1] != s[2]])
def test_any_sequence(sequence):
    joint = rbd.EulerAngles("".join(sequence))
    q = joint.random(RNG)
    assert_allclose(joint.motion_subspace(q), np.array([twist_of(joint.pose, q, k) for k in range(3)]).T, atol=1e-11)
    assert_allclose(joint.project(joint.pose(q)), q, atol=1e-12)
    locked = np.array([0.4, 0.0 if sequence[0] == sequence[2] else np.pi / 2, 0.3])
    assert np.linalg.matrix_rank(joint.motion_subspace(locked), tol=1e-9) == 2
    assert_allclose(joint.pose(joint.project(joint.pose(locked))), joint.pose(locked), atol=1e-9)
    q = RNG.uniform(-1, 1, 3)
    assert_allclose(rbd.EulerAngles("ZYX").pose(q), rbd.EulerSpherical().pose(q), atol=1e-15)


def test_sequences_that_are_none():
    for sequence in ("XXY", "XY", "XYW", 3):
        with pytest.raises(rbd.ModelError, match="no neighbours alike"):
            rbd.EulerAngles(sequence)


@pytest.mark.source("S2.09")
def test_universal_as_printed():
    q, v = RNG.uniform(-3, 3, 2), RNG.normal(size=2)
    (c1, c2), (s1, s2) = np.cos(q), np.sin(q)
    joint = rbd.Universal("x", "y")
    R = [[c2, 0, s2], [s1 * s2, c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]]  # Eq 2.37
    assert_allclose(joint.pose(q)[:3, :3], R, atol=1e-15)
    assert_allclose(joint.motion_subspace(q)[:3], [[c2, 0], [0, 1], [s2, 0]], atol=1e-15)  # Eq 2.39
    assert_allclose(joint.velocity_product(q, v)[:3], np.array([-s2, 0, c2]) * v[1] * v[0], atol=1e-15)  # Eq 2.40


@pytest.mark.source("S2.11")
@pytest.mark.parametrize(
    "length", [1e-12, *10.0 ** np.arange(-9.0, 0.0, 0.5), 0.999, 1.0, 1.001, 2.0, 3.0, np.pi, 5.5, 6.28]
)
def test_exponential_coordinates_to_the_last_digits(length):
    """S = 1 - (1 - cos t)/t^2 [q] + (t - sin t)/t^3 [q]^2 and its rate by differences, with 80 digits."""
    n = RNG.normal(size=3)
    q, qdot = length * n / np.linalg.norm(n), RNG.normal(size=3)

    def exact(s):
        p = [mp.mpf(a.item()) + s * mp.mpf(b.item()) for a, b in zip(q, qdot, strict=True)]
        W = mp.matrix([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
        t = mp.sqrt(sum(x * x for x in p))
        return mp.eye(3) - (1 - mp.cos(t)) / t**2 * W + (t - mp.sin(t)) / t**3 * W * W

    with mp.workdps(80):
        h = mp.mpf(10) ** -25 * mp.mpf(min(length, 1.0))
        S, Sdot = exact(mp.mpf(0)), (exact(h) - exact(-h)) / (2 * h)
    found = exponential_joint(q, qdot)
    # five roundings of numbers near 1; Sdot of the printed formulas takes the difference of numbers of that size twice
    assert_allclose(found.S, np.array(S.tolist(), dtype=float), rtol=0, atol=2e-15)
    assert_allclose(found.Sdot, np.array(Sdot.tolist(), dtype=float), rtol=0, atol=1e-14)


@pytest.mark.source("S2.11")
@pytest.mark.parametrize("length", [1e-9, 1e-3, 1.0, 3.0, 5.5])
def test_exponential_coordinates(length):
    n = RNG.normal(size=3)
    q, qdot = length * n / np.linalg.norm(n), RNG.normal(size=3)
    R, S, Sdot = exponential_joint(q, qdot)
    assert_allclose(R, so3.exp(q), atol=1e-15)
    columns = [so3.unskew(R.T @ slope(lambda s, e=e: so3.exp(q + s * e))) for e in np.eye(3)]
    assert_allclose(S, np.array(columns).T, atol=1e-10)
    rate = slope(lambda s: exponential_joint(q + s * qdot, qdot).S, 1e-3)
    assert_allclose(Sdot, rate, atol=1e-9)
    joint = rbd.ExponentialSpherical()
    assert_allclose(S @ joint.rate(q, qdot), qdot, atol=1e-12)


@pytest.mark.source("S2.11")
def test_reparametrization_keeps_the_motion():
    q, qdot = np.array([3.0, -2.0, 4.5]), np.array([0.7, 0.2, -0.4])
    p, pdot = reparametrized(q, qdot)
    assert np.linalg.norm(p) == pytest.approx(2 * np.pi - np.linalg.norm(q))
    before, after = exponential_joint(q, qdot), exponential_joint(p, pdot)
    assert_allclose(after.R, before.R, atol=1e-14)
    assert_allclose(after.S @ pdot, before.S @ qdot, atol=1e-13)
    with pytest.raises(rbd.StateError, match="no other"):
        reparametrized(np.zeros(3), qdot)


@pytest.mark.source("S2.11")
def test_a_spinning_body_goes_on_past_whole_turns():
    """The motion is that with quaternions; coordinates are continued to 5.8 rad and jump to the other vector there."""

    def spun(joint):
        model = rbd.Model("top", gravity=(0, 0, 0))
        model.add_body("top", joint=joint, inertia=rbd.Inertia(1.0, [0.02, 0, 0.3], np.diag([0.2, 0.25, 0.05])))
        return rbd.simulate(model, v0=[0.5, 0.2, 14.0], duration=2.0, dt=1e-3)

    ball, vector = spun(rbd.Spherical()), spun(rbd.ExponentialSpherical())
    assert "compiled" in vector.report.backend
    assert vector.poses() == pytest.approx(ball.poses(), abs=1e-9)
    assert vector.v == pytest.approx(ball.v, abs=1e-9)
    lengths = np.linalg.norm(vector.q, axis=1)
    assert 5.7 < lengths.max() <= 2 * np.pi - 0.5 + 1e-12
    jumps = np.linalg.norm(np.diff(vector.q, axis=0), axis=1) > 1.0
    assert 3 <= jumps.sum() <= 5  # four turns and a half
    assert np.all(lengths[1:][jumps] < 1.0)


@pytest.mark.source("S2.12")
def test_composite_as_printed():
    one, two = rbd.EulerAngles("XYZ"), rbd.Helical("y", 0.3)
    joint = rbd.Composite(one, two)
    q, v = joint.random(RNG), RNG.normal(size=4)
    assert_allclose(joint.pose(q), one.pose(q[:3]) @ two.pose(q[3:]))
    assert_allclose(joint.motion_subspace(q), np.array([twist_of(joint.pose, q, k) for k in range(4)]).T, atol=1e-10)
    rate = slope(lambda s: joint.motion_subspace(q + s * v))
    assert_allclose(joint.velocity_product(q, v), rate @ v, atol=1e-10)
    # Eq 2.52 with two columns of blocks
    S1, S2 = one.motion_subspace(q[:3]), two.motion_subspace(q[3:])
    Ad = se3.adjoint(se3.inverse(two.pose(q[3:])))
    S1dot = slope(lambda s: one.motion_subspace(q[:3] + s * v[:3]))
    printed = np.hstack([-se3.ad(S2 @ v[3:]) @ Ad @ S1 + Ad @ S1dot, np.zeros((6, 1))])
    assert_allclose(printed, rate, atol=1e-10)


@pytest.mark.source("S2.12")
def test_a_composite_joint_is_a_chain_with_massless_bodies():
    parts = [rbd.Revolute("z"), rbd.Universal("x", "y"), rbd.Prismatic("x")]
    inertia = rbd.Inertia(1.5, [0.1, 0.2, -0.1], np.diag([0.1, 0.2, 0.15]))
    whole, chain = rbd.Model("one"), rbd.Model("chain")
    whole.add_body("b", joint=rbd.Composite.chain(parts), inertia=inertia)
    for k, joint in enumerate(parts):
        chain.add_body(f"b{k}", f"b{k - 1}" if k else "world", joint, inertia=inertia if k == 2 else None)
    q, v, tau = whole.random_q(3), RNG.normal(size=4), RNG.normal(size=4)
    for backend in ("auto", "book"):
        assert_allclose(
            rbd.forward_dynamics(whole, q, v, tau, backend=backend),
            rbd.forward_dynamics(chain, q, v, tau, backend=backend),
            rtol=1e-10,
        )
    for what, match in {
        (rbd.Free(), rbd.Revolute("x")): "7 freedoms",
        (rbd.Revolute("x"), rbd.Prescribed(rbd.Revolute("z"), lambda t: (t, 1.0, 0.0))): "as time says",
    }.items():
        with pytest.raises(rbd.ModelError, match=match):
            rbd.Composite(*what)


@pytest.mark.source("S2.13")
def test_free_in_plane():
    q, v = RNG.normal(size=3), RNG.normal(size=3)
    joint, chain = rbd.FreeInPlane("z"), rbd.Composite(rbd.PlanarTranslation("z"), rbd.Revolute("z"))
    for function in ("pose", "motion_subspace"):
        assert_allclose(getattr(joint, function)(q), getattr(chain, function)(q), atol=1e-15)
    assert_allclose(joint.velocity_product(q, v), chain.velocity_product(q, v), atol=1e-15)
    # the same motion as with velocities along the axes of the body
    planar = rbd.Planar("z")
    there = np.array([q[2], q[0], q[1]])
    assert_allclose(joint.pose(q), planar.pose(there), atol=1e-15)


@pytest.mark.source("S2.14")
def test_free_in_space():
    """Q = Q_spherical Q_translational: the position is R q2, that is, q2 along the axes of the body."""
    joint = rbd.Composite(rbd.Spherical(), rbd.Translational())
    q, v = joint.random(RNG), RNG.normal(size=6)
    S = np.block([[np.eye(3), np.zeros((3, 3))], [-so3.skew(q[4:]), np.eye(3)]])  # Eq 2.58
    assert_allclose(joint.motion_subspace(q), S, atol=1e-15)
    Sdot = np.block([[np.zeros((3, 6))], [-so3.skew(v[3:]), np.zeros((3, 3))]])  # Eq 2.59
    assert_allclose(joint.velocity_product(q, v), Sdot @ v, atol=1e-15)
    assert_allclose(joint.pose(q), rbd.Free(translation="successor").pose(q), atol=1e-15)


@pytest.mark.source("S2.15")
def test_bases():
    for basis, B in BASES.items():
        assert_allclose(B.sum(axis=0), [1, 0, 0, 0], atol=1e-15)
        count, segments = {"b_spline": (7, 4), "catmull_rom": (7, 4), "bezier": (10, 3)}[basis]
        q = np.linspace(-0.4, segments + 0.4, 100)[:, None]
        w = np.stack([x + 0 * q for x in weights(q, count, basis)])
        assert_allclose(w.sum(axis=0), 1.0, atol=1e-14)
        summed = np.stack([x + 0 * q for x in weights(q, count, basis, cumulative=True)])
        assert_allclose(summed[:-1] - summed[1:], w[:-1], atol=1e-14)  # Eq 2.65
        for order in (1, 2):
            at = np.array([[0.3], [1.7], [segments - 0.2], [segments + 0.3]])

            def below(s, at=at, count=count, basis=basis, order=order):
                return np.stack([x + 0 * at for x in weights(at + s, count, basis, order - 1)])

            found = np.stack([x + 0 * at for x in weights(at, count, basis, order)])
            assert_allclose(found, slope(below), atol=1e-10)
        if basis != "b_spline":  # they pass through controls
            values = np.cumsum(RNG.uniform(0.5, 1.0, count))
            step, first = (3, 0) if basis == "bezier" else (1, 1)
            for k in range(segments + 1):
                there = sum(c * x for c, x in zip(values, weights(np.array([float(k)]), count, basis), strict=True))
                assert_allclose(there, values[first + step * k], atol=1e-13)


@pytest.mark.source("S2.15")
@pytest.mark.parametrize("basis", BASES)
def test_spline_curve(basis):
    frames = [np.eye(4)]
    for _ in range(6):
        frames.append(frames[-1] @ se3.exp(RNG.uniform(0.1, 0.8, 6)))
    joint = rbd.SplineCurve(frames, basis)
    # one segment as printed, Eq 2.67
    q = 0.35
    dC = [se3.log(se3.inverse(a) @ b) for a, b in itertools.pairwise(frames[:4])]
    Bq = BASES[basis] @ [1.0, q, q**2, q**3]
    Q = frames[0]
    for d, b in zip(dC, [Bq[1:].sum(), Bq[2:].sum(), Bq[3]], strict=True):
        Q = Q @ se3.exp(d * b)
    assert_allclose(joint.start @ joint.pose(np.array([q])), Q, atol=1e-14)
    for at in (-0.4, 0.0, 0.35, 1.6, joint.segments + 0.5):
        q, v = np.array([at]), np.array([1.3])
        if at != 0.0:  # there the second derivative jumps, and differences see both sides
            assert_allclose(joint.motion_subspace(q)[:, 0], twist_of(joint.pose, q, 0), atol=1e-10)
            rate = slope(lambda s, q=q, v=v: joint.motion_subspace(q + s * v))
            assert_allclose(joint.velocity_product(q, v), rate[:, 0] * v, atol=1e-9)
    for at in (0.2, 1.4, joint.segments - 0.1):
        assert_allclose(joint.project(joint.pose(np.array([at]))), [at], atol=1e-9)
    for k in range(1, joint.segments):  # smooth at knots
        low, high = (joint.motion_subspace(np.array([k + s]))[:, 0] for s in (-1e-9, 1e-9))
        if basis != "bezier":
            assert_allclose(low, high, atol=1e-7)


@pytest.mark.source("S2.15")
def test_a_bead_on_a_helix_of_frames():
    """Frames along a helix, by a constant screw: the spline is the helix, and slides down as a helical joint does."""
    step = np.array([0, 0, 0.5, 0.1, 0, 0.05])
    frames = [se3.exp(k * step) for k in range(8)]
    inertia = rbd.Inertia(1.0, [0.1, 0.0, 0.0], 0.02 * np.eye(3))
    bead = rbd.Model("bead")
    bead.add_body("bead", joint=rbd.SplineCurve(frames), inertia=inertia)
    run = rbd.simulate(bead, [1.0], [0.1], 0.5)
    assert "compiled" in run.report.backend
    # the same one-freedom system: M = s I s, and gravity along the screw
    assert rbd.crba(bead, [2.3])[0, 0] == pytest.approx(step @ inertia.matrix @ step, rel=1e-12)
    assert run.poses()[-1, 1] == pytest.approx(se3.exp((run.q[-1, 0] - 0.0) * step), abs=1e-12)
    assert run.report.energy_error < 1e-9


@pytest.mark.source("S2.15")
def test_curves_that_are_none():
    frames = np.array([se3.pose(position=[k, 0, 0]) for k in range(6)])
    bent = frames.copy()
    bent[2, 0, 0] = 2.0
    far = frames.copy()
    far[3:, :3, :3] = so3.exp([0, 0, 3.1])
    for given, match in [
        (frames[:3], "3 controls"), (bent, "control frame 2 .* is no pose"), (far, "2 and 3 .* 3.1 rad apart"),
        (frames[:, :3], "shape"), (np.tile(frames[0], (6, 1, 1)), "stands still"),
    ]:  # fmt: skip
        with pytest.raises(rbd.ModelError, match=match):
            rbd.SplineCurve(given)
    with pytest.raises(rbd.ModelError, match="'nurbs'"):
        rbd.SplineCurve(frames, "nurbs")
    with pytest.raises(rbd.ModelError, match="4, 7, 10"):
        rbd.SplineCurve(frames, "bezier")


@pytest.mark.source("S2.16")
@pytest.mark.parametrize("basis", ["b_spline", "catmull_rom"])
def test_spline_surface(basis):
    joint = rbd.SplineSurface(rbd.SplineSurface().values + 0.05 * RNG.normal(size=(6, 5, 5)), basis)
    assert joint.segments == (2, 2)
    for q in (np.array([0.4, 1.7]), np.array([1.2, 0.3]), np.array([2.3, -0.2])):
        v = RNG.normal(size=2)
        S = np.array([twist_of(joint.pose, q, k) for k in range(2)]).T
        assert_allclose(joint.motion_subspace(q), S, atol=1e-10)
        rate = slope(lambda s, q=q, v=v: joint.motion_subspace(q + s * v))
        assert_allclose(joint.velocity_product(q, v), rate @ v, atol=1e-9)
        assert_allclose(joint.project(joint.pose(q)), q, atol=1e-8)
    # the product of Eq 2.71, for one patch as printed
    q = np.array([0.3, 0.6])
    powers = [np.array([1, x, x**2, x**3]) for x in q]
    f = [powers[0] @ BASES[basis].T @ C[:4, :4] @ BASES[basis] @ powers[1] for C in joint.values]  # Eq 2.68
    R = so3.exp([f[3], 0, 0]) @ so3.exp([0, f[4], 0]) @ so3.exp([0, 0, f[5]])
    assert_allclose(joint.start @ joint.pose(q), se3.pose(R, f[:3]), atol=1e-14)


@pytest.mark.source("S2.16")
def test_surfaces_that_turn_too_far_or_are_none():
    values = np.array(rbd.SplineSurface().values)
    values[3, 2, 2] = 1.0
    with pytest.warns(SplineWarning, match="turned by 1 rad"):
        rbd.SplineSurface(values)
    with pytest.raises(rbd.ModelError, match="no two freedoms"):
        rbd.SplineSurface(np.zeros((6, 4, 4)))
    with pytest.raises(rbd.ModelError, match="3 controls"):
        rbd.SplineSurface(np.zeros((6, 3, 4)))
    with pytest.raises(rbd.ModelError, match="shape"):
        rbd.SplineSurface(np.zeros((5, 4, 4)))


@pytest.mark.source("S2.12", "S2.15", "S2.16")
def test_models_of_them_are_compiled_saved_and_drafted(tmp_path):
    model = rbd.Model("led")
    for k, joint in enumerate(led_joints(np.random.default_rng(0))):
        inertia = rbd.Inertia(1.0, RNG.normal(size=3), np.diag(RNG.uniform(1.0, 1.5, 3)))
        model.add_body(f"b{k}", f"b{k - 2}" if k > 1 else "world", joint, inertia=inertia)
    q, v = model.random_q(2), 0.3 * RNG.normal(size=model.nv)
    tau = RNG.normal(size=model.nv)
    assert "LLVM" in rbd.engine.backend(model)[1]
    fast, slow = (rbd.forward_dynamics(model, q, v, tau, backend=backend) for backend in ("auto", "book"))
    assert fast == pytest.approx(slow, rel=1e-9, abs=1e-9)
    rbd.save(model, tmp_path / "led.json")
    read = rbd.load(tmp_path / "led.json")
    assert [a.type for a in read.joints] == [a.type for a in model.joints]
    draft = rbd.drafting.Draft.from_model(model)
    made: dict = {}
    exec(draft.code(), made)
    again = next(x for x in made.values() if isinstance(x, rbd.Model))
    assert rbd.crba(again, q) == pytest.approx(rbd.crba(model, q), rel=1e-9, abs=1e-9)
    X = plucker.from_pose(model.joints[-1].type.pose(np.array([0.3, 0.4])))
    assert X.shape == (6, 6)


def test_pictures_of_them():
    """Marks have a size, though splines begin off their frames by round-off."""
    for joint in led_joints(np.random.default_rng(0)):
        model = rbd.Model("one")
        model.add_body("body", joint=joint, inertia=rbd.Inertia.sphere(0.1, mass=1.0))
        outline = scene_of(model).outline
        assert 0.05 < np.ptp(outline, axis=0).max() < 10.0


@pytest.mark.source("S2.11")
def test_charts_of_euler_angles_change_on_the_fly():
    """A body tumbles through the locks of both sequences; as with quaternions, to the error of the method."""
    inertia = rbd.Inertia(1.0, [0.02, 0.01, 0.3], np.diag([0.2, 0.25, 0.05]))

    def top(joint):
        model = rbd.Model("top")
        model.add_body("top", joint=joint, inertia=inertia)
        return model

    models = {name: top(rbd.EulerAngles(name)) for name in ("ZYX", "ZYZ")}
    chart = EulerChart("ZYX", np.array([0.3, 0.2, -0.4]), np.array([2.0, 3.0, 4.0]))
    start = models["ZYX"].joint("top_joint").type
    ball = top(rbd.Spherical())
    q0 = rbd.Spherical().project(start.pose(chart.q))
    omega = start.motion_subspace(chart.q)[:3] @ chart.qdot
    h, steps = 2e-3, 1000
    expected = rbd.simulate(ball, q0, omega, h * steps, h).poses()[:, 1, :3, :3]

    def rate(sequence, y):
        return np.concatenate([y[3:], rbd.aba(models[sequence], y[:3], y[3:], np.zeros(3), backend="book")])

    seen, least = [], 1.0
    for k in range(steps):
        assert_allclose(rbd.EulerAngles(chart.sequence).pose(chart.q)[:3, :3], expected[k], atol=1e-7)
        least = min(least, room_to_lock(chart.sequence, chart.q))
        seen.append(chart.sequence)
        y = np.concatenate([chart.q, chart.qdot])
        k1 = rate(chart.sequence, y)
        k2 = rate(chart.sequence, y + 0.5 * h * k1)
        k3 = rate(chart.sequence, y + 0.5 * h * k2)
        k4 = rate(chart.sequence, y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        chart = in_better_chart(chart.sequence, y[:3], y[3:])
    changes = sum(a != b for a, b in itertools.pairwise(seen))
    assert changes >= 2 and least > 0.4


def test_charts_that_cannot_be_changed():
    with pytest.raises(rbd.StateError, match="not from 'XYZ'"):
        in_better_chart("XYZ", np.zeros(3), np.zeros(3))
    with pytest.raises(rbd.StateError, match="have locked"):
        in_better_chart("ZYZ", np.zeros(3), np.ones(3))
    with pytest.raises(rbd.StateError, match="three finite numbers"):
        in_better_chart("ZYX", np.zeros(2), np.ones(3))
