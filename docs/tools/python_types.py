"""The module segscore/api/typed.py, from the tables of measures and options."""

from collections.abc import Iterable, Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from segscore.api.agree import OF_CODINGS
from segscore.api.compare import OF_COMPARISON
from segscore.api.score import OF_PAIRS
from segscore.api.sweep import OF_SWEEP
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.conventions.calibrate_settings import CalibrateSettings
from segscore.pipeline.conventions.settings import ReconcileSettings
from segscore.pipeline.measures import ALL, FAMILIES, PAIRS
from segscore.pipeline.measures.selection import DEFAULT, EVERYTHING
from segscore.pipeline.nightly.trend.settings import TrendSettings
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.sweep.settings import SweepSettings
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.settings.options import Option
from segscore.pipeline.settings.reading import COUNTED_UNITS

_HEAD = '''\
"""Names of measures and settings, for type checkers and editors.

Written by `make docs` from the tables of measures and options; change it there.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Literal, Protocol, TypedDict

if TYPE_CHECKING:
    from typing import Unpack

    from segscore.api.segmentation import Segmentation, WholeNumbers

'''

_FUNCTION = '''
class MeasureFunction(Protocol):
    """The function of one measure, such as `segscore.pk`."""

    @property
    def __name__(self) -> str:
        """Name of the measure."""

    def __call__(
        self,
        *,
        reference: "Segmentation | WholeNumbers",
        hypothesis: "Segmentation | WholeNumbers",
        n_units: int | None = None,
        **settings: "Unpack[MetricKeywords]",
    ) -> float | None:
        """Return the value of one pair; None if it is undefined.

        The arguments and the errors are those of `segscore.score`.
        """

'''

_POSITIONAL = ("measure", "measures", "documents")
"""Settings that functions have as parameters of their own."""

_GIVEN = ("codings", "documents")
"""Settings of reconciliation that its function has as parameters of their own."""

_PLACES: dict[type, tuple[str, ...]] = {
    ReconcileSettings: _GIVEN,
}
"""Settings of a function -> those that it has as parameters of their own, if others."""

_NAMES = {
    "measures": "Iterable[MeasureChoice] | MeasureChoice",
    "unit": "CountedUnit | None",
}
"""Setting -> its type, where the option's type says too little, or is long."""


def python_types() -> str:
    """Return the module as text."""
    return "".join(f"{line}\n" for line in _lines()).rstrip() + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD
    yield from _literal("MeasureName", PAIRS.measures, "A measure of pairs.")
    panels = [name for name in ALL if name not in PAIRS.measures]
    yield from _literal("AnyMeasure", panels, "A measure of pairs or of panels.", "MeasureName")
    choices = [DEFAULT, EVERYTHING, *FAMILIES]
    meaning = "A measure, a family of measures, or all."
    yield from _literal("MeasureChoice", choices, meaning, "AnyMeasure")
    yield from _literal("CountedUnit", COUNTED_UNITS, "What positions may count.")
    pairs = [name for name in OF_PAIRS if name != "measures"]
    metric = "MetricKeywords"
    yield from _typed(metric, MeasuringSettings, pairs, "`segscore.Metric`")
    measures = ["measures"]
    yield from _typed("PairKeywords", MeasuringSettings, measures, "`segscore.score`", base=metric)
    scored = [name for name in _options(ScoreSettings) if name not in (*_POSITIONAL, *pairs)]
    yield from _typed("EvaluateKeywords", ScoreSettings, scored, "`segscore.evaluate`", base=metric)
    yield from _typed("AgreeKeywords", AgreeSettings, OF_CODINGS, "`segscore.agree`")
    yield from _typed("CompareKeywords", CompareSettings, OF_COMPARISON, "`segscore.compare`")
    for name, settings, absent in (
        ("CalibrateKeywords", CalibrateSettings, ("output", "value")),
        ("ReconcileKeywords", ReconcileSettings, ("output", "apply", "published")),
        ("TrendKeywords", TrendSettings, ("since", "until", "month")),
    ):
        positional = _PLACES.get(settings, _POSITIONAL)
        kept = [o for o in _options(settings) if o not in (*positional, *absent)]
        function = f"`segscore.{name.removesuffix('Keywords').lower()}`"
        further = (
            ("since: str | date | None", "until: str | date | None", "month: str | date | None")
            if name == "TrendKeywords"
            else ()
        )
        yield from _typed(name, settings, kept, function, further)
    yield from _typed("SweepKeywords", SweepSettings, OF_SWEEP, "`segscore.sweep`")
    yield _FUNCTION
    yield "if TYPE_CHECKING:"
    for name in PAIRS.measures:
        yield f"    {name}: MeasureFunction"
    yield ""
    yield "    __all__ = ["
    for name in sorted(PAIRS.measures):
        yield f'        "{name}",'
    yield "    ]"


def _literal(name: str, values: Iterable[str], meaning: str, also: str = "") -> Iterator[str]:
    """Write the type of a name that is one of some values, or of another such type."""
    yield f"{name} = Literal["
    if also:
        yield f"    {also},"
    for value in values:
        yield f'    "{value}",'
    yield "]"
    yield f'"""{meaning}"""'
    yield ""


def _typed(
    name: str,
    settings: type,
    kept: Iterable[str],
    of: str,
    further: Iterable[str] = (),
    base: str = "TypedDict",
) -> Iterator[str]:
    """Write the keywords of a function: some settings of a class, and those of a base."""
    hints = get_type_hints(settings, include_extras=True)
    yield ""
    yield f"class {name}({base}, total=False):"
    yield f'    """Keywords of {of}."""'
    yield ""
    for field in kept:
        if get_origin(hints[field]) is Annotated:
            kind, option = get_args(hints[field])
            if isinstance(option, Option):
                yield f"    {field}: {_NAMES.get(field) or _written(kind, option)}"
    for line in further:
        yield f"    {line}"
    yield ""


def _options(settings: type) -> list[str]:
    hints = get_type_hints(settings, include_extras=True)
    return [
        name
        for name, hint in hints.items()
        if get_origin(hint) is Annotated and isinstance(get_args(hint)[1], Option)
    ]


def _written(kind: Any, option: Option) -> str:
    """Write the type of the values that a setting accepts."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    names = [_one(each, option) for each in kinds if each is not NoneType]
    if option.joined:
        names.append(f"Sequence[{' | '.join(each.__name__ for each in option.joined)}]")
    if option.optional:
        names.append("bool")
    if option.read is not None and "str" not in names:
        names.append("str")
    if NoneType in kinds:
        names.append("None")
    return " | ".join(names)


def _one(kind: Any, option: Option) -> str:
    if get_origin(kind) is tuple:
        return f"Sequence[{get_args(kind)[0].__name__}]"
    choices: tuple[str, ...] = getattr(option.check, "choices", ())
    if kind is str and choices:
        return f"Literal[{', '.join(repr(choice) for choice in choices)}]".replace("'", '"')
    name: str = kind.__name__
    return name
