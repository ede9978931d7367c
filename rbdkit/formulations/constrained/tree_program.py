"""Constrained bodies in a program: the compiled form of `bodies`, in O(n) operations.

The saddle-point system of a tree need not be assembled. Eliminated body by body from the tips, reactions first, it
becomes the articulated-body recursion (`elimination`; Featherstone 2008, section 7.3). Two things differ from joint
coordinates: the relative poses X follow from the bodies' poses, whether or not these obey the joints, and the velocity
products c come from the constraints: T^T (V' - Ad(X^-1) V_P') = T^T c.

An evaluation passes over the bodies several times: poses and twists; outward for relative poses, velocity products,
inertia and gravity; forces; inward for the elimination; outward for the accelerations. `loop_program` then adds the
reactions of loops, and the last pass turns accelerations of twists into those of each body's group. Where a method or
Baumgarte's terms correct errors, they change the velocity products ("drift") before the elimination: so corrections
cost no solution of their own (`projection_program`).

Each pass is a loop over the rows of tables, with a switch over kinds of joints or groups: the code depends on the kinds
that a model has, not on the number of its bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rbdkit.engine.links.alike import add_pushes, each_member
from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.rows.joint_program import JOINT_NUMBERS, project, spring_force
from rbdkit.engine.rows.moving_joint import MovingAxes
from rbdkit.engine.steps.recorded_tree import DrivenMotion
from rbdkit.formulations.applied import Law
from rbdkit.formulations.constrained import implicit_program
from rbdkit.formulations.constrained.elimination import accelerate, eliminate_joint
from rbdkit.formulations.constrained.groups import local_rate, move
from rbdkit.formulations.constrained.loop_program import Loops
from rbdkit.formulations.constrained.moving_axes import MovingJoint
from rbdkit.formulations.constrained.moving_loops import MovingLoops
from rbdkit.formulations.constrained.own_program import OwnConstraints, OwnKind, Time
from rbdkit.formulations.constrained.program_body import AXES, RATES, REST, STIFFNESS, Kind, ProgramBody
from rbdkit.formulations.constrained.projection_program import close_joints, keep_along, stabilise
from rbdkit.spatial.compact import Pose, fv, mv
from rbdkit.spatial.vector3 import ZERO, Matrix, Vector, cross, dot
from rbdkit.trace import LARGEST, LARGEST_TURN, Feedback, Moment, Part, Program, Scalar, Whole, maximum, select

CLOSED = 1e-15
"""Constraint error, rad and parts of the length as in `gap_shares`, at which `project` stops; or it stops after
`PROJECTIONS` corrections."""
PROJECTIONS = 4


class BodySystem:
    """The `Recorded` system of constrained bodies: x are poses, v twists and states of force elements.

    The tables "kinds" and "groups" have an entry for each body, "parents" its parent's row.

    Parameters
    ----------
    kinds, groups : the distinct kinds of joints and groups.
    loops : whether there are loops.
    tau, f_ext : how joint forces, and forces on bodies, are given: not at all, by arrays, or by traced functions.
    own : traced force elements of the model, or None.
    loop_forms : formulas of coordinates of loop joints, for methods that project and for Baumgarte's terms.
    stabilised : whether Baumgarte's terms act.
    held : constraint elements of the model, or None.
    driven : motion of prescribed joints, or None.
    moving_loops : traced formulas of loop joints with moving axes.
    """

    def __init__(
        self,
        program: Program,
        kinds: tuple[Kind, ...],
        groups: tuple[str, ...],
        loops: bool,
        tau: Law = None,
        f_ext: Law = None,
        own: OwnForces | None = None,
        loop_forms: tuple[str, ...] = (),
        stabilised: bool = False,
        held: OwnKind | None = None,
        driven: DrivenMotion | None = None,
        moving_loops: tuple[MovingAxes, ...] = (),
    ) -> None:
        self.moves, self.driven = any(kind.moving for kind in kinds), driven
        self.kinds, self.groups, self.program = kinds, groups, program
        self.tau, self.f_ext, self.own, self.stabilised = tau, f_ext, own, stabilised
        self.n = program.count("bodies")
        self.nz = 0 if own is None else own.nz
        self.nx, self.nv = self.n * 12, self.n * 6 + self.nz
        self.solved_together = 0, self.nv
        self.held = held
        self._rows: dict[tuple[Whole, int], Whole] = {}
        self.loops: Loops | None = None
        if loops or held is not None:
            of_model = None if held is None else OwnConstraints(program, held, stabilised, self.motion_of, self.moves)
            own_axes = MovingLoops(program, moving_loops) if moving_loops else None
            self.loops = Loops(
                program, self.bodies, self.of_kind, loop_forms, stabilised, of_model, self._measure_moving, own_axes
            )

    def coordinates(self) -> Iterator[Whole]:
        return self._each(12)

    def freedoms(self) -> Iterator[Whole]:
        yield from self._each(6)
        if self.nz:
            with self.program.loop(self.nv - self.nz, self.nv) as place:
                yield place

    def _each(self, size: int) -> Iterator[Whole]:
        with self.program.loop(0, self.n) as body:
            yield from (body * size + k for k in range(size))

    @contextmanager
    def bodies(self, inward: bool = False) -> Iterator[ProgramBody]:
        """Loop over the bodies, parents before children; inward : children before parents."""
        with self.program.loop(0, self.n) as k:
            yield ProgramBody(self.program, self.n - k - 1 if inward else k, self.moves)

    def move(self, x: Part, u: Part, result: Part) -> None:
        with self.bodies() as body:
            for group in self.of_group(body):
                C, step = body.state(x, 12), mv.of(body.state(u, 6))
                R, r = move(group, Matrix.of(C[:9]), Vector(C[9:]), step)
                # a turn this large means that the motion has diverged: a position beyond `LARGEST` ends the run
                far = select(dot(step.omega, step.omega) < LARGEST_TURN * LARGEST_TURN, 0.0, 2.0 * LARGEST)
                body.put_state(result, [*R.flat(), r[0] + far, r[1], r[2]])

    def local_rate(self, u: Part, v: Part, result: Part) -> None:
        with self.bodies() as body:
            for group in self.of_group(body):
                rate = local_rate(group, mv.of(body.state(u, 6)), mv.of(body.state(v, 6)))
                body.put_state(result, rate.flat())
        if self.nz:
            at_rest = self.states(result)
            for k in range(self.nz):
                at_rest.store(self.program, k, 0.0)

    def states(self, v: Part) -> Part:
        """Return the part of a v that holds the states of force elements."""
        return Part(v.array, v.start + self.n * 6) if self.nz else v

    def rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        self._accelerate(moment, x, v, result)

    def corrected(self, moment: Moment, x: Part, v: Part, vdot: Part, result: Part) -> None:
        """Store accelerations with ``J a = J vdot - closing[0] g + closing[1] sigma``; see `VelocityLevel`."""
        self._accelerate(moment, x, v, result, vdot)

    def _accelerate(self, moment: Moment, x: Part, v: Part, result: Part, guess: Part | None = None) -> None:
        program = self.program
        if self.driven is not None:
            self.driven.record(program, moment.time)
        self.place_bodies(x, v)
        # row 0, the world, gathers what its children add, and does not accelerate: gravity is a force on each body
        for j in range(21):
            program.store("IA", 0, j, 0.0)
        for j in range(6):
            program.store("pA", 0, j, 0.0)
            program.store("A", 0, j, 0.0)
        with self.bodies() as body:
            self.velocities(body)
        # after `velocities`, which leave the drift that these change
        if guess is not None:
            keep_along(self, guess)
        elif self.stabilised:
            stabilise(self)
        if any(kind.form for kind in self.kinds):
            self.ask(moment)
        if self.own is not None:
            self.act(self.own, self.states(v), self.states(result), moment)
        for array in ["f_ext"] * (self.f_ext is not None) + ["own_force"] * (self.own is not None):
            with self.bodies() as body:
                self.push(body, array)
        with self.bodies(inward=True) as body:
            for kind in self.of_kind(body):
                eliminate_joint(body, kind, self.torque(body, moment))
        with self.bodies() as body:
            for kind in self.of_kind(body):
                accelerate(body, kind)
        if self.loops is not None:
            self.loops.close("acceleration" if guess is None else "correction", lambda: moment.time)
        with self.bodies() as body:
            for group in self.of_group(body):
                (w, velocity), (alpha, a) = body.motion("V").halves, body.motion("A").halves
                # the hybrid velocity is v_s = R v, so v_s' = R (v' + w x v)
                own = a if group == "se3" else Matrix.of(body.get("R")) @ (a + cross(w, velocity))
                body.put_state(result, [*alpha, *own])

    def increment(self, moment: Moment, s: Callable[[], Scalar], r: Part, u: Part, result: Part) -> None:
        """Store the w with ``(M + s D - s^2 K) w + G^T lambda = M r + K u`` and ``G w = G r``, at the state of the last
        evaluation of `rate` or `corrected`."""
        implicit_program.increment(self, moment, s, r, u, result)

    def project(self, x: Part, v: Part, time: Time) -> None:
        """Replace (x, v) by the nearest state that obeys the constraints. time : loads the time, s."""
        close_joints(self, x, v, time, PROJECTIONS, CLOSED)

    def of_group(self, body: ProgramBody) -> Iterator[str]:
        """Switch over the groups: yields each one; the code recorded for it runs for bodies of that group."""
        for case in self.program.switch(self.program.entry("groups", body.k), range(len(self.groups))):
            yield self.groups[case]

    def of_kind(self, body: ProgramBody) -> Iterator[Kind]:
        for case in self.program.switch(self.program.entry("kinds", body.k), range(len(self.kinds))):
            yield self.kinds[case]

    def place_bodies(self, x: Part, v: Part) -> None:
        """Store poses and twists of the bodies in their fields."""
        with self.bodies() as body:
            for group in self.of_group(body):
                x_i, v_i = body.state(x, 12), body.state(v, 6)
                R, linear = Matrix.of(x_i[:9]), Vector(v_i[3:])
                body.put("R", x_i[:9])
                body.put("r", x_i[9:])
                body.put("V", [*v_i[:3], *(linear if group == "se3" else R.T @ linear)])

    def velocities(self, body: ProgramBody) -> None:
        """Compute relative pose and velocity product of a body, its inertia, and its gyroscopic and gravity forces."""
        pose, V, I = body.pose(), body.motion("V"), body.inertia()
        # as the poses are, also where they violate the joint: the constraints are linearised there
        relative = body.pose(body.parent).to(pose)
        apart = V - relative.X @ body.motion("V", body.parent)
        g = mv(ZERO, pose.R.T @ Vector(self.program.load("gravity", 0, k) for k in range(3)))
        body.put("X", relative.flat())
        # c of the constraints: -v_rel x V
        body.put("drift", (-apart.cross(V)).flat())
        body.put("IA", I.articulated().flat())
        body.put("pA", (V.cross(I @ V) - I @ g).flat())
        for kind in self.of_kind(body):
            self.settle(body, kind)
            if kind.moving:
                body.put("drift", [a + b for a, b in zip(body.get("drift"), body.get("c_J"), strict=True)])
            if kind.damped or kind.form:
                S_plus, slip = body.rates(), body.slip()
                body.put("qd", [dot(S_plus[6 * k : 6 * k + 6], slip) for k in range(kind.freedoms)])

    def settle(self, body: ProgramBody, kind: Kind) -> None:
        """Store the axes of a joint in its field, if axes of some joint are not constant."""
        if isinstance(kind.moving, MovingAxes):
            joint = MovingJoint(body, kind.moving)
            joint.find()
            joint.settle()
        elif self.moves:
            body.put("axes", body.given(AXES, 36))
            body.put("rates", body.given(RATES, 36))

    def _measure_moving(self) -> None:
        """Update the largest closure error by joints with moving axes, see `Loops.measure`."""
        program = self.program
        if not self.moves:
            return
        with self.bodies() as body:
            for kind in self.of_kind(body):
                if isinstance(kind.moving, MovingAxes) and not kind.moving.covered:
                    found = MovingJoint(body, kind.moving).open_squared(program.load("gap", 0, 2))
                    program.store("gap", 0, 0, maximum(program.load("gap", 0, 0), found))

    # --- what acts ----------------------------------------------------------------------------------------------------

    def ask(self, moment: Moment) -> None:
        """Store joint coordinates and velocities in "joint_q", "joint_v"; evaluate springs and controllers."""
        program = self.program
        with self.bodies() as body:
            # for laws and force elements that depend on joint coordinates, which the equations of motion do not need
            q_first, v_first = program.entry("q_first", body.k), program.entry("v_first", body.k)
            for kind in self.of_kind(body):
                if not kind.form:
                    continue
                q = self._coordinates(body, kind)
                if kind.sprung:
                    rest, stiffness = body.given(REST, len(q)), body.given(STIFFNESS, kind.freedoms)
                    if isinstance(kind.moving, MovingAxes):
                        body.put("spring", MovingJoint(body, kind.moving).spring(rest, stiffness))
                    else:
                        body.put("spring", spring_force(kind.form, rest, stiffness, q))
                for j, x in enumerate(q):
                    program.store("joint_q", q_first, j, x)
                for j, x in enumerate(body.get("qd")[: kind.freedoms]):
                    program.store("joint_v", v_first, j, x)
        for law, name in ((self.tau, "tau"), (self.f_ext, "f_ext")):
            if isinstance(law, Feedback):
                found = law.record(program, moment.time, ("joint_q", 0), ("joint_v", 0), f"{name}_numbers")
                for j, x in enumerate(found):
                    program.store(name, 0, j, x)

    def _coordinates(self, body: ProgramBody, kind: Kind) -> list[Scalar]:
        """Return the coordinates of a joint, from "X" or as `settle` has stored them."""
        if isinstance(kind.moving, MovingAxes):
            return MovingJoint(body, kind.moving).coordinates
        X, place = body.get("X"), body.k * JOINT_NUMBERS
        given = [self.program.load("joint_numbers", place, j) for j in range(JOINT_NUMBERS)]
        return project(kind.form, given, Pose.of(X))

    def find_joints(self) -> None:
        """Store joint coordinates and velocities in "joint_q", "joint_v", from "X" and "V", where `ask` has not run."""
        program = self.program
        with self.bodies() as body:
            q_first, v_first = program.entry("q_first", body.k), program.entry("v_first", body.k)
            for kind in self.of_kind(body):
                for j, x in enumerate(self._coordinates(body, kind)):
                    program.store("joint_q", q_first, j, x)
                S_plus, apart = body.rates(), body.slip()
                for k in range(kind.freedoms):
                    program.store("joint_v", v_first, k, dot(S_plus[6 * k : 6 * k + 6], apart))

    def act(self, own: OwnForces, z: Part, z_rate: Part, moment: Moment) -> None:
        """Evaluate force elements: joint forces to "own_tau", wrenches to "own_force", rates of their states z."""
        program = self.program
        if own.alike:
            # elements of one kind are evaluated in a loop, and add their wrenches to what is there
            with self.bodies() as one:
                row = one.row * 6
                for k in range(6):
                    program.store("own_force", row, k, 0.0)
        for each, member in each_member(program, own.alike):
            motions = [self.motion_of(x) for x in member.bodies]
            *found, _, _ = each.compute(program, member, motions.__getitem__, lambda: moment.time)
            for k, x in enumerate(found):
                program.store("own_push", 0, k, x)
            add_pushes(program, member.bodies, "own_force")
        known = {f"body{body}": self.motion_of(body) for body in own.bodies}

        def load(argument: str, k: int) -> Scalar:
            if argument == "z":
                return program.load(z.array, z.start, k)
            if argument == "t":
                return moment.time
            return known[argument][k] if argument in known else program.load(f"joint_{argument}", 0, k)

        torques, pushes, rates, *_ = own.split(own.law.compute(program, load, "own_numbers"))
        for k, x in enumerate(rates):
            program.store(z_rate.array, z_rate.start, k, x)
        for a, x in zip(own.velocities, torques, strict=True):
            program.store("own_tau", 0, a, x)
        for body, push in zip(own.pushed, pushes, strict=True):
            for j, x in enumerate(push):
                before = program.load("own_force", 0, 6 * body + j) if own.alike else 0.0
                program.store("own_force", 0, 6 * body + j, before + x)

    def motion_of(self, body: Whole) -> list[Scalar]:
        """Return the motion of a body's frame in world axes: rotation, position, angular velocity, velocity."""
        of = self.field_of
        R, r, arm = Matrix.of(of("R", 9, body)), Vector(of("r", 3, body)), Vector(of("own_offsets", 3, body))
        w, v = mv.of(of("V", 6, body)).halves
        return [*R.flat(), *(r - R @ arm), *(R @ w), *(R @ (v - cross(w, arm)))]

    def field_of(self, name: str, size: int, body: Whole) -> list[Scalar]:
        """Load the numbers of a body from an array; equal indices of a block give the same symbols."""
        if (body, size) not in self._rows:
            self._rows[body, size] = size * body
        return [self.program.load(name, self._rows[body, size], j) for j in range(size)]

    def push(self, body: ProgramBody, array: str) -> None:
        """Add a wrench on a body from an array: moment about the world origin and force, in world axes."""
        wrench = body.pose().X.apply(fv.of([self.program.load(array, body.row * 6, j) for j in range(6)]))
        body.put("pA", (fv.of(body.get("pA")) - wrench).flat())

    def torque(self, body: ProgramBody, moment: Moment) -> Callable[[int], Scalar]:
        """Return a function that loads the joint force on an axis: computed, or interpolated between rows of "tau"."""
        program = self.program
        place = program.entry("v_first", body.k) if self.tau is not None or self.own is not None else 0
        if self.own is not None:
            given = self.given_torque(place, moment)
            return lambda k: given(k) + program.load("own_tau", place, k)
        return self.given_torque(place, moment)

    def given_torque(self, place: Whole, moment: Moment) -> Callable[[int], Scalar]:
        """Return a function that loads the applied part of a joint force. place : place of the body's numbers."""
        program = self.program
        if self.tau is None:
            return lambda k: 0.0
        if isinstance(self.tau, Feedback):
            return lambda k: program.load("tau", place, k)
        return lambda k: moment.scheduled("tau", place + k)
