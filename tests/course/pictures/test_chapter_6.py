"""The pictures of chapter 6 tell the truth: their numbers by other routes, without a browser."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.sparse import expand_parents, ltdl, ltl, solve_LTDL
from rbdkit.library.candelabra import candelabra
from rbdkit.library.parent_arrays import random_parents
from rbdkit.scene.palette import GROUND, LINES, SPATIAL
from rbdkit.trace import trace
from rbdkit_course.catalogue import exercises
from rbdkit_course.featherstone.pictures import cost_meter, factorization_steps, inertia_pattern, unit_acceleration
from rbdkit_course.featherstone.pictures.tree_picture import tree_layout


@pytest.mark.parametrize("tree", inertia_pattern.TREES)
def test_renumbering_permutes_the_matrix_in_the_picture(tree):
    given = inertia_pattern.matrix(tree, "as given")
    names = [body.name for body in inertia_pattern.numbered_model(tree, "as given").bodies[1:]]
    for numbering in inertia_pattern.NUMBERINGS:
        H = inertia_pattern.matrix(tree, numbering)
        model = inertia_pattern.numbered_model(tree, numbering)
        order = [names.index(body.name) for body in model.bodies[1:]]
        np.testing.assert_allclose(H, given[np.ix_(order, order)], rtol=0, atol=1e-14)
    assert inertia_pattern.numbered_model(tree, "by lot").validate() == []


def test_bodies_that_an_entry_is_about():
    """Moved by both joints: those in whose Jacobian both columns are not zero; they sum up to the entry."""
    model = inertia_pattern.numbered_model("lopsided", "depth first")
    q = np.full(7, 0.4)
    for i in (1, 2, 5):
        for j in range(1, 8):
            picture = inertia_pattern.draw("lopsided", "depth first", i, j)
            shown = dict(picture.readout)
            both, H_ij = [], 0.0
            for body in model.bodies[1:]:
                J = rbd.jacobian(model, q, body.name)
                if J[:, i - 1].any() and J[:, j - 1].any():
                    both.append(body.index)
                    H_ij += J[:, i - 1] @ body.inertia.matrix @ J[:, j - 1]
            assert shown["moved by both"] == (", ".join(map(str, both)) or "none")
            expected = f"{H_ij:.4f} kg m²" if both else "0, whatever the masses"
            assert shown[f"H{i}{j}"] == expected


@pytest.mark.parametrize("tree", inertia_pattern.TREES)
def test_a_students_function_fills_the_matrix(tree):
    """The solution of the lab, compiled for the tree; what is none yet is said, and nothing is drawn of it."""
    (solution,) = (each.solution for each in exercises("LB") if each.name == "LB-3")
    space = {"np": np}
    exec(solution, space)
    H, fault = inertia_pattern.matrix_by(space["my_tree_crba"], tree, "by lot")
    assert fault == ""
    np.testing.assert_allclose(H, inertia_pattern.matrix(tree, "by lot"), rtol=0, atol=1e-13)
    np.testing.assert_array_equal(H != 0.0, inertia_pattern.matrix(tree, "by lot") != 0.0)
    empty = inertia_pattern.draw(tree, "as given", 2, 2, own=lambda model, q: np.zeros((7, 7)))
    assert empty.readout[0] == ("H22", "0.0000 kg m²")
    for other, note in ((lambda model, q: q, "does not return a matrix"), (lambda model, q: q[9], "stopped with")):
        assert note in inertia_pattern.draw(tree, "as given", 2, 2, own=other).note


def test_the_playgrounds_start_and_move():
    pattern = inertia_pattern.inertia_pattern()
    pattern.set(tree="all on the base", **{"row i": 2.0, "column j": 6.0})
    assert ("density ρ", "0.143") in pattern.picture.readout
    steps = factorization_steps.factorization_steps()
    steps.set(method="LᵀDL", step=3)
    assert steps.picture.note == "Row 7, area 2: H73 = H73 / H77."
    meter = cost_meter.cost_meter()
    meter.set(shape="chain", n=12.0)
    assert ("depth d", "12") in meter.picture.readout
    force = unit_acceleration.unit_acceleration_playground()
    force.set(joint="joint9")
    assert force.picture.readout[0][0] == "force through joint9"
    for playground in (pattern, steps, meter, force):
        playground.close()


@pytest.mark.source("F6.06")
@pytest.mark.parametrize("joint", ["joint1", "joint4", "joint9"])
def test_arrows_of_one_accelerating_joint(joint):
    """All arrows up to the base are equal; the moment about each joint's axis is an entry of H."""
    model = candelabra(unit_acceleration.RODS)
    picture = unit_acceleration.draw(model, joint, 0.7, -0.2)
    i = model.body(joint.replace("joint", "rod")).index
    q = np.full(10, -0.2)
    q[model.joint(joint).q_slice] = 0.7
    np.testing.assert_allclose(picture.poses, rbd.forward_kinematics(model, q).poses, atol=1e-15)
    places = picture.poses[:, :3, 3]
    path = model.support(i)
    straight = [arrow for arrow in picture.arrows if arrow.color == SPATIAL["force"][1]]
    assert len(straight) == len(path)
    for arrow, j in zip(straight, path, strict=True):
        np.testing.assert_allclose(arrow.start, places[j], atol=1e-15)
        np.testing.assert_allclose(arrow.vector, straight[0].vector, atol=1e-12)
    turning = [arrow for arrow in picture.arrows if arrow.kind == "turning"]
    H = rbd.crba(model, q)[:, i - 1]
    ratio = np.array([arrow.vector[1] for arrow in turning]) / H[[j - 1 for j in path]]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-10)
    assert (
        dict(picture.readout)[f"H{path[0]},{i}: moment at {model.joints[path[0]].name}"] == f"{H[path[0] - 1]:+.4f} N m"
    )
    (blue,) = (arrow for arrow in picture.arrows if arrow.color == LINES[0])
    for j, arrow in zip(path, turning, strict=True):  # the same moments from the force on its line
        lever = np.cross(np.subtract(blue.start, places[j]), blue.vector)
        np.testing.assert_allclose(lever[1] / arrow.vector[1], lever_scale(turning, blue, places, path), rtol=1e-9)
    grey = [arrow for arrow in picture.arrows if arrow.color == GROUND]
    assert len(grey) == len(model.subtree(i)) - 1


def lever_scale(turning, blue, places, path):
    """Ratio of force times lever arm to the drawn moment, at the joint where it is largest."""
    k = int(np.argmax([abs(arrow.vector[1]) for arrow in turning]))
    return np.cross(np.subtract(blue.start, places[path[k]]), blue.vector)[1] / turning[k].vector[1]


@pytest.mark.source("F6.06")
def test_one_joint_accelerates_in_a_simulation():
    """Joint forces from inverse dynamics, motion from forward dynamics: only that joint moves, q = t²/2."""
    model = candelabra(unit_acceleration.RODS).with_parameters({"gravity": np.zeros(3)})
    delta = np.eye(model.nv)[3]
    run = rbd.simulate(
        model,
        np.full(10, 0.1),
        np.zeros(10),
        duration=1.0,
        dt=0.01,
        tau=lambda t, q, v: algorithms.rnea(model, q, v, delta).tau,
        progress=False,
    )
    np.testing.assert_allclose(run.q - 0.1, 0.5 * run.t[:, None] ** 2 * delta, atol=1e-10)


@pytest.mark.parametrize("method", ["ltl", "ltdl"])
def test_steps_are_those_of_the_factorization(method):
    """The record ends where the algorithm does; areas are visited as Table 6.3 and Fig 6.4 have it."""
    for tree, parents in factorization_steps.TREES.items():
        lam = expand_parents(parents)
        H = inertia_pattern.matrix(tree, "as given")
        steps = factorization_steps.recorded(tree, method)
        counted = trace(
            lambda A, f=(ltl if method == "ltl" else ltdl), p=lam: f(A, p), (7, 7), simplify=False
        ).operations()
        areas = [sum(step.area == a for step in steps) for a in (1, 2, 3)]
        assert areas == [counted.sqrt, counted.div, counted.mul]
        expected = (ltl if method == "ltl" else ltdl)(H.copy(), lam)
        np.testing.assert_array_equal(steps[-1].after if steps else H, expected)
        for step in steps:
            assert step.place[0] == step.k if step.area < 3 else step.place[0] < step.k
            assert all(i >= j for i, j in (step.place, *step.read))  # never above the diagonal
    for k in (7, 6, 5):
        row = [step.area for step in factorization_steps.recorded("binary tree", method) if step.k == k - 1]
        assert (row.count(2), row.count(3)) == (2, 3)  # Fig 6.4


def test_sliders_of_whole_numbers():
    steps = factorization_steps.factorization_steps()
    for _ in range(5):
        steps.panel.random()
        assert steps.values["step"] == round(steps.values["step"]) and 0 <= steps.values["step"] <= 31
    steps.close()


def test_steps_in_words():
    first = factorization_steps.draw("binary tree", "ltl", 0)
    assert first.readout[0] == ("elements written", "0 of 31") and first.note.startswith("H as it is")
    assert factorization_steps.draw("binary tree", "ltl", 1).note == "Row 7, area 1: H77 = √H77."
    assert factorization_steps.draw("binary tree", "ltl", 4).note == "Row 7, area 3: H33 = H33 - H73 H73."
    assert factorization_steps.draw("binary tree", "ltdl", 1).note.endswith("H33 = H33 - a H73, a = H73 / H77.")
    last = dict(factorization_steps.draw("binary tree", "ltdl", 999).readout)
    assert last["area 2, divisions"] == "10" and last["area 3, products subtracted"] == "14"


@pytest.mark.parametrize("shape", cost_meter.SHAPES)
def test_the_meter_counts(shape):
    """Against the algorithms run on symbols."""
    lam = expand_parents(cost_meter.SHAPES[shape](13))
    shown = dict(cost_meter.draw(shape, 13, "ltdl").readout)
    factor = trace(lambda H: ltdl(H, lam), (13, 13), simplify=False).operations()
    back = trace(lambda L, x: solve_LTDL(L, x, lam), (13, 13), 13, simplify=False).operations()
    assert shown["factorization"] == str(factor) and shown["back-substitution"] == str(back)
    assert shown["D1, divisions"] == f"{factor.div} of 78"
    assert shown["D2, products"] == f"{factor.mul} of 364"


@pytest.mark.parametrize("seed", range(4))
def test_trees_are_drawn_without_overlap(seed):
    lam = expand_parents(random_parents(20, seed, 0.8))
    place = tree_layout(lam)
    apart = np.linalg.norm(place[:, None] - place[None], axis=2) + np.eye(21)
    assert apart.min() > 0.9
    for k, parent in enumerate(lam):
        assert place[k + 1, 1] == place[parent + 1, 1] + 1
