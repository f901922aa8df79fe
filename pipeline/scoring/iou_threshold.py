"""The threshold of `--tiou`, read exactly."""

import re
from fractions import Fraction

from segscore.pipeline.errors import Refused

_OPTION = "--tiou"
_NUMBER = re.compile(r"([0-9]{1,99})/([0-9]{1,99})|[0-9]{0,9}\.?[0-9]{0,99}")


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
