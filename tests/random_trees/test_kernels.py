"""Compiled code against the readable form, on random trees: the loop over links, lanes, straight lines, one step.

Both do the same sums in another order: 1e-13 of the largest result is what some hundred roundings leave. What is
solved for with H loses besides what the condition of H makes of a rounding.
"""

import numpy as np

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.engine import Kernels, kernels_for
from rbdkit.library import joint_gallery, uncommon_joints

ROUND_OFF = 1e-13
REFERENCES = ("body", "world", "aligned")


def conditioned(case):
    return max(ROUND_OFF, 1e-15 * case.cond)


def stacked(case, n=9):
    """The state of the case, and others about it."""
    rng = np.random.default_rng(0)
    q = np.array([case.q, *(case.model.random_q(rng) for _ in range(n - 1))])
    v, x = (np.array([y, *rng.normal(size=(n - 1, case.model.nv))]) for y in (case.v, case.x))
    return q, v, x


def both(function, *arguments, **options):
    return (function(*arguments, **options, backend=backend) for backend in ("auto", "book"))


def test_the_decks_hold_every_joint_from_both_ends(decks):
    """And what follows, what is driven, and rotors, springs and dampers: else nothing would be said about these."""
    cards = [card for deck in decks for card in deck]
    rng = np.random.default_rng(0)
    kinds = {type(joint) for joint in (*joint_gallery(rng), *uncommon_joints(rng))} - {rbd.Reversed}
    assert {type(card.joint) for card in cards} - {rbd.Reversed} == kinds
    assert {type(card.joint.joint) for card in cards if isinstance(card.joint, rbd.Reversed)} == kinds
    for what in ("rotor", "spring", "damper", "follows", "driven"):
        assert sum(getattr(card, what) for card in cards) > 10, what
    assert any(card.driven and card.joint.nv > 1 for card in cards)
    with_both = [deck for deck in decks if any(c.follows for c in deck) and any(c.driven for c in deck)]
    assert with_both and deck_is_plain(decks[0]) and decks[10] in with_both


def deck_is_plain(deck):
    return not any(card.follows or card.driven for card in deck)


def test_forces(seed, any_case, agree):
    c = any_case(seed)
    assert kernels_for(c.model) is not None
    state = c.model, c.q, c.v, c.x
    agree("rnea", *both(rbd.rnea, *state, t=c.t), ROUND_OFF)
    agree("rnea, f_ext", *both(rbd.rnea, *state, f_ext=c.f, t=c.t), ROUND_OFF)
    bias = algorithms.bias_force(c.model, c.q, c.v, f_ext=c.f, t=c.t)
    agree("bias_force", rbd.bias_force(c.model, c.q, c.v, f_ext=c.f, t=c.t), bias, ROUND_OFF)
    agree("gravity_force", *both(rbd.gravity_force, c.model, c.q, t=c.t), ROUND_OFF)


def test_inertia_matrix(seed, any_case, agree):
    c = any_case(seed)
    agree("crba", *both(rbd.crba, c.model, c.q, t=c.t), ROUND_OFF)


def test_accelerations(seed, any_case, agree):
    c = any_case(seed)
    state = c.model, c.q, c.v, c.x
    one, other = ((c.f, None), (None, c.f))[seed // 24 % 2]
    agree("forward_dynamics", *both(rbd.forward_dynamics, *state, f_ext=one, t=c.t), conditioned(c))
    if c.independent:
        agree("aba", *both(rbd.aba, *state, f_ext=other, t=c.t), conditioned(c))


def test_kinematics_and_energy(seed, any_case, agree):
    c = any_case(seed)
    one, other = both(rbd.forward_kinematics, c.model, c.q, c.v, t=c.t)
    agree("poses", one.poses, other.poses, ROUND_OFF)
    agree("velocities", one.velocities, other.velocities, ROUND_OFF)
    one, other = both(rbd.energy, c.model, c.q, c.v, t=c.t)
    parts = "kinetic", "gravitational", "spring"
    scale = sum(abs(getattr(other, part)) for part in parts)
    agree("energy", [getattr(one, x) for x in parts], [getattr(other, x) for x in parts], ROUND_OFF, scale)


def test_frames_and_momentum(seed, any_case, agree):
    c = any_case(seed)
    name = c.model.bodies[1 + seed % (len(c.model.bodies) - 1)].name
    reference = REFERENCES[seed // 24 % 3]
    agree("jacobian", *both(rbd.jacobian, c.model, c.q, name, reference, t=c.t), ROUND_OFF)
    one, other = both(rbd.bias_acceleration, c.model, c.q, c.v, name, reference, t=c.t)
    # on the first body of a branch next to nothing may be left of products of velocities
    agree("bias_acceleration", one, other, ROUND_OFF, np.abs(other).max() + np.abs(c.v).max() ** 2)
    about = ("world", "com")[seed // 24 % 2]
    agree("momentum", *both(rbd.momentum, c.model, c.q, c.v, about, t=c.t), ROUND_OFF)
    agree("center_of_mass", *both(rbd.center_of_mass, c.model, c.q, t=c.t), ROUND_OFF)


def test_derivatives(seed, any_case, agree):
    c = any_case(seed)
    if not (c.independent and c.free_in_time):
        return  # the readable form is all there is
    one, other = both(rbd.rnea_derivatives, c.model, c.q, c.v, c.x, f_ext=c.f, t=c.t)
    for part in ("dtau_dq", "dtau_dv", "dtau_da"):
        agree(f"rnea_derivatives, {part}", getattr(one, part), getattr(other, part), ROUND_OFF)
    one, other = both(rbd.forward_dynamics_derivatives, c.model, c.q, c.v, c.x, f_ext=c.f, t=c.t)
    for part in ("da_dq", "da_dv", "da_dtau"):
        what = f"forward_dynamics_derivatives, {part}"
        agree(what, getattr(one, part), getattr(other, part), ROUND_OFF * max(1.0, c.cond))


def test_gradients(seed, any_case, agree):
    c = any_case(seed)
    if not (c.independent and c.free_in_time):
        return
    for name, function in (("rnea_gradient", rbd.rnea_gradient), ("aba_gradient", rbd.aba_gradient)):
        one, other = both(function, c.model, c.q, c.v, c.x, c.w, f_ext=c.f, t=c.t)
        allowed = ROUND_OFF * (max(1.0, c.cond) if name == "aba_gradient" else 1.0)
        for part in ("q", "v", "f_ext"):
            agree(f"{name}, {part}", getattr(one, part), getattr(other, part), allowed)
        assert one.parameters.keys() == other.parameters.keys()
        scale = max(np.max(np.abs(x), initial=0.0) for x in other.parameters.values())
        for key, x in one.parameters.items():
            agree(f"{name}, parameters", x, other.parameters[key], allowed, scale)


def test_motors(seed, any_case, agree):
    c = any_case(seed)
    if c.free_in_time:
        return
    own = kernels_for(c.model)
    tau = algorithms.rnea(c.model, c.q, c.v, c.x, f_ext=c.f, t=c.t).tau
    balance = algorithms.power_balance(c.model, c.q, c.v, c.x, tau, f_ext=c.f, t=c.t)
    forces, speeds = own.motors(c.q, c.v, c.x, c.f, c.t), own.driven.at(c.t)["driven_v"]
    agree("motors", forces @ speeds, balance.driven, ROUND_OFF, np.abs(forces) @ np.abs(speeds))


def test_stacks_in_lanes(seed, any_case, agree, monkeypatch):
    monkeypatch.setattr("rbdkit.engine.run.states.LANE_STATES", 1)
    c = any_case(seed)
    q, v, x = stacked(c)
    for name, function, stacks, options in (
        ("rnea", rbd.rnea, (q, v, x), {"f_ext": c.f}),
        ("crba", rbd.crba, (q,), {}),
        ("forward_dynamics", rbd.forward_dynamics, (q, v, x), {"f_ext": c.f}),
    ):
        found = function(c.model, *stacks, **options, t=c.t)
        own = (c.q, c.v, c.x)[: len(stacks)]
        book = function(c.model, *own, **options, t=c.t, backend="book")
        agree(f"{name} in lanes", found[0], book, conditioned(c) if name == "forward_dynamics" else ROUND_OFF)
        for k in (4, 8):  # in the first registers, and what is left over
            last = function(c.model, *(y[k] for y in stacks), **options, t=c.t)
            cond = np.linalg.cond(rbd.crba(c.model, q[k], t=c.t))
            allowed = max(ROUND_OFF, 1e-15 * cond) if name == "forward_dynamics" else ROUND_OFF
            agree(f"{name} in lanes, others", found[k], last, allowed)


def test_straight_line_code(some, small_case, agree, monkeypatch):
    monkeypatch.setattr("rbdkit.engine.run.shapes.STATES_A_LINK", 0)
    c = small_case(some)
    own = Kernels(c.model, "llvm")
    if own.shape is None:
        return  # a rack and pinion, whose way follows its turn, or nothing that moves
    q, v, x, f = c.q[None], c.v[None], c.x[None], c.f
    agree(
        "rnea, straight",
        own.rnea(q, v, x, f, c.t)[0],
        rbd.rnea(c.model, c.q, c.v, c.x, f_ext=f, t=c.t, backend="book"),
        ROUND_OFF,
    )
    agree("crba, straight", own.crba(q, c.t)[0], rbd.crba(c.model, c.q, t=c.t, backend="book"), ROUND_OFF)
    book = rbd.forward_dynamics(c.model, c.q, c.v, c.x, f_ext=f, t=c.t, backend="book")
    agree("forward_dynamics, straight", own.forward_dynamics(q, v, x, f, c.t)[0], book, conditioned(c))


def test_one_step(seed, any_case, agree):
    _compare_step(any_case(seed), ("rk4", "symplectic_euler")[(seed + seed // 24) % 2], agree)


def test_one_step_in_straight_lines(some, small_case, agree):
    _compare_step(small_case(some), "rk4", agree)


def _compare_step(c, integrator, agree):
    """Of a length that is stable: dampers on almost no inertia are stiff."""
    dt = min(1e-3, 1.0 / c.cond)
    given = {"duration": dt, "dt": dt, "integrator": integrator, "tau": 0.1 * c.x, "f_ext": 0.1 * c.f}
    one, other = both(rbd.simulate, c.model, c.q, 0.1 * c.v, **given)
    assert one.report.backend.startswith("compiled loop"), one.report.backend
    agree(f"one step of {integrator}, q", one.q[-1], other.q[-1], ROUND_OFF, 1.0 + np.abs(other.q[-1]).max())
    agree(f"one step of {integrator}, v", one.v[-1], other.v[-1], conditioned(c))
