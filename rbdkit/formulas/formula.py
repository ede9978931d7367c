"""A recorded function of a model's state and parameters, which every target writes down in its own way."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from rbdkit.trace import Trace


@dataclass(frozen=True)
class Argument:
    """An argument of an exported function.

    Attributes
    ----------
    name : str
        'q', 'v', 'a', 'tau', 't', 'z' or 'parameters'.
    shape : tuple of int
        () for a number.
    entries : tuple of str
        What each number is: names of coordinates, velocities or parameters; empty where the function is a user's.
    """

    name: str
    shape: tuple[int, ...]
    entries: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)


@dataclass(frozen=True, eq=False)
class Formula:
    """A function of a model as a list of operations.

    Attributes
    ----------
    name : str
        An identifier: model and function.
    about : str
        What it computes, in a few words.
    arguments : tuple of Argument
        In order.
    trace : Trace
        The operations, see `rbdkit.trace`; it has one argument for each of `arguments`.
    """

    name: str
    about: str
    arguments: tuple[Argument, ...]
    trace: Trace

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the result."""
        return self.trace.shape


def identifier(*words: str) -> str:
    """Return words joined by underscores, with other characters replaced, as a name in C and Python."""
    name = re.sub(r"[\W_]+", "_", "_".join(words), flags=re.ASCII).strip("_")  # CasADi takes one _ only
    return name if name and not name[0].isdigit() else f"f_{name}"
