"""Leave out coders by name: ``--without`` of `agree` and of `consensus`."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated

from segscore.pipeline.errors import Unsuitable, nearest
from segscore.pipeline.plain_text import first_named, named_list
from segscore.pipeline.settings.options import Option, Signed
from segscore.pipeline.settings.reading import read_names
from segscore.pipeline.statistics.formatted_numbers import counted

WithoutOption = Annotated[
    tuple[str, ...],
    Option(
        "Coders to leave out, such as ann,ben.",
        read=read_names,
        signed=Signed("without", "coders left out", text=lambda names: ",".join(sorted({*names}))),
    ),
]


def require_coders(option: str, names: Sequence[str], known: Collection[str]) -> None:
    """Check that coders who are named by an option have codings.

    Raises:
        Unsuitable: one of them has none; the message gives the nearest name, or some names.
    """
    if absent := sorted({*names} - {*known}):
        hint = nearest(absent[0], sorted(known))
        if known and not hint:
            hint = f"; the coders are {first_named(sorted(known))}"
        raise Unsuitable(f"{option} {','.join(names)}: there is no coder {absent[0]}{hint}")


def describe_without(codings: Mapping[str, int]) -> str:
    """Say whose codings were left out; empty if nobody's were.

    >>> describe_without({"kim": 12, "lou": 1})
    'without kim and lou (13 codings)'

    Args:
        codings: number of codings by coder.
    """
    number = counted(sum(codings.values()), "coding")
    return f"without {named_list(sorted(codings))} ({number})" if codings else ""
