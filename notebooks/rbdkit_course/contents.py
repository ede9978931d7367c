"""The table of the course: each notebook's subject, goals, duration, prerequisites and source, in order.

Headers and footers of the notebooks, the start page and the map are written from this table; a new notebook needs a row
here and a run of ``rbdkit-course headers``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from posixpath import dirname, relpath

FRONT = "index"
"""File of the start page, which has no row of its own."""

PARTS = (
    "Hands on",
    "Bodies",
    "Trees",
    "Loops and contact",
    "Maximal and reduced",
    "Stepping",
    "Numbers",
    "Reference",
    "Teaching",
)


@dataclass(frozen=True)
class Lesson:
    """One notebook.

    Attributes
    ----------
    name
        Short name, also in the names of exercises: F05 is chapter 5 of Featherstone's book.
    file
        Its path in the folder of notebooks, without suffix.
    goals
        What a reader can do afterwards, each a phrase that begins with a verb.
    needs
        Names of the notebooks it builds on, all of them earlier in the table.
    """

    name: str
    file: str
    title: str
    part: str
    minutes: int
    goals: tuple[str, ...]
    needs: tuple[str, ...] = ()
    source: str = ""

    def link_from(self, file: str) -> str:
        """Return the relative link from another notebook (or the start page) to this one."""
        return relpath(f"{self.file}.ipynb", dirname(file) or ".")


@dataclass(frozen=True)
class Track:
    """A way through the course for one kind of reader."""

    title: str
    reader: str
    hours: int
    way: tuple[str, ...]
    remarks: dict[str, str] = field(default_factory=dict)
    """Sections to read, by notebook, where not all of it is needed."""


BOOK = "Featherstone, *Rigid Body Dynamics Algorithms*"
HGS = "Holzinger, Gerstmayr, Schöberl, *Non-redundant unified local velocity coordinates*"
GR = "Gebhardt, Romero, *The rotating rigid body model based on a non-twisting frame*"
MT = "Müller, Terze, *Is there an optimal choice of configuration space …?*"
NOTES = "Sueda, *Rigid Body Dynamics Notes*"

LESSONS = (
    Lesson(
        "00", "00_first_steps", "First steps", "Hands on", 40,
        ("load a robot, throw it and look at it", "judge a simulation by its report", "build a model in ten lines"),
    ),
    Lesson(
        "01", "01_workbench", "The workbench", "Hands on", 50,
        ("change the parameters of a machine while it runs", "give it forces and shapes of your own",
         "look into a body, a step and an algorithm"),
        ("00",),
    ),
    Lesson(
        "02", "02_your_own_robot", "Your own robot", "Hands on", 50,
        ("turn a thing on your desk into a model, by a scale, a ruler and a watch",
         "tell a plausible inertia from a misprint", "give your model to other programs"),
        ("00",),
    ),
    Lesson(
        "RO", "robots", "Robots from files", "Hands on", 60,
        ("load robots from URDF and MJCF, and find mistakes in them", "give a robot motors and servos",
         "compare two simulators, and explain where they differ"),
        ("00",),
    ),
    Lesson(
        "03", "03_control", "Control", "Hands on", 75,
        ("linearise a machine and balance it by a regulator", "bring an arm where you want it, along a smooth path",
         "say what a controller cannot do"),
        ("00",),
    ),
    Lesson(
        "ID", "identification", "Weigh an arm by moving it", "Hands on", 60,
        ("find the parameters of a robot from measured motions", "tell what can be found from what cannot",
         "judge whether a motion shows enough"),
        ("00",), "Atkeson, An, Hollerbach 1986; Gautier, Khalil 1990",
    ),
    Lesson(
        "F01", "featherstone/01_two_questions", "Two questions", "Bodies", 40,
        ("tell forward from inverse dynamics", "get the equation of motion of any tree from one function",
         "say what spatial vectors spare you"),
        ("00",), f"{BOOK}, chapter 1",
    ),
    Lesson(
        "F02", "featherstone/02_spatial_vectors", "Six numbers for a motion", "Bodies", 65,
        ("write twists and wrenches at any point and in any frame", "find the screw axis in six numbers",
         "say why forces transform by a different matrix"),
        ("00",), f"{BOOK}, sections 2.1 to 2.6, 2.8 and 2.16",
    ),
    Lesson(
        "F02b", "featherstone/02b_carried_along", "Carried along: accelerations and inertia", "Bodies", 55,
        ("differentiate vectors that are carried along", "tell spatial from classical acceleration",
         "carry the inertia of a body from frame to frame"),
        ("F02",), f"{BOOK}, sections 2.7 and 2.9 to 2.15",
    ),
    Lesson(
        "F03", "featherstone/03_constraints", "What a joint forbids", "Bodies", 75,
        ("split a force into what moves a body and what its joint bears", "write the subspaces S and T of any joint",
         "tell holonomic from nonholonomic constraints"),
        ("F02b",), f"{BOOK}, chapter 3",
    ),
    Lesson(
        "F04", "featherstone/04_modelling", "Modelling", "Bodies", 70,
        ("turn a machine into a graph, a spanning tree and a parent array",
         "place joints by Denavit-Hartenberg numbers",
         "write a joint model: pose, S and its rate"),
        ("F02b", "F03"), f"{BOOK}, chapter 4",
    ),
    Lesson(
        "F05", "featherstone/05_inverse_dynamics", "The forces behind a motion", "Trees", 60,
        ("walk through the recursive Newton-Euler algorithm", "read off bearing loads and gravity terms",
         "say why recursion is cheap"),
        ("F02b", "F04"), f"{BOOK}, chapter 5",
    ),
    Lesson(
        "LA", "labs/A_inverse_dynamics", "Lab A: write RNEA", "Trees", 75,
        ("write inverse dynamics yourself, for any tree", "find a mistake by stepping through your own code",
         "count what your code computes"),
        ("F05",), f"{BOOK}, chapter 5",
    ),
    Lesson(
        "F06", "featherstone/06_inertia_matrix", "The matrix that knows the tree", "Trees", 75,
        ("compute the joint-space inertia matrix by composite bodies", "predict its zeros from the tree",
         "factorize it without filling them"),
        ("F05",), f"{BOOK}, chapter 6",
    ),
    Lesson(
        "LB", "labs/B_inertia_matrix", "Lab B: write CRBA, and use its zeros", "Trees", 100,
        ("fill the inertia matrix yourself", "factorize it without touching its zeros",
         "simulate a machine by your own forward dynamics"),
        ("F06", "LA"), f"{BOOK}, chapter 6",
    ),
    Lesson(
        "F07", "featherstone/07_articulated_bodies", "Articulated bodies", "Trees", 75,
        ("compute the apparent inertia of a body in a chain", "walk through the articulated-body algorithm",
         "assemble chains by handles, in rounds"),
        ("F03", "F05", "F06"), f"{BOOK}, chapter 7",
    ),
    Lesson(
        "LC", "labs/C_articulated_bodies", "Lab C: write ABA", "Trees", 90,
        ("write forward dynamics in three passes", "show that two algorithms of yours undo each other",
         "judge a motion by its energy"),
        ("F07", "LA"), f"{BOOK}, chapter 7",
    ),
    Lesson(
        "F07b", "featherstone/07b_derivatives", "What if: the derivatives of dynamics", "Trees", 65,
        ("differentiate inverse and forward dynamics", "tell how many digits a difference quotient has",
         "judge whether a pose is stable, and hold one that is not"),
        ("F05", "F06"), "Singh, Russell, Wensing 2022; Carpentier, Mansard 2018",
    ),
    Lesson(
        "F09", "featherstone/09_hybrid_and_floating", "Half known: hybrid dynamics and floating bases", "Trees", 70,
        ("compute with some motions and some forces given", "handle a base that floats",
         "turn a cat over by bending its waist"),
        ("F06", "F07"), f"{BOOK}, sections 9.1 to 9.5",
    ),
    Lesson(
        "F09b", "featherstone/09b_gears_and_equivalence", "Gears, and inertia that nobody feels", "Trees", 60,
        ("put gears and rotors into a model", "choose a gear ratio", "count what can be identified of an arm"),
        ("F06",), f"{BOOK}, sections 9.6 and 9.7",
    ),
    Lesson(
        "F08", "featherstone/08_closed_loops", "Closed loops", "Loops and contact", 90,
        ("write and solve the equations of closed loops", "tell redundant constraints from degrees of freedom",
         "place motors and share forces among them"),
        ("F03", "F06"), f"{BOOK}, chapter 8",
    ),
    Lesson(
        "LE", "labs/E_closed_loop", "Lab E: close a loop, and keep it closed", "Loops and contact", 60,
        ("write a constraint, its rows and its velocity terms", "solve for motion and constraint force at once",
         "keep a loop from drifting"),
        ("F08",), f"{BOOK}, chapters 3 and 8",
    ),
    Lesson(
        "F11", "featherstone/11_contact", "Contact and impact", "Loops and contact", 70,
        ("state contact as a complementarity problem and solve it by pivots", "tell rigid, impulsive and soft contact",
         "put friction on its cone"),
        ("F03", "F06"), f"{BOOK}, chapter 11",
    ),
    Lesson(
        "LF", "labs/F_contact", "Lab F: forces where bodies touch", "Loops and contact", 50,
        ("solve complementarity problems, small and large", "write impact and friction in a line each"),
        ("F11",), f"{BOOK}, chapter 11",
    ),
    Lesson(
        "S01", "sueda/01_bodies_and_twists", "Bodies and twists: write your own", "Maximal and reduced", 60,
        ("describe the motion of a body by a twist", "write one step of a free body, and say what it conserves"),
        ("F02b",), f"{NOTES}, sections 1.1 to 1.8",
    ),
    Lesson(
        "S02", "sueda/02_joints_as_constraints", "Joints as constraints: write your own", "Maximal and reduced", 60,
        ("write a joint as constraint rows on free bodies", "solve for motion and joint forces at once"),
        ("S01",), f"{NOTES}, sections 1.10 to 1.17",
    ),
    Lesson(
        "S03", "sueda/03_reduced_coordinates", "Reduced coordinates: write your own", "Maximal and reduced", 60,
        ("map joint velocities to body twists by one matrix", "say what its rate is for"),
        ("S02",), f"{NOTES}, sections 2.1 to 2.3",
    ),
    Lesson(
        "S04", "sueda/04_forces_joints_flesh", "Forces, joints and flesh: write your own", "Maximal and reduced", 70,
        ("write a force with its stiffness matrix", "shape the curve of a muscle", "lay a joint along a spline"),
        ("F02b", "F04"), f"{NOTES}, sections 1.9, 2.4 and 2.7",
    ),
    Lesson(
        "S05", "sueda/05_implicit_steps", "Steps for stiff things: write your own", "Maximal and reduced", 60,
        ("write a linearly implicit step", "check stiffness and damping matrices by differences"),
        ("S03", "S04"), f"{NOTES}, sections 1.9 and 2.5",
    ),
    Lesson(
        "S06", "sueda/06_linear_time", "Linear time: write your own", "Maximal and reduced", 60,
        ("write recursive products with the reduced matrices", "precondition a system by an inverse inertia"),
        ("S03",), f"{NOTES}, sections 2.9 to 2.11",
    ),
    Lesson(
        "S07", "sueda/07_contact_and_friction", "Contact and friction: write your own", "Maximal and reduced", 60,
        ("put the floor into the equations as an inequality", "find normal and friction forces in turn"),
        ("S02",), f"{NOTES}, sections 1.18 to 1.20, 2.21 and 2.24",
    ),
    Lesson(
        "S08", "sueda/08_fewer_and_softer", "Fewer, prescribed, softer: write your own", "Maximal and reduced", 60,
        ("reduce coordinates by one more matrix", "prescribe some motions and compute the others",
         "hang flesh on bones"),
        ("S03", "S05"), f"{NOTES}, sections 2.6 to 2.8",
    ),
    Lesson(
        "I1", "stepping/01_what_a_step_promises", "What a step promises", "Stepping", 50,
        ("say what order, stability and symplecticity promise, and what not", "find how long a step may be",
         "write a method that preserves areas"),
        ("00",), "Hairer, Lubich, Wanner, *Geometric Numerical Integration*, chapters I and VI",
    ),
    Lesson(
        "MT01", "mueller_terze/01_screws_and_chords", "Screws and chords", "Stepping", 60,
        ("move a body along a twist on SE(3) and on SO(3) × R³", "write a Munthe-Kaas step",
         "say why a pivot stays closed, or not"),
        ("F02b",), f"{MT}, sections 2, 4 and 5.1",
    ),
    Lesson(
        "LD", "labs/D_step_on_a_group", "Lab D: write a step on a group", "Stepping", 55,
        ("write a Munthe-Kaas step", "measure the order of a method", "say what each correction is for"),
        ("MT01",), f"{MT}, section 2",
    ),
    Lesson(
        "MT02", "mueller_terze/02_joints_chains_loops", "Joints, chains and loops", "Stepping", 60,
        ("predict which joint opens on which group", "count redundant rows of a linkage", "close what has drifted"),
        ("MT01", "F03"), f"{MT}, sections 5.2 to 6",
    ),
    Lesson(
        "H01", "holzinger/01_unified_velocities", "A body without rotations", "Stepping", 50,
        ("describe a motion by six speeds of points", "choose points that see every motion",
         "write the mass matrix without a moment of inertia"),
        ("F02b",), f"{HGS}, sections 2 to 4",
    ),
    Lesson(
        "H02", "holzinger/02_stepping_on_a_group", "Stepping on a group", "Stepping", 60,
        ("write a Runge-Kutta step on a group", "check a run against elliptic functions",
         "choose a step that is long enough"),
        ("H01", "MT01"), f"{HGS}, sections 5 and 6",
    ),
    Lesson(
        "GR01", "gebhardt_romero/01_no_twist", "A body that may not twist", "Stepping", 60,
        ("carry a frame over the sphere without twist", "turn a body in the forbidden direction",
         "write a rotation as three directors"),
        ("F03",), f"{GR}, sections 2 to 4",
    ),
    Lesson(
        "GR02", "gebhardt_romero/02_energy_and_momentum", "Energy and momentum, kept to the last digit", "Stepping", 65,
        ("take a step of the energy-momentum method apart", "tell conservation from accuracy",
         "say how long a step can be"),
        ("GR01",), f"{GR}, sections 5 and 6",
    ),
    Lesson(
        "GR02b", "gebhardt_romero/02b_nine_tables", "Nine tables and twelve figures", "Stepping", 30,
        ("reproduce a paper's numbers, and say which cannot agree", "measure an order without an exact solution"),
        ("GR02",), f"{GR}, section 6",
    ),
    Lesson(
        "I2", "stepping/02_one_table", "One table", "Stepping", 40,
        ("tell the effect of the formulation from that of the method", "tell conservation from accuracy in a run",
         "choose a pair and a step for a machine of your own"),
        ("I1", "MT02", "GR02"),
    ),
    Lesson(
        "F10", "featherstone/10_accuracy_and_cost", "How exact, and at what price", "Numbers", 80,
        ("find where digits are lost", "recognize a machine whose dynamics is ill-conditioned",
         "count operations and predict which algorithm wins"),
        ("F05", "F06", "F07"), f"{BOOK}, chapter 10",
    ),
    Lesson(
        "FA", "featherstone/A_arithmetic", "Arithmetic on a budget", "Numbers", 70,
        ("transform inertias with a twentieth of the operations", "use compact spatial types and axial screws",
         "count what is really computed"),
        ("F02b", "F10"), f"{BOOK}, appendix A",
    ),
    Lesson(
        "RB", "reading_benchmarks", "How to read a benchmark", "Numbers", 45,
        ("measure two programs fairly", "say how sure a ratio is", "read a table of times with suspicion"),
        ("00",),
    ),
    Lesson(
        "N", "reference/notation", "Notation", "Reference", 15,
        ("translate between five sources: symbols, order, frames, signs", "find the name of a symbol in the code"),
    ),
    Lesson(
        "G", "reference/glossary", "Glossary", "Reference", 10,
        ("look up a word", "tell words apart that are easily mixed up"),
    ),
    Lesson(
        "I", "reference/formulas", "Which line is Eq 7.47?", "Reference", 5,
        ("find the line of code that is a formula, and the formula of a line",),
    ),
    Lesson(
        "P", "reference/gallery", "Gallery of pictures", "Reference", 10,
        ("find a picture again, and the chapter it belongs to",),
    ),
    Lesson(
        "X", "reference/exercises", "All exercises", "Reference", 5,
        ("choose an exercise by its stars and minutes", "see what is done"),
    ),
    Lesson(
        "E", "errata", "Errata", "Reference", 20,
        ("look up the misprints of the five sources", "check a printed formula by a second route"),
    ),
    Lesson(
        "T", "teaching/guide", "Teacher's guide", "Teaching", 30,
        ("plan seven or fourteen weeks", "give homework and grade it with one command",
         "fill a lecture with one picture"),
    ),
    Lesson(
        "TD", "teaching/demonstrations", "Ten demonstrations", "Teaching", 30,
        ("fill twenty minutes with one picture", "ask before you drag"),
    ),
    Lesson(
        "TC", "teaching/capstones", "Ten capstones", "Teaching", 30,
        ("choose a project of three weeks", "say what counts in it, and by which second route it is checked"),
    ),
)  # fmt: skip

TRACKS = (
    Track(
        "Robotics in a weekend", "You have a robot file and want to compute with it.", 10,
        ("00", "01", "02", "F01", "F02", "F04", "F05", "LA", "F06", "F09"),
        {"F04": "4.1 to 4.4", "F06": "to 6.2", "F09": "floating bases"},
    ),
    Track(
        "Control", "You have a machine with motors, and want it to do as it is told.", 9,
        ("00", "01", "RO", "03", "ID", "F01", "F05", "F07b", "F09"),
        {"F09": "floating bases"},
    ),
    Track(
        "Featherstone with hands", "You read the book over a term and want to do it all yourself.", 40,
        ("00", "F01", "F02", "F02b", "F03", "F04", "F05", "LA", "F06", "LB", "F07", "LC", "F07b", "F09", "F09b",
         "F08", "F11", "F10", "FA"),
    ),
    Track(
        "Multibody formulations", "You come from mechanics and ask which coordinates to choose.", 20,
        ("F02", "F02b", "F03", "F08", "LE", "S01", "S02", "S03", "S04", "MT01", "MT02", "H01", "GR01", "GR02", "I2"),
    ),
    Track(
        "Integrators", "You come from numerics and ask what a step promises.", 16,
        ("F02b", "I1", "MT01", "LD", "MT02", "H01", "H02", "GR01", "GR02", "I2", "RB"),
        {"F02b": "2.9 and 2.11"},
    ),
    Track(
        "Graphics", "You animate things, and want them to bend, touch and swing.", 14,
        ("00", "01", "F02", "F02b", "F11", "S01", "S02", "S03", "S04", "S05", "S06", "S07", "S08"),
        {"F02b": "2.9"},
    ),
)  # fmt: skip


def lesson(name: str) -> Lesson:
    """Return the notebook of the given name or file."""
    for each in LESSONS:
        if name in (each.name, each.file):
            return each
    raise LookupError(f"there is no notebook {name!r}; there are {', '.join(each.name for each in LESSONS)}")


def neighbours(this: Lesson) -> tuple[Lesson | None, Lesson | None]:
    """Return the notebooks before and after a notebook in the course, None at the ends."""
    place = LESSONS.index(this)
    return (LESSONS[place - 1] if place else None, LESSONS[place + 1] if place + 1 < len(LESSONS) else None)
