"""A processor with AVX-512 taken for one that ends at AVX2: half as many lanes, half as many registers."""

from __future__ import annotations

import llvmlite.binding as llvm

CPU, TOO_NEW = "haswell", ("avx512", "avx10", "evex", "amx")


class _Features:
    """Those of this processor but for the ones that are too new."""

    def __init__(self, all_of_them: str) -> None:
        self._all = all_of_them

    def flatten(self) -> str:
        """As LLVM takes them."""
        told = (feature for feature in self._all.split(",") if feature)
        return ",".join(f"-{f[1:]}" if f[1:].startswith(TOO_NEW) else f for f in told)


def take_for_avx2() -> None:
    """Let code be made for AVX2, in this process and from now on; call it before any is made.

    Raises
    ------
    SystemExit
        If the processor has no AVX2 either.
    """
    features = llvm.get_host_cpu_features().flatten()
    if "+avx2" not in features.split(","):
        raise SystemExit("this processor knows no AVX2")
    llvm.get_host_cpu_name = lambda: CPU
    llvm.get_host_cpu_features = lambda: _Features(features)
