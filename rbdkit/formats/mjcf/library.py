"""MuJoCo, which is an optional package: imported when first needed, and kept from writing files of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

OLDEST = 4
"""Major version of MuJoCo whose compiled models this package knows all fields of."""


def mujoco() -> ModuleType:
    """Return the module `mujoco`.

    Raises
    ------
    ModuleNotFoundError
        If it is not installed, or too old.
    """
    try:
        import mujoco
    except ModuleNotFoundError as fault:
        if fault.name != "mujoco":
            raise
        raise ModuleNotFoundError(
            'MJCF files are read by MuJoCo itself, which is not installed: pip install "rbdkit[mjcf]"', name="mujoco"
        ) from None
    if int(mujoco.__version__.partition(".")[0]) < OLDEST:
        raise ModuleNotFoundError(
            f"MJCF files are read by MuJoCo {OLDEST} or newer, here is {mujoco.__version__}; an older package 'mujoco' "
            'must go first: pip uninstall -y mujoco, then pip install "rbdkit[mjcf]"',
            name="mujoco",
        )
    return mujoco


@contextmanager
def heard(library: ModuleType) -> Iterator[list[str]]:
    """Collect what MuJoCo warns of, which it would write to a file MUJOCO_LOG.TXT in the current folder."""
    texts: list[str] = []
    before = library.get_mju_user_warning()
    library.set_mju_user_warning(texts.append)
    try:
        yield texts
    finally:
        library.set_mju_user_warning(before)
