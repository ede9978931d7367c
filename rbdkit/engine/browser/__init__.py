"""Compiled kernels in a web page: a model as data, and the JavaScript that runs it.

In the order of reading::

    packaged         code and numbers of a model, with their places, as plain data
    adjust           from parameters to numbers, as a program: what sliders change
"""

from rbdkit.engine.browser.packaged import loader, packaged
from rbdkit.trace import wasm_bytes

__all__ = ["loader", "packaged", "wasm_bytes"]
