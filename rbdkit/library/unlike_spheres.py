"""Two spheres of the same stuff and of unlike size: Featherstone (2008), section 10.1, as a system that moves."""

from __future__ import annotations

from rbdkit.joints import Free, Revolute
from rbdkit.library.ready import ready
from rbdkit.model import Geometry, Model, Sphere
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia

RADIUS = 0.1
"""Of the small one, m."""
DENSITY = 1000.0
"""kg/m3."""


@ready
def unlike_spheres(scale: float = 10.0, heavy_base: bool = True) -> Model:
    """A small sphere and one `scale` times as large, hinged together where they touch; they float.

    Parameters
    ----------
    scale : float, optional
        How many times as large the large one is.
    heavy_base : bool, optional
        Whether the tree is rooted in the large one; the system is the same either way.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.unlike_spheres(scale=10.0, heavy_base=False)
    >>> small, large = (body.inertia.mass for body in model.bodies[1:])
    >>> round(large / small)
    1000
    """
    radii = {"small": RADIUS, "large": RADIUS * scale}
    base, tip = ("large", "small") if heavy_base else ("small", "large")
    inertia = {name: Inertia.sphere(r, density=DENSITY) for name, r in radii.items()}
    out = se3.pose(position=[radii[tip], 0.0, 0.0])
    model = Model(f"spheres 1 : {scale:g}, rooted in the {base} one", gravity=(0.0, 0.0, 0.0))
    model.add_body(base, joint=Free(), inertia=inertia[base], geometry=Sphere(radii[base]), joint_name="float")
    model.add_body(
        tip,
        base,
        Revolute("z"),
        [radii[base], 0.0, 0.0],
        inertia[tip].transformed(out),
        Geometry(Sphere(radii[tip]), out),
        joint_name="hinge",
    )
    return model
