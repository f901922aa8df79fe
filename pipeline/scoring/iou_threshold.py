"""The threshold of `--tiou`: read it exactly, and make it fit the integers of the compiled pass."""

import re
from fractions import Fraction

from segscore.pipeline.errors import Refused

_OPTION = "--tiou"
_NUMBER = re.compile(r"([0-9]{1,99})/([0-9]{1,99})|[0-9]{0,9}\.?[0-9]{0,99}")
_LARGEST = 2**31 - 1
"""Largest number of units of a document, and so the largest denominator of an IoU."""


def parse_iou(text: str) -> Fraction:
    """Parse a fraction or a decimal number, exactly.

    Raises:
        Refused: the text is neither, or not in [0, 1).
    """
    try:
        iou = Fraction(text) if _NUMBER.fullmatch(text) else None
    except (ValueError, ZeroDivisionError):
        iou = None
    if iou is None or not 0 <= iou < 1:
        raise Refused(f"{_OPTION} {text}: must be a fraction or a decimal in [0, 1), such as 3/10")
    return iou


def as_integers(iou: Fraction) -> tuple[int, int]:
    """Return a numerator and a denominator below 2^31 that the same values of IoU are above.

    An IoU is a fraction with a denominator below 2^31.  It is above a threshold if and only if it
    is above the largest such fraction that is not above the threshold.
    """
    nearest = iou.limit_denominator(_LARGEST)
    if nearest <= iou:
        return nearest.numerator, nearest.denominator
    # The next smaller fraction a / b is the one with nearest - a / b = 1 / (b * denominator) that
    # has the largest b.
    numerator, denominator = nearest.numerator, nearest.denominator
    smallest = pow(numerator, -1, denominator) if denominator > 1 else 1
    below = _LARGEST - (_LARGEST - smallest) % denominator
    return (numerator * below - 1) // denominator, below
