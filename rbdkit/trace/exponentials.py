"""Exponential, logarithm, hyperbolic functions and powers, built from arithmetic and `select` so that they are traced.

Neither LLVM's target nor WebAssembly has an exponential as an instruction, and a call of the C library would give
other digits on every machine. So arguments are reduced and approximated here: the polynomials are those of fdlibm
(exp, log) and of the Cephes library (tanh). The powers of two of the reduction are assembled bit by bit, by ten
comparisons, and are exact; so machine code and WebAssembly agree to the last bits. Results that overflow are infinite;
results below the smallest normal number, 2.2e-308, are zero.
"""

from __future__ import annotations

import math

from rbdkit.trace.graph import Scalar, Symbol
from rbdkit.trace.scalar import copysign, either, equal, maximum, minimum, nearest, polynomial, select, sqrt, whole

LN2 = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
"""log(2) as a sum of two parts; the first has 32 bits, so that its products with exponents are exact."""
EXPONENTIAL = [
    1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05, -1.65339022054652515390e-06,
    4.13813679705723846039e-08,
]  # fmt: skip
LOGARITHM = [
    6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
    1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01,
]  # fmt: skip
TANH_P = [-1.61468768441708447952e3, -9.92877231001918586564e1, -9.64399179425052238628e-1]
TANH_Q = [4.84406305325125486048e3, 2.23548839060100448583e3, 1.12811678491632931402e2, 1.0]

LARGEST, SMALLEST = 710.0, -708.396418532264
"""Arguments above and below which e^x is infinite and zero."""
BITS = range(9, -1, -1)
"""Bits of the absolute value of a binary exponent, the highest first."""


def exp(x: Scalar) -> Scalar:
    """Return e^x, to a unit of the last digit."""
    if not isinstance(x, Symbol):
        return math.exp(x) if x < LARGEST else math.inf if x >= LARGEST else math.nan
    y = minimum(maximum(x, SMALLEST), LARGEST)
    k = whole(y * 1.4426950408889634)
    high, low = y - k * LN2[0], k * LN2[1]
    r = high - low
    t = r * r
    c = r - t * polynomial(EXPONENTIAL, t)
    # fdlibm, e_exp.c: e^r = 1 + r + r c / (2 - c)
    value = 1.0 - ((low - (r * c) / (2.0 - c)) - high)
    below = k < 0.0
    power = _power_of_two(maximum(select(below, -k, k) - 1.0, 0.0))  # a factor of two is set aside: 2^1024 is infinite
    value = select(below, (0.5 * value) / power, select(equal(k, 0.0), 1.0, 2.0) * value * power)
    return select(x < SMALLEST, 0.0, value)


def _power_of_two(n: Scalar) -> Scalar:
    """Return 2^n, exact, for a whole number n from 0 to 1023."""
    power: Scalar = 1.0
    for bit in BITS:
        has = n > 2.0**bit - 0.5
        power = power * select(has, 2.0 ** (2**bit), 1.0)
        n = n - select(has, 2.0**bit, 0.0)
    return power


def log(x: Scalar) -> Scalar:
    """Return the natural logarithm, to a unit of the last digit; minus infinity at 0, NaN below."""
    if not isinstance(x, Symbol):
        return math.log(x) if x > 0.0 else -math.inf if x == 0.0 else math.nan
    # x = m 2^k: m is scaled to at least 1 (in two steps for tiny x), then divided by powers of two, one for each bit
    small = x < 1.0
    m, k = select(small, x * 2.0**1023, x), select(small, -1023.0, 0.0)
    tiny = m < 1.0
    m, k = m * select(tiny, 2.0**52, 1.0), k - select(tiny, 52.0, 0.0)
    for bit in BITS:
        has = m >= 2.0 ** (2**bit)
        m, k = m * select(has, 2.0 ** -(2**bit), 1.0), k + select(has, 2.0**bit, 0.0)
    has = m > math.sqrt(2.0)
    m, k = m * select(has, 0.5, 1.0), k + select(has, 1.0, 0.0)
    f = m - 1.0
    s = f / (2.0 + f)
    z, half = s * s, 0.5 * (f * f)
    # fdlibm, e_log.c: log(1 + f) = f - (f^2/2 - s (f^2/2 + R(s^2)))
    value = k * LN2[0] - ((half - (s * (half + z * polynomial(LOGARITHM, z)) + k * LN2[1])) - f)
    value = select(x > 1.7976931348623157e308, x, value)
    return select(x > 0.0, value, select(equal(x, 0.0), -math.inf, math.nan))


def tanh(x: Scalar) -> Scalar:
    """Hyperbolic tangent."""
    if not isinstance(x, Symbol):
        return math.tanh(x)
    size = minimum(abs(x), 20.0)  # from where on it is 1
    far = 1.0 - 2.0 / (exp(2.0 * size) + 1.0)
    return select(size < 0.625, _short_tanh(x), select(x < 0.0, -far, far))


def _short_tanh(x: Scalar) -> Scalar:
    """Return the hyperbolic tangent for abs(x) < 0.625, by the rational approximation of Cephes."""
    z = x * x
    return x + x * (z * (polynomial(TANH_P, z) / polynomial(TANH_Q, z)))


def expm1(x: Scalar) -> Scalar:
    """Return e^x - 1 without cancellation for small x."""
    if not isinstance(x, Symbol):
        return math.expm1(x) if x < LARGEST else exp(x)
    t = _short_tanh(0.5 * x)
    return select(abs(x) < 0.6, 2.0 * t / (1.0 - t), exp(x) - 1.0)


def log1p(x: Scalar) -> Scalar:
    """Return log(1 + x) without cancellation for small x."""
    if not isinstance(x, Symbol):
        return math.log1p(x) if x > -1.0 else log(1.0 + x)
    y = 1.0 + x
    lost = select(y > 1e300, 0.0, (x - (y - 1.0)) / select(y > 0.0, y, 1.0))  # relative rounding error of 1 + x
    return log(y) + lost


def sinh(x: Scalar) -> Scalar:
    """Hyperbolic sine."""
    e = expm1(abs(x))
    # with E = e^x - 1: sinh x = (E + E / (E + 1)) / 2, without cancellation near 0
    value = 0.5 * select(e < 1e300, e + e / (e + 1.0), e)
    return select(x < 0.0, -value, value)


def cosh(x: Scalar) -> Scalar:
    """Hyperbolic cosine."""
    e = exp(abs(x))
    return 0.5 * (e + 1.0 / e)


def arcsinh(x: Scalar) -> Scalar:
    """Return the inverse hyperbolic sine."""
    size = abs(x)
    value = log1p(size + size * size / (1.0 + sqrt(1.0 + size * size)))
    # beyond, the square overflows, and sinh^-1 x = log 2x to the last digit
    value = select(size < 1e150, value, log(maximum(size, 1.0)) + math.log(2.0))
    return select(x < 0.0, -value, value)


def arccosh(x: Scalar) -> Scalar:
    """Return the inverse hyperbolic cosine, for x >= 1."""
    return log1p((x - 1.0) + sqrt(x - 1.0) * sqrt(x + 1.0))


def arctanh(x: Scalar) -> Scalar:
    """Return the inverse hyperbolic tangent."""
    size = abs(x)
    value = 0.5 * log1p(2.0 * size / (1.0 - size))
    return select(x < 0.0, -value, value)


def power(x: Scalar, y: Scalar) -> Scalar:
    """Return x^y, with a relative error of about 1e-16 \\|y log x\\|; known whole and half exponents by multiplication.

    Negative x have powers with whole exponents only; others are NaN, as in C.
    """
    if not isinstance(y, Symbol):
        if abs(y) < 2.0**51 and float(2.0 * y).is_integer():
            value = _whole_power(x, abs(int(y)))
            if not float(y).is_integer():
                value = value * sqrt(x)
            return 1.0 / value if y < 0.0 else value
        if abs(y) < 2.0**51:
            return select(equal(x, 0.0), 0.0 if y > 0.0 else math.inf, exp(y * log(x)))
    elif not isinstance(x, Symbol) and x == 1.0:
        return 1.0  # also for an exponent that is infinite or NaN
    elif not isinstance(x, Symbol) and 0.0 < x < math.inf:
        return exp(y * math.log(x))
    size = abs(x)
    value = select(equal(size, 0.0), select(y > 0.0, 0.0, select(y < 0.0, math.inf, y)), exp(y * log(size)))
    value = select(either(equal(y, 0.0), equal(size, 1.0)), 1.0, value)
    even = equal(2.0 * nearest(0.5 * y), y)
    extreme = either(equal(size, 0.0), equal(size, math.inf))
    below_zero = select(even, value, select(equal(nearest(y), y), -value, select(extreme, value, math.nan)))
    return select(copysign(1.0, x) < 0.0, below_zero, value)


def _whole_power(x: Scalar, n: int) -> Scalar:
    """Return x^n by repeated squaring."""
    value: Scalar = 1.0
    square = x
    while n:
        if n % 2:
            value = value * square
        n //= 2
        if n:
            square = square * square
    return value


def cbrt(x: Scalar) -> Scalar:
    """Return the real cube root, also of negative numbers."""
    if not isinstance(x, Symbol):
        return math.cbrt(x)
    size = abs(x)
    finite = minimum(size, 1.7976931348623157e308)
    root = exp(log(select(size > 0.0, finite, 1.0)) / 3.0)
    root = root - (root - finite / (root * root)) / 3.0  # a step of Newton's rule brings back the last digits
    root = select(size > finite, size, root)
    return select(x < 0.0, -root, select(x > 0.0, root, x))
