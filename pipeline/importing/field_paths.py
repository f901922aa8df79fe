"""Paths of fields in records, such as turns[].label, as options name them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from segscore.pipeline.errors import Refused
from segscore.pipeline.tables.rows import RowPlace, shown

_STEP = re.compile(r"([^\[\]]*)((?:\[\])*)")
_MOST_NAMES = 12


@dataclass(frozen=True, slots=True)
class FieldPath:
    """A path that an option names, such as turns[].label; the step None runs through a list."""

    option: str
    text: str
    steps: tuple[str | None, ...]

    def value(self, record: object, name: str, place: RowPlace) -> object:
        """Return the value at the path, or the list of all values if the path has [].

        Args:
            record: where the path starts.
            name: what the record is called in messages; "" for a whole line.
            place: where the record was read.

        Raises:
            Refused: a field is missing, or is not the object or list that the path needs.
        """
        values = [(name, record)]
        for step in self.steps:
            if step is None:
                values = [item for at, value in values for item in self._items(value, at, place)]
            else:
                values = [self._member(value, step, at, place) for at, value in values]
        return [value for _, value in values] if None in self.steps else values[0][1]

    def _items(self, value: object, name: str, place: RowPlace) -> list[tuple[str, object]]:
        if not isinstance(value, list):
            raise place.wrong(name or "the record", value, f"a list, because of {self}")
        return [(f"{name}[{index}]", item) for index, item in enumerate(value)]

    def _member(self, value: object, step: str, name: str, place: RowPlace) -> tuple[str, object]:
        if isinstance(value, list):
            raise place.wrong(
                name or "the record", value, f"an object, because of {self}; [] runs through a list"
            )
        if not isinstance(value, Mapping):
            raise place.wrong(name or "the record", value, f"an object, because of {self}")
        if step not in value:
            fields = ", ".join(map(shown, [*value][:_MOST_NAMES])) or "nothing"
            more = ", ..." if len(value) > _MOST_NAMES else ""
            raise place.refusal(
                f"{name or 'the record'} has no field {shown(step)}; it has {fields}{more}; "
                f"check {self}"
            )
        return f"{name}.{step}" if name else step, value[step]

    def __str__(self) -> str:
        return f"{self.option} {self.text}"


def field_path(option: str, text: str) -> FieldPath:
    """Read a path.

    Raises Refused for an empty name, or brackets that are not a [] after a name.
    """
    steps: list[str | None] = []
    for index, part in enumerate(text.split(".")):
        step = _STEP.fullmatch(part)
        if step is None or not (step[1] or (index == 0 and step[2])):
            raise Refused(
                f"{option} {text}: not a valid path; write names and [], for example turns[].label"
            )
        steps += [step[1]] if step[1] else []
        steps += [None] * (len(step[2]) // 2)
    return FieldPath(option, text, tuple(steps))
