"""Findings about a draft, placed beside the fields of the form that mend them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rbdkit.drafting import Remark

ELSEWHERE = {"inertia": "inertia_of"}
"""Fields that mend findings about something that has no field of its own."""


def with_remarks(groups: list[dict[str, Any]], remarks: Sequence[Remark]) -> list[dict[str, Any]]:
    """Add findings to the form beside the fields that mend them; those without a field go to the first one."""
    fields = [field for group in groups for field in group["fields"]]
    place = {field["id"]: field for field in fields}
    for remark in remarks:
        field = place.get(remark.field) or place.get(ELSEWHERE.get(remark.field, "")) or fields[0]
        field.setdefault("remarks", []).append({"severity": remark.severity, "message": remark.message})
    for group in groups:
        group["open"] = group["open"] or any("remarks" in field for field in group["fields"])
    return groups
