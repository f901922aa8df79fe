"""Shares of coders and thresholds of overlap, read exactly: `--consensus`, `--tiou`."""

import re
from fractions import Fraction

from segscore.pipeline.errors import Refused

CONSENSUS = "consensus:"
"""How the name of every consensus coder begins."""

_ANY = "any"
_DECIMAL = re.compile(r"([0-9]{0,9})(?:\.([0-9]{0,99}))?")
_FRACTION = re.compile(r"([0-9]{1,99})/([0-9]{1,99})|[0-9]{0,9}\.?[0-9]{0,99}")


def parse_share(text: str) -> tuple[str, Fraction]:
    """Parse one share of ``--consensus``: a decimal number, exactly, or ``any``.

    Returns:
        The name of the consensus coder (``consensus:0.5``, the same for ``.50``), and the share;
        0 for ``any``.

    Raises:
        Refused: the text is neither ``any`` nor in (0, 1]; the message names the option and the
            value.
    """
    if text == _ANY:
        return CONSENSUS + _ANY, Fraction(0)
    number = _DECIMAL.fullmatch(text)
    whole, decimals = number.groups(default="") if number else ("", "")
    digits = whole + decimals
    share = Fraction(int(digits or "0"), 10 ** len(decimals))
    if not 0 < share <= 1:
        raise Refused(f"--consensus {text}: must be {_ANY}, or a share in (0, 1] such as 0.5")
    decimals = decimals.rstrip("0")
    return CONSENSUS + str(int(whole or "0")) + ("." + decimals if decimals else ""), share


def parse_shares(text: str) -> dict[str, Fraction]:
    """Parse all of ``--consensus``, such as ``0.5,0.3,any``: shares by coder name, in order.

    Raises:
        Refused: as in ``parse_share``, or a share is given twice.
    """
    named = [parse_share(share) for share in text.split(",")]
    if len(dict(named)) < len(named):
        raise Refused(f"--consensus {text}: names a share twice")
    return dict(named)


def parse_iou(text: str) -> Fraction:
    """Parse a fraction or a decimal number, exactly.

    Raises:
        Refused: the text is neither, or not in [0, 1).
    """
    try:
        iou = Fraction(text) if _FRACTION.fullmatch(text) else None
    except (ValueError, ZeroDivisionError):
        iou = None
    if iou is None or not 0 <= iou < 1:
        raise Refused(f"--tiou {text}: must be a fraction or a decimal in [0, 1), such as 3/10")
    return iou
