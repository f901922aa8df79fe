"""Read times exactly: seconds, clock text, frames and timecode become milliseconds as fractions.

Nothing goes through a binary float, and nothing is rounded here: `round_half_up` is applied once,
by the converters.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.shapes import Moment
from segscore.pipeline.tables.rows import RowPlace, shown

TIME_UNITS = ("s", "ms", "frames")
_NUMBER = re.compile(r"[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?")
_CLOCK = re.compile(
    r"(?:(?P<days>[0-9]{1,4}) days? )?(?:(?P<hours>[0-9]{1,5}):)?(?P<minutes>[0-9]{1,5}):"
    r"(?P<seconds>[0-9]{1,2})(?:[.,](?P<fraction>[0-9]{1,12}))?"
)
_TIMECODE = re.compile(r"([0-9]{1,3}):([0-9]{2}):([0-9]{2})([:;])([0-9]{2,3})")
_SHORT_RATES = {"23.976": 24, "23.98": 24, "29.97": 30, "59.94": 60, "119.88": 120}
"""Decimals in use for n * 1000/1001 frames in a second, and the whole number n."""


def round_half_up(exact: Fraction) -> int:
    """Round to the nearest whole number; a half goes up."""
    return (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)


def frame_rate(text: str) -> Fraction:
    """Read `--frame-rate`: 25, 50, 30000/1001; 29.97, 59.94 and 23.976 mean n * 1000/1001.

    Raises Refused for anything else, and for a rate that is not above 0.
    """
    if text in _SHORT_RATES:
        return Fraction(_SHORT_RATES[text] * 1000, 1001)
    whole = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(?:/([0-9]{1,9}))?", text.strip())
    rate = Fraction(0)
    if whole and (whole[2] is None or int(whole[2])):
        rate = Fraction(whole[1]) / int(whole[2] or 1)
    if not rate:
        raise Refused(f"--frame-rate {text}: expected frames in a second, as 25 or 30000/1001")
    return rate


@dataclass(frozen=True, slots=True)
class Clock:
    """A reader of the times of an import.

    Attributes:
        unit: unit of plain numbers, one of TIME_UNITS; None if `--time-unit` is not given.
        rate: frames in a second; None if `--frame-rate` is not given.
        start: `--start-timecode` as written, taken off every time; None if it is not given.
    """

    unit: str | None = None
    rate: Fraction | None = None
    start: str | None = None

    def time(self, value: object, place: RowPlace, *, unit: str | None = None) -> Moment:
        """Return the time since the start of the recording, in milliseconds.

        Args:
            value: a text, an int or a Decimal; clock text and timecode are recognised.
            place: where it was read, for messages.
            unit: unit of plain numbers where the format fixes it; otherwise `--time-unit`, or s.

        Raises:
            Refused: it is not a time, is negative, is before the start timecode, is a fraction of
                a frame, or has frames but no frame rate was given.
        """
        return self.since_start(self.duration(value, place, unit=unit), str(value).strip(), place)

    def since_start(self, exact: Fraction, text: str, place: RowPlace) -> Moment:
        """Return a time that a file states as `text`, less the start timecode.

        Raises:
            Refused: it is before the start timecode.
        """
        if self.start is not None:
            exact -= self.duration(self.start, RowPlace("--start-timecode", 1))
            if exact < 0:
                raise place.refusal(
                    f"{text} is before --start-timecode {self.start}; check which one is right"
                )
        return Moment(exact, text)

    def duration(self, value: object, place: RowPlace, *, unit: str | None = None) -> Fraction:
        """Return a duration in milliseconds; like `time`, without the start timecode."""
        text = "" if isinstance(value, bool | float) or value is None else str(value).strip()
        if clock := _CLOCK.fullmatch(text):
            return _clock_time(clock, text, place)
        if timecode := _TIMECODE.fullmatch(text):
            return self._timecode(timecode, place)
        if not _NUMBER.fullmatch(text):
            wrong = shown(text or value).strip('"')
            raise place.refusal(f"{wrong} is not a time; expected seconds or H:MM:SS.fff")
        number = Fraction(Decimal(text))
        if number < 0:
            raise place.refusal(f"{text} is a negative time; a recording starts at 0")
        return number * self._milliseconds(unit or self.unit or "s", text, place)

    def _milliseconds(self, unit: str, text: str, place: RowPlace) -> Fraction:
        if unit != "frames":
            return Fraction(1000 if unit == "s" else 1)
        if Fraction(Decimal(text)).denominator != 1:
            raise place.refusal(
                f"{text} is not a whole number of frames; if it is a time, name its unit with "
                "--time-unit s or ms"
            )
        if self.rate is None:
            raise place.refusal(f"{text} is a number of frames; name their rate with --frame-rate")
        return 1000 / self.rate

    def _timecode(self, timecode: re.Match[str], place: RowPlace) -> Fraction:
        """Return the time of HH:MM:SS:FF, or of HH:MM:SS;FF, which drops frame numbers."""
        if self.rate is None:
            raise place.refusal(f"{timecode[0]} is timecode; name its rate with --frame-rate")
        hours, minutes, seconds, frames = (int(timecode[group]) for group in (1, 2, 3, 5))
        per_second = round_half_up(self.rate)
        if minutes > 59 or seconds > 59 or frames >= per_second:
            raise place.refusal(
                f"{timecode[0]} is not timecode at {per_second} frames in a second; minutes and "
                "seconds are below 60, frames below the rate"
            )
        in_minutes = hours * 60 + minutes
        count = (in_minutes * 60 + seconds) * per_second + frames
        if timecode[4] == ";":
            count -= self._dropped(timecode, in_minutes, place)
        return count * 1000 / self.rate

    def _dropped(self, timecode: re.Match[str], minutes: int, place: RowPlace) -> int:
        """Return how many frame numbers drop-frame timecode has left out up to here."""
        assert self.rate is not None
        per_second = round_half_up(self.rate)
        if per_second % 30 or self.rate.denominator != 1001:
            raise place.refusal(
                f"{timecode[0]} is drop-frame timecode, which 29.97 and 59.94 frames have; check "
                "--frame-rate"
            )
        each_minute = per_second // 15
        if minutes % 10 and int(timecode[3]) == 0 and int(timecode[5]) < each_minute:
            raise place.refusal(
                f"{timecode[0]} is a frame number that drop-frame timecode leaves out"
            )
        return each_minute * (minutes - minutes // 10)


@dataclass(frozen=True, slots=True)
class Ruler:
    """A reader of positions in a text, in the place of a clock.

    Attributes:
        unit: what positions count, such as character.
    """

    unit: str

    def time(self, value: object, place: RowPlace, *, unit: str | None = None) -> Moment:
        """Return a position: the number of units before it; raises as ``duration``."""
        return Moment(self.duration(value, place, unit=unit), str(value).strip())

    def duration(self, value: object, place: RowPlace, *, unit: str | None = None) -> Fraction:
        """Return a number of units.

        Args:
            value: a text, an int or a Decimal.
            place: where it was read, for messages.
            unit: the unit of a column of times, which has none here.

        Raises:
            Refused: it is not a whole number, or is negative.
        """
        assert unit is None
        text = "" if isinstance(value, bool | float) or value is None else str(value).strip()
        number = Fraction(Decimal(text)) if _NUMBER.fullmatch(text) else Fraction(-1)
        if number < 0 or number.denominator != 1:
            raise place.refusal(
                f"{shown(text or value)} is not a whole number of {self.unit}s, which starts and "
                "ends are in"
            )
        return number


def _clock_time(clock: re.Match[str], text: str, place: RowPlace) -> Fraction:
    hours, minutes, seconds = (int(clock[name] or 0) for name in ("hours", "minutes", "seconds"))
    if seconds > 59 or (clock["hours"] is not None and minutes > 59):
        raise place.refusal(f"{text} is not a time; expected minutes and seconds below 60")
    whole = ((int(clock["days"] or 0) * 24 + hours) * 60 + minutes) * 60 + seconds
    return 1000 * (whole + Fraction(f"0.{clock['fraction'] or 0}"))
