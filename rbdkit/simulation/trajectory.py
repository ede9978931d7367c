"""`Trajectory`: a recorded motion, and the quantities computed from it (energy, work, forces, tables)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from io import StringIO
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import (
    Energy,
    dissipation,
    element_rates,
    energy,
    forward_dynamics,
    forward_kinematics,
    held_forward_dynamics,
    passive_force,
    power_balance,
    with_elements,
)
from rbdkit.algorithms.constraints import constraints_of
from rbdkit.algorithms.constraints.reactions import reactions
from rbdkit.algorithms.gears import Gears
from rbdkit.algorithms.kinematics import in_world, seen_from
from rbdkit.atomic_write import write_file
from rbdkit.engine import kernels_for
from rbdkit.errors import ArgumentError, ModelError, SimulationError
from rbdkit.formulations import Force, JointSystem
from rbdkit.laws.record import ContactEvent, ContactRecord
from rbdkit.model import Model, controls
from rbdkit.model.constraint_rows import constraint_rows, working
from rbdkit.model.element_states import state_places
from rbdkit.model.kept import kept, snapshot
from rbdkit.model.names import listed
from rbdkit.model.numbering import did_you_mean
from rbdkit.model.one_sided import only_stops, without_stops
from rbdkit.model.requirements import require_model
from rbdkit.simulation import along
from rbdkit.simulation.asked import asked
from rbdkit.simulation.finer import ErrorGrowth, Finer, error_growth
from rbdkit.simulation.forces import AtOnce, at_states
from rbdkit.simulation.loop_forces import LoopForces, loop_forces
from rbdkit.simulation.report import Report
from rbdkit.simulation.simpson import integral
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.spatial.read_numbers import floats, shown

if TYPE_CHECKING:
    import pandas
    import xarray

    from rbdkit.algorithms.jacobian import Reference


AT_ONCE = 0.25
"""Largest wall time of a run, s, for which its repr includes a refinement study (a second, finer run)."""
TRANSMIT = ("follower", "gear")
"""Kinds of constraints that are transmissions between joints."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """States of a model at a sequence of times; row 0 is the initial state.

    Parameters
    ----------
    model : Model
        A frozen copy of the model, which later changes of the original do not reach. Frames may be added to it.
    t : ndarray (n,)
        Times, s.
    q : ndarray (n, nq)
        Coordinates, rad and m.
    v : ndarray (n, nv)
        Joint velocities, rad/s and m/s.
    tau : ndarray (n, nv), optional
        Applied joint forces, N m and N, or None if there were none.
    f_ext : callable, optional
        The external forces as a function of (t, q, v), or None.
    report : rbdkit.simulation.Report, optional
        Report on the run; its lines are in ``repr``.
    z : ndarray (n, nz), optional
        States of force elements; required if the model has any.
    contacts : ContactRecord, optional
        Contact points and forces; None if nothing could touch.
    events : tuple of ContactEvent, optional
        Contact events in order.

    Raises
    ------
    SimulationError
        If force elements have states and `z` is not given.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> trajectory = rbd.simulate(rbd.library.double_pendulum(), [1.0, 0.5], duration=0.5)
    >>> trajectory.q.shape, trajectory.poses("rod2").shape
    ((501, 2), (501, 4, 4))
    >>> trajectory["hinge1"].shape, trajectory["hinge1.angle rate"].shape
    ((501,), (501,))
    >>> list(trajectory.columns())
    ['hinge1.angle', 'hinge1.angle rate', 'hinge2.angle', 'hinge2.angle rate']
    >>> bool(abs(trajectory.energy_error()).max() < 1e-9)
    True
    """

    model: Model
    t: NDArray
    q: NDArray
    v: NDArray
    tau: NDArray | None = None
    f_ext: Force | None = None
    report: Report | None = field(default=None, repr=False)
    z: NDArray = field(default=None, repr=False)  # type: ignore[arg-type]
    contacts: ContactRecord | None = field(default=None, repr=False)
    events: tuple[ContactEvent, ...] = field(default=(), repr=False)
    _finer: ClassVar[Finer | None] = None
    _controls: ClassVar[Any] = None
    """Controls (n, nu), or a function of t, q and v at all states that returns them; None if they stay the same."""

    def __post_init__(self) -> None:
        require_model(self.model)
        object.__setattr__(self, "model", snapshot(self.model))
        says = "Trajectory: {} {} must be {}".format
        for name, width, what in (
            ("t", 0, "times (n,)"),
            ("q", self.model.nq, "(n, nq)"),
            ("v", self.model.nv, "(n, nv)"),
        ):
            values = floats(getattr(self, name), lambda value, k=name, w=what: says(k, value, w), SimulationError)  # type: ignore[misc]
            if values.shape != ((len(self.t), width) if name != "t" else values.shape[:1]) or not values.ndim:
                raise SimulationError(f"Trajectory: {name} has shape {values.shape}; it must be {what}")
            object.__setattr__(self, name, values)
        if self.z is None:
            object.__setattr__(self, "z", np.zeros((len(self.t), 0)))
        nz = self.model.nz
        if np.shape(self.z) != (len(self.t), nz):
            raise SimulationError(
                f"z has shape {np.shape(self.z)}; {len(self.t)} states of model {self.model.name!r} need "
                f"({len(self.t)}, {nz}){': ' * (nz > 0)}{', '.join(self.model.z_names)}"
            )

    @property
    def z_names(self) -> tuple[str, ...]:
        """Name of each column of z, as in `Model.z_names`."""
        names = self.model.z_names
        if len(names) != self.z.shape[1]:
            raise SimulationError(
                f"force elements with states came to model {self.model.name!r}, or went, after this motion: it has "
                f"{self.z.shape[1]} states, the model {', '.join(names) or 'none'}; simulate again"
            )
        return names

    def state(self, name: str) -> NDArray:
        """Return a state of a force element over time, (n,), or (n, k) if it is a vector: 'muscle.activation'.

        Raises
        ------
        ModelError
            If there is no such state.
        """
        places, _ = state_places(self.model), self.z_names
        if not isinstance(name, str) or name not in places.slices:
            hint = did_you_mean(str(name), places.slices) or "; no force of it has states of its own"
            raise ModelError(f"{name!r} is no state of a force of model {self.model.name!r}{hint}")
        own = self.z[:, places.slices[name]]
        return own[:, 0] if name in places.scalar else own

    def __getitem__(self, name: str) -> NDArray:
        """Return the coordinates of a joint over time, (n,), or (n, k) if it has several; or an entry of `columns`.

        Raises
        ------
        ModelError
            If neither has that name.
        """
        model = self.model
        joint = next((joint for joint in model.joints[1:] if joint.nq and joint.name == name), None)
        if joint is not None:
            own = joint.coordinates(self.q)
            return own[:, 0] if own.shape[1] == 1 else own
        if not isinstance(name, str):
            raise ModelError(f"a motion is asked by names of joints, not {shown(name)}; states are rows of q and v")
        if name in (table := self.columns()):
            return table[name]
        if any(name == known for known in (*(body.name for body in model.bodies), *(f.name for f in model.frames))):
            hint = f"; of bodies and frames there are poses({name!r}) and velocities({name!r})"
        else:
            hint = did_you_mean(name, [*(joint.name for joint in model.joints[1:]), *table])
        raise ModelError(f"{shown(name)} is no joint of model {model.name!r}, and no entry of columns(){hint}")

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the refinement study: functions defined in notebooks cannot be pickled."""
        own = {name: value for name, value in self.__dict__.items() if name != "_finer"}
        return own | {"_controls": self.u} if "_controls" in own else own

    @cached_property
    def u(self) -> NDArray:
        """Controls of the actuators, (n, nu), in the order of `Model.u_names`; cut to their ranges.

        If they come from a function, it is called at the recorded states when they are first asked for.
        """
        known = controls.actuators(self.model)
        own = np.broadcast_to(controls.own_controls(self.model), (len(self), len(known))).copy()
        if self._controls is None or isinstance(self._controls, np.ndarray):
            return own if self._controls is None else self._controls
        found = self._controls(self.t, self.q, self.v)
        for k, actuator in enumerate(known):
            limits = actuator.element.u_range
            own[:, k] = found[:, k] if limits is None else np.clip(found[:, k], *limits)
        return own

    @property
    def _rates_of_motion(self) -> NDArray:
        """Velocities followed by the states of force elements, as formulations order them."""
        return np.concatenate([self.v, self.z], axis=1) if self.z.shape[1] else self.v

    def with_report(self, report: Report) -> Trajectory:
        """Return the motion with another report."""
        return replace(self, report=report)

    def __len__(self) -> int:
        return len(self.t)

    def to_html(self, path: str | PathLike[str] | None = None, **options: Any) -> str:
        """Save the motion as one HTML file that plays without Python and network; see `rbdkit.to_html`."""
        return import_module("rbdkit.export").to_html(self, path, **options)  # from the top of the house, as `rbd.show`

    def to_png(self, path: str | PathLike[str] | None = None, **options: Any) -> bytes:
        """Save a picture of the motion as PNG, of any size; see `rbdkit.to_png`."""
        return bytes(import_module("rbdkit.export").to_png(self, path, **options))

    def to_gif(self, path: str | PathLike[str], **options: Any) -> None:
        """Save the motion as an animated GIF; see `rbdkit.to_gif`."""
        import_module("rbdkit.export").to_gif(self, path, **options)

    def to_mp4(self, path: str | PathLike[str], **options: Any) -> None:
        """Save the motion as a film; see `rbdkit.to_mp4`."""
        import_module("rbdkit.export").to_mp4(self, path, **options)

    @check_arguments(ArgumentError, "to_csv")
    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Return the motion as CSV, a line for each state: t, entries of `columns`, joint forces, controls.

        Parameters
        ----------
        path : str or os.PathLike, optional
            Where to write the file.

        Returns
        -------
        str
            The text; numbers are written so that they read back to the last bit.
        """
        table = {"t": self.t, **self.columns()}
        if self.tau is not None:
            names = [f"{joint.name}.{name}" for joint in self.model.joints for name in joint.type.v_names]
            table |= {f"{name} force": column for name, column in zip(names, self.tau.T, strict=True)}
        table |= {f"{name} control": column for name, column in zip(self.model.u_names, self.u.T, strict=True)}
        lines = StringIO(newline="")
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*(map(float, column) for column in table.values()), strict=True))
        if path is not None:
            write_file(path, lines.getvalue())
        return lines.getvalue()

    @asked
    def poses(self, body: str | None = None) -> NDArray:
        """Return the poses of all bodies, the world first, (n, bodies, 4, 4); or of one body or frame, (n, 4, 4)."""
        if body is None:
            return self._poses
        frame = self.model.frame(body)
        return self._poses[:, frame.body] @ frame.placement

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the prescribed (rheonomic) joints, including reversed ones."""
        return kept(self.model, _driven)

    @property
    def _moved_by_time(self) -> bool:
        """Whether there are prescribed joints, in the tree or in loops, or constraints that depend on time."""
        rows = constraint_rows(self.model)
        timed = rows is not None and rows.timed
        return bool(self.driven) or timed or any(loop.joint.type.is_driven for loop in self.model.loops)

    @property
    def _stores_by_time(self) -> bool:
        """Whether energy stored in force elements may depend on time, as it does or cannot be excluded."""
        kernels = kernels_for(self.model)
        return kernels.timed if kernels is not None else bool(self.model.acting)

    def _at_all_states(
        self, function: Callable[[NDArray, NDArray, Any, NDArray | None], Sequence[NDArray]]
    ) -> list[NDArray]:
        """Evaluate a function of (q, v, t, z) at all states at once, or one by one with prescribed joints.

        z is None if no force element has states.
        """
        z = self.z if self.z_names else None
        if not self.driven and not self._stores_by_time:
            return list(function(self.q, self.v, 0.0, z))
        if not self.driven and kernels_for(self.model) is not None:
            return list(function(self.q, self.v, self.t, z))
        rows = [
            function(q, v, t, None if z is None else z[k])
            for k, (t, q, v) in enumerate(zip(self.t, self.q, self.v, strict=True))
        ]
        return [np.stack(part) for part in zip(*rows, strict=True)]

    def _named_at_all_states(
        self, function: Callable[[NDArray, NDArray, float], dict[str, NDArray]]
    ) -> dict[str, NDArray]:
        """Evaluate a function of (q, v, t) that returns arrays by name at all states."""
        names = list(function(self.q[:1], self._rates_of_motion[:1], 0.0))

        def values(q: NDArray, v: NDArray, t: float, z: NDArray | None) -> list[NDArray]:
            given = function(q, v if z is None else np.concatenate([v, z], axis=-1), t)
            return [given[name] for name in names]

        found = self._at_all_states(values)
        return dict(zip(names, found, strict=True))

    @cached_property
    def _poses(self) -> NDArray:
        return self._kinematics[0]

    @cached_property
    def _kinematics(self) -> list[NDArray]:
        """Poses and spatial velocities of all bodies at all states."""
        kernels = kernels_for(self.model)

        def kinematics(q: NDArray, v: NDArray, t: float, z: NDArray | None) -> Sequence[NDArray]:
            if kernels is not None:
                return kernels.forward_kinematics(q, v, t)  # type: ignore[return-value]
            book = forward_kinematics(self.model, q, v, t=t)
            return book.poses, book.velocities  # type: ignore[return-value]

        return self._at_all_states(kinematics)

    @asked
    def joint_accelerations(self) -> NDArray:
        """Return the joint accelerations (n, nv), rad/s2 and m/s2, by the equations of motion at the recorded states.

        In time stepping with contacts they are means over the step that begins in the state, as contact forces are.

        Raises
        ------
        SimulationError
            If stops of joints act in the motion.
        """
        return self._joint_accelerations

    @cached_property
    def _joint_accelerations(self) -> NDArray:
        return along.joint_accelerations(self)

    @asked
    def acceleration(self, frame: str, reference: Reference = "aligned") -> NDArray:
        """Return the accelerations of a body or frame, (n, 6): angular, rad/s2, and linear, m/s2, without gravity.

        Parameters
        ----------
        frame : str
            Name of a body or frame.
        reference : {'body', 'world', 'aligned'}, optional
            As in `rbdkit.jacobian`; in 'aligned', world axes, the linear part is that of the frame's origin as a point.

        Examples
        --------
        The tip of a level rod that is let go falls half as fast again as a stone:

        >>> import numpy as np
        >>> import rbdkit as rbd
        >>> model = rbd.library.pendulum()
        >>> tip = model.add_frame("tip", "rod", [0, 0, -1])
        >>> rbd.simulate(model, [np.pi / 2], duration=0.01).acceleration("tip")[0, 5].round(2)
        -14.71
        """
        return along.acceleration(self, frame, reference)

    @asked
    def specific_force(self, frame: str) -> NDArray:
        """Return what an accelerometer at a frame shows, (n, 3), m/s2, in the axes of the frame: a - g.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> rbd.simulate(rbd.library.pendulum(), [0.0], duration=0.01).specific_force("rod")[0].tolist()
        [0.0, 0.0, 9.81]
        """
        return along.specific_force(self, frame)

    @asked
    def angular_velocity(self, frame: str) -> NDArray:
        """Return what a gyroscope at a frame shows, (n, 3), rad/s, in the axes of the frame."""
        return self.velocities(frame)[:, :3]

    @asked
    def wrench(self, joint: str) -> NDArray:
        """Return the wrenches through a joint, (n, 6): moment, N m, and force, N, on its body, in body coordinates.

        All six numbers: what the motor gives and what the bearing carries. Springs, dampers and friction of the joint
        are in it; force elements between bodies are not.

        Raises
        ------
        ModelError
            If there is no such joint.
        SimulationError
            If constraints or stops act on the bodies in ways that are not recorded.

        Examples
        --------
        The bearing of a hanging rod of 1 kg carries its weight:

        >>> import rbdkit as rbd
        >>> rbd.simulate(rbd.library.pendulum(), [0.0], duration=0.01).wrench("hinge")[0].round(9).tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0, 9.81]
        """
        return along.wrench(self, joint)

    @asked
    def contact_wrenches(self, body: str) -> NDArray:
        """Return the wrenches of all contacts on a body, (n, 6), N m and N, in world axes about the body's origin."""
        return along.contact_wrenches(self, body)

    @asked
    def velocities(self, body: str | None = None) -> NDArray:
        """Return spatial velocities in body coordinates, rad/s and m/s, (n, bodies, 6), or of one body, (n, 6).

        Parameters
        ----------
        body : str, optional
            Name of a body or frame.
        """
        found = self._velocities()
        if body is None:
            return found
        frame = self.model.frame(body)
        return seen_from(frame.placement, found[:, frame.body])

    def _velocities(self) -> NDArray:
        return self._kinematics[1]

    @asked
    def constraint_error(self) -> NDArray:
        """Return the residuals of the constraints, (n, m), rad and m; m = 0 without constraints.

        For nonholonomic constraints the residual is the velocity violation, m/s.
        """
        return np.zeros((len(self), 0))

    @asked
    def invariants(self) -> dict[str, NDArray]:
        """Return quantities that are conserved without external forces, by name, each (n,) or (n, k)."""
        return self._named_at_all_states(JointSystem(without_stops(self.model)).invariants)

    @asked
    def energy(self) -> Energy:
        """Return the kinetic, gravitational, spring, potential and total energy, each (n,), J."""
        return self._energy

    @cached_property
    def _energy(self) -> Energy:
        kernels = kernels_for(self.model)

        def parts(q: NDArray, v: NDArray, t: float, z: NDArray | None) -> Sequence[NDArray]:
            if kernels is not None:
                found = kernels.energy(q, v, t, z)
                return [found[..., k].copy() for k in range(3)]
            book = energy(self.model, q, v, t=t, z=z)
            return book.kinetic, book.gravitational, book.spring

        return Energy(*self._at_all_states(parts))

    @asked
    def work(self) -> NDArray:
        """Return the energy brought in since the start, (n,), J.

        It is the work of applied and external forces, of prescribed joints' motors and of rheonomic constraints, minus
        the losses in dampers and contacts. The power at the recorded states is integrated by Simpson's rule; contact
        losses, and work of prescribed joints through contacts, come from the contact record.
        """
        return self._work.copy()

    @cached_property
    def _work(self) -> NDArray:
        return self._brought if self.contacts is None else self._brought + self.contacts.driven - self.contacts.lost

    @cached_property
    def _brought(self) -> NDArray:
        """Energy brought in without contacts, (n,), J."""
        return integral(self._power, self.t)

    @asked
    def work_error(self) -> float:
        """Return the uncertainty of `work`, J: its change when only every other state is used.

        Where the power is smooth, the true error is smaller.
        """
        power = self._power
        if not power.any():
            return 0.0
        coarse, fine = integral(power[::2], self.t[::2]), self._brought
        return float(np.nanmax(np.abs(coarse - fine[::2])))

    @cached_property
    def _power(self) -> NDArray:
        """Power whose integral is `work`, without contacts, (n,), W."""
        power, _ = np.zeros(len(self)), self.z_names
        if self.contacts is None and (at_work := working(only_stops(self.model))):
            raise SimulationError(f"the work of bounds that move is not known, here that of {listed(at_work)}")
        power = power - dissipation(self.model, self.v)
        if not all(force.element.conservative for force in self.model.acting):
            power = power - self._lost_in_elements
        if self.tau is not None:
            power = power + np.einsum("ij,ij->i", self.tau, self.v)
        forces = None
        if self.f_ext is not None:
            forces = at_states(self.f_ext, self.t, self.q, self.v)
            power = power + np.einsum("nij,nij->n", forces, in_world(*self._kinematics))
        if self._moved_by_time or working(self.model):
            power = power + [self._motor_power(k, None if forces is None else forces[k]) for k in range(len(self))]
        return power

    @property
    def _lost_in_elements(self) -> NDArray:
        """Power dissipated in force elements, (n,), W."""
        kernels = kernels_for(self.model)
        if kernels is None:
            states = zip(self.t, self.q, self.v, self.z, strict=True)
            return np.array([element_rates(self.model, q, v, t=t, z=z)[1] for t, q, v, z in states])
        return self._at_all_states(lambda q, v, t, z: [kernels.own_forces(q, v, t, z)[2]])[0]

    def _motor_power(self, k: int, f_ext: NDArray | None) -> float:
        """Return the power of prescribed joints' motors and of rheonomic loops and constraints at state k, W.

        f_ext : (bodies, 6) external forces, or None. Other reactions do no work in total: what they take from the
        joints of the tree they give to the motors.
        """
        model = without_stops(self.model)
        t, q, v, z = self.t[k], self.q[k], self.v[k], self.z[k] if self.z.shape[1] else None
        tau = np.zeros(model.nv) if self.tau is None else self.tau[k]
        kernels, closed = kernels_for(model), bool(model.loops or model.constraints)
        if kernels is None or (closed and kernels.rows is None):
            acting = tau + passive_force(model, q, v, t=t, z=z)
            if closed:
                vdot = held_forward_dynamics(model, q, v, acting, f_ext=f_ext, t=t)
            else:
                vdot = forward_dynamics(model, q, v, tau, f_ext=f_ext, t=t, z=z)
            return float(power_balance(model, q, v, vdot, tau, f_ext=f_ext, t=t, z=z).driven)
        vdot = kernels.forward_dynamics(q, v, tau, f_ext, t, z)
        power = 0.0
        if self.driven:
            carried = with_elements(model, q, v, f_ext=f_ext, t=t, z=z)  # motors carry it, too
            power += float(kernels.driven.at(t)["driven_v"] @ kernels.motors(q, v, vdot, carried, t))
        if closed:
            known = tau + passive_force(model, q, v, t=t, z=z)
            # what inverse dynamics needs beyond the known forces are reactions, and these do work where time moves
            # constraints
            power += float((kernels.rnea(q, v, vdot, f_ext, t) - known) @ v)
        return power

    @asked
    def energy_error(self) -> NDArray:
        """Return the deviation of the energy from its first value plus `work`, (n,), J: the integrator's error."""
        total = self.energy().total
        return total - total[0] - self._work

    @asked
    def error_growth(self) -> ErrorGrowth:
        """Estimate the global error of the motion over time, by a second run with half the step.

        The report adds up errors of single steps; some motions amplify them, a double pendulum that turns over a
        thousandfold. Adaptive methods run again with a hundredth of their tolerances. Functions that were given to
        `simulate` are called again; what they depend on must not have changed.

        Returns
        -------
        ErrorGrowth

        Raises
        ------
        SimulationError
            If the motion does not come from `simulate` in this process, but was loaded, played or changed.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> start = [2.0, 3.0]
        >>> growth = rbd.simulate(rbd.library.double_pendulum(), start, duration=20.0, dt=0.01).error_growth()
        >>> bool(growth.end > 1e3 * growth.error[200]), bool(growth.known_until(1e-3) < 20.0)
        (True, True)
        """
        if self._growth is None:
            raise SimulationError(
                "this motion cannot be computed once more: it does not come from simulate here, but was loaded, "
                "played or changed. Simulate again, and ask that one"
            )
        return self._growth

    @cached_property
    def _growth(self) -> ErrorGrowth | None:
        return None if self._finer is None else error_growth(self, self._finer)

    @asked
    def loop_forces(self) -> LoopForces:
        """Return the wrenches through loop joints over time, by joint name.

        Raises
        ------
        SimulationError
            If no joints close loops.
        """
        f_ext = None if self.f_ext is None else at_states(self.f_ext, self.t, self.q, self.v)
        return loop_forces(self.model, self.t, self.q, self.v, self.tau, f_ext, self.z if self.z_names else None)

    @asked
    def constraint_forces(self) -> dict[str, NDArray]:
        """Return the constraint forces by name, (n, rows): of constraints, loop joints, mimic joints and gears.

        Forces are in N for residuals in m, N m for residuals in rad, in the rows of `rbdkit.constraints_of`; positive
        if they act to increase the residual. Of redundant constraints only the sum is meaningful. For a `Mimic` it is
        the force of the transmission on the mimic joint.

        Returns
        -------
        dict of str to ndarray

        Examples
        --------
        A ball of 2 kg hangs on a rod:

        >>> import rbdkit as rbd
        >>> model = rbd.Model("plumb")
        >>> bob = model.add_body("bob", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=2.0))
        >>> rod = model.add_constraint("rod", rbd.Distance("world", "bob", 1.0, at_a=(0.0, 0.0, 1.0)))
        >>> motion = rbd.simulate(model, duration=0.01)
        >>> motion.constraint_forces()["rod"][0].round(6).tolist()
        [-19.62]
        """
        transmitting = [held for held in constraints_of(self.model, self._gears or ()) if held.what in TRANSMIT]
        found = {held.name: np.zeros((len(self), 1)) for held in transmitting}
        if not found:
            return {}
        f_ext = None if self.f_ext is None else at_states(self.f_ext, self.t, self.q, self.v)
        for k, (t, q, v) in enumerate(zip(self.t.tolist(), self.q, self.v, strict=True)):
            tau, z = np.zeros(len(v)) if self.tau is None else self.tau[k], self.z[k] if self.model.nz else None
            pushed = None if f_ext is None else f_ext[k]
            of_all = reactions(self.model, self._gears, q, v, tau, f_ext=pushed, t=t, z=z)
            for held in transmitting:
                found[held.name][k] = of_all[held.what, held.name]
        return found

    @property
    def _gears(self) -> Gears | None:
        """Gears of the formulation, or None."""
        return None

    @asked
    def columns(self) -> dict[str, NDArray]:
        """Return coordinates and velocities by name: 'elbow.angle', 'elbow.angle rate', ... each (n,).

        States of force elements follow: 'muscle.activation'.
        """
        table: dict[str, NDArray] = {}
        for joint in self.model.joints:
            q, v = joint.coordinates(self.q), joint.velocities(self.v)
            table.update({f"{joint.name}.{name}": q[:, k] for k, name in enumerate(joint.type.q_names)})
            names = [f"{joint.name}.{name}" for name in joint.type.v_names]
            table.update({f"{name} rate" if name in table else name: v[:, k] for k, name in enumerate(names)})
        return table | {name: self.z[:, k] for k, name in enumerate(self.z_names)}

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a pandas table indexed by time: coordinates, velocities and energies. Needs the package pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_dataframe needs pandas: pip install 'rbdkit[data]'") from None
        e = self.energy()
        energies = {"kinetic energy": e.kinetic, "potential energy": e.potential, "total energy": e.total}
        return pandas.DataFrame(self.columns() | energies, index=pandas.Index(self.t, name="t"))

    def to_xarray(self) -> xarray.Dataset:
        """Return an xarray data set over time with poses of all bodies. Needs the package xarray."""
        try:
            import xarray
        except ImportError:
            raise ImportError("to_xarray needs xarray: pip install 'rbdkit[data]'") from None
        variables: dict[str, Any] = {name: ("t", values) for name, values in self.columns().items()}
        variables["pose"] = (("t", "body", "row", "column"), self.poses())
        return xarray.Dataset(variables, coords={"t": self.t, "body": [body.name for body in self.model.bodies]})

    def __repr__(self) -> str:
        head = f"<Trajectory of {self.model.name!r}: {len(self.t)} states, t = {self.t[0]:.4g} .. {self.t[-1]:.4g} s>"
        lines = self.report.lines(self.model) if self.report else []
        if self.report and self._finer and self.report.wall_time < AT_ONCE and self.report.compiled:
            lines.append(str(self._growth))
        return "\n  ".join([head, *lines])


def _driven(model: Model) -> tuple[str, ...]:
    return tuple(joint.name for joint in model.joints if joint.type.is_driven)


def forces_at(force: Force, t: NDArray, q: NDArray, v: NDArray) -> NDArray:
    """Return joint forces (n, nv) at recorded states; NaN where the function fails when it is called once more.

    At the last state it may have failed in the run itself.
    """
    if isinstance(force, AtOnce):
        return np.array(force.at_states(t, q, v))
    tau = np.full((len(t), v.shape[1]), np.nan)
    for k, state in enumerate(zip(t, q, v, strict=True)):
        with suppress(Exception):
            tau[k] = force(*state)
    return tau
