"""Parameter families: the common part of a sweep's members, and how a member is made from its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.model import Model
from rbdkit.simulation.controls import without_u
from rbdkit.simulation.ensembles.names import state_places
from rbdkit.simulation.ensembles.values import name_of

SETTINGS = ("dt", "integrator", "formulation", "tau", "f_ext", "contact", "limits", "u", "effort")
"""Arguments of `simulate`, other than the initial state, that may differ from member to member."""

Build = Callable[..., Model]


@dataclass(frozen=True)
class Member:
    """One motion of a sweep that is to be computed.

    Attributes
    ----------
    model : Model
        The member's model.
    q0, v0 : ndarray (nq,), (nv,)
        Initial state.
    options : dict of str to object
        Further arguments of `rbdkit.simulate` by name.
    """

    model: Model
    q0: NDArray
    v0: NDArray
    options: dict[str, Any]


@dataclass(frozen=True)
class Family:
    """The common part of a sweep: everything but the values that vary.

    Attributes
    ----------
    source : Model or Build
        A model, or a function that builds one.
    arguments : tuple of str
        Names of the values that are arguments of this function.
    reference : Model
        Any of the models; all members have its coordinates.
    q0, v0 : object
        Initial state of members whose values do not include it, or None.
    options : dict of str to object
        Further arguments of `rbdkit.simulate` by name.
    interval : float
        Time between recorded states, s.
    """

    source: Model | Build
    arguments: tuple[str, ...]
    reference: Model
    q0: Any
    v0: Any
    options: dict[str, Any]
    interval: float

    def member(self, parameters: Mapping[str, Any]) -> Member:
        """Return the member with the given values.

        Raises
        ------
        RbdkitError
            If a value has no physical meaning; and whatever the building function raises.
        """
        left = dict(parameters)

        def take(names: Any) -> dict[str, Any]:
            return {name: left.pop(name) for name in names if name in left}

        model = self._built(take(self.arguments))
        options = self.options | take(SETTINGS)
        start = {"q0": self.q0, "v0": self.v0} | take(("q0", "v0"))
        entries = take(self._places)
        model = model.with_parameters(left) if left else model
        q = _one_state(model.check_q(model.neutral() if start["q0"] is None else start["q0"], "q0"), "q0")
        v = _one_state(model.check_v(np.zeros(model.nv) if start["v0"] is None else start["v0"], "v0"), "v0")
        state = np.concatenate([q, v])
        for name, value in entries.items():
            state[self._places[name]] = value
        model, options = without_u(model, options)
        options["every"] = round(self.interval / options["dt"])
        return Member(model, model.check_q(state[: model.nq], "q0"), model.check_v(state[model.nq :], "v0"), options)

    @cached_property
    def _places(self) -> dict[str, int]:
        return state_places(self.reference)

    def _built(self, arguments: dict[str, Any]) -> Model:
        if isinstance(self.source, Model):
            return self.source
        model = self.source(**arguments)
        if not isinstance(model, Model):
            raise SimulationError(f"{name_of(self.source)} returned {model!r}, which is not a Model")
        if model is not self.reference and model.z_names != self.reference.z_names:
            raise SimulationError(
                f"{name_of(self.source)} returned a model whose force elements have the states "
                f"{', '.join(model.z_names) or 'of none'}, where the first member has "
                f"{', '.join(self.reference.z_names) or 'none'}; sweep models with different states one by one"
            )
        if model is not self.reference and state_places(model) != self._places:
            raise SimulationError(
                f"{name_of(self.source)} returned a model with the coordinates {', '.join(state_places(model))}, where "
                f"the first member has {', '.join(self._places)}; sweep models with different coordinates one by one"
            )
        return model


def _one_state(values: NDArray, name: str) -> NDArray:
    if values.ndim > 1:
        raise SimulationError(f"{name} has shape {values.shape}; a member begins in one state")
    return values.astype(float)
