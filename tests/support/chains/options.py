"""Random options of a command, taken from its settings classes and its own parameters.

A new option is tried without a change here, with values that its type and its check allow.
"""

import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from random import Random
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from typer.models import OptionInfo

from segscore.jobs.cli.app import function_of
from segscore.pipeline.measures import ALL, PANEL_FAMILIES
from segscore.pipeline.settings.options import Option, name_of_option
from segscore.pipeline.settings.ranges import Among, Between
from segscore.pipeline.settings.reading import OWN_POINT_NAMES, POINT_NAMES
from tests.support.chains.corpora import Corpus


@dataclass(frozen=True)
class Drawable:
    """An option of a command.

    Attributes:
        flag: name on the command line; of a switch, the one that sets it.
        kind: type of the value.
        check: what refuses values that are not allowed, if that is known.
    """

    flag: str
    kind: Any
    check: object = None

    def draw(self, draw: Random, corpus: Corpus, command: str) -> list[str]:
        """Return the option with a value, as words of a command line."""
        own = VALUES.get(f"{command} {self.flag}", VALUES.get(self.flag))
        if own is not None:
            value = own(draw, corpus)
            return [] if value is None else [self.flag, value] if value else [self.flag]
        if self.kind is bool:
            return [self.flag]
        if isinstance(self.check, Among):
            return [self.flag, draw.choice(self.check.choices)]
        if isinstance(self.check, Between):
            least, most = self.check.least, self.check.most
            near = [least, least, least + 1, 2, 3, 5, 9]
            return [self.flag, str(draw.choice([n for n in near if least <= n <= most] + [most]))]
        return [self.flag, draw.choice(_BY_KIND.get(self.kind, ["x"]))]


_BY_KIND: Mapping[Any, list[str]] = {
    int: ["0", "1", "2", "7"],
    float: ["0", "0.1", "0.5", "1"],
    str: ["x"],
}


def _one_of(*values: str) -> Callable[[Random, Corpus], str]:
    return lambda draw, _: draw.choice(values)


def _some_of(values: tuple[str, ...]) -> Callable[[Random, Corpus], str]:
    most = len(values)
    return lambda draw, _: ",".join(draw.sample(values, min(most, draw.choice([1, 1, 2, 4]))))


def _attributes(draw: Random, corpus: Corpus) -> str | None:
    names = [name for name in corpus.attributes if "," not in name]
    return ",".join(draw.sample(names, draw.randint(1, len(names)))) if names else None


def _named(column: str) -> Callable[[Random, Corpus], str | None]:
    def choose(draw: Random, corpus: Corpus) -> str | None:
        names = [name for name in corpus.names(column) if "," not in name]
        return draw.choice([*names, *names, "unheard-of"]) if names else None

    return choose


def _documents(draw: Random, corpus: Corpus) -> str | None:
    return corpus.files["documents"] if corpus.documents else None


def _if_it_has(column: str, *values: str) -> Callable[[Random, Corpus], str | None]:
    """Return what chooses a value if the tables have a column; empty for a switch."""
    return lambda draw, corpus: draw.choice(values or ("",)) if corpus.has(column) else None


def _if_untyped(*values: str) -> Callable[[Random, Corpus], str | None]:
    """Return what chooses some values, unless boundaries have types."""
    return lambda draw, corpus: (
        None if corpus.has("boundary_types") else _some_of(values)(draw, corpus)
    )


def _left_alone(_draw: Random, _corpus: Corpus) -> None:
    return None


MEASURES = (
    "all",
    "window",
    "edit",
    "content",
    "tolerance",
    "winpr",
    "overlap",
    *PANEL_FAMILIES,
    *ALL,
)
_COMMON = ("boundary_similarity", "pk", "window_diff", "b_f1", "f1", "tolerant_f1")
_FEW_REPLICATES = _one_of("0", "0", "1", "2", "30")
_AVERAGES = _one_of("micro", "macro")

VALUES: Mapping[str, Callable[[Random, Corpus], str | None]] = {
    "--documents": _documents,
    "--group-by": _attributes,
    "--gate-by": _attributes,
    "--measures": _some_of(MEASURES),
    "--measure": _one_of(*_COMMON, *ALL),
    "compare --measure": _some_of((*_COMMON, *ALL)),
    "--replicates": _FEW_REPLICATES,
    "--permutations": _one_of("0", "1", "99"),
    "--draws": _one_of("1", "2", "4", "9"),
    "--window": _one_of("per-pair", "per-document", "per-run", "1", "2", "50"),
    "--reference-points": _if_untyped(*POINT_NAMES, *OWN_POINT_NAMES),
    "--consensus": _if_untyped("0.5", "any", "1", "0.3"),
    "--boundary-types": _if_it_has("boundary_types", "1", "1,2", "1,2,3", "1,2,3", "2,9"),
    "--by-level": _if_it_has("boundary_types", "cumulative", "only"),
    "--unit-weights": _if_it_has("unit_weights"),
    "--units": _if_it_has("unit_lengths", "units", "words"),
    "--max-rejects": _one_of("0", "0.5", "1"),
    "--max-unpaired": _one_of("0", "0.5", "1", "1"),
    "--tolerances": _one_of("0", "0,1", "0,1,5"),
    "--p-seg": _one_of("0", "1", "0.3"),
    "--beta": _one_of("0.001", "0.5", "2"),
    "--tiou": _one_of("0", "3/10", "0.9"),
    "--c-seg-costs": _one_of("1,0.3", "0,0", "1,1"),
    "--edit-constants": _one_of("0,0", "0.5,0.5"),
    "--content-weights": _one_of("0,0,0,0", "1,2,0.5,0", "1,1,0,0"),
    "--memory-limit": _one_of("2GB"),
    "--cluster": _one_of("local"),
    "--workers": _one_of("1", "2"),
    "--layout": _one_of("systems", "groups", "measures"),
    "compare --layout": _one_of("systems", "pairs", "references"),
    "--format": _one_of("text", "json", "csv", "markdown"),
    **{
        f"{command} --format": _one_of("text", "json", "csv", "markdown", "latex")
        for command in ("score", "agree", "compare")
    },
    "--encoding": _one_of("utf-8", "cp1252"),
    "--text-field": _one_of("units"),
    "--explain-plan": lambda draw, _: "" if draw.random() < 0.1 else None,
    "--log-format": _one_of("text", "json"),
    "--average": _AVERAGES,
    "--systems": _named("coder"),
    "--system": _named("coder"),
    "--hypothesis": _named("coder"),
    "--coder": _named("coder"),
    "--document": _named("document_id"),
    "--gate": _one_of("boundary_similarity>=-0.01", "pk<=+0", "macro:window_diff<=+0.1,pk<=0.02"),
    "nightly --gate": _one_of(
        *("boundary_similarity>=-0.01", "macro:pk<=+0", "trend:pk<=+0.1 per 10 nights")
    ),
    "--figure": _one_of("figure.svg"),
    "--report": _one_of("page.html"),
    "--difference": _one_of("0.1", "0.01", "-0.5"),
    "--alpha": _one_of("0.01", "0.05", "0.5"),
    "--power": _one_of("0.8", "0.99"),
    "--may-differ": _some_of(("v", "n_t", "window", "p_seg", "ci", "tol")),
    "--similarity": _some_of(
        ("boundary_similarity", "segmentation_similarity", "exact", "two_category")
    ),
    "--expected": _one_of("pooled", "item"),
    "--as-published": _one_of("fournier2013"),
    "--limits": _one_of("effect=0.05", "copies_residual=1,rate=1", "offset=0,offset_errors=0"),
    "--published": _one_of("0.312", "31.2%", "1", "0", "1.7"),
    "compare --published": _left_alone,
    "--published-table": _left_alone,
    "--apply": _one_of("segscore", "segscore-macro", "segeval", "textseg", "choi-2000", "disrpt"),
    "--tolerance-of-print": _one_of("0.01", "0.5"),
    "reconcile --tolerance": _one_of("0", "0,1,2"),
    "--value": _one_of("0", "0.2", "0.5", "1", "43", "-1"),
    "--sample": _one_of("all", "1", "5"),
    "--against": _one_of("last-good", "2026-05-01", "2026-05-03"),
    "--baseline": _one_of("last-good", "median-of-3"),
    "--not-comparable": _one_of("fail", "pass"),
    "--accept": _one_of("because"),
    "--metrics": _one_of("metrics.prom"),
    "--keep": _one_of("1", "3", "100"),
    "--since": _one_of("2026-05-01", "2026-05-04", "2030-01-01"),
    "--nights": _one_of("10", "30"),
    "--limit": _one_of("0", "0.02"),
    "--from": _left_alone,
    "--to": _left_alone,
    "--date": _left_alone,
    "--runs": _left_alone,
    "--references": _left_alone,
    "--hypotheses": _left_alone,
    "--output": _left_alone,
    "--settings": _left_alone,
    "--fresh": _left_alone,
    "--share": _one_of("0", "0.3", "0.5", "1"),
    "--within": _one_of("0", "1", "2", "100"),
    "simulate-coders --documents": _one_of("1", "3"),
    "--coders": _one_of("1", "2", "5"),
    "--near-miss": _one_of("0", "0.1", "1"),
    "--full-miss": _one_of("0", "0.3", "0.9"),
    "--added": _one_of("0", "0.5", "1"),
    "simulate-coders --units": _one_of("1", "2", "40"),
    "simulate-coders --n-t": _one_of("2", "3", "50"),
    "export --format": _one_of("webvtt", "textgrid", "audacity", "label-studio", "elan"),
    "import --unit": _one_of("millisecond", "millisecond", "second", "sentence"),
    "import --format": _left_alone,
    "validate --documents": lambda _draw, _corpus: None,
}
"""Option, of a command or of all -> a value of it; None to leave it out.

These have no check that says which values are allowed, or need names of the corpus, or would take
long with the largest values that are allowed."""

_IMPORTED = (
    *("--unit", "--max-rejects", "--gaps", "--smallest-gap", "--same-label", "--levels"),
    *("--max-level", "--strict", "--role", "--coder", "--documents", "--text-units"),
)
"""Options of an import that can apply to tables of segmentations."""


def draw_options(draw: Random, command: str, corpus: Corpus, chance: float = 0.2) -> list[str]:
    """Return some options of a command, as words of a command line.

    Args:
        draw: random numbers.
        command: name of the command.
        corpus: what the options may name.
        chance: chance of each option.
    """
    words: list[str] = []
    for option in options_of_command(command):
        likely = 0.8 if option.flag in _OFTEN else chance
        if command == "import" and option.flag not in _IMPORTED:
            continue
        if draw.random() < likely:
            words += option.draw(draw, corpus, command)
    return words


_OFTEN = ("--replicates", "--permutations", "--documents")
"""Options that decide whether there are intervals and p values, or that others need."""


@cache
def options_of_command(command: str) -> tuple[Drawable, ...]:
    """List the options of a command."""
    return tuple(_options(get_type_hints(function_of(command), include_extras=True)))


def _options(hints: Mapping[str, Any]) -> Iterator[Drawable]:
    for name, annotation in hints.items():
        first = get_args(annotation)[:1]
        hint = first[0] if first and is_dataclass(first[0]) else annotation
        if is_dataclass(hint):
            own = get_type_hints(hint, include_extras=True)
            yield from _options({field.name: own[field.name] for field in fields(hint)})
        elif get_origin(hint) is Annotated:
            kind, *metadata = get_args(hint)
            for item in metadata:
                if isinstance(item, Option):
                    flag = name_of_option(name, item).partition("/")[0]
                    yield Drawable(flag, _plain(kind), item.check)
                elif isinstance(item, OptionInfo):
                    # Typer takes the first name of an option for its default.
                    names = (item.default, *(item.param_decls or ()))
                    flags = [str(each) for each in names if str(each).startswith("--")]
                    flag = (flags or [f"--{name.replace('_', '-')}"])[0].partition("/")[0]
                    yield Drawable(flag, _plain(kind))


def _plain(kind: Any) -> Any:
    """Return the type of a value that is not None."""
    if get_origin(kind) in (Union, types.UnionType):
        return next(each for each in get_args(kind) if each is not type(None))
    return kind
