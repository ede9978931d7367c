"""Read SRDF, what motion planners know of a robot besides its URDF: named poses, end effectors, disabled collisions."""

from __future__ import annotations

import os
import warnings
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import FormatError
from rbdkit.formats.format import URDF
from rbdkit.formats.format_warning import FormatWarning
from rbdkit.formats.require_model import require_model
from rbdkit.formats.source import read_source
from rbdkit.formats.xml.numbers import text
from rbdkit.formats.xml.reader import Element, parse_xml
from rbdkit.joints import Free
from rbdkit.model import Joint, Model

MOST = 10
"""Number of notes that the warning lists."""


@dataclass(frozen=True, eq=False)
class SemanticDescription:
    """Named poses, end effectors and disabled pairs of an SRDF.

    Attributes
    ----------
    states : dict of str to ndarray (nq,)
        Coordinates of the named poses; joints that a pose does not name are neutral.
    end_effectors : dict of str to str
        For each end effector the body or frame that carries it.
    disabled : tuple of (str, str)
        Pairs of bodies that need not be tested for contact, for ``model.add_contacts(except_=...)``.
    """

    states: dict[str, NDArray]
    end_effectors: dict[str, str]
    disabled: tuple[tuple[str, str], ...]


def load_srdf(source: str | bytes | os.PathLike[str] | IO[Any], model: Model) -> SemanticDescription:
    """Read an SRDF of a model that `load` made of the robot's URDF.

    Parameters
    ----------
    source : str, bytes, os.PathLike or file object
        A path, a text, or an open file.
    model : Model
        The robot, whose joints, bodies and frames the SRDF names.

    Returns
    -------
    rbdkit.formats.SemanticDescription
        Named poses, end effectors, and pairs of bodies that need not be tested for contact.

    Raises
    ------
    FormatError
        If it is no SRDF, or a value is no number.
    OSError
        If the file cannot be read.

    Warns
    -----
    FormatWarning
        Once about names that the model does not have, and about pairs of links of which only some are disabled.

    Notes
    -----
    Poses of one name in several groups are one state. Mimic joints follow theirs. A joint with seven values is the
    robot's free base, position and then quaternion with the scalar last, as ROS has it; of a model that is fixed to the
    world it is left out. Where fixed joints were merged a body has several links: two bodies are disabled if all pairs
    of those of their links are which the SRDF disables with something. Groups, virtual and passive joints are no part
    of a model.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.formats import load_srdf
    >>> robot = rbd.load('''<robot name="door"><link name="wall"/><link name="leaf"/>
    ...     <joint name="hinge" type="continuous"><parent link="wall"/><child link="leaf"/></joint></robot>''')
    >>> said = load_srdf('''<robot name="door">
    ...     <group_state name="open" group="all"><joint name="hinge" value="1.5"/></group_state>
    ...     <disable_collisions link1="wall" link2="leaf" reason="Adjacent"/></robot>''', robot)
    >>> said.states["open"].tolist(), said.disabled
    ([1.5], (('wall', 'leaf'),))
    """
    require_model(model)
    content = read_source(source, (URDF,))
    robot = parse_xml(content.data, content.name)
    if robot.tag != "robot":
        raise FormatError(f"{robot.place}: root element <{robot.tag[:60]}>: that of an SRDF is <robot>")
    if robot.first("link") is not None:
        raise FormatError(f"{robot.place}: this is a URDF, the robot itself; rbdkit.load reads it")
    notes: list[str] = []
    found = SemanticDescription(
        _states(robot, model, notes), _end_effectors(robot, model, notes), _disabled(robot, model, notes)
    )
    if notes:
        more = [f"... and {len(notes) - MOST} more"] if len(notes) > MOST else []
        lines = "".join(f"\n  {note}" for note in [*notes[:MOST], *more])
        warnings.warn(f"{content.name}: left out, or not as the file says:{lines}", FormatWarning, stacklevel=2)
    return found


def _states(robot: Element, model: Model, notes: list[str]) -> dict[str, NDArray]:
    """Return coordinates of the named poses."""
    joints = {joint.name: joint for joint in model.joints[1:]}
    states: dict[str, NDArray] = {}
    for pose in robot.all("group_state"):
        name = text(pose, "name", "a group_state")
        q = states.setdefault(name, model.neutral().copy())
        for element in pose.all("joint"):
            joint = joints.get(own := text(element, "name", f"group_state {name!r}"))
            values = _numbers(element, f"group_state {name!r}, joint {own!r}")
            if joint is None and len(values) == 7:
                joint = next((joint for joint in model.joints[1:] if isinstance(joint.type, Free)), None)
                if joint is None:
                    continue  # the base, which this model has fixed to the world
            if joint is None:
                notes.append(f"{element.place}: group_state {name!r}: the model has no joint {own!r}")
            elif joint.mimic is None and joint.nq:
                q[joint.q_slice] = _coordinates(joint, values, f"{element.place}: group_state {name!r}")
    return states


def _numbers(element: Element, subject: str) -> list[float]:
    words = text(element, "value", subject).split()
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = [float("nan")]
    if not values or not np.isfinite(values).all():
        raise FormatError(f"{element.place}: {subject}: value={element.attributes['value']!r} is not finite numbers")
    return values


def _coordinates(joint: Joint, values: list[float], place: str) -> NDArray:
    """Return rbdkit's coordinates of a joint from those of ROS, which has quaternions last and scalar last."""
    if len(values) != joint.nq:
        raise FormatError(f"{place}: joint {joint.name!r} has {joint.nq} coordinates, not {len(values)}")
    if not isinstance(joint.type, Free):
        return np.array(values)
    x, y, z, *quaternion = values
    size = float(np.linalg.norm(quaternion))
    if not abs(size - 1.0) < 1e-2:
        raise FormatError(f"{place}: joint {joint.name!r}: quaternion {quaternion} has norm {size:g}, not 1")
    i, j, k, w = (part / size for part in quaternion)
    return np.array([w, i, j, k, x, y, z])


def _end_effectors(robot: Element, model: Model, notes: list[str]) -> dict[str, str]:
    found = {}
    for element in robot.all("end_effector"):
        name = text(element, "name", "an end_effector")
        link = text(element, "parent_link", f"end_effector {name!r}")
        if _body_of(model, link) is None:
            notes.append(f"{element.place}: end_effector {name!r}: the model has no body or frame {link!r}")
        else:
            found[name] = link
    return found


def _disabled(robot: Element, model: Model, notes: list[str]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of bodies all of whose links are disabled with each other."""
    links: defaultdict[int, dict[str, None]] = defaultdict(dict)  # of each body, those that the file disables at all
    off: dict[tuple[int, int], set[tuple[str, str]]] = defaultdict(set)
    unknown: dict[str, None] = {}
    for element in robot.all("disable_collisions"):
        pair = [text(element, side, "disable_collisions") for side in ("link1", "link2")]
        bodies = [_body_of(model, link) for link in pair]
        unknown |= dict.fromkeys(link for link, body in zip(pair, bodies, strict=True) if body is None)
        for link, body in zip(pair, bodies, strict=True):
            if body is not None:
                links[body][link] = None
        if None not in bodies and bodies[0] != bodies[1]:
            (a, first), (b, second) = sorted(zip(bodies, pair, strict=True), key=lambda x: x[0] or 0)
            off[a or 0, b or 0].add((first, second))
    notes += [f"disable_collisions: the model has no body or frame {link!r}" for link in unknown]
    found = []
    for (a, b), pairs in sorted(off.items()):
        names = model.bodies[a].name, model.bodies[b].name
        missing = [pair for pair in product(links[a], links[b]) if pair not in pairs]
        if missing:
            notes.append(
                f"bodies {names[0]!r} and {names[1]!r} may touch, since of their links {_listed(missing)} are not "
                "disabled; load the URDF with merge_fixed=False to keep them apart"
            )
        else:
            found.append(names)
    return tuple(found)


def _listed(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{a!r} with {b!r}" for a, b in list(pairs)[:3])


def _body_of(model: Model, link: str) -> int | None:
    """Return the number of the body that has a link: it is called so, or has a frame of this name."""
    if link in model._body_index:
        return model.body(link).index
    return model.frame(link).body if link in model._frame_index else None
