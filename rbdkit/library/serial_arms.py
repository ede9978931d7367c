"""Robot arms by their Denavit-Hartenberg parameters: kinematics of the classics."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

from rbdkit.library.ready import ready

if TYPE_CHECKING:
    from rbdkit.formats import DHParameters

RIGHT = 0.5 * pi


@ready
def puma_560() -> DHParameters:
    """The Unimation PUMA 560: six revolute joints, the last three axes in a point (Craig 2005, Figure 3.21).

    Lengths as they are commonly given: upper arm and forearm 0.4318 m, offsets 0.15 m and 0.0203 m.

    Returns
    -------
    rbdkit.formats.DHParameters

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.formats.from_dh(rbd.library.puma_560(), name="puma")
    <Model 'puma': 6 bodies, 6 moving joints, nq=6, nv=6, 0 kg>
    """
    from rbdkit.formats import DHParameters, DHRow  # readers of files, which other models do without

    return DHParameters(
        (
            DHRow(),
            DHRow(alpha=-RIGHT),
            DHRow(a=0.4318, d=0.15),
            DHRow(a=0.0203, alpha=-RIGHT, d=0.4318),
            DHRow(alpha=RIGHT),
            DHRow(alpha=-RIGHT),
        ),
        tool=(0.0, 0.0, 0.056, 0.0),
    )


@ready
def stanford_arm() -> DHParameters:
    """The Stanford arm: two revolute joints, a prismatic one, and a wrist of three axes in a point.

    The arm is drawn out by 0.4 m at ``q = 0``; the shoulder stands 0.412 m high and is set off by 0.154 m.

    Returns
    -------
    rbdkit.formats.DHParameters

    Examples
    --------
    >>> import rbdkit as rbd
    >>> [row.kind for row in rbd.library.stanford_arm().rows[:3]]
    ['revolute', 'revolute', 'prismatic']
    """
    from rbdkit.formats import DHParameters, DHRow  # readers of files, which other models do without

    return DHParameters(
        (
            DHRow(d=0.412),
            DHRow(alpha=-RIGHT, d=0.154),
            DHRow(alpha=RIGHT, d=0.4, kind="prismatic"),
            DHRow(),
            DHRow(alpha=-RIGHT),
            DHRow(alpha=RIGHT),
        ),
        tool=(0.0, 0.0, 0.263, 0.0),
    )


@ready
def scara_arm() -> DHParameters:
    """A SCARA arm: two hinges and a cylindrical joint, all upright, whose quill turns and slides.

    Returns
    -------
    rbdkit.formats.DHParameters

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.formats.from_dh(rbd.library.scara_arm())
    >>> [joint.type.kind for joint in model.joints if joint.nv]
    ['revolute', 'revolute', 'cylindrical']
    """
    from rbdkit.formats import DHParameters, DHRow  # readers of files, which other models do without

    return DHParameters(
        (
            DHRow(),
            DHRow(a=0.4),
            DHRow(a=0.3, alpha=pi, d=0.05, kind="cylindrical"),
        ),
        base=(0.35, 0.0),
        tool=(0.0, 0.0, 0.1, 0.0),
    )
