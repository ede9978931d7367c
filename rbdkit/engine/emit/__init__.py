"""From programs to code: Python source that runs everywhere, LLVM IR that runs fast, and WebAssembly (in `wasm`)."""

from rbdkit.engine.emit.llvm import llvm_source
from rbdkit.engine.emit.python import compile_python, python_source

__all__ = ["compile_python", "llvm_source", "python_source"]
