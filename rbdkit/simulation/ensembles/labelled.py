"""Conversion of an ensemble to an xarray data set or a pandas table."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from rbdkit.algorithms import Energy
from rbdkit.model.element_states import state_places as element_places
from rbdkit.simulation.ensembles.names import state_names, state_units, unit_of
from rbdkit.simulation.ensembles.values import label

if TYPE_CHECKING:
    import pandas
    import xarray

    from rbdkit.simulation.ensembles.ensemble import Ensemble

OWN = (
    "t",
    "q",
    "v",
    "z",
    "coordinate",
    "velocity",
    "state",
    "member",
    "failure",
    *(f"{field.name}_energy" for field in fields(Energy)),
)
"""Names in a data set that parameters must not have."""


def to_dataset(ensemble: Ensemble) -> xarray.Dataset:
    """Return an ensemble as an xarray data set; see `Ensemble.to_xarray`."""
    try:
        import xarray
    except ImportError:
        raise ImportError("to_xarray needs xarray: pip install 'rbdkit[data]'") from None
    model, axes = ensemble.model, ensemble.axes
    names = {name: _free_name(name) for name in axes.values}
    dims = tuple(names.values()) if axes.product else ("member",)
    coords: dict[str, Any] = {"t": ("t", ensemble.t, {"units": "s"})}
    if not axes.product:
        coords["member"] = np.arange(len(ensemble))
    for name, values in axes.values.items():
        dim = names[name] if axes.product else "member"
        coords[names[name]] = (dim, labels(values), _attributes(model, name, values))
    for dim, own, units in zip(("coordinate", "velocity"), state_names(model), state_units(model)):
        coords[dim] = own
        coords[f"{dim}_unit"] = (dim, units)
    q_units, v_units = (" or ".join(dict.fromkeys(units)) for units in state_units(model))
    variables: dict[str, Any] = {
        "q": ((*dims, "t", "coordinate"), ensemble.q, {"units": q_units}),
        "v": ((*dims, "t", "velocity"), ensemble.v, {"units": v_units}),
    }
    if model.nz:
        coords["state"], coords["state_unit"] = list(model.z_names), ("state", list(element_places(model).units))
        variables["z"] = ((*dims, "t", "state"), ensemble.z)
    energy = ensemble.energy()
    variables |= {
        f"{kind}_energy": ((*dims, "t"), getattr(energy, kind), {"units": "J"})
        for kind in ("kinetic", "potential", "total")
    }
    reasons = np.full(len(ensemble), "", dtype=object)
    for failure in ensemble.failures:
        reasons[failure.member] = failure.reason
    variables["failure"] = (dims, reasons.reshape(ensemble.shape).astype(str))
    return xarray.Dataset(variables, coords=coords, attrs={"model": model.name, "report": repr(ensemble)})


def to_dataframe(ensemble: Ensemble) -> pandas.DataFrame:
    """Return an ensemble as a pandas table; see `Ensemble.to_dataframe`."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_dataframe needs pandas: pip install 'rbdkit[data]'") from None
    axes = ensemble.axes
    if axes.product:
        levels = [labels(values) for values in axes.values.values()]
        index = pandas.MultiIndex.from_product([*levels, ensemble.t], names=[*axes.values, "t"])
    else:
        index = pandas.MultiIndex.from_product([np.arange(len(ensemble)), ensemble.t], names=["member", "t"])
    columns: dict[str, Any] = {}
    if not axes.product:
        columns |= {name: np.repeat(labels(values), len(ensemble.t)) for name, values in axes.values.items()}
    names = *state_names(ensemble.model), list(ensemble.model.z_names)
    for array, own in zip((ensemble.q, ensemble.v, ensemble.z), names):
        columns |= {name: array[..., k].ravel() for k, name in enumerate(own)}
    energy = ensemble.energy()
    columns |= {f"{kind} energy": getattr(energy, kind).ravel() for kind in ("kinetic", "potential", "total")}
    return pandas.DataFrame(columns, index=index)


def labels(values: tuple[Any, ...]) -> np.ndarray:
    """Return labels of values on an axis: numbers or texts; indices in the list if any value is neither."""
    written = [label(value) for value in values]
    if None in written:
        return np.arange(len(values))
    return np.array(written)


def _attributes(model: Any, name: str, values: tuple[Any, ...]) -> dict[str, Any]:
    unit = unit_of(model, name)
    if any(label(value) is None for value in values):
        return {"long_name": f"{name}, by its number in the list of values"}
    return {"units": unit} if unit else {}


def _free_name(name: str) -> str:
    """Return a name for an axis that differs from the data set's own names."""
    return f"{name} (parameter)" if name in OWN else name
