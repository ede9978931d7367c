"""Simulations of the three cases of Gebhardt and Romero, compared with the exact numbers as in their tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations import Directors
from rbdkit.integrators import half_step_energy, second_quotient
from rbdkit.library.gebhardt_romero import Case
from rbdkit.simulation import Motion, simulate

HEADINGS = ("", "computed", "exact", "spread while stationary")
KEPT = ("Pi1", "Pi2", "K")
"""Quantities that stay constant without a load, by their names in `Motion.invariants`."""

Row = list[float | str | None]


def run(case: Case, h: float, integrator: str = "energy_momentum", every: int = 1, duration: float = 5.0) -> Motion:
    """Simulate a case in non-twisting directors, with steps of h seconds."""
    tau = case.samples(h)
    motion = simulate(
        case.model,
        v0=case.v0,
        tau=None if tau is None else tau[: round(duration / h) + 1],
        duration=duration,
        dt=h,
        every=every,
        formulation="non_twisting_directors",
        integrator=integrator,
        progress=False,
    )
    assert isinstance(motion, Motion)  # as of every formulation
    return motion


def exact_end(case: Case, t: float = 5.0) -> NDArray:
    """Return Pi1, Pi2 and K, (3,), of the body without twist at time t (s), in closed form."""
    return np.array([*case.momentum(t)[:2], case.kinetic_energy(t)])


def stationary(case: Case, motion: Motion, since: float) -> dict[str, Row]:
    """Return a row for each invariant: its final value, the exact one, and its spread since a time; see `HEADINGS`."""
    late = motion.t >= since - 1e-9
    kept = motion.invariants()
    return {
        f"{name} ({'J' if name == 'K' else 'kg m²/s'})": [
            float(kept[name][-1]),
            float(exact),
            f"{np.ptp(kept[name][late]):.1e}",
        ]
        for name, exact in zip(KEPT, exact_end(case), strict=True)
    }


def quotient(case: Case, h: float, duration: float, points: int = 50) -> tuple[NDArray, NDArray]:
    """Return times (points + 1,) and the second precision quotient there, over all nine coordinates.

    It is ``|q_h - q_{h/2}| / |q_{h/2} - q_{h/4}|``, which tends to 2^p for a method of order p.
    """
    every = round(duration / points / h)
    runs = [run(case, h / n, every=n * every, duration=duration) for n in (1, 2, 4)]
    return runs[0].t, second_quotient(*(each.x for each in runs))


def errors_of_steps(case: Case, steps: tuple[float, ...] = (2e-3, 1e-3, 5e-4, 2.5e-4)) -> NDArray:
    """Return the errors (steps, 3) of Pi1, Pi2 and K for each step, after the load has ended."""
    ends = [run(case, h, every=10**9, duration=1.0).invariants() for h in steps]
    return np.array([[kept[name][-1] for name in KEPT] for kept in ends]) - exact_end(case, 1.0)


def rivals(case: Case, h: float) -> tuple[Motion, Motion, dict[str, Row]]:
    """Run the energy-momentum and the Lagrange-d'Alembert method; return both motions, and rows that compare them.

    The second method has two energies: the Hamiltonian at the nodes, and that of the chords between them.
    """
    em, dla = run(case, h), run(case, h, "lagrange_dalembert")
    assert em.report is not None and dla.report is not None and isinstance(dla.system, Directors)
    rows: dict[str, Row] = {}
    for name in KEPT:
        rows[name if name != "K" else "Hamiltonian"] = [float(m.invariants()[name][-1]) for m in (em, dla)]
    rows["energy"] = [rows["Hamiltonian"][0], float(half_step_energy(dla.system, dla.x, h)[-1])]
    rows["Newton iterations a step"] = [float(np.mean([s.iterations for s in m.solves])) for m in (em, dla)]
    rows["run time, µs a step"] = [f"{1e6 * r.wall_time / r.steps:.0f}" for r in (em.report, dla.report)]
    return em, dla, rows
