"""The zigzag chain of section 10.2, and how the condition of H grows."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.accuracy import (
    chain_conditions,
    condition_number,
    configuration_conditions,
    depth,
    growth,
    noise_fan,
    response,
    ring_conditions,
    rounded,
    tree_conditions,
)
from rbdkit.errors import ModelError, StateError
from rbdkit.library import branched_parents, chain_parents, rod_tree, zigzag_angles, zigzag_chain
from rbdkit.model.graph import ConnectivityGraph, shallowest_tree

ZIGZAG = np.deg2rad(75.0)
TAU_D = [126.4936, 97.4663, 69.9762, 43.7998, 21.9371, 6.1646]
TAU_A = [126.0, 97.5, 70.0, 43.8, 21.9, 6.16]
QDD_A = [0.6592, 1.3654, 1.3808, 0.5894, 0.9057, 1.0705]  # 0.6952 in print


def planar_inertia_matrix(angles):
    """H of a chain of unit rods, from positions in the plane: sum of m J^T J + I 1 1^T, without spatial vectors."""
    n, slope = len(angles), np.cumsum(angles)
    along = np.exp(1j * slope)
    H = np.zeros((n, n))
    for k in range(n):
        centre = np.array([along[j:k].sum() + 0.5 * along[k] for j in range(k + 1)])  # from hinge j to the middle of k
        turned = 1j * centre
        block = np.real(np.conj(turned)[:, None] * turned) + 1.0 / 12.0
        H[: k + 1, : k + 1] += block
    return H


@pytest.mark.source("F10.04")
def test_forces_and_accelerations_of_the_book():
    reply = response(zigzag_chain(), zigzag_angles(), np.ones(6))
    # the book cuts the digits off: 21.93718 and 6.164686
    assert np.all((reply.tau_d - TAU_D >= 0.0) & (reply.tau_d - TAU_D < 1e-4))
    assert np.array_equal(reply.tau_a, TAU_A)
    assert reply.qdd_a == pytest.approx(QDD_A, abs=5e-5)
    assert reply.condition == pytest.approx(725.39, abs=5e-3)
    assert reply.force_error < 0.005 and reply.acceleration_error > 0.4
    assert reply.amplification > 80.0


@pytest.mark.source("F10.04")
def test_the_same_without_spatial_vectors():
    H = planar_inertia_matrix(zigzag_angles())
    reply = response(zigzag_chain(), zigzag_angles(), np.ones(6))
    assert np.abs(reply.H - H).max() < 1e-13 * H.max()
    assert reply.tau_d == pytest.approx(H.sum(axis=1), rel=1e-13)
    assert reply.qdd_a == pytest.approx(np.linalg.solve(H, TAU_A), rel=1e-11)
    aba = rbd.aba(zigzag_chain(), zigzag_angles(), np.zeros(6), TAU_A)
    assert reply.qdd_a == pytest.approx(aba, rel=1e-11)


@pytest.mark.source("F10.04")
def test_neither_the_sign_of_the_first_angle_nor_the_direction_of_the_whole_matters():
    chain, angles = zigzag_chain(), zigzag_angles()
    turned = angles.copy()
    turned[0] = 0.4
    tau = response(chain, angles, np.ones(6)).tau_d
    for q in (-angles, turned):
        reply = response(chain, q, np.ones(6))
        assert reply.tau_d == pytest.approx(tau, rel=1e-13)
        assert reply.condition == pytest.approx(725.3876, abs=1e-3)


def test_gravity_is_carried_besides():
    model = rbd.library.chain_pendulum(3)
    q, wanted = np.array([0.3, -0.4, 0.9]), np.array([1.0, -2.0, 0.5])
    reply = response(model, q, wanted)
    assert reply.tau_d == pytest.approx(rbd.rnea(model, q, np.zeros(3), wanted), rel=1e-14)
    assert reply.qdd_a == pytest.approx(rbd.aba(model, q, np.zeros(3), reply.tau_a), rel=1e-11)
    perfect = response(model, q, wanted, applied=lambda tau: tau)
    assert np.array_equal(perfect.qdd_a, wanted)
    assert (perfect.force_error, perfect.acceleration_error) == (0.0, 0.0) and np.isnan(perfect.amplification)
    still = response(model, q, np.zeros(3), applied=lambda tau: tau + 0.1)
    assert still.acceleration_error == np.inf and still.force_error > 0.0
    with pytest.raises(StateError, match="shape"):
        response(model, q, wanted, applied=lambda tau: tau[:1])
    with pytest.raises(StateError, match="wanted"):
        response(model, q, np.ones(2))


def test_rounding_to_significant_digits():
    assert rounded([126.4936, 0.0012345, -99951.0, 0.0]).tolist() == [126.0, 0.00123, -1e5, 0.0]
    assert rounded(np.pi, 5) == 3.1416
    assert rounded([[1.26, 2.0]], 2).tolist() == [[1.3, 2.0]]


@pytest.mark.source("F10.04")
def test_a_fan_of_noise_is_bounded_by_the_condition_number():
    chain, q = zigzag_chain(), zigzag_angles()
    fan = noise_fan(chain, q, np.ones(6), 0.005, samples=400)
    exact = response(chain, q, np.ones(6), applied=lambda tau: tau)
    spread = np.linalg.norm(fan - 1.0, axis=1) / np.linalg.norm(np.ones(6))
    force = np.linalg.norm((exact.H @ (fan - 1.0).T).T, axis=1) / np.linalg.norm(exact.tau_d)
    assert np.all(force <= 0.005)
    assert np.all(spread <= 725.39 * force)
    assert spread.max() > 0.2
    assert np.mean(fan, axis=0) == pytest.approx(np.ones(6), abs=0.1)
    assert np.array_equal(fan, noise_fan(chain, q, np.ones(6), 0.005, samples=400))
    assert np.array_equal(noise_fan(chain, q, np.ones(6), 0.0, 3), np.ones((3, 6)))


@pytest.mark.source("F10.05")
def test_conditions_of_chains_by_length():
    assert chain_conditions([6, 10]) == pytest.approx([5685.06, 43523.35], abs=0.01)  # "approximately" 5184, 40000
    table = [(2, 9.8), (4, 158.5), (6, 725.4), (8, 2170.0), (10, 5117.0), (20, 74904.0)]
    for n, printed in table:
        assert chain_conditions([n], ZIGZAG)[0] == pytest.approx(printed, rel=5e-4 if n > 2 else 5e-3)
    lengths = np.array([6, 10, 16, 32, 48])
    worst = chain_conditions(lengths) / (4.0 * lengths**4.0)
    assert np.all(np.diff(worst) < 0.0) and np.all((worst > 0.99) & (worst < 1.1))  # 4 N^4


@pytest.mark.source("F10.05")
def test_the_condition_grows_with_the_fourth_power_of_the_length():
    for angle in (0.0, ZIGZAG):
        slopes = [growth(n, chain_conditions(n, angle)) for n in ([4, 8], [8, 16], [16, 32], [32, 64])]
        assert abs(slopes[-1] - 4.0) < 0.05
        assert abs(slopes[-1] - 4.0) < abs(slopes[0] - 4.0)


@pytest.mark.source("F10.05")
def test_the_straight_chain_is_the_worst_configuration():
    straight = chain_conditions([6])[0]
    assert straight > tree_conditions(chain_parents(6), 200).max()
    angles = np.deg2rad(np.linspace(0.0, 175.0, 36))
    over = configuration_conditions(6, angles)
    assert over[0] == pytest.approx(straight, rel=1e-12) and np.all(np.diff(over) < 0.0)
    assert over[15] == pytest.approx(725.39, abs=5e-3)  # 75 degrees


@pytest.mark.source("F10.05")
def test_branched_trees_of_the_same_bodies_are_better():
    """Medians of 20 random postures scatter by a half; those of 400 are better by 4.9, 10.8 and 30."""
    for n, better in ((7, 2.5), (15, 5.5), (31, 15.0)):
        shapes = [branched_parents(n, k) for k in (1, 2, 3)] + [(0,) * n]
        conditions = [np.median(tree_conditions(parents)) for parents in shapes]
        assert [depth(parents) for parents in shapes] == sorted((depth(p) for p in shapes), reverse=True)
        assert conditions == sorted(conditions, reverse=True)
        assert conditions[0] > better * conditions[1]
        assert conditions[-1] == pytest.approx(1.0, rel=1e-12)  # every rod on the base


@pytest.mark.source("F10.05")
def test_a_ring_is_best_cut_into_the_tree_of_least_depth():
    conditions = ring_conditions(8)
    assert conditions == pytest.approx(conditions[::-1], rel=1e-9)  # cut from the left or from the right
    depths = np.maximum(np.arange(9), 8 - np.arange(9))
    assert np.argmin(conditions) == 4 == np.argmin(depths)
    assert np.all(np.diff(conditions[:5]) < 0.0) and conditions[0] > 6.0 * conditions[4]


@pytest.mark.source("F10.05", "F4.02")
@pytest.mark.parametrize("rods", [5, 8])
def test_the_shallowest_spanning_tree_of_a_ring_is_the_best_conditioned(rods):
    """The tree that the graph search of chapter 4 finds is that of least condition, among all places to cut."""
    bodies = ["world", *(f"rod{k}" for k in range(1, rods + 1)), "world"]
    ring = ConnectivityGraph([(f"hinge{k}", *bodies[k : k + 2]) for k in range(rods + 1)])
    cut = int(shallowest_tree(ring).chords[0].name.removeprefix("hinge"))
    conditions = ring_conditions(rods)
    assert conditions[cut] == pytest.approx(conditions.min(), rel=1e-9)


def test_ring_conditions_are_those_of_the_mass_matrix_of_the_cut_ring():
    """Chain of k rods and chain of n - k: H is block diagonal, the blocks those of regular polygons' arcs."""
    n, turn = 5, 2.0 * np.pi / 6
    for k, found in enumerate(ring_conditions(n)):
        eigenvalues = np.concatenate([
            np.linalg.eigvalsh(planar_inertia_matrix(np.full(size, turn))) for size in (k, n - k) if size
        ])  # fmt: skip
        assert found == pytest.approx(eigenvalues.max() / eigenvalues.min(), rel=1e-9)


def test_depth_and_growth():
    assert [depth(p) for p in (chain_parents(5), branched_parents(7), (0, 0, 0))] == [5, 3, 1]
    assert growth([1.0, 2.0, 4.0], [3.0, 24.0, 192.0]) == pytest.approx(3.0, rel=1e-12)
    for x, y in (([1.0], [1.0]), ([1.0, 2.0], [1.0, 0.0]), ([1.0, 2.0, 3.0], [1.0, 2.0])):
        with pytest.raises(ModelError, match="two or more positive"):
            growth(x, y)
    assert condition_number(rod_tree((0, 0)), np.zeros(2)) == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize(("links", "says"), [(0, "links is 0"), (-3, "links is -3"), (2**63, "more than 200")])
def test_rings_of_no_rods_or_of_too_many(links, says):
    with pytest.raises(ModelError, match=says):
        ring_conditions(links)


def test_a_model_in_which_nothing_moves_has_no_condition():
    with pytest.raises(ModelError, match="nothing moves in model 'rock'"):
        condition_number(rbd.Model("rock"), [])
