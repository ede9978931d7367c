"""Models whose bodies touch, for the tests of laws."""

import numpy as np

import rbdkit as rbd


def ball(restitution=0.0, friction=0.0, radius=0.1, mass=1.0, gravity=10.0):
    """A ball above the ground, and its state in which it rests there."""
    model = rbd.Model("ball", gravity=(0, 0, -gravity))
    inertia = rbd.Inertia.sphere(radius, mass)
    model.add_body("ball", joint=rbd.Free(), inertia=inertia, geometry=rbd.Sphere(radius))
    model.add_ground(friction=friction, restitution=restitution)
    return model, at(model, (0, 0, radius))


def cube(restitution=0.0, friction=0.5, edge=0.1, mass=1.0, slope=0.0):
    """A cube on the ground, which slopes down along x."""
    model = rbd.Model("cube")
    inertia = rbd.Inertia.box((edge,) * 3, mass=mass)
    model.add_body("cube", joint=rbd.Free(), inertia=inertia, geometry=rbd.Box([edge] * 3))
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    model.add_ground(friction=friction, restitution=restitution, normal=normal)
    q = at(model, 0.5 * edge * normal)
    q[:4] = np.cos(slope / 2), 0.0, np.sin(slope / 2), 0.0
    return model, q


def block(friction, slope):
    """A block that only slides and lifts, on four corners of a slope."""
    model = rbd.Model("block")
    axis = np.array([np.cos(slope), 0.0, -np.sin(slope)])
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    model.add_body("sledge", joint=rbd.Prismatic(axis), inertia=rbd.Inertia.sphere(0.01, 1e-9))
    turned = rbd.pose(rotation=rbd.spatial.so3.exp(np.array([0.0, slope, 0.0])))
    model.add_body(
        "block", "sledge", joint=rbd.Prismatic(normal), inertia=rbd.Inertia.box((0.2, 0.1, 0.1), mass=1.0),
        geometry=rbd.Geometry(rbd.Box([0.2, 0.1, 0.1]), turned),
    )  # fmt: skip
    model.add_ground(friction=friction, normal=normal)
    return model, np.array([0.0, 0.05])


def cradle(n=5, radius=0.05, length=0.5, restitution=1.0):
    """Balls in a row on rods."""
    model = rbd.Model("cradle", gravity=(0, 0, -10))
    bob = rbd.Inertia.sphere(radius, 1.0).transformed(rbd.pose(position=(0, 0, -length)))
    for i in range(n):
        model.add_body(
            f"ball{i}", joint=rbd.Revolute("y"), placement=(2 * radius * i, 0, 0), inertia=bob,
            geometry=rbd.Geometry(rbd.Sphere(radius), (0, 0, -length)),
        )  # fmt: skip
    for i in range(n - 1):
        model.add_contact(f"ball{i}", f"ball{i + 1}", restitution=restitution)
    return model


def at(model, position, body=0):
    """Neutral coordinates with a free body at a place."""
    q = model.neutral()
    joint = [joint for joint in model.joints if joint.nv == 6][body]
    q[joint.q_slice.start + 4 : joint.q_slice.stop] = position
    return q
