"""Render one picture of a scene.

Opaque surfaces come first, with the depth buffer; then lines, which are hidden by surfaces; then transparent surfaces,
the farthest first, since each is blended over what lies behind it. Layers that are seen through bodies (x-ray) come
last, and ignore the depth buffer. All is drawn at `Look.fine` samples per pixel in each direction and averaged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from rbdkit.pictures.eye import HOME, Eye, look_at
from rbdkit.pictures.fragments import Fragments, nearest, set_up
from rbdkit.pictures.light import shade
from rbdkit.pictures.motion import path
from rbdkit.pictures.strokes import rings, strokes
from rbdkit.scene import Scene, Tracks, Triangles, palette
from rbdkit.scene.glyphs import along, arrow
from rbdkit.scene.scene import Band, Part
from rbdkit.scene.solids import unit_sphere
from rbdkit.scene.triangles import join
from rbdkit.spatial import quaternion

SKIES = {False: ("#f7f9fb", "#e3e8ee"), True: ("#2c323a", "#1b1f25")}
"""Background colours at the top and bottom, by whether the page is dark."""
LINES = {False: "#5d6875", True: "#aab4c0"}
INK = {False: "#22272e", True: "#e6e9ed"}
THROUGH = 0.3
"""Opacity of x-ray layers, which are seen through the surfaces before them."""


@dataclass(frozen=True, eq=False)
class Look:
    """Camera and display options of a picture.

    Attributes
    ----------
    width, height : int
        Size of the picture, px.
    direction : tuple
        Direction (3,) from the scene to the camera.
    dark : bool
        Whether the picture is for a dark page.
    transparent : bool
        Whether the background is left out, for a page's own colour.
    layers : mapping of str to bool
        Visibility of layers by name, where it differs from the scene's.
    follow : str
        Name of the node that the camera moves along with; '' for a fixed camera.
    outline : ndarray (k, 3) or None
        World points that the picture must contain; the scene's if None.
    arrows, ellipsoids : ndarray (k, 11), (k, 14)
        Arrows and ellipsoids, as `rbdkit.scene.pack_arrows` and `pack_ellipsoids` pack them.
    through : bool
        Whether the arrows are seen through bodies.
    selected : tuple of str
        Names of nodes that are highlighted in the colour `accent`.
    fine : int
        Samples per pixel in each direction, for smooth edges.
    """

    width: int = 960
    height: int = 600
    direction: tuple[float, float, float] = HOME
    dark: bool = False
    transparent: bool = False
    layers: Mapping[str, bool] = field(default_factory=dict)
    follow: str = ""
    outline: NDArray | None = None
    arrows: NDArray = field(default_factory=lambda: np.zeros((0, 11)))
    ellipsoids: NDArray = field(default_factory=lambda: np.zeros((0, 14)))
    through: bool = False
    selected: tuple[str, ...] = ()
    accent: str = palette.SELECTED
    fine: int = 2


def draw(
    scene: Scene, poses: NDArray | None = None, look: Look | None = None, tracks: Tracks | None = None, t: float = 0.0
) -> NDArray:
    """Render a scene to pixels.

    Parameters
    ----------
    scene : Scene
        The scene to draw.
    poses : ndarray (nodes, 4, 4), optional
        World poses of its nodes; its initial poses if not given.
    look : Look, optional
        Camera and display options.
    tracks : Tracks, optional
        A motion, for trails (if their layer is shown) and colours that change with time.
    t : float, optional
        Time of these colours, and up to which trails are drawn boldly, s.

    Returns
    -------
    ndarray (height, width, 4)
        Red, green, blue and opacity, 0 to 255.
    """
    look = look or Look()
    poses = scene.poses if poses is None else np.asarray(poses, dtype=float)
    eye = look_at(scene.outline if look.outline is None else look.outline, look.width / look.height, look.direction)
    center = np.zeros(2) if scene.grid is None else np.array(scene.grid.center)
    if look.follow:
        node = scene.nodes.index(look.follow)
        eye = eye.moved(poses[node, :3, 3] - scene.poses[node, :3, 3])
        center = center + poses[node, :2, 3] - scene.poses[node, :2, 3]
    canvas = _Canvas(scene, look, eye, tracks.shades_at(t) if tracks is not None else {})
    canvas.solids(poses)
    canvas.lines(center, tracks, t)
    canvas.veils(poses)
    return canvas.picture(poses)


class _Canvas:
    """Frame buffer at `Look.fine` samples per pixel: premultiplied colours, and 1 over the depth of what they show."""

    def __init__(self, scene: Scene, look: Look, eye: Eye, shades: Mapping[str, float]) -> None:
        self.scene, self.look, self.eye, self.shades = scene, look, eye, shades
        self.width, self.height = look.fine * look.width, look.fine * look.height
        self.closest = 0.01 * eye.distance
        self.colors = np.zeros((self.width * self.height, 4))  # red, green and blue times opacity, and opacity
        self.near = np.zeros(self.width * self.height)
        self.xray = {layer.name for layer in scene.layers if layer.xray}
        self.shown = {layer.name for layer in scene.layers if look.layers.get(layer.name, layer.visible)}

    # --- what is drawn, in this order -------------------------------------------------------------------------------

    def solids(self, poses: NDArray) -> None:
        """Draw opaque surfaces."""
        surfaces = [self._placed(part, poses) for part in self._parts() if part.opacity >= 1.0]
        if not self.look.through:
            surfaces += self._arrows(poses)
        if surfaces:
            self._paint(join(surfaces), 1.0, self.near)

    def lines(self, center: NDArray, tracks: Tracks | None, t: float) -> None:
        """Draw the grid about a point (2,) of the ground plane, and trails."""
        fine, scene = self.look.fine, self.scene
        if scene.grid is not None and "grid" in self.shown:
            for ends, opacity in rings(scene.grid, center):
                self._stroke(ends, palette.rgb(LINES[self.look.dark]), opacity, fine)
        for trail in scene.trails if tracks is not None and "trails" in self.shown else ():
            times, points = path(tracks, trail.node, np.array(trail.point))  # type: ignore[arg-type]
            ends = np.stack([points[:-1], points[1:]], axis=1)
            past = times[1:] <= t + 1e-12
            self._stroke(ends[~past], palette.rgb(trail.color), 0.5, fine)
            self._stroke(ends[past], palette.rgb(trail.color), 1.0, 2.2 * fine)

    def veils(self, poses: NDArray) -> None:
        """Draw transparent surfaces, the farthest first, and then what is seen through other surfaces."""
        look = self.look
        parts = [part for part in self._parts() if part.opacity < 1.0]
        surfaces = [(self._placed(part, poses), part.opacity) for part in parts] + self._ellipsoids(poses)
        surfaces.sort(key=lambda pair: -float(np.linalg.norm(pair[0].vertices.mean(axis=0) - self.eye.place)))
        for surface, opacity in surfaces:
            self._paint(surface, opacity, self.near.copy())  # a copy: what shines through must not hide others
        over = [self._placed(part, poses) for part in self._parts() if part.layer in self.xray]
        if over:
            self._paint(join(over), THROUGH, np.zeros_like(self.near))
        if look.through and (arrows := self._arrows(poses)):
            self._paint(join(arrows), 1.0, np.zeros_like(self.near))

    def picture(self, poses: NDArray) -> NDArray:
        """Return the pixels (height, width, 4) of the picture, with background and labels."""
        look, fine = self.look, self.look.fine
        rgba = self.colors.reshape(look.height, fine, look.width, fine, 4).mean(axis=(1, 3))
        if look.transparent:
            rgba[..., :3] /= np.maximum(rgba[..., 3:], 1e-9)
        else:
            above, below = (palette.rgb(color) for color in SKIES[look.dark])
            s = np.linspace(0.0, 1.0, look.height)[:, None, None]
            rgba[..., :3] += (1.0 - rgba[..., 3:]) * (above + s * (below - above))
            rgba[..., 3] = 1.0
        pixels = np.round(255.0 * np.clip(rgba, 0.0, 1.0)).astype(np.uint8)
        return self._named(pixels, poses) if "labels" in self.shown else pixels

    # --- how --------------------------------------------------------------------------------------------------------

    def _parts(self) -> list[Part]:
        count = len(self.scene.nodes)
        bands = [Part(count + k, band.layer, band.surface) for k, band in enumerate(self.scene.bands)]
        return [part for part in (*self.scene.parts, *bands) if part.layer in self.shown]

    def _placed(self, part: Part, poses: NDArray) -> Triangles:
        """Return the surface of a part in world coordinates, with its present colours."""
        surface, nodes = part.surface.painted((0.7, 0.7, 0.7)), self.scene.nodes
        if part.node >= len(nodes):
            band = self.scene.bands[part.node - len(nodes)]
            if band.shade is not None and band.shade.of in self.shades:
                surface = replace(surface, colors=None).painted(band.shade.at(self.shades[band.shade.of]))
            return _stretched(surface, band, poses)
        placed = surface.moved(poses[part.node])
        if nodes[part.node] not in self.look.selected or part.layer == "frames":
            return placed
        assert placed.colors is not None  # it is painted
        glow = np.clip(placed.colors + 0.45 * palette.rgb(self.look.accent), 0.0, 1.0)
        return Triangles(placed.vertices, placed.normals, placed.faces, glow)

    def _arrows(self, poses: NDArray) -> list[Triangles]:
        thickness = 0.006 * self.scene.size
        found = []
        for node, *numbers in self.look.arrows:
            start, vector, color = np.array(numbers[:3]), np.array(numbers[3:6]), np.array(numbers[6:9])
            if np.linalg.norm(vector) > 1e-9:
                surface = arrow(start, vector, min(thickness, 0.2 * float(np.linalg.norm(vector))))
                heads = [surface] if numbers[9] <= 0.0 else [surface, arrow(start, 0.85 * vector, thickness)]
                found += [head.painted(color).moved(poses[int(node)]) for head in heads]
        return found

    def _ellipsoids(self, poses: NDArray) -> list[tuple[Triangles, float]]:
        found = []
        for node, *numbers in self.look.ellipsoids:
            x, y, z, w = numbers[3:7]
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = quaternion.to_matrix(np.array([w, x, y, z])), numbers[:3]
            surface = unit_sphere(24).moved(pose, np.maximum(numbers[7:10], 1e-9)).painted(np.array(numbers[10:13]))
            found.append((surface.moved(poses[int(node)]), 0.32))
        return found

    def _paint(self, surface: Triangles, opacity: float, near: NDArray) -> None:
        """Draw a surface in world coordinates where it is nearer than the depth buffer `near`, which is updated."""
        seen = self.eye.seen(surface.vertices, self.width, self.height)
        corners = set_up(seen, surface.faces, self.width, self.height, self.closest)
        hit = nearest(corners, self.width, near)
        w = np.column_stack([hit.weights, 1.0 - hit.weights.sum(axis=1)])
        faces = surface.faces[hit.triangle]
        w = w / seen[faces, 2]
        w /= w.sum(axis=1, keepdims=True)  # perspective-correct: linear in space, not in the picture
        assert surface.colors is not None  # it is painted
        points, normals, colors = (
            np.einsum("kc,kci->ki", w, values[faces]) for values in (surface.vertices, surface.normals, surface.colors)
        )
        towards = self.eye.place - points
        towards /= np.maximum(np.linalg.norm(towards, axis=1, keepdims=True), 1e-12)
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
        self._lay(hit, shade(colors, normals, towards, self.eye.axes), opacity)

    def _stroke(self, ends: NDArray, color: NDArray, opacity: float, width: float) -> None:
        if not len(ends):
            return
        seen = self.eye.seen(ends.reshape(-1, 3), self.width, self.height).reshape(-1, 2, 3)
        vertices, faces = strokes(seen, width, self.closest)
        corners = set_up(vertices, faces, self.width, self.height, self.closest)
        hit = nearest(corners, self.width, self.near.copy())
        self._lay(hit, np.broadcast_to(color, (len(hit.pixel), 3)), opacity)

    def _lay(self, hit: Fragments, colors: NDArray, opacity: float) -> None:
        own = np.column_stack([colors, np.ones(len(colors))]) * opacity
        self.colors[hit.pixel] = own + (1.0 - opacity) * self.colors[hit.pixel]

    def _named(self, pixels: NDArray, poses: NDArray) -> NDArray:
        image = Image.fromarray(pixels)
        pen, font = ImageDraw.Draw(image), ImageFont.load_default(size=12)
        for label in self.scene.labels:
            pose = poses[label.node]
            place = pose[:3, :3] @ np.array(label.position) + pose[:3, 3]
            x, y, depth = self.eye.seen(place[None], self.look.width, self.look.height)[0]
            if depth > self.closest:
                pen.text((x + 6, y - 6), label.text, fill=INK[self.look.dark], font=font)
        return np.asarray(image)


def _stretched(surface: Triangles, band: Band, poses: NDArray) -> Triangles:
    """Return the surface of a band stretched between its two points, or spread over the triangle of its three."""
    start, end, *third = (
        poses[node, :3, :3] @ np.array(point) + poses[node, :3, 3]
        for node, point in zip(band.nodes, band.points, strict=True)
    )
    if third:
        return _spread(surface, start, end - start, third[0] - start)
    length = max(float(np.linalg.norm(end - start)), 1e-9)
    wide = 1.0 if band.rest is None else min(np.sqrt(band.rest / length), 4.0)  # keeps its volume
    pose = along(start, end - start if np.any(end != start) else np.array([0.0, 0.0, 1.0]))
    pose[:3, :3] = pose[:3, [2, 0, 1]]  # along x
    return surface.moved(pose, (length, wide, wide))


def _spread(surface: Triangles, start: NDArray, x: NDArray, y: NDArray) -> Triangles:
    """Return a surface mapped to a triangle: its x and y along two edges from `start`, its z along the normal."""
    across = np.cross(x, y)
    basis = np.column_stack([x, y, across / max(float(np.linalg.norm(across)), 1e-30)])
    normals = surface.normals[:, 2:] * basis[:, 2]  # the normals of a flat surface are along its z
    return replace(surface, vertices=surface.vertices @ basis.T + start, normals=normals)
