"""Read the text of an option: names, numbers, shares, locations, memory, reference points..."""

import re
from collections.abc import Sequence
from fractions import Fraction

from segscore.pipeline.errors import Refused, nearest, place_and_reason, require_extra

POINT_NAMES = (
    *("none", "all", "regular", "regular-mean-size"),
    *("random-known", "random-unknown", "random-mean", "coin", "human"),
)
"""Names of the reference points that `scoring/reference_points.py` makes for documents."""

RANDOM_POINT_NAMES = ("random-known", "random-unknown", "random-mean", "coin")
"""Names of those that are drawn at random, whose counts are means of several draws."""

OWN_POINT_NAMES = ("random-own", "shuffled-own")
"""Names of those that `scoring/density_matched.py` draws from each system's own segmentations."""

COUNTED_UNITS = (
    *("millisecond", "second", "sentence", "utterance", "turn", "line", "word", "token"),
    "character",
)
"""What boundaries and lengths of a table may count (``--unit``)."""

CUMULATIVE, ONLY = LEVELS = ("cumulative", "only")
"""Which boundaries a level of a hierarchy has: those of all types up to its own, or of its own."""

CONSENSUS = "consensus:"
"""How the name of every consensus coder begins."""

_ANY = "any"
_DECIMAL = re.compile(r"([0-9]{0,9})(?:\.([0-9]{0,99}))?")
_FRACTION = re.compile(r"([0-9]{1,99})/([0-9]{1,99})|[0-9]{0,9}\.?[0-9]{0,99}")

_IN_LISTS = re.compile(r"[{},]")
"""Characters that divide a list of locations."""


def read_names(_option: str, text: str) -> tuple[str, ...]:
    """Read names separated by commas."""
    return tuple(text.split(",")) if text else ()


def read_file(option: str, location: str) -> str:
    """Return the text of a file that an option names.

    Raises:
        Refused: the file does not exist, or cannot be read.
    """
    from segscore.pipeline import storage

    try:
        content = storage.read_text(location)
    except (OSError, UnicodeDecodeError) as problem:
        raise Refused(
            f"{option} {location}: cannot be read: {place_and_reason(problem)}"
        ) from problem
    if content is None:
        raise Refused(f"{option} {location}: there is no such file")
    return content


def read_renames(option: str, text: str) -> dict[str, str]:
    """Read a CSV file with two columns: a coder, and the name that the coder gets.

    Raises:
        Refused: the file cannot be read, or a line does not have two names.
    """
    from segscore.pipeline.storage.csv_rows import csv_rows

    content = read_file(option, text)
    names: dict[str, str] = {}
    for number, row in enumerate(csv_rows(f"{option} {text}", content), start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and [c.lower() for c in cells] == ["coder", "name"]):
            continue
        if len(cells) != 2 or not all(cells):
            raise Refused(f"{option} {text}:{number}: expected two columns, a coder and a name")
        if names.setdefault(cells[0], cells[1]) != cells[1]:
            raise Refused(f"{option} {text}:{number}: {cells[0]} has two names; keep one")
    return names


def read_numbers(option: str, text: str) -> tuple[float, ...]:
    """Read numbers separated by commas.

    Raises:
        Refused: the text is not a list of numbers.
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError as problem:
        raise Refused(f"{option} {text}: must be numbers separated by commas") from problem


def read_whole_numbers(option: str, text: str) -> tuple[int, ...]:
    """Read whole numbers separated by commas.

    Raises:
        Refused: the text is not a list of whole numbers.
    """
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as problem:
        raise Refused(f"{option} {text}: must be whole numbers separated by commas") from problem


def read_window(_option: str, text: str) -> str | int:
    """Read a window size: a number, or the name of a policy."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else text


def read_memory(option: str, text: str) -> int:
    """Read an amount of memory in bytes; the text may have a unit, such as 2GB.

    Raises:
        Refused: the text is not an amount of memory.
    """
    require_extra(option, "cluster", "dask")
    from dask.utils import parse_bytes  # noqa: TID251

    try:
        return int(parse_bytes(text))
    except (ValueError, OverflowError) as problem:
        raise Refused(f"{option} {text}: must be a number of bytes, such as 2GB") from problem


EVERY_SYSTEM = ""
"""Key of the threshold of all systems, in place of a name."""


def read_threshold(_option: str, text: str) -> str | float:
    """Read a threshold: a number, or numbers by system."""
    try:
        return float(text)
    except ValueError:
        return text


def parse_thresholds(threshold: str | float) -> dict[str, float]:
    """Return thresholds by system: of a number, that of ``EVERY_SYSTEM``.

    Raises:
        Refused: the text is not one number, or names with numbers such as `a=0.5,b=0.35`; or a
            number lies outside [0, 1].
    """
    if not isinstance(threshold, str):
        found = {EVERY_SYSTEM: float(threshold)}
    else:
        found = {}
        for part in threshold.split(","):
            name, _, number = part.rpartition("=")
            try:
                value = float(number)
            except ValueError:
                value = -1.0
            if not name or value < 0 or name in found:
                raise Refused(
                    f"--threshold {threshold}: must be a number, or one for each of some systems, "
                    "such as a=0.5,b=0.35"
                )
            found[name] = value
    for value in found.values():
        if not 0 <= value <= 1:
            raise Refused(f"--threshold {threshold}: scores lie in [0, 1]")
    return found


def parse_points(text: str) -> tuple[str, ...]:
    """Parse ``--reference-points``, names separated by commas.

    Raises:
        Refused: a name is unknown or given twice; the message names the option and the value.
    """
    chosen, known = tuple(text.split(",")), (*POINT_NAMES, *OWN_POINT_NAMES)
    for name in chosen:
        if name not in known:
            raise Refused(
                f"--reference-points {name}: must be one of "
                f"{', '.join(known)}{nearest(name, known)}"
            )
    if len(set(chosen)) < len(chosen):
        raise Refused(f"--reference-points {text}: names a reference point twice")
    return chosen


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


def parse_tolerance(tolerance: int | str, option: str = "--tolerance") -> int | Fraction:
    """Parse a tolerance in units; a percentage is a share of a document's units.

    Raises:
        Refused: the text is not a percentage from 0 to 100 with at most six decimals.
    """
    if isinstance(tolerance, int):
        return tolerance
    number = _DECIMAL.fullmatch(tolerance.removesuffix("%"))
    whole, decimals = number.groups(default="") if number else ("", "")
    if tolerance.endswith("%") and 0 < len(whole + decimals) < 10 and len(decimals) <= 6:
        share = Fraction(int(whole + decimals), 100 * 10 ** len(decimals))
        if share <= 1:
            return share
    raise Refused(
        f"{option} {tolerance}: must be a whole number of units, a time such as 2s or 500ms, or a "
        "percentage of the units of each document, such as 1%, with at most six decimals"
    )


def is_time(amount: int | str) -> bool:
    """Return whether an amount is a time, such as 2s or 500ms."""
    return isinstance(amount, str) and amount.endswith("s")


def tolerance_in_units(tolerance: int | str, per_second: int | None) -> int | str:
    """Return a tolerance whose time is in units, of which so many make a second; None if none do.

    Raises:
        Refused: it is a time, and the unit is no time, or the time is not a whole number of units.
    """
    if isinstance(tolerance, int) or not is_time(tolerance):
        return tolerance
    units = amount_in_units("--tolerance", tolerance, per_second)
    if not units.isdecimal():
        raise Refused(
            f"--tolerance {tolerance}: must be a whole number of units, but it is {units}"
        )
    return int(units)


def state_tolerance(tolerance: int | str) -> str:
    """Write a tolerance for a signature, the same way for equal ones; nothing for 0."""
    if is_time(tolerance):
        return str(tolerance)
    value = parse_tolerance(tolerance)
    if isinstance(value, int) or value == 0:
        return str(value) if value else ""
    percent, millionths = divmod(value.numerator * 10**8 // value.denominator, 10**6)
    return f"{percent}.{millionths:06}".rstrip("0").rstrip(".") + "%"


def parse_amount(option: str, text: str) -> tuple[Fraction, bool]:
    """Parse a number of units, or a time such as 15s or 500ms.

    Returns:
        The number of units or of seconds, and whether it is one of seconds.

    Raises:
        Refused: the text is neither.
    """
    parts = 1000 if text.endswith("ms") else 1
    seconds = text.endswith("s")
    number = text.removesuffix("s").removesuffix("m" if parts > 1 else "").strip()
    if not number.strip(".") or _DECIMAL.fullmatch(number) is None:
        raise Refused(f"{option} {text}: must be a number of units, or a time such as 15s or 500ms")
    return Fraction(number) / parts, seconds


def amount_in_units(option: str, text: str, per_second: int | None) -> str:
    """Return an amount as a number of units, of which so many make a second; None if none do.

    Raises:
        Refused: it is a time, and the unit is none.
    """
    number, seconds = parse_amount(option, text)
    if not seconds:
        return text
    if per_second is None:
        raise Refused(
            f"{option} {text}: positions are not known to be times; give a number of units, or "
            "say what the tables count, such as --unit second"
        )
    units = number * per_second
    return str(units) if units.denominator == 1 else str(float(units))


_REACHED = ">="
"""What begins a threshold of the IoU that an IoU equal to it passes."""


def parse_iou(text: str) -> tuple[Fraction, bool]:
    """Parse a fraction or a decimal number, exactly, perhaps after ``>=``.

    Returns:
        The threshold, and whether an IoU equal to it is enough.

    Raises:
        Refused: the text is neither, or not in [0, 1), or after ``>=`` in (0, 1].
    """
    reached = text.startswith(_REACHED)
    number = text.removeprefix(_REACHED).strip()
    try:
        iou = Fraction(number) if _FRACTION.fullmatch(number) else None
    except (ValueError, ZeroDivisionError):
        iou = None
    if iou is None or not (0 < iou <= 1 if reached else 0 <= iou < 1):
        raise Refused(
            f"--tiou {text}: must be a fraction or a decimal in [0, 1), such as 3/10, or one in "
            "(0, 1] after >=, such as >=0.5"
        )
    return iou, reached


def join_locations(name: str, locations: Sequence[str]) -> str:
    """Write one or several locations as one, in the order of their names.

    Args:
        name: the argument that gives them, for messages.
        locations: files, folders, globs or URLs.

    Raises:
        Refused: one of several is blank or contains a comma or a brace, so that they cannot be
            written as a list.

    Examples:
        >>> join_locations("HYPOTHESES", ["sys/b.jsonl", "sys/a.jsonl"])
        '{sys/a.jsonl,sys/b.jsonl}'
        >>> join_locations("HYPOTHESES", ["sys"])
        'sys'
    """
    if len(locations) == 1:
        return locations[0]
    for location in locations:
        if not location.strip():
            raise Refused(f"{name}: is empty; name a file or folder")
        if _IN_LISTS.search(location):
            raise Refused(
                f"{name} {location}: the name of one of several tables cannot contain a comma or "
                "a brace; name the folder of the tables, or quote a glob, such as 'sys/*.jsonl'"
            )
    distinct = sorted({*locations})
    return distinct[0] if len(distinct) == 1 else f"{{{','.join(distinct)}}}"
