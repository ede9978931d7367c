"""Contact and impact (Featherstone 2008, chapter 11).

model          contacts: where the shapes of a model touch, as PairContact; near_places: the same as arrays
where          PointContact (n, n'); VertexOnPlane, SphereOnPlane, SphereOnSphere tell it in a state; contact_state
one body       single_contact (closed form), body_contacts (M, d)
systems        separation (T, zeta, Tdot^T qd), contact_equation (H, C, T, M, d), contact_motion, contact_sets
bounds         bounded_motion, limit_rows (joint limits, contacts, loops in one program)
velocities     loose_bodies (rows on twists), velocity_target, acceleration_target, post_stabilization
joints         Bearing, bilateral_staggered_projections (friction inside joints), LoopRows
in time        euler_step, heun_step, polynomial_step (DenseStep), heun_motion, hermite_motion (MotionStep): what
               happens inside a step; event_driven (Table 11.1), VertexOnFace (contacts that are lost at an edge)
few points     minimal_contacts, is_positively_dependent
impulses       body_impulse, system_impulse; frictionless_collision, sticking_collision; contact_impulse
soft           CompliantSurface, Patch, force_of_two, lumped; FrictionSurface; contact_wrenches; SeriesSurface,
               SurfaceArray
"""

from rbdkit.algorithms.contact.bearings import Bearing
from rbdkit.algorithms.contact.body_contact import BodyContacts, SingleContact, body_contacts, single_contact
from rbdkit.algorithms.contact.bounded_motion import BoundedMotion, bounded_motion, limit_rows
from rbdkit.algorithms.contact.contact_equation import (
    ContactEquation,
    ContactMotion,
    contact_equation,
    contact_motion,
    contact_sets,
    separation,
)
from rbdkit.algorithms.contact.event_driven import ContactChange, ContactHistory, event_driven
from rbdkit.algorithms.contact.faces import VertexOnFace
from rbdkit.algorithms.contact.impulse import (
    Collision,
    ContactImpulse,
    SystemImpulse,
    body_impulse,
    contact_impulse,
    frictionless_collision,
    sticking_collision,
    system_impulse,
)
from rbdkit.algorithms.contact.interpolation import DenseStep, euler_step, heun_step, polynomial_step
from rbdkit.algorithms.contact.joint_friction import JointFriction, LoopRows, bilateral_staggered_projections
from rbdkit.algorithms.contact.layered_surfaces import SeriesSurface, SurfaceArray
from rbdkit.algorithms.contact.loose_bodies import LooseBodies, loose_bodies, tangents
from rbdkit.algorithms.contact.minimal_set import is_positively_dependent, minimal_contacts
from rbdkit.algorithms.contact.motion_step import MotionStep, hermite_motion, heun_motion
from rbdkit.algorithms.contact.point_contact import PointContact
from rbdkit.algorithms.contact.soft_contact import CompliantSurface, FrictionSurface, Patch, force_of_two, lumped
from rbdkit.algorithms.contact.stabilization import acceleration_target, post_stabilization, velocity_target
from rbdkit.algorithms.contact.states import contact_state
from rbdkit.algorithms.contact.surfaces import ContactPair, SphereOnPlane, SphereOnSphere, VertexOnPlane
from rbdkit.algorithms.contact.touching import NearPlaces, PairContact, contacts, near_places
from rbdkit.algorithms.contact.wrenches import contact_wrenches

__all__ = [
    "Bearing",
    "BodyContacts",
    "BoundedMotion",
    "Collision",
    "CompliantSurface",
    "ContactChange",
    "ContactEquation",
    "ContactHistory",
    "ContactImpulse",
    "ContactMotion",
    "ContactPair",
    "DenseStep",
    "FrictionSurface",
    "JointFriction",
    "LoopRows",
    "LooseBodies",
    "MotionStep",
    "NearPlaces",
    "PairContact",
    "Patch",
    "PointContact",
    "SeriesSurface",
    "SingleContact",
    "SphereOnPlane",
    "SphereOnSphere",
    "SurfaceArray",
    "SystemImpulse",
    "VertexOnFace",
    "VertexOnPlane",
    "acceleration_target",
    "bilateral_staggered_projections",
    "body_contacts",
    "body_impulse",
    "bounded_motion",
    "contact_equation",
    "contact_impulse",
    "contact_motion",
    "contact_sets",
    "contact_state",
    "contact_wrenches",
    "contacts",
    "euler_step",
    "event_driven",
    "force_of_two",
    "frictionless_collision",
    "hermite_motion",
    "heun_motion",
    "heun_step",
    "is_positively_dependent",
    "limit_rows",
    "loose_bodies",
    "lumped",
    "minimal_contacts",
    "near_places",
    "polynomial_step",
    "post_stabilization",
    "separation",
    "single_contact",
    "sticking_collision",
    "system_impulse",
    "tangents",
    "velocity_target",
]
