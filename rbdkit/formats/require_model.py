"""Check that the argument of a writer is a model."""

from __future__ import annotations

from rbdkit.errors import FormatError
from rbdkit.model import Model
from rbdkit.spatial.read_numbers import shown


def require_model(model: object) -> None:
    """Raise `FormatError` if the argument is not a model."""
    if not isinstance(model, Model):
        raise FormatError(f"{shown(model)} is not an rbdkit.Model; there is nothing to write")
