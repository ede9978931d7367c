"""Projection to the constraints in a program: the compiled form of `ConstrainedBodies.project`.

The smallest correction in the kinetic-energy metric has the form of accelerations of the bodies at rest, without
forces, under constraints whose right-hand sides are the errors. So it is computed by the recursion of `tree_program`,
with the errors in place of the velocity products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rbdkit.engine.rows.joint_program import JOINT_NUMBERS, gap
from rbdkit.engine.rows.moving_joint import MovingAxes
from rbdkit.formulations.constrained.elimination import accelerate, eliminate_joint
from rbdkit.formulations.constrained.moving_axes import MovingJoint
from rbdkit.formulations.constrained.own_program import Time
from rbdkit.formulations.constrained.program_body import ProgramBody
from rbdkit.spatial.compact import Pose
from rbdkit.spatial.vector3 import Matrix, Vector, cross, dot
from rbdkit.trace import Part, Scalar, maximum, select

if TYPE_CHECKING:
    from rbdkit.formulations.constrained.tree_program import BodySystem

Missing = Callable[[ProgramBody], Iterator[Sequence[Scalar]]]
"""Function that yields the error of a body's pose or twist in its joint, as a twist in body axes, for each form."""


def close_joints(system: BodySystem, x: Part, v: Part, time: Time, corrections: int, closed: float) -> None:
    """Replace (x, v) by the nearest state that obeys the constraints.

    time : loads the time, s. corrections : largest number of corrections of positions. closed : residual at which
    these end.
    """
    program, u, moved = system.program, Part("u_closing"), Part("x_closing")
    if system.driven is not None:
        system.driven.record(program, time())
    with program.loop(0, corrections):
        system.place_bodies(x, v)
        program.store("open", 0, 0, 0.0)
        _respond(system, lambda body: _gaps(system, body), "position", time)
        program.break_if(program.load("open", 0) <= closed)
        with system.bodies() as body:
            for group in system.of_group(body):
                # other lanes may still iterate when this one is closed; it must not move then
                still_open = select(program.load("open", 0) > closed, 1.0, 0.0)
                body.put_state(u, [still_open * a for a in _own(body, group)])
        system.move(x, u, moved)
        for k in system.coordinates():
            x.store(program, k, moved.load(program, k))
    system.place_bodies(x, v)
    _respond(system, _slips, "velocity", time)
    with system.bodies() as body:
        for group in system.of_group(body):
            new = [a + b for a, b in zip(body.state(v, 6), _own(body, group), strict=True)]
            body.put_state(v, new)


def _respond(system: BodySystem, missing: Missing, what: str, time: Time) -> None:
    """Compute the "accelerations" A of bodies at rest without forces that make up for the errors."""
    program = system.program
    for j in range(21):
        program.store("IA", 0, j, 0.0)
    for j in range(6):
        program.store("pA", 0, j, 0.0)
        program.store("A", 0, j, 0.0)
    with system.bodies() as body:
        body.put("X", body.pose(body.parent).to(body.pose()).flat())
        body.put("IA", body.inertia().articulated().flat())
        body.put("pA", [0.0] * 6)
        if system.moves:
            for kind in system.of_kind(body):
                system.settle(body, kind)
        for twist in missing(body):
            across = _across(body, twist)
            body.put("drift", [-a for a in across])
            if what == "position":
                largest, share = program.load("open", 0), program.load("closing_share", 0)
                for k, a in enumerate(across):
                    largest = maximum(largest, abs(a) if k < 3 else share * abs(a))
                program.store("open", 0, 0, largest)
    with system.bodies(inward=True) as body:
        for kind in system.of_kind(body):
            # no forces: only inertia, rotors included, measures the correction
            eliminate_joint(body, replace(kind, damped=False, sprung=False), lambda k: 0.0)
    with system.bodies() as body:
        for kind in system.of_kind(body):
            accelerate(body, kind)
    if system.loops is not None:
        if system.held is not None and system.held.rows.asks_joints:
            system.find_joints()
        system.loops.close(what, time)


def stabilise(system: BodySystem) -> None:
    """Add Baumgarte's terms to the "drift" of all bodies; "baumgarte" has factors of velocity and position errors."""
    of_slip, of_gap = (Part("baumgarte", k) for k in range(2))
    with system.bodies() as body:
        for pose_gap in _gaps(system, body):
            slip, factors = body.slip(), (of_slip.load(system.program, 0), of_gap.load(system.program, 0))
            twist = [factors[0] * a + factors[1] * b for a, b in zip(slip, pose_gap, strict=True)]
            body.put("drift", [a - b for a, b in zip(body.get("drift"), _across(body, twist), strict=True)])


def keep_along(system: BodySystem, vdot: Part) -> None:
    """Replace the "drift" of all bodies across their joints by that of the accelerations vdot, minus closing[0] times
    the closure errors, plus closing[1] times the prescribed twists."""
    program = system.program
    for j in range(6):
        program.store("guess_A", 0, j, 0.0)
    with system.bodies() as body:
        for group in system.of_group(body):
            # the inverse of what `BodySystem` does with accelerations: v_s' = R (v' + w x v)
            (w, velocity), own = body.motion("V").halves, body.state(vdot, 6)
            a = Vector(own[3:])
            body.put(
                "guess_A", [*own[:3], *(a if group == "se3" else Matrix.of(body.get("R")).T @ a - cross(w, velocity))]
            )
    with system.bodies() as body:
        for pose_gap in _gaps(system, body):
            relative = (body.motion("guess_A") - body.carried("guess_A")).flat()
            drift, factor = body.get("drift"), program.load("closing", 0, 0)
            excess = [c - a + factor * g for c, a, g in zip(drift, relative, pose_gap, strict=True)]
            if system.moves:
                share = program.load("closing", 0, 1)
                excess = [e - share * s for e, s in zip(excess, body.get("sigma"), strict=True)]
            body.put("drift", [c - e for c, e in zip(drift, _across(body, excess), strict=True)])


def _across(body: ProgramBody, twist: Sequence[Scalar]) -> list[Scalar]:
    """Return a twist without its component along the joint's freedoms."""
    axes, rates, across = body.axes(), body.rates(), list(twist)
    for k in range(6):
        along = dot(rates[6 * k : 6 * k + 6], twist)
        across = [a - along * s for a, s in zip(across, axes[6 * k : 6 * k + 6], strict=True)]
    return across


def _gaps(system: BodySystem, body: ProgramBody) -> Iterator[Sequence[Scalar]]:
    for kind in system.of_kind(body):
        if isinstance(kind.moving, MovingAxes):
            yield MovingJoint(body, kind.moving).gap()
            continue
        X, place = body.get("X"), body.k * JOINT_NUMBERS
        given = [system.program.load("joint_numbers", place, j) for j in range(JOINT_NUMBERS)]
        yield gap(kind.closes, given, Pose.of(X))


def _slips(body: ProgramBody) -> Iterator[Sequence[Scalar]]:
    yield body.slip()


def _own(body: ProgramBody, group: str) -> list[Scalar]:
    """Return the acceleration "A" of a body as a change of its velocity in the formulation."""
    alpha, a = body.motion("A").halves
    return [*alpha, *(a if group == "se3" else Matrix.of(body.get("R")) @ a)]
