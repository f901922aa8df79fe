"""Slow and obvious: the breaks of one text in the units of another, by trying all cuts.

Written from the definition: choose cuts 0 = c_0 <= c_1 <= ... <= c_m = n that minimise the sum over
segments of the edit distance between the tokens of units c_{j-1} + 1 .. c_j and those of segment j.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, pairwise

Text = Sequence[str]

WITHOUT_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


def distance(source: Text, output: Text) -> int:
    """Return the edit distance of two lists of tokens."""
    row = [*range(len(output) + 1)]
    for i, token in enumerate(source, 1):
        above, row = row, [i]
        for j, other in enumerate(output, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (token != other)))
    return row[-1]


def all_cuts(n_units: int, segments: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to divide units among segments, which may be empty."""
    return combinations_with_replacement(range(n_units + 1), segments - 1)


def cheapest(
    units: Sequence[Text], segments: Sequence[Text]
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return the least cost, the latest cuts of that cost, and the earliest."""
    costs: dict[tuple[int, ...], int] = {}
    for cuts in all_cuts(len(units), len(segments)):
        bounds = pairwise([0, *cuts, len(units)])
        parts = [[token for unit in units[low:high] for token in unit] for low, high in bounds]
        costs[cuts] = sum(map(distance, parts, segments))
    least = min(costs.values())
    best = [cuts[::-1] for cuts, cost in costs.items() if cost == least]
    return least, max(best)[::-1], min(best)[::-1]


def best_edits(source: Text, output: Text) -> tuple[int, int, int, int]:
    """Return matches, substitutions, deletions and insertions: fewest edits, then most matches."""
    table: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    for i in range(len(source) + 1):
        for j in range(len(output) + 1):
            ways = [(0, 0, 0, 0)] if i == j == 0 else []
            if i and j:
                m, s, d, n = table[i - 1, j - 1]
                equal = source[i - 1] == output[j - 1]
                ways.append((m + equal, s + (not equal), d, n))
            if i:
                m, s, d, n = table[i - 1, j]
                ways.append((m, s, d + 1, n))
            if j:
                m, s, d, n = table[i, j - 1]
                ways.append((m, s, d, n + 1))
            table[i, j] = min(ways, key=lambda way: (sum(way[1:]), -way[0]))
    return table[len(source), len(output)]


def missing_tail(source: Text, output: Text) -> int:
    """Return how many of the last tokens of the source a best alignment can leave out."""
    best = best_edits(source, output)
    for left_out in range(len(source), 0, -1):
        m, s, d, n = best_edits(source[: len(source) - left_out], output)
        if (m, s, d + left_out, n) == best:
            return left_out
    return 0


def tokens_of(text: str) -> list[str]:
    """Return the words of a text, one character at a time."""
    words: list[str] = []
    joining = False
    for character in unicodedata.normalize("NFKC", text).casefold():
        if unicodedata.category(character)[0] not in "LMN":
            joining = False
        elif unicodedata.name(character, "").startswith(WITHOUT_SPACES):
            words.append(character)
            joining = False
        elif joining:
            words[-1] += character
        else:
            words.append(character)
            joining = True
    return words


def place_quotes(
    source: Sequence[Text], quotes: Sequence[Text]
) -> tuple[float, list[dict[int, int]]]:
    """Return the least cost of placing quotes, and all ways to place them at that cost.

    Costs are in fifths of an edit, so that they are whole numbers. A way is quote -> unit from 1.
    """
    tokens = [token for unit in source for token in unit]
    starts = [sum(map(len, source[:number])) for number in range(len(source))]
    short = [quote[:20] for quote in quotes]
    costs = {
        (number, unit): 5
        * min(distance(quote, tokens[start:end]) for end in range(start, len(tokens) + 1))
        for number, quote in enumerate(short)
        for unit, start in enumerate(starts, 1)
    }
    limits = [2 * len(quote) for quote in short]
    ways: dict[tuple[tuple[int, int], ...], int] = {}
    for placed in range(len(short) + 1):
        for chosen in combinations(range(len(short)), placed):
            for units in combinations(range(1, len(source) + 1), placed):
                way = tuple(zip(chosen, units, strict=True))
                if all(costs[pair] < limits[pair[0]] for pair in way):
                    skipped = sum(limits[q] for q in range(len(short)) if q not in chosen)
                    ways[way] = skipped + sum(costs[pair] for pair in way)
    least = min(ways.values())
    return least, [dict(way) for way, cost in ways.items() if cost == least]
