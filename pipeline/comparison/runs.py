"""Open the runs to compare, check that they were scored alike, and list their systems."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.measures import ALL, Table
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.measures.published import nearest_measure
from segscore.pipeline.measures.selection import normal_form, select
from segscore.pipeline.measures.several_references import COMPARED, KINDS, computed_from
from segscore.pipeline.results.leaderboard import measures_to_show
from segscore.pipeline.results.names import is_point, system_name
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.settings import signature as signatures
from segscore.pipeline.settings.measuring import settings_without_effect


def open_runs(urls: Sequence[str], *, trust_inputs: bool = False) -> list[FinishedScoring]:
    """Open the runs, in the order given, named by as much of the URL as distinguishes them.

    The inputs of each may be in a bucket that any of the URLs names or, if they are trusted, in
    any.

    Raises:
        Refused: a run is not finished, is not a scoring run, or is named twice.
    """
    trimmed = [url.rstrip("/") or url for url in urls]
    for url in trimmed:
        if trimmed.count(url) > 1:
            raise Refused(f"{url}: the run is named twice")
    opened = []
    for url, name in zip(trimmed, _names(trimmed), strict=True):
        run = FinishedScoring.open(url).trusting(*trimmed, everything=trust_inputs)
        opened.append(replace(run, url=url, name=name))
    return opened


def _names(urls: Sequence[str]) -> list[str]:
    """Return the shortest ends of the URLs, in whole path components, that all differ."""
    parts = [[part for part in url.split("/") if part] or [url] for url in urls]
    for length in range(1, max(map(len, parts)) + 1):
        ends = ["/".join(components[-length:]) for components in parts]
        if len(set(ends)) == len(ends):
            return ends
    return list(urls)


def first_measure(runs: Sequence[FinishedScoring]) -> str:
    """Return the measure that `segscore score` shows first, of those that all of some runs have."""
    first, *others = (run.selection.names for run in runs)
    available = [name for name in first if all(name in names for names in others)]
    return measures_to_show(available or first, runs[0].measures_in_order)[0]


def chosen_measures(names: Iterable[str]) -> list[tuple[Table, list[Measure]]]:
    """Look up measures by name, separating those of scores from those of panel_scores.

    Raises:
        Refused: there is no such measure; the message names the nearest.
    """
    chosen: dict[str, tuple[Table, list[Measure]]] = {}
    for name in names:
        if name not in COMPARED:
            raise Refused(
                f"--measure {name}: no such measure{nearest_measure(name, ALL)}; `segscore "
                "measures` lists them all"
            )
        kind, table = next(each for each in KINDS.items() if name in each[1].measures)
        chosen.setdefault(kind, (table, []))[1].append(COMPARED[name])
    return [chosen[kind] for kind in KINDS if kind in chosen]


def require_comparable(
    runs: Sequence[FinishedScoring],
    chosen: Sequence[tuple[Table, list[Measure]]],
    may_differ: Sequence[str],
) -> None:
    """Check that the runs have the chosen measures and were scored alike.

    Versions must be equal, because a different version may compute different numbers.  If a chosen
    measure uses P_seg, its values must be equal too, even if each run estimated its own.

    Raises:
        Refused: a run does not have a measure; or a field differs, and the message names each one,
            with its values in the order of the runs.
    """
    names = [computed_from(measure.name) for _, measures in chosen for measure in measures]
    for run in runs:
        run.require(names)
    used = select(normal_form(names))
    fields = _signature_fields(runs, signatures.may_differ(settings_without_effect(used)))
    if "p_seg" in used.used_by_formulas:
        fields = [
            run_fields | {"p_seg": _p_seg(run)}
            for run_fields, run in zip(fields, runs, strict=True)
        ]
    differing = {
        name: values for name, values in _values_by_field(fields).items() if len(set(values)) > 1
    }
    # A threshold belongs to a system: each is compared at its own.
    allowed = (*may_differ, signatures.THRESHOLD)
    forbidden = [name for name in differing if name not in allowed]
    if forbidden:
        listed = ", ".join(f"{name} {' / '.join(differing[name])}" for name in forbidden)
        raise Refused(
            f"{', '.join(run.url for run in runs)}: were not scored alike: {listed}; score them "
            f"alike, or pass --may-differ {','.join(forbidden)} to compare them anyway"
        )


def _p_seg(run: FinishedScoring) -> str:
    """Return P_seg of a run, and of its levels."""
    levels = [each["p_seg"] for each in run.record["levels"]] if run.by_level else []
    return ",".join(map(str, levels or [run.record.get("p_seg")]))


def _signature_fields(
    runs: Sequence[FinishedScoring], ignored: Collection[str]
) -> list[dict[str, str]]:
    """Return the fields of each run's signature but for some."""
    fields = [signatures.fields(run.signature) for run in runs]
    return [
        {name: value for name, value in run_fields.items() if name not in ignored}
        for run_fields in fields
    ]


def _values_by_field(fields: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    names = dict.fromkeys(name for run_fields in fields for name in run_fields)
    return {name: [run_fields.get(name, "–") for run_fields in fields] for name in names}


def signature(
    runs: Sequence[FinishedScoring],
    measures: Iterable[str],
    extra: Mapping[str, str],
    *,
    with_random: bool = False,
) -> str:
    """Describe in one line what was compared and how.

    Args:
        runs: the runs; if they differ in a field, its values are joined in their order.
        measures: measures to compare.
        extra: fields of the comparison, which are placed before the version.
        with_random: whether random reference points are among the systems.
    """
    without = settings_without_effect(select(normal_form(map(computed_from, measures))))
    ignored = signatures.may_differ(()) - {signatures.TRIALS}
    if with_random:
        ignored -= {signatures.DRAWS, signatures.SEED}
    shared = {
        name: values
        for name, values in _values_by_field(_signature_fields(runs, ignored)).items()
        if name not in without or len(set(values)) == 1
    }
    version = shared.pop("v", [])
    fields = {**shared, **{name: [value] for name, value in extra.items()}, "v": version}
    parts = [f"{name}:{'/'.join(dict.fromkeys(values))}" for name, values in fields.items()]
    return "|".join(["segscore", *parts])


def warn_of_trials(runs: Sequence[FinishedScoring]) -> Iterator[str]:
    """Yield what tests and intervals leave out, if systems have several trials."""
    several = [run.name for run in runs if (run.record.get("trials") or 1) > 1]
    if several:
        yield (
            f"{', '.join(several)}: a document counts with the mean over the trials of a system; "
            "tests and intervals are about other documents with these trials, and other trials may "
            "give another result (`segscore score` says how far trials differ)"
        )


@dataclass(frozen=True)
class System:
    """A hypothesis coder of one run.

    Attributes:
        label: unique label: the name, followed by the run's name if several runs have it.
        run: index of the run.
        hypothesis: name of the system in its run (see ``system_name``).
    """

    label: str
    run: int
    hypothesis: str

    @property
    def is_point(self) -> bool:
        """Whether the system is a reference point, which the run made."""
        return is_point(self.hypothesis)


def find_systems(runs: Sequence[FinishedScoring], asked: Sequence[str]) -> list[System]:
    """List the systems of the runs in the order asked for by name or label; by default all.

    Raises:
        Refused: there is no system of such a name or label.
    """
    scored = [
        (number, name)
        for number, run in enumerate(runs)
        for name in sorted({system_name(name) for name in _hypotheses(run)})
    ]
    names = [name for _, name in scored]
    systems = [
        System(f"{name}@{runs[run].name}" if names.count(name) > 1 else name, run, name)
        for run, name in scored
    ]
    if not asked:
        return systems
    for name in asked:
        if not any(_is_named(system, name) for system in systems):
            labels = [system.label for system in systems]
            near = nearest(name, labels)
            raise Refused(f"--systems {name}: no such system{near}; there are: {', '.join(labels)}")
    chosen = [system for name in asked for system in systems if _is_named(system, name)]
    return list(dict.fromkeys(chosen))


def _is_named(system: System, name: str) -> bool:
    return name in (system.label, system.hypothesis)


def _hypotheses(run: FinishedScoring) -> list[str]:
    parts = [*run.parts("scores", ["hypothesis"])]
    return [] if not parts else pc.unique(pa.concat_tables(parts).column("hypothesis")).to_pylist()


def resampled_by(runs: Sequence[FinishedScoring], asked: str | None) -> str | None:
    """Return the attribute whose documents are one unit: as asked, or as in all of the runs."""
    of_runs = {run.score_settings().resample_by for run in runs}
    same = next(iter(of_runs)) if len(of_runs) == 1 else None
    return asked or same
