"""The same kernels in a web page: a model as data, and the JavaScript that runs it."""

from rbdkit.engine.browser.packaged import loader, packaged
from rbdkit.engine.emit.wasm import wasm_bytes

__all__ = ["loader", "packaged", "wasm_bytes"]
