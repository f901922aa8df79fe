"""Find habits of coders: clear documents that they miss, empty halves, regular steps, chance.

What is said of a coder is evidence to look at.  So it comes with the same of the other coders in
the same documents.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from segscore.pipeline.agreement.sentences import SHOWN
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.statistics.formatted_numbers import percent, shown_position

_SEARCHED = 1000
"""The most documents of each coder that are searched: the first by their ids."""

_CLEAREST, _IN_WORDS = 5, 3
_FEWEST, _MORE, _TIMES = 5, 0.15, 3
"""Documents in which something must be so, by how much the share must exceed that of the others,
and how many times as large it must be."""

_FEWEST_SEGMENTS = 20
_HARDLY = 1.5
"""Coders agree hardly better than chance up to so many times its similarity."""

Documents = dict[str, dict[str, list[int]]]
"""Boundaries by document and coder, ascending."""


@dataclass(frozen=True)
class Share:
    """How often something is so: of a coder, and of the others in the same documents."""

    count: int
    number: int
    others_count: int
    others_number: int

    @property
    def stands_out(self) -> bool:
        """Whether it is far more often so than of the others."""
        if not self.number or self.count < _FEWEST:
            return False
        own, others = self.count / self.number, self.others_count / max(1, self.others_number)
        return own - others >= _MORE and own >= _TIMES * others

    @property
    def others(self) -> float:
        """The share of the others."""
        return self.others_count / max(1, self.others_number)


@dataclass(frozen=True)
class Habits:
    """Where a coder differs from the others.

    Attributes:
        clearest: documents in which the coder agrees less than expected, the clearest first.
        no_end: documents where the coder marks nothing after the middle, and others do.
        no_start: documents where the coder marks nothing before the middle, and others do.
        chance: documents in which the coder agrees with the others hardly better than chance.
        step: the most frequent size of the coder's segments, in the unit of the run.
        steps: segments of this size.
    """

    clearest: tuple[str, ...]
    no_end: Share
    no_start: Share
    chance: Share
    step: int | None
    steps: Share

    def sentences(self, coder: str, unit: str | None) -> Iterator[str]:
        """Yield what stands out, and what may have happened."""
        for share, side, half in (
            (self.no_end, "after", "second"),
            (self.no_start, "before", "first"),
        ):
            if share.stands_out:
                yield (
                    f"In {share.count} of {share.number} documents {coder} has no boundary {side} "
                    f"the middle (others: {percent(share.others)}): was the {half} half seen?"
                )
        if self.step is not None and self.steps.stands_out:
            size = shown_position(self.step, unit)
            yield (
                f"{percent(self.steps.count / self.steps.number)} of the segments of {coder} have "
                f"the size {size} (others: {percent(self.steps.others)}): are they from a template?"
            )
        if self.chance.stands_out:
            yield (
                f"In {self.chance.count} of {self.chance.number} documents {coder} agrees "
                f"hardly better than chance (others: {percent(self.chance.others)}): were "
                "documents mixed up?"
            )


def habits_of(run: FinishedRun, coders: Collection[str], chance: float) -> dict[str, Habits]:
    """Return where some coders of a finished audit differ.

    Args:
        run: the audit.
        coders: names of the coders.
        chance: similarity that coders reach by chance.
    """
    if not coders:
        return {}
    sizes, members = _searched(run, coders)
    codings = _codings(run, members)
    similar = _similarities(run, members)
    return {
        coder: _habits(coder, _Coded(sizes, codings, similar, chance))
        for coder in coders
        if any(coder in names for names in members.values())
    }


@dataclass(frozen=True)
class _Coded:
    """The documents that are searched: sizes, boundaries, and similarity by pair of coders."""

    sizes: Mapping[str, int]
    codings: Documents
    similar: Mapping[str, Mapping[tuple[str, str], float]]
    chance: float


def _searched(
    run: FinishedRun, coders: Collection[str]
) -> tuple[dict[str, int], dict[str, list[str]]]:
    """Return the sizes and coders of the documents to search."""
    sizes: dict[str, int] = {}
    members: dict[str, list[str]] = {}
    left = dict.fromkeys(coders, _SEARCHED)
    for part in run.parts("documents", ["document_id", "n_units", "coders"]):
        for row in part.to_pylist():
            named = [coder for coder in row["coders"] if left.get(coder)]
            if named and len(row["coders"]) > 1:
                sizes[row["document_id"]] = row["n_units"]
                members[row["document_id"]] = row["coders"]
                for coder in named:
                    left[coder] -= 1
    return sizes, members


def _codings(run: FinishedRun, members: Mapping[str, Sequence[str]]) -> Documents:
    """Return the boundaries of all coders of some documents."""
    codings: Documents = {
        document: {name: [] for name in members[document]} for document in members
    }
    for row in run.rows_of("prominence", ["position", "marked_by"], members):
        for coder in row["marked_by"]:
            codings[row["document_id"]][coder].append(row["position"])
    return codings


def _similarities(
    run: FinishedRun, members: Mapping[str, Sequence[str]]
) -> dict[str, dict[tuple[str, str], float]]:
    found: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for row in run.rows_of("pairs", ["coder", "peer", SHOWN], members):
        found[row["document_id"]][row["coder"], row["peer"]] = row[SHOWN]
    return found


def _habits(coder: str, coded: _Coded) -> Habits:
    own = {document: codings for document, codings in coded.codings.items() if coder in codings}
    step, steps = _steps(coder, own)
    by_chance = (
        (name, _with(name, coded.similar[document]) <= _HARDLY * coded.chance)
        for document, codings in own.items()
        for name in codings
    )
    return Habits(
        clearest=_clearest(coder, own, coded),
        no_end=_share(coder, _empty_halves(own, coded.sizes, after=True)),
        no_start=_share(coder, _empty_halves(own, coded.sizes, after=False)),
        chance=_share(coder, by_chance),
        step=step,
        steps=steps,
    )


def _with(coder: str, similar: Mapping[tuple[str, str], float]) -> float:
    return fmean(value for pair, value in similar.items() if coder in pair)


def _clearest(coder: str, own: Documents, coded: _Coded) -> tuple[str, ...]:
    """Order documents by how many boundaries of the coder and the others do not agree."""
    apart = []
    for document, codings in own.items():
        others = [v for pair, v in coded.similar[document].items() if coder not in pair]
        expected = fmean(others) if others else 1.0
        less = expected - _with(coder, coded.similar[document])
        marks = sum(map(len, codings.values())) / len(codings)
        # With a third coder, one can see who is alone; with two, nobody can.
        apart.append((not others, -less * marks, document))
    return tuple(document for _, less, document in sorted(apart)[:_CLEAREST] if less < 0)


def _share(coder: str, observed: Iterable[tuple[str, bool]]) -> Share:
    """Count how often something is so, of the coder and of the others."""
    counts = Counter((name == coder, is_so) for name, is_so in observed)
    own, others = counts[True, True], counts[False, True]
    return Share(own, own + counts[True, False], others, others + counts[False, False])


def _empty_halves(
    own: Documents, sizes: Mapping[str, int], *, after: bool
) -> Iterator[tuple[str, bool]]:
    """Yield whether each coder has nothing on one side of the middle, where somebody else has."""
    for document, codings in own.items():
        middle = sizes[document] / 2
        halves = {
            name: any((at > middle) is after for at in marks) for name, marks in codings.items()
        }
        for name, has in halves.items():
            if codings[name] and any(value for other, value in halves.items() if other != name):
                yield name, not has


def _steps(coder: str, own: Documents) -> tuple[int | None, Share]:
    sizes = {True: Counter[int](), False: Counter[int]()}
    for codings in own.values():
        for name, marks in codings.items():
            sizes[name == coder].update(end - start for start, end in pairwise([0, *marks]))
    total = sizes[True].total()
    if total < _FEWEST_SEGMENTS:
        return None, Share(0, total, 0, 0)
    step = min(sizes[True], key=lambda size: (-sizes[True][size], size))
    others = sizes[False]
    return step, Share(sizes[True][step], total, others[step], others.total())


def clearest_in_words(habits: Habits | None) -> str:
    """Return a sentence about the documents where a coder differs most clearly, or nothing."""
    if habits is None or not habits.clearest:
        return ""
    return f" Clearest in {named_list(habits.clearest[:_IN_WORDS])}."
