"""Scenes as plain data: shapes and marks on nodes, layers, recorded motion, curves.

Nothing here knows a widget or a browser: `scene_of` turns a model into a `Scene`, `tracks_of` a trajectory into
`Tracks`, `plots_of` into `Plot`s, and `pack_*` these into JSON with binary buffers for whoever draws them.
"""

from rbdkit.scene.arrows import Arrow, Ellipsoid, pack_arrows, pack_ellipsoids, spatial_arrows, triple
from rbdkit.scene.build import scene_of
from rbdkit.scene.curves import Curves, Plot, plots_of
from rbdkit.scene.mesh_reader import MeshReader, MeshWarning
from rbdkit.scene.pack import pack_plots, pack_scene, pack_tracks
from rbdkit.scene.scene import Grid, Label, Layer, Part, Scene, Trail
from rbdkit.scene.solids import triangulate
from rbdkit.scene.tracks import Tracks, seven, tracks, tracks_of
from rbdkit.scene.triangles import Triangles

__all__ = [
    "Arrow",
    "Curves",
    "Ellipsoid",
    "Grid",
    "Label",
    "Layer",
    "MeshReader",
    "MeshWarning",
    "Part",
    "Plot",
    "Scene",
    "Tracks",
    "Trail",
    "Triangles",
    "pack_arrows",
    "pack_ellipsoids",
    "pack_plots",
    "pack_scene",
    "pack_tracks",
    "plots_of",
    "scene_of",
    "seven",
    "spatial_arrows",
    "tracks",
    "tracks_of",
    "triangulate",
    "triple",
]
