"""Machine code from programs, through llvmlite: compilation, linking, cache and lifetime.

LLVM is not used from several threads at once, and a process must not fork while a thread is inside it; both are ensured
by one lock, `rbdkit.trace.run.forks.unforked`. The disk is read and written outside of that lock, as it may be slow.

`Machine.found` looks a code up by its key: first among the functions that are alive in this process, then on disk, then
it compiles. The key is a hash of the source, the versions of LLVM and llvmlite, and the processor's name and features.

Code is freed when nothing can call it any more. A finalizer may run anywhere, even while this thread holds the lock
inside LLVM or another thread does; so it only queues the code, and whoever holds the lock next frees it.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections import deque
from collections.abc import Callable, Mapping, Set
from functools import cache, partial
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary, finalize

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from rbdkit.trace.bounds import fault_of
from rbdkit.trace.program import Program
from rbdkit.trace.run import cache as disk
from rbdkit.trace.run.forks import unforked
from rbdkit.trace.run.lanes import Apart, Binder, Given, blank, line_starts

if TYPE_CHECKING:
    from rbdkit.trace.run.backend import Executable

Function = Callable[[ctypes.c_void_p], None]
"""Machine code as a function of the address of its frame; the code stays in memory as long as this object lives."""


def widest(architecture: str, features: Set[str]) -> int:
    """Return the vector width of a processor in 64-bit numbers, from LLVM's names of its architecture and features."""
    if "avx512f" in features:
        return 8
    if "avx" in features:
        return 4
    return 2 if architecture.replace("_", "-") in ("x86-64", "aarch64") else 1


class Machine:
    """The processor that this process runs on, as LLVM sees it.

    Attributes
    ----------
    fused : whether it has fused multiply-add.
    lanes : number of floats that a vector register holds.
    """

    def __init__(self) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.cpu, self.features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
        target = llvm.Target.from_default_triple()
        # 2 is LLVM's default effort in code generation; no optimisation passes: the graph leaves them nothing to find
        self._target_machine = target.create_target_machine(cpu=self.cpu, features=self.features, opt=2, jit=True)
        has = {feature[1:] for feature in self.features.split(",") if feature.startswith("+")}
        self.fused = target.name.startswith("aarch64") or "fma" in has
        self.lanes = widest(target.name, has)
        # called here, where no other thread is in LLVM
        self._known = ".".join(map(str, llvm.llvm_version_info)), llvm.get_default_triple()
        # weak: a code is freed together with the last program that can call it
        self._linked: WeakValueDictionary[str, Function] = WeakValueDictionary()
        self._unused: deque[llvm.ResourceTracker] = deque()

    def key(self, source: str) -> str:
        """Return the cache key of a source: a hash of all that its machine code depends on."""
        parts = (source, llvmlite.__version__, *self._known, self.cpu, self.features)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def linked(self, source: str, name: str) -> Function:
        """Return the function of that name in LLVM source, from the cache or compiled."""
        function = self.found(self.key(source), name, source)
        assert function is not None
        return function

    def found(self, key: str, name: str, source: str | None = None) -> Function | None:
        """Return the function in the code with a key; None if there is none yet, and no source to compile."""
        function = self._linked.get(key)
        if function is not None:
            return function
        stored = disk.load(key)  # outside of the lock, as the disk may be slow
        compiled = None
        with unforked():
            self._give_back()
            function = self._linked.get(key)  # another thread may have been faster
            if function is None and stored is not None:
                function = self._link_stored(stored, name)
            if function is None and source is not None:
                compiled = self._compile(source)
                function = self._link(compiled, name)
            if function is not None:
                self._linked[key] = function
        if compiled is not None:  # again outside of the lock
            disk.store(key, compiled)
        return function

    def _compile(self, source: str) -> bytes:
        # a separate context, to be freed: it keeps the constants of all modules that were read into it
        with llvm.parse_assembly(source, context=llvm.create_context()) as module:
            return bytes(self._target_machine.emit_object(module))

    def _link_stored(self, code: bytes, name: str) -> Function | None:
        """Link code from disk; None if LLVM does not accept it: then it counts as absent, and is replaced."""
        try:
            return self._link(code, name)
        except RuntimeError:
            return None

    def _link(self, code: bytes, name: str) -> Function:
        """Load code into memory. Each has its own linker, which lives as long as the code: a shared one would grow."""
        linker = llvm.create_lljit_compiler(self._target_machine)
        library = llvm.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol(name)
        tracker = library.link(linker, name)
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(tracker[name])
        # not at exit: daemon threads may still run the code then
        finalize(function, self._retire, tracker).atexit = False
        return function

    def _retire(self, tracker: llvm.ResourceTracker) -> None:
        """Queue code that nothing can call any more, and free it if the lock is free.

        A finalizer: it may run anywhere, also while another thread is in LLVM, so it must not wait for the lock.
        """
        self._unused.append(tracker)  # a deque: append and popleft are atomic
        lock = unforked()
        if lock.acquire(blocking=False):
            try:
                self._give_back()
            finally:
                lock.release()

    def _give_back(self) -> None:
        while self._unused:
            self._unused.popleft().close()


@cache
def _machine() -> Machine:
    return Machine()


@cache
def machine() -> Machine:
    """Return the machine, one for all threads; later calls hit the cache and do not wait for the lock."""
    with unforked():
        return _machine()


def address_of(x: np.ndarray) -> int:
    """Return the address of an array's numbers."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(x))  # type: ignore[arg-type]  # four times as fast
    except (TypeError, ValueError, BufferError):  # empty, or read-only
        return x.ctypes.data


PROBE = """
define void @probe(ptr %x) {
 %number = load double, ptr %x
 %sum = fadd double %number, 1.0
 %next = getelementptr double, ptr %x, i64 1
 store double %sum, ptr %next
 ret void
}
"""


def try_out() -> None:
    """Compile and run a small program; raise whatever goes wrong."""
    x = np.array([1.0, 0.0])
    machine().linked(PROBE, "probe")(ctypes.c_void_p(address_of(x)))
    if x[1] != 2.0:
        raise ArithmeticError(f"1 + 1 gave {x[1]}")


class NativeRun(partial[None]):
    """A program bound to arrays, which it keeps alive; calling it runs it, without a function of Python in between."""

    _keep: object

    @classmethod
    def of(cls, function: Function, frame: np.ndarray, keep: object) -> NativeRun:
        """Return the run of machine code on a frame. keep : what must live as long."""
        run = cls(function, ctypes.c_void_p(address_of(frame)))
        run._keep = frame, keep
        return run


class NativeCode:
    """A compiled program. key : cache key of its machine code."""

    _to_prove: Program | None = None
    _bounded: Executable | None = None

    def __init__(self, program: Program) -> None:
        with unforked():
            from rbdkit.trace.emit.llvm import llvm_source  # not needed for cached code

        source = llvm_source(program, machine().fused)
        self.key = machine().key(source)
        self.program = program.interface()  # its graphs are large, and not needed again
        self._to_prove = program if program.of_users else None
        found = machine().found(self.key, program.name, source)
        assert found is not None
        self._function = found

    @classmethod
    def known(cls, key: str, interface: Program) -> NativeCode | None:
        """Return cached code with a key, or None. interface : the program without its statements."""
        if (found := machine().found(key, interface.name)) is None:
            return None
        code = cls.__new__(cls)
        code.key, code.program, code._function = key, interface, found
        return code

    def bind(self, arrays: Mapping[str, Given], counts: Mapping[str, int]) -> Callable[[], None]:
        """Return a function that runs the program on arrays (contiguous; float64, int64 for tables) and counts.

        A program with parts of a user is first proved to stay inside its arrays (`rbdkit.trace.bounds`); if that
        fails, it runs as bounds-checked Python.
        """
        program, function = self.program, self._function
        if self._to_prove is not None and (fault := fault_of(self._to_prove, arrays, counts)):
            from rbdkit.trace.run.checked import instead  # which most programs never need

            self._bounded = self._bounded or instead(self._to_prove, fault)
            # not silently wrong and not a crash: a program that cannot be proved runs slowly, with a warning
            return self._bounded.bind(arrays, counts)
        given = [arrays[name] for name in (*program.arrays, *program.tables)]
        used = [x.table if isinstance(x, Apart) else x for x in given]
        frame = np.array([address_of(x) for x in used] + [counts[name] for name in program.counts], dtype=np.int64)
        return NativeRun.of(function, frame, (given, used))

    def binder(self, fixed: Mapping[str, np.ndarray], room: Mapping[str, int], counts: Mapping[str, int]) -> Binder:
        """Return a faster `bind` for many calls that differ little.

        Parameters
        ----------
        fixed, counts : arrays and counts that are the same in all calls.
        room : sizes of work arrays, which every call gets for itself.
        """
        return _NativeBinder(self.program, self._function, fixed, room, counts)


class _NativeBinder:
    """Template of a program's frame, with the slots filled in that are the same in all calls."""

    def __init__(
        self,
        program: Program,
        function: Function,
        fixed: Mapping[str, np.ndarray],
        room: Mapping[str, int],
        counts: Mapping[str, int],
    ) -> None:
        arrays = (*program.arrays, *program.tables)
        names = (*arrays, *program.counts)
        self._function, self._fixed = function, [fixed[name] for name in arrays if name in fixed]
        self._template = np.zeros(len(names), dtype=np.int64)
        own = [k for k, name in enumerate(arrays) if name in room]
        starts, self._room = line_starts([room[arrays[k]] for k in own], program.lanes.width)
        self._own, self._starts = np.array(own, dtype=np.intp), 8 * np.array(starts, dtype=np.int64)
        self._arrays, self._counts = [], []
        for k, name in enumerate(names):
            if k >= len(arrays):
                self._template[k] = counts.get(name, 0)
                if name not in counts:
                    self._counts.append((k, name))
            elif name in fixed:
                self._template[k] = address_of(fixed[name])
            elif name not in room:
                self._arrays.append((k, name))

    def __call__(self, arrays: Mapping[str, Given], counts: Mapping[str, int]) -> Callable[[], None]:
        function, frame, room = self._function, self._template.copy(), blank(self._room, 1)
        # all work arrays of a call lie in one block: one allocation
        frame[self._own] = self._starts + address_of(room)
        used = []
        for k, name in self._arrays:
            x = arrays[name]
            x = x.table if isinstance(x, Apart) else x
            frame[k] = address_of(x)
            used.append(x)
        for k, name in self._counts:
            frame[k] = counts[name]
        return NativeRun.of(function, frame, (self, arrays, used, room))
