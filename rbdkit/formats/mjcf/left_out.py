"""Count the features of a compiled MuJoCo model that have no place in a model of rbdkit, by kind."""

from __future__ import annotations

import numpy as np

from rbdkit.formats.mjcf.reading import Reading

MOST = 25
"""Number of kinds and notes that the warning lists."""


def count_left_out(reading: Reading) -> None:
    """Count sensors and the other parts of the file that no other part of the reader looks at."""
    m, library = reading.compiled, reading.library
    opt = m.opt
    reading.leave_out("sensors", m.nsensor)
    reading.leave_out("keyframes (rbdkit.formats.load_keyframes has their states)", m.nkey)
    reading.leave_out("mocap bodies, which stay where they are", m.nmocap)
    reading.leave_out("flexes", m.nflex)
    reading.leave_out("skins", m.nskin)
    reading.leave_out("plugins", m.nplugin)
    reading.leave_out("drag and buoyancy of a medium (density or viscosity)", opt.density > 0.0 or opt.viscosity > 0.0)
    reading.leave_out("surface velocities of geoms", np.count_nonzero(m.geom_surfacevel.any(axis=1)))
    reading.leave_out("adhesion of geoms", np.count_nonzero(m.geom_adhesion))
    rolling = (np.array(m.geom_condim) > 3) & ((m.geom_contype != 0) | (m.geom_conaffinity != 0))
    if not reading.disabled("CONTACT", "CONSTRAINT"):
        reading.leave_out("torsional and rolling friction of geoms", np.count_nonzero(rolling))
        override = int(opt.enableflags) & int(library.mjtEnableBit.mjENBL_OVERRIDE)
        reading.leave_out("the override of contact parameters", bool(override))


def message(source: str, reading: Reading) -> list[str]:
    """Return the one warning about what was left out and changed, as a list; none if there is nothing to say."""
    told = [f"{count} {feature}" for feature, count in reading.left.items()]
    if not told and not reading.notes:
        return []
    more = [f"... and {len(told) - MOST} kinds more"] if len(told) > MOST else []
    lines = [*told[:MOST], *more, *reading.notes[:MOST]]
    head = "left out, as rbdkit has no place for it" if told else "to be known"
    return [f"{source}: {head}:" + "".join(f"\n  {line}" for line in lines)]
