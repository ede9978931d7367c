"""Names of bodies and joints in the messages of checked code, which itself knows only numbers of links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.steps.nodes import FRAME, ROW
from rbdkit.errors import CheckError
from rbdkit.trace import Binder, Given

OF_LINKS = {"rows": ROW, "own_force": 6, "f_ext": 6}
OF_BODIES = {"frames": FRAME, "poses": 16, "velocities": 6}
"""Numbers per link, or per body, in these arrays."""
BY_COORDINATES = ("q", "q_here", "x", "x_new")
BY_VELOCITIES = ("v", "v_here", "v_new", "tau", "tau_here", "own_tau", "qdd", "bias_force")
"""Arrays with one number for each coordinate, or each velocity, of the model."""


def naming(binder: Binder, names: Sequence[tuple[str, str]], layout: Layout, width: int) -> Binder:
    """Wrap a binder of checked code so that errors name the body and its joint.

    names : of each body and its joint. width : numbers of a link in "work".
    """

    def bind(arrays: Mapping[str, Given], counts: Mapping[str, int]) -> Callable[[], None]:
        run = binder(arrays, counts)

        def named() -> None:
            try:
                run()
            except CheckError as fault:
                body = _body(fault, layout, {**OF_LINKS, "work": width})
                if body is None:
                    raise
                whose = "body {!r}, joint {!r}: ".format(*names[body]) if body else "the world: "
                raise CheckError(f"{whose}{fault}", fault.array, fault.index, fault.around, fault.line) from fault

        return named

    return bind


def _body(fault: CheckError, layout: Layout, of_links: Mapping[str, int]) -> int | None:
    """Return the body that the loop was at, or that the element belongs to; None if neither is known."""
    array, index = fault.array, fault.index
    # the innermost loop over links or bodies tells best
    if fault.around:
        what, number = list(fault.around.items())[-1]
        return number if what == "body" else _of_link(number, layout)
    if array in OF_BODIES:
        return index // OF_BODIES[array] % len(layout.link_of_body)
    if array in of_links:
        return _of_link(index // of_links[array] % (len(layout.links) + 1), layout)
    for number, link in enumerate(layout.links, 1):
        motion = link.kind.motion
        if array in BY_COORDINATES and layout.nq and link.q <= index % layout.nq < link.q + motion.nq:
            return _of_link(number, layout)
        if array in BY_VELOCITIES and layout.nv and link.v <= index % layout.nv < link.v + motion.nv:
            return _of_link(number, layout)
    return None


def _of_link(number: int, layout: Layout) -> int | None:
    """Return the body of a link, 0 for the world."""
    if not 0 <= number <= len(layout.links):
        return None
    return int(layout.body_of_link[number - 1]) if number else 0
