"""From programs to code: Python source that runs everywhere, LLVM IR that runs fast, and WebAssembly.

In the order of reading::

    python           programs and traces as Python source
    llvm             programs as text for LLVM; llvm_block: the arithmetic in them
    wasm             programs as WebAssembly; wasm_encoding: its binary format; elementary: sine and cosine for it
"""

from rbdkit.trace.emit.llvm import llvm_source
from rbdkit.trace.emit.python import compile_python, python_source

__all__ = ["compile_python", "llvm_source", "python_source"]
