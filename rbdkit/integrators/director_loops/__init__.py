"""The methods for directors with their loop over time compiled.

equations : residuals of a step on scalars, to be traced; the readable forms on arrays are in `energy_momentum` and
    `lagrange_dalembert`, and tests compare the two.
program : the Newton iteration and the loop over time as a program.
run : a motion through given times by such a program.
"""

from rbdkit.integrators.director_loops.run import Moment, compiled_steps

__all__ = ["Moment", "compiled_steps"]
