"""Meanings and units of the customary symbols of the algorithms."""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """A symbol in words, and its units: one, or those of an angular and of a linear part; empty if unknown.

    sign : how it is printed, such as "I^A" for ``IA``, where that differs from the name.
    """

    words: str = ""
    units: tuple[str, ...] = ()
    sign: str = ""


MOTION = ("rad/s", "m/s")
RATE = ("rad/s\u00b2", "m/s\u00b2")
FORCE = ("N m", "N")
INERTIA = ("kg m\u00b2, kg m, kg",)

SYMBOLS: dict[str, Words] = {
    "v": Words("velocity", MOTION),
    "vJ": Words("velocity across the joint", MOTION, "v_J"),
    "a": Words("acceleration", RATE),
    "a_": Words("acceleration before the joint's own", RATE, "a\u2032"),
    "avp": Words("acceleration by velocities alone", RATE, "a^vp"),
    "c": Words("acceleration by velocities across the joint", RATE),
    "cJ": Words("the joint's own part of it", RATE, "c_J"),
    "S": Words("motions that the joint allows", ("", "")),
    "f": Words("force that the joint transmits", FORCE),
    "fB": Words("force for the body's own motion", FORCE, "f^B"),
    "f_x": Words("external force", FORCE, "f^x"),
    "F": Words("force for a unit of joint acceleration", FORCE),
    "pA": Words("force on the articulated body without acceleration", FORCE, "p^A"),
    "pa": Words("that force, as the parent feels it", FORCE, "p^a"),
    "U": Words("IA S: force for a unit of joint acceleration", FORCE),
    "I": Words("inertia of the body", INERTIA),
    "IA": Words("inertia of the articulated body", INERTIA, "I^A"),
    "Ia": Words("that inertia, as felt across the joint", INERTIA, "I^a"),
    "Ic": Words("inertia of the body and all it carries", INERTIA, "I^c"),
    "D": Words("inertia that the joint feels", ("kg m\u00b2 or kg",)),
    "u": Words("joint force left to accelerate", ("N m or N",)),
    "tau": Words("joint forces", ("N m or N",), "\u03c4"),
    "qdd": Words("joint accelerations", ("rad/s\u00b2 or m/s\u00b2",), "q\u0308"),
    "q": Words("joint coordinates", ("rad or m",)),
    "X": Words("from the parent's coordinates to the body's"),
    "H": Words("joint-space inertia"),
    "i": Words("the body at hand"),
    "parent": Words("the body that each joint is attached to"),
}
"""Meanings by the names that the readable algorithms and the notebooks use."""

SPELLINGS = {"v_J": "vJ", "c_J": "cJ", "p_A": "pA", "p_a": "pa", "I_A": "IA", "I_a": "Ia", "I_c": "Ic"}


def words_of(label: str) -> Words:
    """Return the meaning of a variable, an entry such as ``IA[2]``, or a column such as ``S 1``.

    Examples
    --------
    >>> from rbdkit.stepping.words import words_of
    >>> words_of("IA[2]").words
    'inertia of the articulated body'
    """
    symbol = label.partition("[")[0].partition(" ")[0]
    return SYMBOLS.get(SPELLINGS.get(symbol, symbol), Words())
