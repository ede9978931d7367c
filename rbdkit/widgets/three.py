"""The pythreejs side of a view: renderer, camera, light, and one sample of each kind of object.

The number of widgets is the same for one body and for a thousand: meshes are made in the browser, from the samples' own
constructors, out of the buffers of a packed scene.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pythreejs as p3
from ipywidgets import Widget


def three_widgets() -> dict[str, Widget]:
    """Return renderer, scene, camera, controls, the group that holds everything, and samples: mesh, lines, line."""
    # target and shadow are given: pythreejs would make them in the browser, log an error there and never close them
    target = p3.Object3D(position=[0.0, 0.0, -1.0])
    shadow = p3.DirectionalLightShadow(camera=p3.OrthographicCamera(-1.0, 1.0, 1.0, -1.0, 0.5, 500.0))
    lamp = p3.DirectionalLight(color="#ffffff", intensity=0.46, position=[-0.5, 0.9, 0.7], target=target, shadow=shadow)
    camera = p3.PerspectiveCamera(
        fov=30.0, aspect=1.6, position=[1.0, -1.6, 0.7], up=[0.0, 0.0, 1.0], children=[lamp, target]
    )
    sky = p3.HemisphereLight(color="#ffffff", groundColor="#9aa3b0", intensity=0.66, position=[0.0, 0.0, 1.0])
    root = p3.Group()
    scene = p3.Scene(children=[camera, sky, root], background=None)
    controls = p3.OrbitControls(controlling=camera, screenSpacePanning=True)
    # a clear canvas: the sky behind it is the page's and follows its theme
    renderer = p3.Renderer(
        scene=scene,
        camera=camera,
        controls=[controls],
        antialias=True,
        alpha=True,
        clearColor="#ffffff",
        clearOpacity=0.0,
    )
    return {"renderer": renderer, "scene": scene, "camera": camera, "controls": controls, "root": root, **_samples()}


def _samples() -> dict[str, Widget]:
    points = p3.BufferAttribute(np.zeros((3, 3), dtype=np.float32))
    geometry = p3.BufferGeometry(attributes={"position": points})
    shading = p3.MeshPhongMaterial(vertexColors="VertexColors", shininess=38.0, specular="#262626", side="DoubleSide")
    return {
        "mesh": p3.Mesh(geometry, shading),
        "lines": p3.LineSegments(geometry, p3.LineBasicMaterial(color="#808890")),
        "line": p3.Line2(p3.LineGeometry(positions=[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), p3.LineMaterial(linewidth=2.0)),
    }


def reachable(value: Any, found: dict[str, Widget] | None = None) -> dict[str, Widget]:
    """Return every open widget that a widget, list or dictionary of widgets refers to, itself included, by model id."""
    found = {} if found is None else found
    if isinstance(value, Widget):
        if value.comm is not None and value.model_id not in found:
            found[value.model_id] = value
            for name in value.keys:
                reachable(getattr(value, name), found)
    elif isinstance(value, dict):
        for item in value.values():
            reachable(item, found)
    elif isinstance(value, list | tuple):
        for item in value:
            reachable(item, found)
    return found
