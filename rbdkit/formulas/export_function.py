"""`rbdkit.export_function`: a function of a model as code for another tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, cast

from rbdkit.errors import ArgumentError
from rbdkit.formulas.formula import Formula
from rbdkit.formulas.in_c import in_c
from rbdkit.formulas.in_python import in_python
from rbdkit.formulas.in_sympy import in_sympy
from rbdkit.formulas.on_library import in_casadi, in_jax, in_torch
from rbdkit.formulas.quantities import QUANTITIES, Choice, Reference
from rbdkit.formulas.recording import record
from rbdkit.model import Model
from rbdkit.model.numbering import did_you_mean
from rbdkit.model.requirements import require_model
from rbdkit.spatial.read_numbers import shown

Target = Literal["python", "c", "sympy", "casadi", "jax", "torch"]
WRITERS: Mapping[str, Callable[[Formula], Any]] = {
    "python": in_python,
    "c": in_c,
    "sympy": in_sympy,
    "casadi": in_casadi,
    "jax": in_jax,
    "torch": in_torch,
}
REFERENCES = ("body", "world", "aligned")


def export_function(
    model: Model,
    function: str | Callable[..., Any],
    to: Target = "python",
    *,
    parameters: Sequence[str] = (),
    frame: str | None = None,
    reference: Reference = "body",
) -> Any:
    """Write a function of a model as code for another tool: its operations, with all that is known folded in.

    Parameters
    ----------
    model : Model
        The mechanism. Its numbers become constants, but for `parameters`.
    function : str or callable
        'aba' (q, v, tau), 'forward_dynamics' (q, v, tau), which knows springs, force elements, loops and constraints,
        'rnea' (q, v, a), 'crba' (q), 'bias_force' (q, v), 'equation_forces' (q, v), which is h of ``H a + h = tau``
        with springs, dampers and force elements, 'energy' (q, v), 'momentum' (q, v), 'center_of_mass' (q),
        'forward_kinematics' (q), 'jacobian' (q), 'bias_acceleration' (q, v), as the functions of rbdkit of these names;
        or a function (model, q, v, ...) of your own, as for `compile`. Time t and states z of force elements are
        further arguments where the model needs them.
    to : {'python', 'c', 'sympy', 'casadi', 'jax', 'torch'}, optional
        What it is written for.
    parameters : sequence of str, optional
        Parameters of the model that become one more argument, in this order: 'link1.mass', 'link1.com.z',
        'link1.inertia.xx', 'elbow.placement.x', 'elbow.damping', 'gravity.z', 'spring.stiffness'.
    frame : str, optional
        Body or frame of 'jacobian' and 'bias_acceleration'; of 'forward_kinematics', which gives all bodies without it.
    reference : {'body', 'world', 'aligned'}, optional
        Axes of 'jacobian' and 'bias_acceleration', see `jacobian`.

    Returns
    -------
    PythonSource, CSource, SympyFunction, casadi.Function or callable
        `rbdkit.formulas.PythonSource` and `rbdkit.formulas.CSource` hold the text and save it;
        `rbdkit.formulas.SympyFunction` holds expressions with their common subexpressions; for JAX and PyTorch a
        function on arrays. Stacks are the business of the tool (``map``, ``vmap``).

    Raises
    ------
    ArgumentError
        If the function, the target or a parameter is unknown, a library is not installed, or the model has something
        that cannot be a formula, such as contacts.

    Notes
    -----
    What was recorded is compared with the function at random states before it is handed out. Quaternions are used as
    they are given: normalise q where your tool steps it. JAX needs ``jax_enable_x64`` for double precision.

    See Also
    --------
    equations : The equations of motion of a small mechanism, as a textbook shows them.
    compile : The way in: a function of your own, fast within rbdkit.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> crba = rbd.export_function(model, "crba", parameters=["rod.mass"])
    >>> crba([0.3], [2.0]).round(4).tolist()
    [[0.5836]]
    >>> print(rbd.export_function(model, "center_of_mass").source.splitlines()[-1])
        return [x3, 0.0, x5]
    """
    require_model(model)
    if not isinstance(to, str) or to not in WRITERS:
        raise ArgumentError(f"to = {shown(to)} must be one of {', '.join(map(repr, WRITERS))}")
    if not callable(function) and (not isinstance(function, str) or function not in QUANTITIES):
        hint = did_you_mean(str(function), QUANTITIES)
        raise ArgumentError(
            f"function {shown(function)} is none of {', '.join(QUANTITIES)}, nor a function of your own{hint}"
        )
    return WRITERS[to](record(model, function, parameters, _choice(model, function, frame, reference)))


def _choice(model: Model, function: Any, frame: Any, reference: Any) -> Choice:
    if not isinstance(reference, str) or reference not in REFERENCES:
        raise ArgumentError(f"reference = {shown(reference)} must be one of {', '.join(map(repr, REFERENCES))}")
    quantity = None if callable(function) else QUANTITIES[function]
    if quantity is None or not quantity.framed:
        if frame is not None:
            raise ArgumentError(f"frame = {shown(frame)} has no meaning for {shown(function)}")
    elif quantity.referred and frame is None:
        raise ArgumentError(f"{function!r} is of a body or frame: name it, such as frame={model.bodies[-1].name!r}")
    if reference != "body" and not (quantity is not None and quantity.referred):
        raise ArgumentError(f"reference = {reference!r} has no meaning for {shown(function)}")
    return Choice(None if frame is None else model.frame(frame), cast(Reference, reference))
