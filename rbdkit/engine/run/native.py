"""Machine code from programs, through llvmlite."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Mapping, Set
from functools import cache
from threading import Lock

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from rbdkit.engine.emit.llvm import llvm_source
from rbdkit.engine.program import Program
from rbdkit.engine.run import cache as disk
from rbdkit.engine.run.lanes import Apart, Given


def widest(architecture: str, features: Set[str]) -> int:
    """How many numbers of 64 bits the registers of a processor hold, one with LLVM's names for what it is and has."""
    if "avx512f" in features:
        return 8
    if "avx" in features:
        return 4
    return 2 if architecture.replace("_", "-") in ("x86-64", "aarch64") else 1


class Machine:
    """The processor that this process runs on, as LLVM sees it.

    Attributes
    ----------
    fused : whether it multiplies and adds with one rounding.
    lanes : how many numbers its registers hold.
    """

    def __init__(self) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.cpu, self.features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
        target = llvm.Target.from_default_triple()
        # 2 is LLVM's default effort in code generation; no optimisation passes: the graph leaves them nothing to find
        self._target_machine = target.create_target_machine(cpu=self.cpu, features=self.features, opt=2, jit=True)
        self._jit = llvm.create_lljit_compiler(self._target_machine)
        has = {feature[1:] for feature in self.features.split(",") if feature.startswith("+")}
        self.fused = target.name.startswith("aarch64") or "fma" in has
        self.lanes = widest(target.name, has)
        self._linked: dict[str, llvm.ResourceTracker] = {}
        self._lock = Lock()

    def key(self, source: str) -> str:
        """Names code by all that it depends on."""
        version = ".".join(map(str, llvm.llvm_version_info))
        parts = (source, llvmlite.__version__, version, llvm.get_default_triple(), self.cpu, self.features)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def function(self, program: Program) -> Callable[[ctypes.c_void_p], None]:
        """The program as a function of the address of its frame, from disk if it was compiled before."""
        source = llvm_source(program, self.fused)
        key = self.key(source)
        with self._lock:
            if key not in self._linked:
                self._linked[key] = self._link(source, key, program.name)
            return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._linked[key][program.name])

    def _link(self, source: str, key: str, name: str) -> llvm.ResourceTracker:
        """Code in memory; it stays there as long as the result lives."""
        code = disk.load(key)
        if code is None:
            code = self._target_machine.emit_object(llvm.parse_assembly(source))
            disk.store(key, code)
        library = llvm.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol(name)
        return library.link(self._jit, key)


@cache
def _machine() -> Machine:
    return Machine()


_one_at_a_time = Lock()


def machine() -> Machine:
    """This machine, the same one for all threads: code lives no longer than the machine that linked it."""
    with _one_at_a_time:
        return _machine()


class NativeCode:
    """A compiled program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._function = machine().function(program)

    def bind(self, arrays: Mapping[str, Given], counts: Mapping[str, int]) -> Callable[[], None]:
        """The program on given arrays (contiguous; float64, int64 for tables) and counts."""
        program, function = self.program, self._function
        given = [arrays[name] for name in (*program.arrays, *program.tables)]
        used = [x.table if isinstance(x, Apart) else x for x in given]
        frame = np.array([x.ctypes.data for x in used] + [counts[name] for name in program.counts], dtype=np.int64)
        address = ctypes.c_void_p(frame.ctypes.data)

        def run(_keep: object = (given, used, frame)) -> None:
            function(address)

        return run
