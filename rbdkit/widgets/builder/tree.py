"""Rows of the tree in a builder: the world, its bodies depth first, their frames, and the loop joints below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rbdkit.drafting import GROUND, Remark, Sheet
from rbdkit.joints import JointType, Reversed
from rbdkit.model.numbering import WORLD
from rbdkit.scene.palette import GROUND as GREY
from rbdkit.scene.palette import body_color

RANK = {"blocking": 2, "error": 2, "warning": 1, "note": 0}


def tree(sheet: Sheet, remarks: Iterable[Remark], numbers: dict[int, int]) -> list[dict[str, Any]]:
    """Return the rows; numbers : number of each body in the model that is drawn, by key, for its colour."""
    said: dict[int, list[Remark]] = {}
    for remark in remarks:
        said.setdefault(remark.key, []).append(remark)
    rows = [_row(GROUND, WORLD, "world", 0, None, sheet.name, GREY), *_branch(sheet, GROUND, 1, numbers)]
    for closure in sheet.closures:
        ends = [closure.predecessor, closure.successor]
        row = _row(closure.key, closure.name, "loop", 1, None, _kind(closure.joint), "")
        rows.append({**row, "ends": ends})
    for row in rows:
        own = said.get(row["key"], [])
        row["severity"] = max((RANK[remark.severity] for remark in own), default=0)
        row["message"] = "\n".join(remark.message for remark in own)
    return rows


def _branch(sheet: Sheet, key: int, depth: int, numbers: dict[int, int]) -> Iterator[dict[str, Any]]:
    for mark in sheet.marks:
        if mark.body == key:
            yield _row(mark.key, mark.name, "frame", depth, key, "frame", "")
    for part in sheet.children(key):
        color = body_color(numbers.get(part.key, 0))
        yield _row(part.key, part.name, "body", depth, key, _kind(part.joint), color)
        yield from _branch(sheet, part.key, depth + 1, numbers)


def _kind(joint: JointType) -> str:
    inner = joint.joint if isinstance(joint, Reversed) else joint
    axis = inner.parameters().get("axis")
    words = [inner.kind.replace("_", " "), *([axis] if isinstance(axis, str) else [])]
    return " ".join(["reversed", *words] if inner is not joint else words)


def _row(key: int, name: str, kind: str, depth: int, parent: int | None, detail: str, color: str) -> dict[str, Any]:
    return {"key": key, "name": name or "(no name)", "kind": kind, "depth": depth, "parent": parent, "detail": detail,
            "color": color, "ends": []}  # fmt: skip
