"""Programs at work: machine code or Python, kept on disk, bound to arrays.

In the order of reading::

    backend          which code runs; native: machine code; interpreted: Python
    cache            code on disk; remembered: found without being recorded; forks: locks in child processes
    lanes            arrays side by side, for several states at once
    compile_time     how long code took to make
    company          motions through time, a chunk at a time, several in lanes
    feedback         traced functions for many states at once
"""
