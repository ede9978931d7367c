"""Pixels of a view as it stands, drawn by Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.pictures import Look, draw, poses_at
from rbdkit.spatial import quaternion

if TYPE_CHECKING:
    from rbdkit.widgets.stage import Stage


def pixels_of(stage: Stage, width: int, height: int, t: float | None = None, **options: Any) -> NDArray:
    """Return pixels (height, width, 4) of a view at a time of its motion, or as it stands; `options` are of `Look`."""
    poses, as_it_stands = stage.scene.poses, t is None
    t = stage.t if t is None else t
    if stage._pose and (stage.tracks is None or (as_it_stands and stage._set_by_hand)):
        rows = np.frombuffer(stage._pose, dtype="<f4")[:-1].astype(float).reshape(-1, 7)
        poses = np.zeros((len(rows), 4, 4))
        wxyz = rows[:, [6, 3, 4, 5]]
        poses[:, :3, :3] = quaternion.to_matrix(wxyz / np.linalg.norm(wxyz, axis=1, keepdims=True))
        poses[:, :3, 3], poses[:, 3, 3] = rows[:, :3], 1.0
    elif stage.tracks is not None:
        poses = poses_at(stage.tracks, t)
    look = Look(
        width,
        height,
        layers=stage.layers,
        follow=stage.follow,
        outline=np.array(stage._near) if stage.follow and stage._near else None,
        arrows=np.frombuffer(stage._arrows, dtype="<f4").reshape(-1, 11).astype(float),
        ellipsoids=np.frombuffer(stage._ellipsoids, dtype="<f4").reshape(-1, 14).astype(float),
        through=stage._through,
        selected=tuple(stage.selected),
        accent=stage._accent,
        **options,
    )
    return draw(stage.scene, poses, look, stage.tracks, t)
