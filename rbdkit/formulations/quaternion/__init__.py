"""Rigid bodies with unit quaternions that are moved by incremental rotation vectors (Terze, Müller, Zlatar 2016).

system       the formulation of free bodies
equations    the same on scalars, for the compiled loop
"""

from rbdkit.formulations.quaternion.system import QuaternionBodies

__all__ = ["QuaternionBodies"]
