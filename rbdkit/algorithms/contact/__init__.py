"""Contact and impact (Featherstone 2008, chapter 11).

where          PointContact (n, n'); VertexOnPlane, SphereOnPlane, SphereOnSphere tell it in a state; contact_state
one body       single_contact (closed form), body_contacts (M, d)
systems        separation (T, zeta, Tdot^T qd), contact_equation (H, C, T, M, d), contact_motion, contact_sets
"""

from rbdkit.algorithms.contact.body_contact import BodyContacts, SingleContact, body_contacts, single_contact
from rbdkit.algorithms.contact.contact_equation import (
    ContactEquation,
    ContactMotion,
    contact_equation,
    contact_motion,
    contact_sets,
    separation,
)
from rbdkit.algorithms.contact.point_contact import PointContact
from rbdkit.algorithms.contact.states import contact_state
from rbdkit.algorithms.contact.surfaces import ContactPair, SphereOnPlane, SphereOnSphere, VertexOnPlane

__all__ = [
    "BodyContacts",
    "ContactEquation",
    "ContactMotion",
    "ContactPair",
    "PointContact",
    "SingleContact",
    "SphereOnPlane",
    "SphereOnSphere",
    "VertexOnPlane",
    "body_contacts",
    "contact_equation",
    "contact_motion",
    "contact_sets",
    "contact_state",
    "separation",
    "single_contact",
]
