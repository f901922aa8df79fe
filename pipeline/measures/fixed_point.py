"""Fractions as whole numbers, so that sums of them are exact and do not depend on their order."""

from segscore.pipeline.arrays.kernel import kernel

FRACTION_BITS = 40
"""A fraction is counted in units of 2^-FRACTION_BITS."""

_HALF_BITS = FRACTION_BITS // 2


@kernel
def fixed_point(part: int, whole: int) -> int:
    """Return part / whole in units of 2^-40, rounded to the nearest, in 64-bit integers.

    The fraction cannot lie half way between two such units, because ``whole`` is below 2^40.

    Args:
        part: a number from 0 to ``whole``, below 2^42.
        whole: a number from 1 to 2^40 - 1.
    """
    shifted = part << _HALF_BITS
    quotient, rest = shifted // whole, shifted % whole
    return (quotient << _HALF_BITS) + ((rest << (_HALF_BITS + 1)) + whole) // (2 * whole)
