"""Shading of surfaces: the lights and gloss of a view (`widgets/three.py`), by the formulas of three.js.

A hemisphere light from sky and ground, a directional light that moves with the camera, and a Blinn-Phong highlight with
Schlick's approximation of the Fresnel term.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SUN, SKY = 0.46, 0.66
GROUND = np.array([0x9A, 0xA3, 0xB0]) / 255.0
LAMP = np.array([-0.5, 0.9, 1.7]) / np.linalg.norm([-0.5, 0.9, 1.7])
"""Direction to the lamp, in the camera's axes (right, up, backward), with which it moves."""
GLOSS, SPECULAR = 38.0, 0x26 / 255.0


def shade(colors: NDArray, normals: NDArray, towards: NDArray, axes: NDArray) -> NDArray:
    """Shade colours (k, 3) of surface points; return the lit colours (k, 3).

    Parameters
    ----------
    colors : ndarray (k, 3)
        Colours of the surface, red, green and blue from 0 to 1.
    normals : ndarray (k, 3)
        Unit normals in world coordinates; reversed where they point away from the camera, since surfaces have two
        sides.
    towards : ndarray (k, 3)
        Unit vectors to the camera.
    axes : ndarray (3, 3)
        Axes of the camera, as rows.
    """
    n = normals * np.where(np.sum(normals * towards, axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    lamp = LAMP @ axes
    half = towards + lamp
    half /= np.maximum(np.linalg.norm(half, axis=1, keepdims=True), 1e-12)
    lit = SUN * np.maximum(n @ lamp, 0.0)[:, None]
    up = (0.5 + 0.5 * n[:, 2])[:, None]
    fresnel = SPECULAR + (1.0 - SPECULAR) * np.exp2((-5.55473 * (half @ lamp) - 6.98316) * (half @ lamp))[:, None]
    glint = 0.25 * (0.5 * GLOSS + 1.0) * np.maximum(np.sum(n * half, axis=1, keepdims=True), 0.0) ** GLOSS * fresnel
    return np.clip(colors * (lit + SKY * (GROUND + up * (1.0 - GROUND))) + lit * glint, 0.0, 1.0)
