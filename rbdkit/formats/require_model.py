"""What the writers of formats take: a model."""

from __future__ import annotations

from rbdkit.errors import FormatError
from rbdkit.model import Model
from rbdkit.spatial.read_numbers import shown


def require_model(model: object) -> None:
    """Raise `FormatError` if what is to be written is not a model."""
    if not isinstance(model, Model):
        raise FormatError(f"{shown(model)} is not an rbdkit.Model; there is nothing to write")
