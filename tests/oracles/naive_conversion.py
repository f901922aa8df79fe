"""Segments and marks as boundaries, unit by unit: slow, and written from the rules alone."""

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Piece:
    """A segment; without an end it extends to the next start."""

    start: Fraction
    end: Fraction | None
    level: int = 1
    label: str | None = None


@dataclass(frozen=True)
class Rules:
    """Options of an import."""

    n_units: int
    own_gaps: bool = False
    smallest_gap: int = 0
    merge: bool = False
    max_level: int = 99


@dataclass
class Result:
    """Boundaries with their levels, and counts."""

    boundaries: set[tuple[int, int]] = field(default_factory=set)
    counted: Counter[str] = field(default_factory=Counter)


def rounded(exact: Fraction) -> int:
    """The nearest whole number; of two the greater."""
    candidates = range(int(exact) - 2, int(exact) + 3)
    return min(candidates, key=lambda whole: (abs(whole - exact), -whole))


def convert(pieces: list[Piece], rules: Rules) -> Result:
    """Convert the segments of a hypothesis into boundaries."""
    result = Result()
    result.counted["deeper"] = sum(piece.level > rules.max_level for piece in pieces)
    pieces = [piece for piece in pieces if piece.level <= rules.max_level]
    if pieces and all(piece.end in (None, piece.start) for piece in pieces):
        return _marks(pieces, rules, result)
    spans = []
    for piece in pieces:
        later = [p.start for p in pieces if p.level == piece.level and p.start > piece.start]
        start = rounded(piece.start)
        end = rules.n_units if piece.end is None else rounded(piece.end)
        if piece.end is None and later:
            end = rounded(min(later))
        if start == end and (piece.end is not None or start < rules.n_units):
            result.counted["empty"] += 1
        elif start >= rules.n_units:
            result.counted["beyond_end"] += 1
        else:
            if end > rules.n_units:
                result.counted["clipped"] += 1
                result.counted["clipped_length"] += end - rules.n_units
            spans.append((start, min(end, rules.n_units), piece))
    spans.sort(key=lambda span: span[:2])
    gaps = _gaps(spans, rules) if pieces else []
    result.counted["gaps"] = len(gaps)
    result.counted["gap_length"] = sum(map(len, gaps))
    _overlaps(spans, result)
    _boundaries(spans, gaps, rules, result)
    return result


def _marks(pieces: list[Piece], rules: Rules, result: Result) -> Result:
    label: dict[int, str | None] = {}
    seen = set()
    for piece in sorted(pieces, key=lambda piece: piece.start):
        again = piece.label is not None and label.get(piece.level) == piece.label
        label[piece.level] = piece.label
        position = rounded(piece.start)
        if rules.merge and again:
            result.counted["merged"] += 1
        elif position > rules.n_units:
            result.counted["beyond_end"] += 1
        elif 0 < position < rules.n_units:
            result.counted["same_start"] += (position, piece.level) in seen
            seen.add((position, piece.level))
    result.boundaries = seen
    return result


def _gaps(spans: list[tuple[int, int, Piece]], rules: Rules) -> list[list[int]]:
    """Runs of units that no segment of the outermost level covers."""
    outermost = min((piece.level for _, _, piece in spans), default=0)
    covered = [
        any(start <= unit < end for start, end, piece in spans if piece.level == outermost)
        for unit in range(rules.n_units)
    ]
    runs: list[list[int]] = []
    for unit in range(rules.n_units):
        if not covered[unit]:
            if unit and not covered[unit - 1]:
                runs[-1].append(unit)
            else:
                runs.append([unit])
    return [run for run in runs if len(run) >= rules.smallest_gap or not spans]


def _overlaps(spans: list[tuple[int, int, Piece]], result: Result) -> None:
    for i, (start, end, piece) in enumerate(spans):
        earlier = [span for span in spans[:i] if span[2].level == piece.level]
        shared = [unit for unit in range(start, end) if any(s <= unit < e for s, e, _ in earlier)]
        result.counted["overlaps"] += bool(shared)
        result.counted["overlap_length"] += len(shared)


def _boundaries(
    spans: list[tuple[int, int, Piece]], gaps: list[list[int]], rules: Rules, result: Result
) -> None:
    if not spans:
        return
    outermost = min(piece.level for _, _, piece in spans)
    after_gap = {gap[-1] + 1 for gap in gaps} if rules.own_gaps else set()
    first = spans[0][0]
    boundaries = set()
    for level in {piece.level for _, _, piece in spans}:
        inside = [span for span in spans if span[2].level == level]
        starts: set[int] = set()
        for i, (start, _, piece) in enumerate(inside):
            before = inside[i - 1][2].label if i else None
            apart = level == outermost and start in after_gap
            if start in starts:
                result.counted["same_start"] += 1
            elif rules.merge and piece.label is not None and piece.label == before and not apart:
                result.counted["merged"] += 1
            else:
                starts.add(start)
        boundaries |= {(start, level) for start in starts if start != first}
    if rules.own_gaps:
        boundaries |= {(edge, outermost) for gap in gaps for edge in (gap[0], gap[-1] + 1)}
    result.boundaries = {(p, level) for p, level in boundaries if 0 < p < rules.n_units}
