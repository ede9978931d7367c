"""Linearly implicit steps of constrained bodies in a program: the compiled form of `stiffness`.

The increment w of velocities obeys ``(M + C) w + G^T lambda = M r + K u`` and ``G w = G r``, with C = s D - s^2 K. Its
difference y = w - r moves along the joints: y = N eta, eta being rates of the tree's joints. Let R be the response of
the tree to forces, available by the factors of the articulated-body elimination. Then
``y + R C y + R G^T lambda = R (K u - C r)``: a dense system of the size of the tree's joint velocities for eta, built
column by column by unit rates, and the equations of the loops, with the rows that were independent in the last
evaluation of accelerations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.alike import add_pushes, each_member
from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.rows.joint_program import STRETCHED
from rbdkit.engine.steps.motions import MOTIONS
from rbdkit.formulations.constrained.elimination import subspace
from rbdkit.formulations.constrained.loop_program import TINY, feel, follow
from rbdkit.formulations.constrained.moving_axes import MovingAxes, MovingJoint
from rbdkit.formulations.constrained.program_body import DAMPING, REST, STIFFNESS, Kind, ProgramBody
from rbdkit.spatial.compact import fv, mv
from rbdkit.spatial.vector3 import Matrix, Vector, cross, dot
from rbdkit.trace import Moment, Part, Scalar, Whole, eliminate, equal, select, slopes

if TYPE_CHECKING:
    from rbdkit.formulations.constrained.tree_program import BodySystem

Step = Callable[[], Scalar]
"""Function that gives the step factor s in the open block, s."""


def implicit_arrays(nq: int, nv: int, bodies: int, rows: int) -> dict[str, NDArray]:
    """Return the work arrays of `increment`. nq, nv : joint coordinates and velocities. rows : rows of loops."""
    vectors = {name: np.zeros(nv) for name in ("implicit_unit", "implicit_v_rate", "implicit_tau")}
    return {
        **vectors,
        "implicit_q_rate": np.zeros(nq),
        "implicit_force": np.zeros(6 * (bodies + 1)),
        "implicit_A": np.zeros(nv * nv),
        "implicit_B": np.zeros(nv * (rows + 1)),
        "elimination": np.zeros(3),
    }


def increment(system: BodySystem, moment: Moment, s: Step, r: Part, u: Part, result: Part) -> None:
    """Record the increment w, at the state of the last evaluation of `rate` or `corrected`."""
    program, n, m = system.program, system.program.count("joint_velocities"), system.program.count("all_rows")
    width = m + 1
    with system.bodies() as body:
        for group in system.of_group(body):
            of_r, of_u = ([*x[:3], *_linear(body, group, x)] for x in (body.state(r, 6), body.state(u, 6)))
            # K u - C r = K (u + s^2 r) - D (s r), as forces along displacements and twists
            body.put("along_x", [b + s() * s() * a for a, b in zip(of_r, of_u, strict=True)])
            body.put("along_v", [s() * a for a in of_r])
    _answer(system, moment)
    _rates(system, "dA", "implicit_B", width, 0)
    with program.loop(0, m) as k:
        # the tree's responses to unit reactions of loop rows, as further right-hand sides in terms of joint rates
        start = k * (program.count("bodies") + 1) * 6
        with system.bodies() as body:
            place = start + body.row * 6
            body.put("dA", [program.load("responses", place, j) for j in range(6)])
        _rates(system, "dA", "implicit_B", width, k + 1)
    with program.loop(0, n) as column:
        with program.loop(0, n) as k:
            program.store("implicit_unit", k, 0, 0.0)
        with program.loop(0, 1):
            program.store("implicit_unit", column, 0, 1.0)
        _move(system)
        with system.bodies() as body:
            # with y = N eta in place of r, the same forces are -C y
            body.put("along_x", [s() * s() * a for a in body.get("dA")])
            body.put("along_v", [s() * a for a in body.get("dA")])
        _answer(system, moment)
        _rates(system, "dA", "implicit_A", n, column)
        with program.loop(0, n) as i:
            place = i * n + column
            program.store("implicit_A", place, 0, program.load("implicit_unit", i) - program.load("implicit_A", place))
    # one elimination for the forces and for the reactions of all loop rows
    eliminate(program, 0, n, "implicit_A", "implicit_B", width)
    _move_along(system, n, width, 0)
    with system.bodies() as body:
        body.put("A", body.get("dA"))
    if system.loops is not None:
        with program.loop(0, m) as k:
            _move_along(system, n, width, k + 1)
            system.loops.keep_answer(k)
        _close(system, m)
    with system.bodies() as body:
        for group in system.of_group(body):
            alpha, a = body.motion("A").halves
            # an increment of velocities at a fixed pose, not a rate: without the term w x v
            own = a if group == "se3" else Matrix.of(body.get("R")) @ a
            body.put_state(result, [x + y for x, y in zip(body.state(r, 6), [*alpha, *own], strict=True)])


def _linear(body: ProgramBody, group: str, x: list[Scalar]) -> Vector:
    """Return the linear part of a velocity of the group, along the body's axes."""
    return Vector(x[3:]) if group == "se3" else Matrix.of(body.get("R")).T @ Vector(x[3:])


def _close(system: BodySystem, m: Whole) -> None:
    """Correct "A" so that it obeys the loops, by their independent rows."""
    program, loops = system.program, system.loops
    assert loops is not None
    with program.loop(0, loops.first_own) as r:
        S, P = loops.ends(r)
        program.store("rhs", r, 0, loops.along(r, "A", S * 6, P * 6))
    if loops.own is not None:
        with program.loop(0, loops.own.m) as r:
            program.store("rhs", r + loops.first_own, 0, loops.own.along(r, "A", 0))
    with program.loop(0, m) as i:
        row = i * m
        # a row without an inverse pivot was redundant in the last evaluation of accelerations
        counts = program.load("inverse", i) > TINY
        program.store("rhs", i, 0, select(counts, program.load("rhs", i), 0.0))
        with program.loop(0, m) as j:
            place = row + j
            both = select(program.load("inverse", i) > TINY, program.load("inverse", j), 0.0) > TINY
            # rows that do not count get those of the identity, so that one elimination serves all lanes
            same = select(equal(program.load("number", i), program.load("number", j)), 1.0, 0.0)
            program.store("Lambda", place, 0, select(both, program.load("Lambda", place), same))
    eliminate(program, 0, m, "Lambda", "rhs", 1)
    with program.loop(0, m) as r, system.bodies() as body:
        place, factor = r * loops.response + body.row * 6, program.load("rhs", r)
        answer = [program.load("responses", place, j) for j in range(6)]
        body.put("A", [a - factor * x for a, x in zip(body.get("A"), answer, strict=True)])


# --- motions along the joints -----------------------------------------------------------------------------------------


def _move_along(system: BodySystem, n: Whole, width: Whole, column: Whole) -> None:
    """Store the twists "dA" of all bodies for joint rates in a column of "implicit_B"."""
    program = system.program
    with program.loop(0, n) as i:
        program.store("implicit_unit", i, 0, program.load("implicit_B", i * width + column))
    _move(system)


def _move(system: BodySystem) -> None:
    """Store the twists "dA" of all bodies for joint rates "implicit_unit"."""
    program = system.program
    for j in range(6):
        program.store("dA", 0, j, 0.0)
    with system.bodies() as body:
        v_first = program.entry("v_first", body.k)
        for kind in system.of_kind(body):
            rates = [program.load("implicit_unit", v_first, k) for k in range(kind.freedoms)]
            body.put("dA", (body.carried("dA") + subspace(body, kind) @ rates).flat())


def _rates(system: BodySystem, name: str, array: str, width: Whole, column: Whole) -> None:
    """Store the joint rates of twists, which are in a field, in a column of an array."""
    program = system.program
    for j in range(6):
        program.store(name, 0, j, 0.0)
    with system.bodies() as body:
        v_first = program.entry("v_first", body.k)
        for kind in system.of_kind(body):
            found = _rates_of(body, kind, name)
            for k in range(kind.freedoms):
                place = (v_first + k) * width + column
                program.store(array, place, 0, found[k])


def _rates_of(body: ProgramBody, kind: Kind, name: str) -> list[Scalar]:
    relative = (body.motion(name) - body.carried(name)).flat()
    rates = body.rates()
    return [dot(rates[6 * k : 6 * k + 6], relative) for k in range(kind.freedoms)]


# --- what springs and dampers do --------------------------------------------------------------------------------------


def _answer(system: BodySystem, moment: Moment) -> None:
    """Store the tree's response "dA" to the forces K x - D v, for the twists x in "along_x" and v in "along_v"."""
    program, own = system.program, system.own
    for name in ("along_x", "along_v", "dp", "dA"):
        for j in range(6):
            program.store(name, 0, j, 0.0)
    with system.bodies() as body:
        q_first, v_first = program.entry("q_first", body.k), program.entry("v_first", body.k)
        for kind in system.of_kind(body):
            _of_joint(system, body, kind, (q_first, v_first))
    if own is not None:
        _of_elements(system, own, moment)
    with system.bodies() as body:
        body.put("dp", [0.0] * 6 if own is None else [-x for x in _felt(body)])
    with system.bodies(inward=True) as body:
        v_first = program.entry("v_first", body.k)
        for kind in system.of_kind(body):
            torque = body.get("of_joint")[: kind.freedoms]
            if own is not None and own.velocities:
                torque = [x + program.load("implicit_tau", v_first, k) for k, x in enumerate(torque)]
            feel(body, kind, torque)
    with system.bodies() as body:
        for kind in system.of_kind(body):
            follow(body, kind)


def _of_joint(system: BodySystem, body: ProgramBody, kind: Kind, first: tuple[Whole, Whole]) -> None:
    """Store the change of a joint's spring and damper force in "of_joint", and its rates for force elements."""
    program = system.program
    asked = system.own is not None and system.own.asks_joints
    damper: list[Scalar] = [0.0] * 6
    spring: list[Scalar] = [0.0] * 6
    rates_x = _rates_of(body, kind, "along_x") if kind.sprung or asked else []
    rates_v = _rates_of(body, kind, "along_v") if kind.damped or asked else []
    if kind.damped:
        damper = _padded(d * x for d, x in zip(body.given(DAMPING, kind.freedoms), rates_v, strict=True))
    stretched = MovingJoint(body, kind.moving).motion if isinstance(kind.moving, MovingAxes) else None
    if stretched is None and kind.form in STRETCHED:
        stretched = MOTIONS[STRETCHED[kind.form]]
    count = kind.freedoms if stretched is None else stretched.nq
    q = [program.load("joint_q", first[0], k) for k in range(count)] if kind.sprung or asked else []
    along = rates_x
    if stretched is not None and rates_x:
        along = [0.0] * count
        for rate, x in zip(stretched.rates(q), rates_x, strict=True):
            along = [a + x * b for a, b in zip(along, rate, strict=True)]
    if kind.sprung:
        stiffness = body.given(STIFFNESS, kind.freedoms)
        if stretched is None:
            spring = _padded(k * x for k, x in zip(stiffness, rates_x, strict=True))
        else:
            u = stretched.difference(body.given(REST, count), q)
            forces = stretched.local_force(u, [k * x for k, x in zip(stiffness, u, strict=True)])
            spring = _padded(slopes(forces, zip(q, along, strict=True)))
    body.put("of_joint", [-a - b for a, b in zip(damper, spring, strict=True)])
    if asked:
        for k, x in enumerate(along):
            program.store("implicit_q_rate", first[0], k, x)
        for k, x in enumerate(rates_v):
            program.store("implicit_v_rate", first[1], k, x)


def _padded(numbers: Iterable[Scalar]) -> list[Scalar]:
    found = list(numbers)
    return found + [0.0] * (6 - len(found))


def _of_elements(system: BodySystem, own: OwnForces, moment: Moment) -> None:
    """Store the changes of torques and of wrenches about the origin in "implicit_tau" and "implicit_force"."""
    program = system.program
    if own.alike:
        _of_loops(system, own, moment)
    changes = [change for body in own.bodies for change in _changes(system, body)]
    known = {f"body{body}": system.motion_of(body) for body in own.bodies}

    def load(argument: str, k: int) -> Scalar:
        if argument == "t":
            return moment.time
        if argument in known:
            return known[argument][k]
        leaf = program.load(f"joint_{argument}", 0, k)
        changes.append((leaf, program.load(f"implicit_{argument}_rate", 0, k)))
        return leaf

    torques, pushes, *_ = own.split(own.law.compute(program, load, "own_numbers"))
    outputs = [*torques, *(x for push in pushes for x in push)]
    found = slopes(outputs, changes)
    for a, change in zip(own.velocities, found, strict=False):
        program.store("implicit_tau", 0, a, change)
    for number, body in enumerate(own.pushed):
        first = len(torques) + 6 * number
        for j, change in enumerate(found[first : first + 6]):
            before = program.load("implicit_force", 0, 6 * body + j) if own.alike else 0.0
            program.store("implicit_force", 0, 6 * body + j, before + change)


def _of_loops(system: BodySystem, own: OwnForces, moment: Moment) -> None:
    """Store the changes of wrenches of elements that are computed in loops, skipping those whose bodies do not move.

    It comes first: "implicit_force" is cleared here.
    """
    program = system.program
    with system.bodies() as body:
        place = body.row * 6
        for k in range(6):
            program.store("implicit_force", place, k, 0.0)
    for each, member in each_member(program, own.alike):
        twists = [x for k in member.bodies for name in ("along_x", "along_v") for x in system.field_of(name, 6, k)]
        program.store("implicit_goes", 0, 0, sum((x * x for x in twists), 0.0))
        with program.when("implicit_goes", 0):
            changes = [change for number in member.bodies for change in _changes(system, number)]
            known = [system.motion_of(number) for number in member.bodies]
            outputs = each.compute(program, member, known.__getitem__, lambda: moment.time)[:-2]
            for k, x in enumerate(slopes(outputs, changes)):
                program.store("own_push", 0, k, x)
            add_pushes(program, member.bodies, "implicit_force")


def _changes(system: BodySystem, body: Whole) -> list[tuple[Scalar, Scalar]]:
    """Return what is loaded of a body's pose and twist, and its rates along the given twists."""
    R = Matrix.of(system.field_of("R", 9, body))
    x, v = mv.of(system.field_of("along_x", 6, body)), system.field_of("along_v", 6, body)
    turn = R @ x.omega
    rates = [*Matrix(cross(turn, column) for column in R.T).T.flat(), *(R @ x.v), *v]
    return [*zip([*R.flat(), *system.field_of("r", 3, body), *system.field_of("V", 6, body)], rates, strict=True)]


def _felt(body: ProgramBody) -> list[Scalar]:
    """Return the change of the wrench on a body in its own axes, which rotate with it."""
    whole, change = (
        body.pose().X.apply(fv.of([body.program.load(a, body.row * 6, j) for j in range(6)]))
        for a in ("own_force", "implicit_force")
    )
    return (change - body.motion("along_x").cross(whole)).flat()
