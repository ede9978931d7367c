"""`rbdkit.equations`: the equations of motion of a small mechanism, as a textbook has them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rbdkit.errors import ArgumentError
from rbdkit.formulas.in_sympy import in_sympy
from rbdkit.formulas.on_library import required
from rbdkit.formulas.quantities import Choice
from rbdkit.formulas.recording import current_numbers, record
from rbdkit.formulas.symbolic_numbers import parameter_places
from rbdkit.model import Model
from rbdkit.model.requirements import require_model
from rbdkit.spatial.read_numbers import shown

MOST = 6
"""Most velocities of a mechanism whose equations still fit on a page."""
LETTERS = {"mass": "m", "com": "c", "inertia": "I", "placement": "p", "damping": "d", "stiffness": "k", "armature": "J"}
"""Letters of parameters; others keep their names."""
AXES = {"x", "y", "z", "xx", "yy", "zz", "xy", "yz", "xz"}


@dataclass(frozen=True, eq=False)
class Equations:
    """The equations of motion ``M(q) a + h(q, v) = tau`` of a mechanism, in SymPy's symbols.

    Shown in a notebook they are typeset, one line a joint.

    Attributes
    ----------
    M : sympy.Matrix
        Joint-space inertia matrix (nv, nv).
    h : sympy.Matrix
        All other forces (nv, 1): Coriolis, centrifugal and gravity forces, springs, dampers and force elements.
    q, v, a, tau : tuple of sympy.Symbol
        Coordinates, velocities, accelerations and joint forces, named after the joints.
    parameters : dict of str to sympy.Symbol
        Symbols of the model's parameters by name; 'gravity' is the acceleration of free fall along -z.
    values : dict of sympy.Symbol to float
        Their values in the model.
    typeset : dict of sympy.Symbol to str
        LaTeX of all symbols.
    """

    M: Any
    h: Any
    q: tuple[Any, ...]
    v: tuple[Any, ...]
    a: tuple[Any, ...]
    tau: tuple[Any, ...]
    parameters: dict[str, Any]
    values: dict[Any, float]
    typeset: dict[Any, str]

    @property
    def lines(self) -> list[Any]:
        """One `sympy.Eq` for each velocity."""
        sympy = required("sympy")
        left = self.M * sympy.Matrix(self.a) + self.h
        return [sympy.Eq(x, tau, evaluate=False) for x, tau in zip(left, self.tau, strict=True)]

    def to_latex(self) -> str:
        """Return the equations as LaTeX, an ``align*`` environment."""
        sympy = required("sympy")

        def latex(x: Any) -> str:
            return str(sympy.latex(x, symbol_names=self.typeset))

        lines = [f"{latex(x.lhs)} &= {latex(x.rhs)}" for x in self.lines]
        return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"

    def _repr_latex_(self) -> str:
        return self.to_latex()

    def __str__(self) -> str:
        return "\n".join(f"{x.lhs} = {x.rhs}" for x in self.lines)


def equations(model: Model, parameters: Sequence[str] | None = None) -> Equations:
    """Return the equations of motion of a small mechanism, simplified as a textbook has them.

    Parameters
    ----------
    model : Model
        A tree of bodies with at most six freedoms, without contacts.
    parameters : sequence of str, optional
        Parameters that are symbols, named as in `export_function`, and 'gravity' for g; by default all that are not
        zero.

    Returns
    -------
    rbdkit.formulas.Equations
        In a notebook they are typeset; `to_latex` gives the text, `lines` SymPy's equations.

    Raises
    ------
    ArgumentError
        If the mechanism is too large, or has loops, constraints or contacts; if SymPy is not installed.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("pendulum", gravity=(0, 0, -10))
    >>> ball = model.add_body("ball", joint=rbd.Revolute("y"), inertia=rbd.Inertia(2.0, com=[0, 0, -1]))
    >>> print(rbd.equations(model, ["ball.mass", "gravity"]))
    ball_joint''*m_ball + g*m_ball*sin(ball_joint) = tau_ball_joint
    """
    require_model(model)
    sympy = required("sympy")
    _require_small(model)
    if parameters is not None and (isinstance(parameters, str) or not isinstance(parameters, Sequence)):
        raise ArgumentError(f"parameters = {shown(parameters)} must be a list such as ['link1.mass', 'gravity']")
    names = _not_zero(model) if parameters is None else list(parameters)
    downward = "gravity" in names
    names = ["gravity.z" if name == "gravity" else name for name in names]
    inertia = in_sympy(record(model, "crba", names, CHOICE))
    forces = in_sympy(record(model, "equation_forces", names, CHOICE))
    q, v, a, tau = (tuple(sympy.Symbol(name, real=True) for name in own) for own in _state_names(model))
    symbols = {name: _parameter_symbol(sympy, name, downward) for name in names}
    known: dict[Any, Any] = {}
    for found in (inertia, forces):
        known |= dict(zip(found.symbols["q"], q, strict=True))
        known |= dict(zip(found.symbols.get("v", ()), v, strict=False))
        for old, (name, new) in zip(found.symbols.get("parameters", ()), symbols.items(), strict=False):
            known[old] = -new if name == "gravity.z" and downward else new
    M, h = (_simplified(sympy, x.expression.xreplace(known)) for x in (inertia, forces))
    used = M.free_symbols | h.free_symbols
    numbers = dict(zip(names, current_numbers(model, names).tolist(), strict=True))
    if downward:
        symbols["gravity"], numbers["gravity"] = symbols.pop("gravity.z"), -numbers.pop("gravity.z")
    kept = {name: x for name, x in symbols.items() if x in used}
    typeset = dict(zip((*q, *v, *a, *tau), _typeset_state(model), strict=True))
    typeset |= {x: _typeset_parameter(name) for name, x in kept.items()}
    _require_different(model, [x.name for x in (*q, *v, *a, *tau, *symbols.values())])
    _require_different(model, list(typeset.values()))
    return Equations(M, h, q, v, a, tau, kept, {x: numbers[name] for name, x in kept.items()}, typeset)


CHOICE = Choice(None, "body")


def _require_small(model: Model) -> None:
    if model.loops or model.constraints:
        raise ArgumentError(
            f"model {model.name!r} has loops or constraints; equations shows those of trees, and "
            "export_function(model, 'forward_dynamics', 'sympy') has the projected ones"
        )
    if not 0 < model.nv <= MOST:
        raise ArgumentError(
            f"model {model.name!r} has {model.nv} freedoms; equations shows 1 to {MOST}, and "
            "export_function(model, 'rnea', 'sympy') writes any number with common subexpressions"
        )


def _require_different(model: Model, written: Sequence[str]) -> None:
    twice = [name for name, count in Counter(written).items() if count > 1]
    if twice:
        raise ArgumentError(
            f"two things in the equations of model {model.name!r} would both be written {twice[0]!r}; give their "
            "bodies or joints names that differ in more than dots, underscores or '_joint'"
        )


def _not_zero(model: Model) -> list[str]:
    """Return the names of the parameters that are not zero; gravity along -z as 'gravity'.

    Controls of actuators are among them at zero, too; their limits stay numbers, in conditions that are long enough.
    """
    names = list(parameter_places(model))
    values = dict(zip(names, current_numbers(model, names).tolist(), strict=True))
    controls = {f"{actuator}.u" for actuator in model.u_names}
    limits = {
        f"{actuator}.{field}.{k}" for actuator in model.u_names for field in ("u_range", "effort") for k in (0, 1)
    }
    told = [name for name, value in values.items() if value != 0.0 or name in controls]
    found = [name for name in told if name not in limits and not name.startswith("gravity.")]
    along = np.asarray(model.gravity)
    plain = along[0] == along[1] == 0.0 and along[2] < 0.0
    own = ["gravity"] if plain else [f"gravity.{axis}" for axis in "xyz" if values[f"gravity.{axis}"] != 0.0]
    return [*found, *own]


def _state_names(model: Model) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return names of coordinates, velocities, accelerations and joint forces: the joint's where it has one freedom."""
    q, v = list[str](), list[str]()
    for joint in model.joints:
        if joint.mimic is None:
            single = joint.nq == joint.nv == 1
            q += [joint.name] if single else [f"{joint.name}_{k}" for k in range(joint.nq)]
            v += [joint.name] if single else [f"{joint.name}_{k}" for k in range(joint.nv)]
    return q, [f"{x}'" for x in v], [f"{x}''" for x in v], [f"tau_{x}" for x in v]


def _typeset_state(model: Model) -> list[str]:
    """Return LaTeX of coordinates, velocities, accelerations and joint forces: theta for angles, x for lengths."""
    found: list[list[str]] = [[], [], [], []]
    for joint in model.joints:
        if joint.mimic is not None:
            continue
        name = rf"\mathrm{{{_plain(joint.name.removesuffix('_joint'))}}}"
        single = joint.nq == joint.nv == 1
        indices = [f"_{{{name}}}"] if single else [f"_{{{name},{k}}}" for k in range(joint.nv)]
        letter = {"rad": r"\theta", "m": "x"}.get(joint.type.q_units[0], "q") if single else "v"
        # the velocity of a quaternion is no derivative of its coordinates
        patterns = rf"\dot{{{letter}}}", rf"\ddot{{{letter}}}", r"\tau"
        if not single:
            patterns = letter, rf"\dot{{{letter}}}", r"\tau"
        found[0] += [f"{letter}{indices[0]}"] if single else [f"q_{{{name},{k}}}" for k in range(joint.nq)]
        for own, pattern in zip(found[1:], patterns, strict=True):
            own += [f"{pattern}{index}" for index in indices]
    return [x for own in found for x in own]


def _typeset_parameter(name: str) -> str:
    if name == "gravity":
        return "g"
    parts, field, axis = _taken_apart(name)
    letter = "g" if field == "gravity" else LETTERS.get(field, rf"\mathrm{{{_plain(field)}}}")
    below = [rf"\mathrm{{{_plain('.'.join(parts).removesuffix('_joint'))}}}"] if parts else []
    index = ",".join([*below, *([axis] if axis else [])])
    return f"{letter}_{{{index}}}" if index else letter


def _taken_apart(name: str) -> tuple[list[str], str, str]:
    """Return the owner of a parameter, its field, and its axis or the number of its entry: 'motor.effort.1'."""
    parts = name.split(".")
    axis = parts.pop() if len(parts) > 1 and (parts[-1] in AXES or parts[-1].isdigit()) else ""
    return parts[:-1], parts[-1], axis


def _plain(name: str) -> str:
    """Return a name with what LaTeX reads as commands escaped."""
    return re.sub(r"([_%&#$])", r"\\\1", name)


def _parameter_symbol(sympy: Any, name: str, downward: bool) -> Any:
    if name == "gravity.z" and downward:
        return sympy.Symbol("g", real=True)
    parts, field, axis = _taken_apart(name)
    letter = "g" if field == "gravity" else LETTERS.get(field, field)
    label = "_".join([letter, *parts, *([axis] if axis else [])])
    known = {"positive": True} if field in ("mass", "stiffness", "damping", "armature") else {"real": True}
    return sympy.Symbol(label, **known)  # positive=False would say that it is not


def _simplified(sympy: Any, matrix: Any) -> Any:
    """Expand, put products of sines and cosines together, and collect; floats that are fractions become these."""

    def one(x: Any) -> Any:
        x = sympy.nsimplify(sympy.expand(x), rational=True)
        return sympy.factor_terms(sympy.trigsimp(sympy.expand(x)))

    return matrix.applyfunc(one)
