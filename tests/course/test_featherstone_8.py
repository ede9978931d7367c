"""The checks accept right answers in whatever form and explain the usual wrong ones."""

import numpy as np
import pytest
from scipy.optimize import minimize

import rbdkit as rbd
from rbdkit.algorithms.loops import Baumgarte, loop_constraint, loop_equation, loop_mobility, solve_for_forces
from rbdkit_course.featherstone import chapter_8, four_bar
from rbdkit_course.featherstone.four_bar import MODEL, closed


def test_counted():
    row, q, _ = rbd.library.n_four_bar(2)
    numbers = loop_mobility(row, q)
    assert chapter_8.counted((numbers.n, numbers.n_c, numbers.r))
    assert chapter_8.counted(np.array([5.0, 10.0, 4.0]))
    for answer, word in (
        ((7, 10, 4), "two of them close loops"),
        ((3, 10, 4), "5 bars move"),
        ((5, 4, 4), "right in the plane"),
        ((5, 2, 2), "takes five"),
        ((5, 12, 4), "6 − 1"),
        ((5, 10, 5), "no freedom"),
        ((5, 10, 10), "three rows are zero"),
        ((5, 10, 3), "lie flat"),
        ((5, 10, 2), "two rows"),
    ):
        verdict = chapter_8.counted(answer)
        assert not verdict and word in verdict.why
    for nonsense in (None, "many", 5, [1, 2], [1.5, 10, 4], [np.nan, 1, 2]):
        assert "not three whole numbers" in chapter_8.counted(nonsense).why


def K_of(a, b, c):
    return np.array([[a[1] + b[1], b[1], -c[1]], [-a[0] - b[0], -b[0], c[0]]])


def test_jacobian_by_hand():
    turned = np.array([[0.6, 0.8], [-2.0, 1.0]])  # other rows that say the same
    for sign in (1, -1):
        for rows in ([0, 1], [1, 0]):
            verdict = chapter_8.jacobian_by_hand(lambda *bars, s=sign, rows=rows: s * K_of(*bars)[rows])
            assert verdict and "combinations" not in verdict.why
            verdict = chapter_8.jacobian_by_hand(
                lambda a, b, c, s=sign, r=rows: s * np.stack([a + b, b, -c], axis=1)[r]
            )
            assert not verdict and "as they lie" in verdict.why  # turned by a right angle, all rows at once
    for change in (-turned, 2.0 * np.eye(2)):
        verdict = chapter_8.jacobian_by_hand(lambda *bars, change=change: (change @ K_of(*bars)).tolist())
        assert verdict and "combinations" in verdict.why
    for change, word in (
        (lambda a, b, c: K_of(a, b, c) - np.outer([b[1], -b[0]], [1, 0, 0]), "carries the coupler"),
        (lambda a, b, c: K_of(a, b, c) * [1, 1, -1], "other sign"),
        (lambda a, b, c: K_of(a, b, c)[:, [0, 0, 2]], "column 2"),
        (lambda a, b, c: K_of(a, -b, c) * [1, -1, 1], "wrong sign"),
        (lambda a, b, c: K_of(a, b, c)[[0, 0]], "say the same"),
        (lambda a, b, c: np.eye(2, 3), "opens yours"),
        (lambda a, b, c: K_of(a, b, c)[0], "two rows and three columns"),
        (lambda a, b, c: 1 / 0, "ZeroDivisionError"),
        (None, "not a function"),
    ):
        verdict = chapter_8.jacobian_by_hand(change)
        assert not verdict and word in verdict.why


def test_dead_angle():
    stretched, folded = np.degrees(four_bar.dead_centres())
    for right in (stretched, "28.96", folded, folded + 360.0):
        assert chapter_8.dead_angle(right)
    for answer, word in (
        (-stretched, "crossed"),
        (folded + 180.0, "half a turn"),
        (np.radians(stretched), "asked for in degrees"),
        (np.radians(folded + 360.0), "asked for in degrees"),
        (45.0, "triangle"),
        ("up", "not an angle"),
        (np.nan, "not an angle"),
    ):
        verdict = chapter_8.dead_angle(answer)
        assert not verdict and word in verdict.why


def test_time_constant():
    assert chapter_8.time_constant(0.03)
    assert chapter_8.time_constant("0.06")
    for answer, word in ((1.0, "errors come faster"), (0.008, "stiff"), (0.002, "comes apart")):
        verdict = chapter_8.time_constant(answer)
        assert not verdict and word in verdict.why
    for nonsense in (None, 0.0, -1.0, "soon", [0.1, 0.2], np.inf):
        assert "not a time" in chapter_8.time_constant(nonsense).why


def test_two_motors():
    assert chapter_8.two_motors(["left_shoulder", "right_elbow"])
    assert chapter_8.two_motors("left_elbow, left_shoulder")
    for answer, word in (
        (["left_shoulder", "right_shoulder"], "dead one"),
        (["left_elbow", "right_elbow"], "times worse"),
        (["left_elbow"], "underactuated"),
        (["left_elbow", "left_shoulder", "right_elbow"], "redundant"),
        (["left_elbow", "tip"], "loop joint"),
        (["left_elbow", "knee"], "no joint 'knee'"),
        (None, "no joint"),
    ):
        verdict = chapter_8.two_motors(answer)
        assert not verdict and word in verdict.why


def test_the_forearms_are_in_line():
    model = chapter_8.arm_in_line()
    poses = rbd.forward_kinematics(model, model.neutral()).poses
    elbows = [poses[model.body(name).index][:3, 3] for name in ("left_fore", "right_fore")]
    assert np.linalg.norm(elbows[1] - elbows[0]) == pytest.approx(0.8, abs=1e-12)


def share(G_u, r, w):
    root = 1.0 / np.sqrt(w)
    return root * np.linalg.lstsq(G_u.T * root, r, rcond=None)[0]


def test_shared_torques():
    assert chapter_8.shared_torques(share)
    for change, word in (
        (lambda G, r, w: np.linalg.pinv(G.T) @ r, "weights are not in it"),
        (lambda G, r, w: share(G, r, 1.0 / w), "upside down"),
        (lambda G, r, w: share(G, r, w * w), "root of w"),
        (lambda G, r, w: share(G, 2.0 * r, w), "another motion"),
        (lambda G, r, w: np.append(np.linalg.solve(G[:2].T, r), [0.0, 0.0]), "could be"),
        (lambda G, r, w: r, "one number a motor"),
        (lambda G, r: r, "TypeError"),
    ):
        verdict = chapter_8.shared_torques(change)
        assert not verdict and word in verdict.why


def test_the_reference_shares_as_a_minimizer_does():
    rng = np.random.default_rng(1)
    G_u, r, w = rng.normal(size=(4, 2)), rng.normal(size=2), rng.uniform(0.5, 2.0, 4)
    found = minimize(
        lambda u: w @ u**2, np.zeros(4), constraints={"type": "eq", "fun": lambda u: G_u.T @ u - r}, tol=1e-12
    )
    assert chapter_8.weighted(G_u, r, w) == pytest.approx(found.x, abs=1e-6)


@pytest.mark.parametrize("phi", [0.4, 1.9, -2.3])
@pytest.mark.parametrize("crossed", [False, True])
def test_the_closed_form_closes_the_loop(phi, crossed):
    q = closed(phi, crossed)
    assert rbd.assemble(MODEL, q) == pytest.approx(q, abs=1e-13)
    assert np.abs(loop_constraint(MODEL, q, np.zeros(3)).delta).max() < 1e-14
    assert four_bar.crank_angle(q) == pytest.approx(phi)
    other = four_bar.same_rocker(q)
    assert np.abs(loop_constraint(MODEL, other, np.zeros(3)).delta).max() < 1e-14
    assert four_bar.rocker_angle(other) == pytest.approx(four_bar.rocker_angle(q))
    h = 1e-5
    slope = (four_bar.rocker_angle(closed(phi + h, crossed)) - four_bar.rocker_angle(closed(phi - h, crossed))) / (
        2 * h
    )
    assert four_bar.speed_ratio(q) == pytest.approx(slope, abs=1e-8)


@pytest.mark.source("F8.01", "F8.11")
@pytest.mark.parametrize("phi", [0.4, 1.9, -2.3])
def test_the_gap_and_its_rates_against_table_8_4(phi):
    """The table has the rocker less the coupler in the rocker's axes, the closed form the opposite in the world's."""
    q = closed(phi)
    v = 3.0 * four_bar.velocities(q)
    table = loop_constraint(MODEL, q, v)
    _, rate, K, k = (x[0] for x in four_bar.loop_terms(q[None], v[None]))
    axes = rbd.forward_kinematics(MODEL, q).pose("rocker")[:3, :3][np.ix_([0, 2], [0, 2])]
    shifts = [2, 4]
    assert np.abs(np.delete(table.K, shifts, axis=0)).max() < 1e-15
    assert table.K[shifts] == pytest.approx(-axes.T @ K, abs=1e-14)
    assert table.k[shifts] == pytest.approx(-axes.T @ k, abs=1e-13)
    assert rate == pytest.approx(np.zeros(2), abs=1e-14)


def test_the_gap_and_its_rates_are_derivatives_of_each_other():
    rng = np.random.default_rng(4)
    for _ in range(5):
        q, v, a = rng.normal(size=(3, 3))
        gap, rate, K, k = (x[0] for x in four_bar.loop_terms(q[None], v[None]))
        assert np.linalg.norm(loop_constraint(MODEL, q, v).delta) == pytest.approx(np.linalg.norm(gap))
        h = 1e-5
        ahead, behind = (four_bar.loop_terms((q + s * v + 0.5 * s * s * a)[None], (v + s * a)[None]) for s in (h, -h))
        assert (ahead[0][0] - behind[0][0]) / (2 * h) == pytest.approx(rate, abs=1e-8)
        assert (ahead[1][0] - behind[1][0]) / (2 * h) == pytest.approx(K @ a - k, abs=1e-7)


def test_dead_centres_are_where_crank_and_coupler_lie_in_line():
    for phi in four_bar.dead_centres():
        q = closed(phi)
        assert four_bar.speed_ratio(q) == 0.0
        heading = [np.arctan2(*bar) for bar in four_bar.BARS[:2]]
        assert np.sin(heading[1] + q[1] - heading[0]) == pytest.approx(0.0, abs=1e-14)


@pytest.mark.source("F8.03")
def test_what_drifts_is_taken_back():
    found = four_bar.drift([np.inf, 0.03, 0.002], step=0.01, duration=1.0)
    assert found.gap[0].max() < 1e-15
    assert found.gap[-1, 0] > 5e-4 and found.gap[-1, 1] < 1e-4
    assert np.isnan(found.gap[-1, 2]) and np.isfinite(found.q).all()  # what came apart stays where it was


def test_the_accelerations_are_those_of_the_loop_equation():
    q, v = closed(0.7), 2.0 * four_bar.velocities(closed(0.7))
    for T in (np.inf, 0.1):
        pulled = None if np.isinf(T) else Baumgarte.of_time(T)
        expected = solve_for_forces(loop_equation(MODEL, q, v, np.zeros(3), stabilization=pulled)).qdd
        assert four_bar.acceleration(q[None], v[None], np.array([T]))[0] == pytest.approx(expected, rel=1e-10)
