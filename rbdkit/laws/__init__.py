"""Contact laws: what happens where bodies touch. `simulate(..., contact=...)` chooses one by its name."""

from rbdkit.laws.compliant import Compliant
from rbdkit.laws.contact_force import ContactForce
from rbdkit.laws.contact_point import ContactPoint
from rbdkit.laws.impulse import Impulse
from rbdkit.laws.law import Law
from rbdkit.laws.log import Log
from rbdkit.laws.model_pairs import ModelPairs, pairs_of
from rbdkit.laws.near import Near, Pairs
from rbdkit.laws.record import ContactEvent, ContactRecord, TouchingPoint
from rbdkit.laws.report import ContactReport, contact_report
from rbdkit.laws.rigid import Rigid
from rbdkit.laws.scene import Scene
from rbdkit.laws.stops import Stops, stops_of
from rbdkit.laws.time_stepping import TimeStepping

LAWS: dict[str, type[Law]] = {law.name: law for law in (TimeStepping, Impulse, Rigid, Compliant)}
"""Contact laws that `simulate` finds by name."""

__all__ = [
    "LAWS",
    "Compliant",
    "ContactEvent",
    "ContactForce",
    "ContactPoint",
    "ContactRecord",
    "ContactReport",
    "Impulse",
    "Law",
    "Log",
    "ModelPairs",
    "Near",
    "Pairs",
    "Rigid",
    "Scene",
    "Stops",
    "TimeStepping",
    "TouchingPoint",
    "contact_report",
    "pairs_of",
    "stops_of",
]
