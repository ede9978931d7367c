"""Comparison of several runs of one model: formulations, integrators or contact laws."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

import numpy as np

from rbdkit.errors import ArgumentError, RbdkitError, SimulationError
from rbdkit.formulations import JointSystem
from rbdkit.integrators import Adaptive, Integrator
from rbdkit.laws import Law, pairs_of
from rbdkit.model import Model
from rbdkit.model.kept import snapshot
from rbdkit.model.one_sided import has_stops
from rbdkit.simulation.choices import Maker, integrator_of, law_of, maker_of
from rbdkit.simulation.contender import Contender
from rbdkit.simulation.distance import distance
from rbdkit.simulation.motion import Motion
from rbdkit.simulation.simulate import SimulationWarning, simulate
from rbdkit.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    import pandas

Pair = tuple[str | Maker, str | Integrator | Adaptive]
"""A formulation and an integrator, as `simulate` takes them."""


QUICK = 0.5
"""Wall time, s, below which a run is timed twice."""
ONLY_THE_END = 2**62
"""Value of `every` with which only the first and the last state are recorded."""


class NoContender(ArgumentError, KeyError):
    """A comparison has no run of that name."""


@dataclass(frozen=True)
class Comparison:
    """Runs of one model with the same measures for each. Its ``repr`` is a table of them.

    Attributes
    ----------
    contenders : tuple of Contender
        The runs.
    reference : Trajectory or None
        The motion that they are compared with.
    run : callable or None
        Function that repeats run k with another step; None if finished trajectories were given.
    failed : mapping of str to str
        Reasons why runs failed, by label.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.simulation import compare_runs
    >>> pair = [("joint", "heun"), ("joint", "rk4")]
    >>> list(compare_runs(rbd.library.pendulum(), pair, q0=[1.0], duration=0.1).columns())[0]
    'energy drift'
    """

    contenders: tuple[Contender, ...]
    reference: Trajectory | None = None
    run: Callable[[int, float], Trajectory] | None = field(default=None, repr=False)
    failed: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, label: str) -> Contender:
        for contender in self.contenders:
            if contender.label == label:
                return contender
        raise NoContender(f"no contender {label!r}; there are {', '.join(repr(c.label) for c in self.contenders)}")

    @property
    def invariants(self) -> tuple[str, ...]:
        """Names of the quantities that at least one run should conserve, the energy first."""
        return tuple(dict.fromkeys(name for contender in self.contenders for name in contender.drifts))

    @property
    def notes(self) -> list[str]:
        """Runs that failed or ended early, and runs that do not approximate the reference, in words."""
        reports = [(contender.label, contender.trajectory.report) for contender in self.contenders]
        stopped = [f"{label} did not run: {why}" for label, why in self.failed.items()]
        stopped += [f"{label} stopped: {report.stopped}" for label, report in reports if report and report.stopped]
        if self.reference is None:
            return stopped
        twists = may_twist(self.reference)
        what = "its body may not twist" if twists else "its body may twist"
        others = [contender.label for contender in self.contenders if may_twist(contender.trajectory) != twists]
        return stopped + [f"{label} is no approximation of the reference: {what}" for label in others]

    def columns(self) -> dict[str, list[float]]:
        """Return the table: under each heading a number for each run, NaN where there is none."""
        table = {f"{name} drift": [_last(c.drifts.get(name)) for c in self.contenders] for name in self.invariants}
        table["constraint error"] = [float(np.max(c.constraint_error)) for c in self.contenders]
        table["|det R - 1|"] = [float(np.max(c.rotation_error)) for c in self.contenders]
        if self.reference is not None:
            table["off at the end"] = [np.nan if c.distance is None else float(c.distance[-1]) for c in self.contenders]
        contacts = [None if c.trajectory.report is None else c.trajectory.report.contacts for c in self.contenders]
        if any(contacts):
            table["penetration"] = [np.nan if own is None else own.penetration for own in contacts]
            table["taken by contacts"] = [
                np.nan if own is None else own.lost_normal + own.lost_friction for own in contacts
            ]
        table["µs a step"] = [1e6 * c.step_time for c in self.contenders]
        if any(c.iterations for c in self.contenders):
            table["Newton iterations"] = [float(c.iterations) for c in self.contenders]
        return table

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the table as a pandas data frame with the labels of the runs as index. Needs the package pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_dataframe needs pandas: pip install 'rbdkit[data]'") from None
        return pandas.DataFrame(self.columns(), index=[contender.label for contender in self.contenders])

    def work_precision(self, steps: Sequence[float]) -> dict[str, tuple[list[float], list[float]]]:
        """Repeat each run with other steps, s, and return {label: (wall times in s, errors at the end)}.

        Errors are distances from the reference at the end, m or rad. A run that fails with a step is left out, and a
        run that does not approximate the reference has no points.

        Raises
        ------
        SimulationError
            If there is no reference, or the contenders came as finished trajectories.
        """
        if self.run is None or self.reference is None:
            raise SimulationError("a work-precision diagram needs compare(model, pairs, ...), which can run them again")
        points: dict[str, tuple[list[float], list[float]]] = {}
        model, end = self.reference.model, self.reference.poses()[-1:]
        for k, contender in enumerate(self.contenders):
            times, errors = points.setdefault(contender.label, ([], []))
            for h in steps if may_twist(contender.trajectory) == may_twist(self.reference) else ():
                again = self.run(k, h)
                if again.report is None or again.report.stopped:
                    continue
                times.append(again.report.wall_time)
                errors.append(float(distance(model, again.poses()[-1:], end)[0]))
        return points

    def __repr__(self) -> str:
        columns = self.columns()
        names = [contender.label for contender in self.contenders]
        wide = max(map(len, names))
        lines = [" " * wide + "".join(f"  {heading:>16}" for heading in columns)]
        for k, name in enumerate(names):
            lines.append(f"{name:<{wide}}" + "".join(f"  {cell(values[k]):>16}" for values in columns.values()))
        return "\n".join([*lines, *self.notes])


def compare_runs(
    what: Model | Sequence[Trajectory] | Mapping[str, Trajectory],
    pairs: Sequence[Pair] | Mapping[str, Pair] | None = None,
    reference: Trajectory | str | None = None,
    **options: Any,
) -> Comparison:
    """Run a model in several ways, or take finished trajectories, and compare them.

    Parameters
    ----------
    what : Model, sequence of Trajectory or mapping of str to Trajectory
        A model; or finished trajectories of one model, in a list or by name.
    pairs : sequence of pairs or mapping of str to pair, optional
        For a model, pairs of a formulation and an integrator as `simulate` takes them, in a list or by name.
    reference : Trajectory or str, optional
        The motion to compare with: a trajectory, or the name of a run. If not given, for a model without loops, its
        motion in joint coordinates by an adaptive integrator at a tight tolerance.
    **options
        Further arguments of `simulate` for the runs of a model: q0, v0, duration, dt, tau, f_ext, ... Several contact
        laws, in a list or by name, make one run each, with one pair, ('joint', 'rk4') if none is given.

    Returns
    -------
    Comparison
        Its ``columns()`` are the table; `rbdkit.compare` shows it with the motions.

    Raises
    ------
    SimulationError
        If there is nothing to compare, or an argument does not fit. A run that fails is listed in the ``notes`` if
        another one succeeds.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> ways = {"heun": ("joint", "heun"), "rk4": ("joint", "rk4")}
    >>> table = rbd.compare_runs(rbd.library.pendulum(), ways, q0=[1.0], duration=0.5).columns()
    >>> heun, rk4 = table["energy drift"]
    >>> bool(heun > 100 * rk4)
    True
    """
    if isinstance(what, Model):
        laws = options.get("contact")
        if isinstance(laws, list | tuple | Mapping):
            return _run_laws(what, laws, pairs, reference, options)
        return _run_pairs(what, pairs, reference, options)
    if pairs is not None or options:
        raise SimulationError("pairs, q0, dt and the like are for comparing runs of a model, not finished trajectories")
    listed: list[Any] = list(what) if isinstance(what, Sequence | Mapping) and not isinstance(what, str) else [what]
    for run in what.values() if isinstance(what, Mapping) else listed:
        if not isinstance(run, Trajectory):
            raise SimulationError(f"compare takes a model and pairs, or trajectories, not {shortened(run)}")
    runs = dict(what) if isinstance(what, Mapping) else _labelled(listed)
    if not runs:
        raise SimulationError("there is nothing to compare: give trajectories, or a model and pairs")
    _check_reference(reference)
    if isinstance(reference, str):
        if reference not in runs:
            raise SimulationError(f"reference {reference!r} is none of {', '.join(map(repr, runs))}")
        reference = runs[reference]
    for label, run in runs.items():
        if len(run.model.bodies) != len(next(iter(runs.values())).model.bodies):
            raise SimulationError(f"trajectory {label!r} is of another model than the first one")
    return Comparison(tuple(_contender(label, run, reference) for label, run in runs.items()), reference)


def _run_pairs(
    model: Model,
    pairs: Sequence[Pair] | Mapping[str, Pair] | None,
    reference: Trajectory | str | None,
    options: dict[str, Any],
) -> Comparison:
    if pairs is None or (isinstance(pairs, Sequence | Mapping) and not pairs):
        raise SimulationError("compare(model, ...) needs pairs of a formulation and an integrator: [('joint', 'rk4')]")
    _check_reference(reference)
    for pair in pairs.values() if isinstance(pairs, Mapping) else pairs if isinstance(pairs, Sequence) else [pairs]:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise SimulationError(
                f"{shortened(pair)} is no pair of a formulation and an integrator, ('joint', 'rk4') for instance"
            )
        maker_of(pair[0]), integrator_of(pair[1])
    named = dict(pairs) if isinstance(pairs, Mapping) else {_name(pair): pair for pair in pairs}
    ways = {label: {"formulation": pair[0], "integrator": pair[1]} for label, pair in named.items()}
    return _run_ways(model, ways, reference, options)


def _run_laws(
    model: Model,
    laws: Sequence[Any] | Mapping[str, Any],
    pairs: Sequence[Pair] | Mapping[str, Pair] | None,
    reference: Trajectory | str | None,
    options: dict[str, Any],
) -> Comparison:
    """Run a model once under each of several contact laws."""
    _check_reference(reference)
    if not laws:
        raise SimulationError(
            "contact is empty: give the names of laws, contact=['time_stepping', 'rigid'] for instance"
        )
    given = list(pairs.values() if isinstance(pairs, Mapping) else pairs or [("joint", "rk4")])
    if len(given) != 1 or not isinstance(given[0], tuple | list) or len(given[0]) != 2:
        raise SimulationError(
            f"laws of contact are compared in one formulation with one integrator, not {shortened(given)}; give one "
            "pair, or one law"
        )
    if pairs_of(model) is None and not has_stops(model):
        raise SimulationError(f"nothing in {model.name!r} can touch, so its laws of contact are all one; add a ground")
    named = dict(laws) if isinstance(laws, Mapping) else _by_law(laws)
    both = {"formulation": given[0][0], "integrator": given[0][1]}
    return _run_ways(model, {label: {**both, "contact": law} for label, law in named.items()}, reference, options)


def _by_law(laws: Sequence[Any]) -> dict[str, Any]:
    """Return contact laws by label: the name, with the options that differ from the defaults."""
    labels: dict[str, Any] = {}
    for law in laws:
        label = law if isinstance(law, str) else getattr(law, "name", shortened(law))
        if isinstance(law, Law):
            usual = type(law)().options()
            other = [f"{name}={value!r}" for name, value in law.options().items() if value != usual[name]]
            label = ", ".join([label, *other])
        if label in labels:
            raise SimulationError(f"contact law {label!r} is given twice")
        labels[label] = law
    return labels


def _run_ways(
    model: Model, ways: Mapping[str, dict[str, Any]], reference: Trajectory | str | None, options: dict[str, Any]
) -> Comparison:
    """Run a model in several ways. ways : by label, the arguments of `simulate` that differ from run to run."""
    for way in ways.values():  # a slip of the pen is no way that does not fit
        maker_of(way.get("formulation", "joint"))
        integrator_of(way.get("integrator", "rk4"))
        law_of(way.get("contact"))
    model = snapshot(model)
    runs: dict[str, Trajectory] = {}
    failed: dict[str, RbdkitError] = {}
    for label, way in ways.items():
        try:
            runs[label] = _run(model, {**options, **way})
        except RbdkitError as fault:
            failed[label] = fault
    if not runs:
        raise next(iter(failed.values()))
    if isinstance(reference, str):
        if reference in failed:
            raise failed[reference]
        if reference not in runs:
            raise SimulationError(f"reference {reference!r} is none of {', '.join(map(repr, runs))}")
        reference = runs[reference]
    elif reference is None and not (model.loops or model.constraints or pairs_of(model)):
        exact = {"formulation": "joint", "integrator": Adaptive("dop853", rtol=1e-12, atol=1e-12)}
        reference = _run(model, {**options, **exact})
    chosen = [{**options, **ways[label]} for label in runs]
    contenders = tuple(_contender(label, trajectory, reference) for label, trajectory in runs.items())
    why = {label: str(fault).splitlines()[0] for label, fault in failed.items()}
    return Comparison(contenders, reference, partial(_run_again, model, chosen), why)


def _run(model: Model, arguments: dict[str, Any]) -> Trajectory:
    """Run once, and a quick run once more, as the first may have compiled something; return the faster.

    What the reports would warn of, the table shows.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        first = simulate(model, **arguments)
        if first.report is None or first.report.wall_time > QUICK:
            return first
        again = simulate(model, **arguments)
    return min(first, again, key=lambda trajectory: trajectory.report.wall_time)  # type: ignore[union-attr]


def _run_again(model: Model, ways: Sequence[dict[str, Any]], k: int, h: float) -> Trajectory:
    """Repeat the k-th of several runs with another step, with only its end recorded."""
    return _run(model, {**ways[k], "dt": h, "every": ONLY_THE_END})


def _check_reference(reference: Any) -> None:
    if not isinstance(reference, Trajectory | str | None):
        raise SimulationError(
            f"reference = {shortened(reference)} must be a trajectory, the label of one that is compared, or None"
        )


def _contender(label: str, trajectory: Trajectory, reference: Trajectory | None) -> Contender:
    """Return a run's measures; with the reference only if that has the same times and the same equations."""
    same = (
        reference is not None
        and len(reference) == len(trajectory)
        and np.allclose(reference.t, trajectory.t)
        and may_twist(reference) == may_twist(trajectory)
    )
    return Contender(label, trajectory, reference if same else None)


def may_twist(trajectory: Trajectory) -> bool:
    """Whether the body may turn about its own d3, as all do but in the formulations of a body without twist."""
    return not isinstance(trajectory, Motion) or getattr(trajectory.system, "twists", True) is not False


def _labelled(runs: Sequence[Trajectory]) -> dict[str, Trajectory]:
    labels: dict[str, Trajectory] = {}
    for run in runs:
        contender = Contender("", run)
        base = contender.formulation if run.report is None else f"{contender.formulation}, {run.report.integrator}"
        label, number = base, 2
        while label in labels:
            label, number = f"{base} ({number})", number + 1
        labels[label] = run
    return labels


def _name(pair: Pair) -> str:
    formulation, method = pair
    maker = maker_of(formulation)
    called = "joint" if maker is JointSystem else getattr(maker, "name", None) or getattr(maker, "__name__", str(maker))
    return f"{called}, {method if isinstance(method, str) else method.name}"


def _last(drift: Any) -> float:
    return np.nan if drift is None else float(np.nanmax(drift))


def cell(value: float) -> str:
    """Return a number of the table as text."""
    if np.isnan(value):
        return "-"
    return f"{value:.3g}" if value == 0.0 or 0.01 <= abs(value) < 1e5 else f"{value:.1e}"
