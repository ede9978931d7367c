"""Contact as a force: surfaces that give way, by springs and dampers without mass (Featherstone 2008, section 11.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.soft_steps import SoftSteps
from rbdkit.engine.contact.soft_tree import Soft
from rbdkit.errors import SimulationError
from rbdkit.formulations import System
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.integrators import Integrator, records
from rbdkit.laws.law import Law, Sample
from rbdkit.laws.log import Log
from rbdkit.laws.near import Near
from rbdkit.laws.scene import Scene

LOOKS = 10
"""Steps from one look at how fast contacts may move to the next."""
MOST_POWER = 4.0
"""Largest exponent in the compiled loop."""
STABLE = 2.0
"""Rate of a contact times the step up to which explicit methods follow it."""


@dataclass(frozen=True)
class Compliant(Law):
    """Surfaces are patches without mass on springs and dampers, so contact is a force like others.

    Along the normal a patch at z pushes with ``max(0, K |z|^n - D |z|^m z')`` while it is touched, and recovers by
    itself while not; along the surface it is dragged with the body, and slips where that would take more than friction
    has. What the materials of a pair say of stiffness and damping counts; where they say nothing, the numbers below.
    Restitution is not asked for: it is what the dampers leave.

    Parameters
    ----------
    stiffness, damping : float, optional
        Normal K, N/m^n, and D, N s/m^(m+1), of pairs whose materials say nothing.
    tangential_stiffness, tangential_damping : float, optional
        K_t, N/m, and D_t, N s/m; those of the normal if not given.
    n, m : float, optional
        Exponents; 1 and 0 make linear surfaces (Eq 11.73), n = m those of Hunt and Crossley, whose force begins at
        zero.
    patch : {'analytic', 'state'}, optional
        How z is known while nothing touches: in closed form from when it was lost, or as a state that is integrated.

    Raises
    ------
    SimulationError
        If an option makes no sense.

    Examples
    --------
    >>> from rbdkit.laws import Compliant
    >>> Compliant(stiffness=2e5).name
    'compliant'
    """

    name: ClassVar[str] = "compliant"
    knows: ClassVar[str] = "states of surfaces"
    own_steps: ClassVar[bool] = False
    stops: ClassVar[bool] = False
    assumes: ClassVar[str] = "small dents; surfaces without mass; Coulomb friction behind a tangential spring"
    conserves: ClassVar[tuple[str, ...]] = ("momentum of bodies that touch each other only",)
    solutions: ClassVar[str] = "always one"

    stiffness: float = 1e5
    damping: float = 1e2
    tangential_stiffness: float | None = None
    tangential_damping: float | None = None
    n: float = 1.0
    m: float = 0.0
    patch: Literal["analytic", "state"] = "analytic"

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "tangential_stiffness", "tangential_damping", "n"):
            value = getattr(self, name)
            if value is None and name.startswith("tangential"):
                continue
            if not (np.isfinite(value) and value > 0.0):
                raise SimulationError(f"{name} = {value} of law 'compliant' must be positive")
        if not (np.isfinite(self.m) and self.m >= 0.0):
            raise SimulationError(f"m = {self.m} of law 'compliant' must not be negative")
        if self.patch not in ("analytic", "state"):
            raise SimulationError(f"patch = {self.patch!r} must be 'analytic' or 'state'")

    def stepped(self, method: Integrator, surfaces: Sequence[Any]) -> SoftSteps | None:
        halves = (2.0 * self.n).is_integer() and (2.0 * self.m).is_integer() and max(self.n, self.m) <= MOST_POWER
        if not halves or (self.patch == "analytic" and self.n - self.m not in (0.0, 1.0)):
            return None
        if method.requires is not System or not records(method):
            return None
        numbers = np.column_stack(self.numbers(surfaces))
        return SoftSteps(method, Soft(float(self.n), float(self.m), self.patch == "state"), numbers)

    def numbers(self, surfaces: Sequence[Any]) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """K, D, K_t, D_t of surfaces, (k,) each."""

        def of(name: str, instead: NDArray | float) -> NDArray:
            given = [getattr(own, name, None) for own in surfaces]
            other = np.broadcast_to(instead, (len(given),))
            return np.array([y if x is None else x for x, y in zip(given, other, strict=True)], dtype=float)

        K, D = of("stiffness", self.stiffness), of("damping", self.damping)
        K_t = of("tangential_stiffness", K if self.tangential_stiffness is None else self.tangential_stiffness)
        return K, D, K_t, of("tangential_damping", D if self.tangential_damping is None else self.tangential_damping)

    def promise(self) -> str:
        return "what forces dent surfaces of their stiffness"

    def samples(
        self,
        scene: Scene,
        method: Integrator,
        hold: Callable[[int], None],
        times: NDArray,
        q: NDArray,
        w: NDArray,
        log: Log,
    ) -> Iterator[Sample]:
        system = Surfaces(scene, self)
        hold(0)
        size, s = len(w), np.concatenate([w, system.at_rest()])
        state = method.init(system, times[0], q, s)
        fastest = farthest = 0.0
        thin = float(scene.pairs.thickness.min(initial=np.inf))
        for k in range(len(times) - 1):
            hold(k)
            h = float(times[k + 1] - times[k])
            system.tell(log, k, float(times[k]), state.x, state.v, h)
            if k % LOOKS == 0:
                fastest = max(fastest, h * system.rate_of_contacts(float(times[k]), state.x, state.v))
            if np.isfinite(thin):
                farthest = max(farthest, h * scene.fastest(float(times[k]), state.x, state.v[: scene.model.nv]))
            before = state.v[-2:]
            state = method.step(system, type(state)(times[k], state.x, state.v, state.memory, state.solve), h)
            q, s = system.ended(float(times[k + 1]), state.x, state.v)
            state = type(state)(float(times[k + 1]), q, s, state.memory, state.solve)
            log.took(*(s[-2:] - before).tolist())
            yield q, s[:size], k + 1, state.solve
        system.tell(log, len(times) - 1, float(times[-1]), state.x, state.v, float(times[-1] - times[-2]))
        self._judge(float(times[1] - times[0]), farthest, thin, fastest, log)

    def judge(self, scene: Scene, h: float, t: NDArray, q: NDArray, v: NDArray, log: Log) -> None:
        """Tell a log whether steps h are too long for the states (k,) of a motion, a hundred of which are looked at."""
        system, thin = Surfaces(scene, self), float(scene.pairs.thickness.min(initial=np.inf))
        fastest = farthest = 0.0
        for k in np.unique(np.linspace(0, len(t) - 1, 10 * LOOKS).astype(int)):
            s = np.concatenate([v[k], system.at_rest()])
            fastest = max(fastest, h * system.rate_of_contacts(float(t[k]), q[k], s))
            if np.isfinite(thin):
                farthest = max(farthest, h * scene.fastest(float(t[k]), q[k], v[k, : scene.model.nv]))
        self._judge(h, farthest, thin, fastest, log)

    @staticmethod
    def _judge(h: float, farthest: float, thin: float, fastest: float, log: Log) -> None:
        """Alarms of steps that are too long. farthest : m in a step. fastest : rate of contacts times a step."""
        if farthest > 0.5 * thin:
            log.alarms.append(
                f"STEP TOO LONG FOR CONTACTS: bodies come up to {farthest:.3g} m closer in a step and are {thin:.3g} m "
                "thick, so they may have passed through each other unseen; take a shorter step, or "
                "contact='time_stepping', which looks ahead"
            )
        if fastest > STABLE:
            log.alarms.append(
                f"STEP TOO LONG FOR CONTACTS: their springs and dampers have motions with rate {fastest / h:.3g} 1/s, "
                f"which steps of {h:.3g} s may make grow; take steps of {h / fastest:.1g} s, softer surfaces, or "
                "contact='time_stepping'"
            )


class Surfaces:
    """A joint system with the patches of all points where its bodies may touch, as integrators step it.

    Behind the velocities and the states of force elements v holds the displacements x of the patches along their
    surfaces (slots, 3), in world axes; their depths z (slots,) if these are states; and what contacts took of the
    energy so far by normal forces and by friction.

    Parameters
    ----------
    scene : Scene
        What touches. law : with its numbers.
    """

    def __init__(self, scene: Scene, law: Compliant) -> None:
        self.scene, self.system, self.model, self.law = scene, scene.system, scene.model, law
        self.K, self.D, self.K_t, self.D_t = law.numbers(scene.pairs.surfaces)
        for name, numbers in (("damping", self.D), ("tangential damping", self.D_t)):
            if (numbers <= 0.0).any():
                pair = scene.pairs.names[int(np.argmin(numbers))]
                raise SimulationError(f"law 'compliant' asks for a positive {name} of {pair!r}: a patch has no mass")
        self.first = np.concatenate([[0], np.cumsum(scene.pairs.slots)]).astype(int)
        self.slots = int(self.first[-1])
        self.pair = np.repeat(np.arange(len(scene.pairs.slots)), scene.pairs.slots)
        self.own = scene.model.nv + scene.model.nz
        self.of_x = slice(self.own, self.own + 3 * self.slots)
        n_z = self.slots if law.patch == "state" else 0
        self.of_z = slice(self.of_x.stop, self.of_x.stop + n_z)
        self.t_0, self.z_0 = np.zeros(self.slots), np.zeros(self.slots)
        self.pressed = np.zeros(self.slots, dtype=bool)  # while a step is made: at its beginning, patches as states
        self.f_ext = scene.system.f_ext

    def at_rest(self) -> NDArray:
        """States of patches that nothing ever touched."""
        return np.zeros(self.of_z.stop - self.own + 2)

    # --- as a system --------------------------------------------------------------------------------------------------

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        rates = np.zeros_like(v)
        near, row, f, u, z = self._forces(t, x, v)
        here = v[self.of_x].reshape(-1, 3)
        slow = (self.K_t / self.D_t)[self.pair]
        moving = -slow[:, None] * here  # Eq 11.77 where nothing touches
        axes, own = near.axes, self.pair[row]
        if len(near):
            moving[row] = -(self.K_t[own][:, None] * here[row] + np.einsum("ik,ikj->ij", f[:, 1:], axes[:, 1:]))
            moving[row] /= self.D_t[own][:, None]
        rates[self.of_x] = moving.ravel()
        if self.of_z.stop > self.of_z.start:
            force = np.zeros(self.slots)
            force[row] = f[:, 0]
            rates[self.of_z] = self._recovering(z, force)
        rates[-2] = -float((f[:, 0] * u[:, 0]).sum())
        rates[-1] = -float((f[:, 1:] * u[:, 1:]).sum())
        rates[: self.own] = self._moving(t, x, v[: self.own], near, f)
        return rates

    def _moving(self, t: float, q: NDArray, w: NDArray, near: Near, f: NDArray) -> NDArray:
        """Rates of velocities and of states of force elements under the forces of patches."""
        if not len(near):
            return self.system.rate(t, q, w)
        wrenches = np.einsum("ik,ikj->ij", f, self.scene.wrenches(near))
        total = np.zeros((len(self.model.bodies), 6))
        both = self.scene.pairs.bodies[near.pair]
        np.add.at(total, both[:, 1], wrenches)
        np.add.at(total, both[:, 0], -wrenches)
        total[0] = 0.0
        given = self.f_ext
        self.system.f_ext = lambda t, q, v: total if given is None else given(t, q, v) + total
        try:
            return self.system.rate(t, q, w)
        finally:
            self.system.f_ext = given

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        return self.system.move(x, u[..., : self.own])

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        rates = np.zeros_like(v)
        rates[: self.own] = self.system.local_rate(u[: self.own], v[: self.own])
        return rates

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        return np.concatenate([self.system.displacement(x0, x1), self.at_rest()])

    # --- forces -------------------------------------------------------------------------------------------------------

    def _forces(self, t: float, q: NDArray, s: NDArray) -> tuple[Near, NDArray, NDArray, NDArray, NDArray]:
        """Points that touch, their rows among the slots, forces and velocities there (m, 3), and all z."""
        law, scene, v = self.law, self.scene, s[: self.model.nv]
        z = self._depths(t, s)
        near = scene.near(t, q, v, 0.0)
        row = self.first[near.pair] + near.slot
        touches = (near.gap <= z[row]) | self.pressed[row]  # what is pressed stays so until its force is zero
        near, row = near.of(touches), row[touches]
        if not len(near):
            return near, row, np.zeros((0, 3)), np.zeros((0, 3)), z
        _, velocity = scene.motion(t, q, v)
        both = scene.pairs.bodies[near.pair]
        u = np.einsum("ijk,ik->ij", scene.wrenches(near), velocity[both[:, 1]] - velocity[both[:, 0]])
        pair, depth = near.pair, -near.gap
        f = np.empty_like(u)
        f[:, 0] = np.maximum(0.0, self.K[pair] * depth**law.n - self.D[pair] * depth**law.m * u[:, 0])  # Eq 11.74
        x = np.einsum("ikj,ij->ik", near.axes[:, 1:], s[self.of_x].reshape(-1, 3)[row])
        stick = -self.K_t[pair][:, None] * x - self.D_t[pair][:, None] * u[:, 1:]  # Eq 11.78
        size, limit = np.hypot(stick[:, 0], stick[:, 1]), scene.friction[pair] * f[:, 0]
        f[:, 1:] = stick * np.where(size > limit, limit / np.where(size > 0.0, size, 1.0), 1.0)[:, None]  # Eq 11.79
        return near, row, f, u, z

    def _depths(self, t: float, s: NDArray) -> NDArray:
        """z of all patches as they are without being touched now, (slots,)."""
        if self.of_z.stop > self.of_z.start:
            return np.minimum(s[self.of_z], 0.0)
        r = self.law.n - self.law.m  # |z|' = -K/D |z|^r
        depth, since = -self.z_0, (t - self.t_0) * (self.K / self.D)[self.pair]
        if r == 1.0:
            return -depth * np.exp(-since)
        base = np.where(depth > 0.0, depth, 1.0) ** (1.0 - r) - (1.0 - r) * since
        back = np.where(base > 0.0, base, 1.0) ** (1.0 / (1.0 - r))
        return -np.where((depth > 0.0) & (base > 0.0), back, 0.0)

    def _recovering(self, z: NDArray, force: NDArray) -> NDArray:
        """z' of all patches under forces, Eq 11.73."""
        depth = np.maximum(-z, 0.0)
        damping = self.D[self.pair] * depth**self.law.m
        push = self.K[self.pair] * depth**self.law.n - force
        return np.where(damping > 0.0, push / np.where(damping > 0.0, damping, 1.0), 0.0)

    # --- steps --------------------------------------------------------------------------------------------------------

    def ended(self, t: float, q: NDArray, s: NDArray) -> tuple[NDArray, NDArray]:
        """The state at the end of a step, with loops closed and patches where bodies hold them."""
        s, nv = np.array(s), self.model.nv
        if isinstance(self.system, ClosedJointSystem):
            q, s[:nv] = self.system.project(q, s[:nv], t)
        near, row, f, _, z = self._forces(t, q, s)
        pressed = f[:, 0] > 0.0
        self.pressed[:] = False
        if self.of_z.stop > self.of_z.start:
            self.pressed[row[pressed]] = True
        depth = np.where(pressed, near.gap, z[row])
        if self.of_z.stop > self.of_z.start:
            s[self.of_z][row] = depth
        else:
            self.z_0, self.t_0 = z, np.full(self.slots, t)
            self.z_0[row] = depth
        return q, s

    def tell(self, log: Log, k: int, t: float, q: NDArray, s: NDArray, h: float) -> None:
        """Tell a log of state k."""
        near, _, f, u, _ = self._forces(t, q, s)
        log.state(k, t, near, np.einsum("ik,ikj->ij", f, near.axes))
        rough, sliding = self.scene.friction[near.pair] > 0.0, np.hypot(u[:, 1], u[:, 2])
        at_limit = np.hypot(f[:, 1], f[:, 2]) >= 0.999999 * self.scene.friction[near.pair] * f[:, 0]
        log.watch(t, near, f[:, 0] * h, u[:, 0], np.where(at_limit, sliding, 0.0), rough, 1e-2)

    def rate_of_contacts(self, t: float, q: NDArray, s: NDArray) -> float:
        """Of the fastest motion of what touches, 1/s."""
        near = self._forces(t, q, s)[0]
        rates = [float((self.K_t / self.D_t).max(initial=0.0))]
        if len(near):
            J = self.scene.rows(t, q, near)
            W = J @ self.scene.inverse(t, q).times(J.T)
            most = float(np.linalg.norm(W, 2))
            depth = float(-near.gap.min())
            K = self.law.n * float(self.K[near.pair].max()) * depth ** (self.law.n - 1.0)
            D = float(self.D[near.pair].max()) * depth**self.law.m
            rates += [float(np.sqrt(K * most)), D * most]
            rough = near.pair[self.scene.friction[near.pair] > 0.0]
            K_t, D_t = (float(numbers[rough].max(initial=0.0)) for numbers in (self.K_t, self.D_t))
            rates += [float(np.sqrt(K_t * most)), D_t * most]
        return max(rates)
