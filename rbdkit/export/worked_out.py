"""A playground that a page computes by itself: its function as a compiled program, its texts as templates.

The function is traced once for each combination of choices; the other sliders are symbols. The structure of the picture
then is plain data, and its numbers are computed by WebAssembly. Before the trace is used, its pictures are compared
with Python's own all over the sliders.
"""

from __future__ import annotations

import itertools
import math
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.agreement import NotTraced
from rbdkit.engine.links.own_laws import record_copy
from rbdkit.errors import RbdkitError
from rbdkit.functions import forward_kinematics
from rbdkit.scene import palette
from rbdkit.trace import Symbol, Trace, symbols, wasm_bytes
from rbdkit.widgets.playground import Picture, Playground
from rbdkit.widgets.stage import Stage
from rbdkit.widgets.view import View

MOST_VARIANTS = 64
"""Most combinations of choices, each of which is a program of its own."""
DRAWS = 8
"""Number of random settings of the other sliders at which a program is compared with its function, beside the ends of
each."""
WORD = re.compile("\x02(\\d+):([^\x03]*)\x03")
"""Place of a number in a text: node of the graph, and format."""
FORM = re.compile(r"(?:.?[<>=^])?[ +-]?\d*(?:(?:\.\d{1,2})?[eEfFgG%])?")
"""Number formats that a page can write as Python does."""
CLOSE = 1e-6
"""Tolerance of a picture's numbers, which are drawn in single precision; relative where they are large."""


class _Refused(Exception):
    """A function that no page can compute. The message says why."""


@dataclass(frozen=True, eq=False)
class _Variant:
    """A traced picture for one combination of choices.

    Attributes
    ----------
    formula : of the sliders; gives the numbers that are drawn, then those of the texts, in their order.
    told : all else, as the page needs it.
    """

    formula: Trace
    told: dict[str, Any]


def worked_out_of(playground: Playground) -> dict[str, Any] | str:
    """Return what a page needs to draw a playground's pictures by itself, or why it cannot."""
    sliders = playground.panel.sliders
    choices = [len(slider.choices) or 1 for slider in sliders]
    if not sliders:
        return "it has no sliders"
    if math.prod(choices) > MOST_VARIANTS:
        return f"its choices make {math.prod(choices)} programs"
    try:
        variants = [_variant(playground, place) for place in itertools.product(*map(range, choices))]
        for place, variant in zip(itertools.product(*map(range, choices)), variants, strict=True):
            for numbers in _settings(playground, place):
                _require_agreement(playground, variant, numbers)
        drag = _drag(playground)
    except (NotTraced, _Refused) as why:
        return str(why).rstrip(".")
    programs = {f"picture{k}": variant.formula.program(f"picture{k}") for k, variant in enumerate(variants)}
    if drag is not None:
        programs["drag"] = drag[0].program("drag")
    kernels = {
        "code": b64encode(wasm_bytes(*programs.values())).decode(),
        "programs": {
            name: {"arrays": program.arrays, "counts": [], "lengths": {}} for name, program in programs.items()
        },
        "counts": {}, "numbers": {}, "tables": {}, "room": {},
    }  # fmt: skip
    return {
        "kernels": kernels,
        "choices": choices,
        "variants": [variant.told for variant in variants],
        "drag": None if drag is None else drag[1],
    }


# --- recording --------------------------------------------------------------------------------------------------------


def _variant(playground: Playground, place: tuple[int, ...]) -> _Variant:
    sliders = playground.panel.sliders
    kept: list[dict[str, Any]] = []

    def asked(draw: Callable[..., Picture], x: Any) -> NDArray:
        values = [s.choices[place[k]] if s.choices else x[k] for k, s in enumerate(sliders)]
        with _words(x):
            picture = draw(*values)
            numbers, told = _taken(playground.stage, picture)
        texts, positions = _texts(told)
        kept.append(texts)
        graph = x[0].graph
        return np.array([*numbers, *(Symbol(graph, position) for position in positions)], dtype=object)

    formula = record_copy(playground.draw, asked, (len(sliders),), ("x",))
    return _Variant(formula, kept[-1] | {"size": len(formula.outputs)})


@contextmanager
def _words(x: Any) -> Iterator[None]:
    """Let symbols of a graph be formatted into texts, as marks with node and format."""
    graph = x[0].graph
    before, graph.words = graph.words, lambda symbol, form: f"\x02{symbol.position}:{form}\x03"
    try:
        yield
    finally:
        graph.words = before


def _taken(stage: Stage | None, picture: Picture) -> tuple[list[Any], dict[str, Any]]:
    """Return the numbers of a picture in the order in which the page expects them, and all the rest."""
    if picture.figure is not None:
        raise _Refused("it draws a figure")
    told: dict[str, Any] = {
        "readout": [[str(name), str(value)] for name, value in picture.readout],
        "note": str(picture.note),
        "idle": list(picture.idle),
        "units": dict(picture.units),
    }
    if stage is None:
        return [], told
    poses = _poses(stage, picture)
    numbers = [] if poses is None else [x for pose in poses for x in _twelve(pose)]
    arrows, ellipsoids = list(picture.arrows), list(picture.ellipsoids)
    for arrow in arrows:
        numbers += [*_entries(arrow.start, 3), *_entries(arrow.vector, 3)]
    for ellipsoid in ellipsoids:
        numbers += [*_entries(ellipsoid.center, 3), *_entries(ellipsoid.axes, 9), *_entries(ellipsoid.radii, 3)]
    if picture.handle is not None:
        numbers += _twelve(picture.handle)
    return numbers, told | {
        "poses": 0 if poses is None else len(poses),
        "arrows": [[arrow.node, *palette.rgb(arrow.color), int(arrow.kind == "turning")] for arrow in arrows],
        "arrow_names": [[arrow.name, arrow.text] for arrow in arrows],
        "ellipsoids": [[ellipsoid.node, *palette.rgb(ellipsoid.color)] for ellipsoid in ellipsoids],
        "ellipsoid_names": [ellipsoid.name for ellipsoid in ellipsoids],
        "handle": picture.handle is not None,
        "handle_turns": bool(picture.handle_turns),
    }


def _poses(stage: Stage, picture: Picture) -> list[Any] | None:
    """Return world poses of the scene's nodes, or None if the picture gives none."""
    if isinstance(stage, View) and picture.q is not None:
        return list(forward_kinematics(stage.model, symbols(picture.q)).poses)
    return None if picture.poses is None else list(picture.poses)  # type: ignore[arg-type]


def _twelve(pose: Any) -> list[Any]:
    """Return the first three rows of a pose."""
    return _entries(pose, 16)[:12]


def _entries(values: Any, size: int) -> list[Any]:
    found = list(symbols(values).flat)
    if len(found) != size:
        raise _Refused(f"it draws {len(found)} numbers where {size} belong")
    return found


def _texts(told: dict[str, Any]) -> tuple[dict[str, Any], list[int]]:
    """Split texts into literal parts and [number, format]; return them with the graph nodes of these numbers."""
    positions: list[int] = []

    def split(value: Any) -> Any:
        if isinstance(value, list):
            return [split(x) for x in value]
        if not isinstance(value, str) or "\x02" not in value:
            if isinstance(value, str) and "<Symbol" in value:
                raise _Refused(f"it writes a number without a format: {value!r}; write it in an f-string")
            return value
        parts: list[Any] = []
        end = 0
        for match in WORD.finditer(value):
            if not FORM.fullmatch(match[2]):
                raise _Refused(f"pages do not write numbers in the format {match[2]!r}")
            parts += [value[end : match.start()], [len(positions), match[2]]]
            positions.append(int(match[1]))
            end = match.end()
        return {"words": [*parts, value[end:]]}

    return {name: split(value) for name, value in told.items()}, positions


# --- agreement --------------------------------------------------------------------------------------------------------


def _settings(playground: Playground, place: tuple[int, ...]) -> Iterator[NDArray]:
    """Yield slider settings with those choices: as they stand, at the ends of each, and random ones."""
    sliders = playground.panel.sliders
    rng = np.random.default_rng(0)
    stands = zip(sliders, place, playground.panel.numbers, strict=True)
    now = np.array([choice if slider.choices else x for slider, choice, x in stands])
    yield now
    for k, slider in enumerate(sliders):
        if not slider.choices:
            for end in (slider.low, slider.high):
                yield np.array([*now[:k], end, *now[k + 1 :]], dtype=float)
    for _ in range(DRAWS):
        drawn = [place[k] if s.choices else s.low + (s.high - s.low) * rng.random() for k, s in enumerate(sliders)]
        yield np.array([round(x) if s.whole else x for s, x in zip(sliders, drawn, strict=True)], dtype=float)


def _require_agreement(playground: Playground, variant: _Variant, numbers: NDArray) -> None:
    """Raise `_Refused` if a program draws another picture than its function."""
    names = [slider.name for slider in playground.panel.sliders]
    where = ", ".join(f"{name} = {x:.4g}" for name, x in zip(names, numbers, strict=True))
    try:
        own_numbers, own = _taken(playground.stage, playground.drawn_at(numbers))
    except RbdkitError as fault:
        raise _Refused(f"it refuses {where}: {fault}") from fault
    values = [float(x) for x in np.atleast_1d(variant.formula(numbers))]
    drawn, said = values[: len(own_numbers)], values[len(own_numbers) :]
    same = own.keys() < variant.told.keys() and all(_same(variant.told[name], own[name], said) for name in own)
    if not same or not np.allclose(drawn, np.array(own_numbers, dtype=float), rtol=CLOSE, atol=CLOSE):
        raise _Refused(f"it draws something else where {where}")


def _same(template: Any, value: Any, said: list[float]) -> bool:
    """Return whether a text, or a list of them, matches its template; a last digit may be rounded either way."""
    if isinstance(template, dict) and "words" in template:
        words = template["words"]
        parts = (re.escape(word) if isinstance(word, str) else _any_of(said[word[0]], word[1]) for word in words)
        return re.fullmatch("".join(parts), value) is not None
    if isinstance(template, list) and isinstance(value, list):
        return len(template) == len(value) and all(_same(*both, said) for both in zip(template, value, strict=True))
    return bool(template == value)


def _any_of(x: float, form: str) -> str:
    near = (x, x * (1.0 + 1e-12) + 1e-14, x * (1.0 - 1e-12) - 1e-14)
    return "(?:" + "|".join(re.escape(format(one, form)) for one in near) + ")"


# --- the handle -------------------------------------------------------------------------------------------------------


def _drag(playground: Playground) -> tuple[Trace, list[int]] | None:
    """Trace the effect of dragging the handle; return the trace and its sliders, None if that fails."""
    if playground.dragged is None or playground.stage is None or playground.picture.handle is None:
        return None
    names = [slider.name for slider in playground.panel.sliders]
    kept: list[list[int]] = []

    def asked(on_drag: Callable[[Any], Mapping[str, Any]], pose: Any) -> NDArray:
        found = on_drag(pose)
        kept.append([names.index(name) for name in found])
        return np.array([*found.values()], dtype=object)

    try:
        formula = record_copy(playground.dragged, asked, ((4, 4),), ("pose",))
    except NotTraced:
        return None
    rng = np.random.default_rng(0)
    handle = np.array(playground.picture.handle, dtype=float)
    for _ in range(DRAWS):
        pose = handle.copy()
        pose[:3, 3] += rng.normal(size=3)
        own = playground.dragged(pose)
        if [names.index(name) for name in own] != kept[-1] or not np.allclose(
            np.array(formula(pose), dtype=float), np.array([*own.values()], dtype=float), rtol=CLOSE, atol=CLOSE
        ):
            return None
    return formula, kept[-1]
