"""Say which system has the best value, and than which others it is significantly better."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from segscore.pipeline.comparison.certainty import PairRows, describe_certainty, pair_of
from segscore.pipeline.comparison.pair_rows import better_first, is_significant
from segscore.pipeline.plain_text import first_named, named_list
from segscore.pipeline.results.chance import describe_chance, describe_worse_than_chance
from segscore.pipeline.results.leaderboard import Leaderboard, rank
from segscore.pipeline.results.leaderboard_remarks import describe_few, describe_trials
from segscore.pipeline.runs.finished import FinishedRun, rows_over_all
from segscore.pipeline.statistics.finding import Fact, Finding
from segscore.pipeline.statistics.formatted_numbers import (
    counted,
    interval_in_words,
    number_in_words,
    percent,
    short_change,
    short_number,
)
from segscore.pipeline.statistics.sentences import Sentence, Tone, joined
from segscore.schemas.rows import PairRow, SystemRow, group_of

_FEW = 2
"""Most systems that a headline names as perhaps as good."""


@dataclass(frozen=True)
class BestSystem:
    """The best system of a leaderboard, and whether it is significantly better than the others.

    Attributes:
        board: the systems, ranked by a measure.
        average: the average by which they are ranked, micro or macro.
        pairs: the comparisons of the systems by this measure and average.
        untested: why no systems were compared, to append to a sentence; empty if they were.
        margin: the difference within which systems count as equal; None without one.
    """

    board: Leaderboard
    average: str
    pairs: PairRows
    untested: str = ""
    margin: float | None = None

    @cached_property
    def known(self) -> list[str]:
        """The systems that are ranked, best first."""
        return [name for name in self.board.contenders if name in self.board.places]

    @property
    def tied(self) -> list[str]:
        """The best system, or those that are equally good."""
        return [name for name in self.known if self.board.places[name] == 1]

    @property
    def ahead(self) -> PairRow | None:
        """The comparison of the best system with the second best one; None if there is none."""
        if len(self.tied) != 1 or len(self.known) < 2:
            return None
        row = pair_of(self.pairs, *self.known[:2])
        return None if row is None else better_first(row)

    def finding(self, shown: Callable[[str], str] = str) -> Finding:
        """Return which system is best, and whether that is sure.

        Args:
            shown: writes a name.
        """
        sentences = self.sentences(shown)
        names, rest = self._headline(shown)
        facts = [*self._facts()]
        return Finding(rest, sentences[0].tone, sentences, names, facts=facts, is_said=True)

    def _headline(self, shown: Callable[[str], str]) -> tuple[list[str], str]:
        """Return the names that a headline begins with, and what it says of them."""
        board = self.board
        if not board.coverage.ranks:
            return [], "No system is called best"
        if not board.contenders:
            return [], "Only reference points were scored"
        if not self.known:
            return [], f"{board.measure} is undefined for every system"
        names = self.tied
        if len(self.known) == 1:
            value = board.average(board.measure, names[0])["value"]
            return names, f"scores {short_number(value)}"
        if len(names) > 1:
            return names, "are equally good"
        if self.ahead is None or self.ahead["p_holm"] is None:
            return names, "is first, but that was not tested"
        if self.is_sure:
            number, points = len(self.better_points), "a reference point is"
            points = points if number == 1 else "reference points are"
            but = f"; but {points} better" if number else ""
            return names, f"is significantly better than all others{but}"
        return names, f"leads, but {self._open(shown)} may be as good"

    def _open(self, shown: Callable[[str], str]) -> str:
        """Name the systems that the best one is not significantly better than, if they are few."""
        best, *others = self.known
        rows = {name: pair_of(self.pairs, best, name) for name in others}
        names = [
            name
            for name, row in rows.items()
            if row is None or not is_significant(row) or row["better"] != best
        ]
        few = names and len(names) <= _FEW
        return named_list([*map(shown, names)]) if few else f"{len(names) or 'some'} others"

    def _facts(self) -> Iterator[Fact]:
        """Yield numbers about the best system: its value, its lead and its skill."""
        if len(self.known) == 0 or len(self.tied) != 1 or not self.board.ranks:
            return
        (name,), measure = self.tied, self.board.measure
        row = self.board.average(measure, name)
        interval = interval_in_words(row["ci_low"], row["ci_high"]).strip(" ()")
        yield Fact(short_number(row["value"]), "; ".join(filter(None, (name, interval))))
        ahead = self.ahead
        if ahead is not None and ahead["difference"] is not None:
            # Macro averages of documents where both are defined can be in the other order.
            is_first = ahead["system"] == name
            other = ahead["other"] if is_first else ahead["system"]
            difference = ahead["difference"] if is_first else -ahead["difference"]
            where = "" if is_first else " where both are defined"
            yield Fact(short_change(difference), f"to {other}, the second best{where}")
        if (skill := row.get("skill")) is not None:
            yield Fact(percent(skill), "of the way from chance to perfect (skill)")

    @property
    def is_sure(self) -> bool:
        """Whether one system is significantly better than all others, whatever points are."""
        if len(self.tied) != 1 or len(self.known) < 2:
            return False
        return self._certainty(str).tone is Tone.SURE

    def _certainty(self, shown: Callable[[str], str]) -> Sentence:
        best, *others = self.known
        return describe_certainty(
            best, others, self.pairs, shown=shown, untested=self.untested, margin=self.margin
        )

    @property
    def _value(self) -> str:
        """The value of the best system with its interval, if those that are as good have that."""
        rows = [self.board.average(self.board.measure, name) for name in self.tied]
        value, *others = (
            number_in_words(row["value"], row["ci_low"], row["ci_high"]) for row in rows
        )
        return value if {value} >= {*others} else short_number(rows[0]["value"])

    @property
    def better_points(self) -> list[str]:
        """The reference points that are better than the best system, best first."""
        return [name for name, lead in self._leads.items() if lead > 0]

    @cached_property
    def _leads(self) -> dict[str, int]:
        """Reference point -> 1, 0 or -1 if it is better than the best system, as good, or worse.

        Points that cannot be compared with it are left out: those that are undefined, and those
        with other documents, unless the two were compared on the documents that they share.
        """
        board, (best, *_) = self.board, self.tied
        leads = {}
        for point in board.points:
            row = pair_of(self.pairs, best, point)
            if board.have_same_documents(point, best):
                own, others = board.goodness(point), board.goodness(best)
                if own is not None and others is not None:
                    leads[point] = (own > others) - (own < others)
            elif row is not None and row["difference"] is not None:
                leads[point] = {point: 1, best: -1}.get(row["better"] or "", 0)
        return leads

    def sentences(self, shown: Callable[[str], str] = str) -> list[Sentence]:
        """Say which system has the best value, than which it is better, and what else is known.

        Args:
            shown: writes a name.
        """
        coverage, measure = self.board.coverage, self.board.measure
        of = f"{measure}, {self.average}"
        if not coverage.ranks:
            return [Sentence(f"{of}: {coverage.advice}.", Tone.UNSURE)]
        if self.board.systems and not self.board.ranks:
            text = f"{of}: no system is best, because neither higher nor lower is better."
            return [Sentence(text)]
        if not self.board.contenders:
            return [Sentence(f"{of}: only reference points were compared.")]
        if not self.known:
            return [Sentence(f"{of}: undefined for every system.")]
        value, names = self._value, self.tied
        if len(self.known) == 1:
            only = "the only system" + " with a value" * (len(self.board.contenders) > 1)
            first = Sentence(f"{of}: {shown(names[0])}, {only}: {value}.")
        elif len(names) > 1:
            text = f"{of}: {first_named(names, shown=shown)} are equally good: {value}."
            first = Sentence(text, Tone.UNSURE)
        else:
            certainty = self._certainty(shown)
            text = f"{of}: {shown(names[0])} has the best value: {value}. {certainty.text}"
            first = Sentence(text, certainty.tone)
        trials = map(Sentence, describe_trials(self.board, shown))
        first = joined([first, *self._beside_points(shown)])
        return [first, *self._chance(shown), *trials, *self._scope()]

    def _beside_points(self, shown: Callable[[str], str]) -> Iterator[Sentence]:
        """Say what reference points are better or as good, and what a system alone is better than.

        Reference points without a value are passed over.
        """
        equal = [name for name, lead in self._leads.items() if lead == 0]
        but = "But the"
        for names, how in ((self.better_points, "better"), (equal, "as good")):
            if names:
                point, verb = ("point", "is") if len(names) == 1 else ("points", "are")
                named = first_named(names, shown=shown)
                yield Sentence(f"{but} reference {point} {named} {verb} {how}.", Tone.UNSURE)
                but = "The"
        worse = [name for name, lead in self._leads.items() if lead < 0]
        if len(worse) < len(self._leads) or len(self.known) > 1 or not (worse and self.pairs):
            return
        if not self._has_skill:
            yield Sentence(f"It is ahead of {self._named_points(worse, shown)}.")
            yield describe_certainty(
                self.tied[0], worse, self.pairs, shown=shown, margin=self.margin
            )

    def _named_points(self, points: Sequence[str], shown: Callable[[str], str]) -> str:
        """Name the first of all reference points that have a value."""
        first, *others = points
        every = len(points) == len(self.board.points)
        if not others:
            return shown(first) + ("" if every else ", the only reference point with a value")
        return f"{shown(first)} and all other reference points{'' if every else ' with a value'}"

    @property
    def _has_skill(self) -> bool:
        return self.board.average(self.board.measure, self.tied[0]).get("skill_low") is not None

    def _chance(self, shown: Callable[[str], str]) -> Iterator[Sentence]:
        """Say which systems may be no better than chance, or that the only one is better."""
        describe = (describe_worse_than_chance, describe_chance)
        if chance := [*filter(None, (each(self.board, shown) for each in describe))]:
            yield from (Sentence(sentence, Tone.UNSURE) for sentence in chance)
        elif len(self.known) == 1 and self._has_skill:
            row = self.board.average(self.board.measure, self.tied[0])
            skill = number_in_words(row["skill"], row["skill_low"], row["skill_high"])
            yield Sentence(
                f"It is better than as many boundaries at random positions: skill {skill}.",
                Tone.SURE,
            )

    def _scope(self) -> Iterator[Sentence]:
        """Say over which documents the systems are ranked, and where these are few."""
        if len(self.known) == 1 and (few := describe_few(self.board)):
            yield Sentence(few)
        if self.board.coverage.ranks_on_shared:
            words = self.board.coverage.in_words
            yield Sentence(f"{words[0].upper()}{words[1:]}.")


def comparison_finding(
    finished: FinishedRun, average: str, shown: Callable[[str], str] = str
) -> Finding:
    """Return for each measure which system has the best value, and than which it is better.

    The headline is about the first measure.

    Args:
        finished: the comparison.
        average: the average to show, micro or macro.
        shown: writes a name.
    """
    findings = [best.finding(shown) for best in best_systems(finished, average)]
    sentences = [sentence for each in findings for sentence in each.sentences]
    sentences += _scope_in_words(finished, average)
    if not findings:
        return Finding("Nothing was compared", Tone.NOTE, sentences)
    return replace(findings[0], sentences=sentences)


def best_systems(finished: FinishedRun, average: str) -> Iterator[BestSystem]:
    """Yield the systems over all documents by each measure of a comparison."""
    by = finished.record["settings"]["group_by"]
    systems: list[SystemRow] = rows_over_all(finished.table("systems"), by)
    pairs: list[PairRow] = rows_over_all(finished.table("comparisons"), by)
    margin = finished.record["settings"].get("margin")
    for measure in finished.record["settings"]["measures"]:
        key = measure, average
        of_measure = [row for row in systems if (row["measure"], row["average"]) == key]
        compared = {
            (row["system"], row["other"]): row
            for row in pairs
            if (row["measure"], row["average"]) == key
        }
        for board in rank(of_measure, (), measure, "system"):
            yield BestSystem(board, average, compared, margin=margin)


def _scope_in_words(finished: FinishedRun, average: str) -> Iterator[Sentence]:
    """Yield what the tests are about, and over what they were not adjusted."""
    by = finished.record["settings"]["group_by"]
    rows: list[PairRow] = finished.table("comparisons").to_pylist()
    tested = [row for row in rows if row["average"] == average and row["p"] is not None]
    if not tested:
        return
    measures = {row["measure"] for row in tested}
    groups = {group_of(row, by) for row in tested}
    several = [
        f"{len(parts)} {nouns}"
        for parts, nouns in ((measures, "measures"), (groups, "sets of documents"))
        if len(parts) > 1
    ]
    adjusted = (
        f"{counted(len(tested), 'test')} in {named_list(several)}: adjusted within each, not over "
        "all. "
    )
    scope = "Tests and intervals are about these references."
    yield Sentence(f"{adjusted if several else ''}{scope}")
