"""The generated code of a model, for reading."""

from __future__ import annotations

from typing import Literal

from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.run.lookup import backend, kernels_for
from rbdkit.engine.run.signatures import INPUTS
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.kept import checked_twin
from rbdkit.model.requirements import require_model
from rbdkit.spatial.read_numbers import shown
from rbdkit.trace import checked, llvm_source, python_source


def source(model: Model, algorithm: str, language: Literal["python", "llvm"] = "python") -> str:
    """Return the source of the loop over links that computes an algorithm for a model, and for all with similar joints.

    Each line of Python names the line of the text that it was recorded from. It is what ``backend="checked"`` runs; for
    few links other backends run the same operations link after link.

    Parameters
    ----------
    algorithm : 'rnea', 'aba', 'crba', 'forward_dynamics', 'energy' or another name of what kernels compute.
    language : 'python', or 'llvm' for the text that LLVM compiles.

    Raises
    ------
    ModelError
        If `model` is not a model, or nothing is generated for it, or by that name.
    """
    require_model(model)
    names = isinstance(algorithm, str) and isinstance(language, str)
    if not names or algorithm not in INPUTS or language not in ("python", "llvm"):
        raise ModelError(
            f"no code of {shown(algorithm)} in {shown(language)} is generated; algorithms are {', '.join(INPUTS)}, "
            "languages python and llvm"
        )
    with checked():
        kernels = kernels_for(checked_twin(model))
        if kernels is None:
            raise ModelError(f"no code is generated for model {model.name!r}: {backend(model)[1]}")
        try:
            program = kernels.recorded(algorithm)
        except NotCovered as fault:
            raise ModelError(f"no code of {algorithm!r} is generated for model {model.name!r}: {fault}") from fault
    return python_source(program) if language == "python" else llvm_source(program)
