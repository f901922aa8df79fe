"""Random chains: a command on a random corpus, then the commands that read what it wrote."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from tests.support.chains.corpora import Corpus, Shape, draw_corpus
from tests.support.chains.options import draw_options

Words = list[str]

NIGHTS = [f"2026-05-{day:02}" for day in range(1, 13)]


@dataclass(frozen=True)
class Step:
    """A command of a chain.

    Attributes:
        words: command line without `segscore`; one that begins with `python` is a program.
        otherwise: what is run instead if it is refused, so that later commands have a run to read.
    """

    words: Words
    otherwise: Words | None = None


@dataclass(frozen=True)
class Chain:
    """Commands that are run one after the other in a folder of their own.

    Attributes:
        seed: from which all of it is drawn.
        steps: the commands.
        columns: width of the terminal.
    """

    seed: int
    steps: Sequence[Step]
    columns: int


def draw_chain(seed: int, folder: Path) -> Chain:
    """Draw a chain, and write its input into its folder."""
    draw = Random(seed)  # noqa: S311
    trunk = draw.choice(_TRUNKS)
    shape = _fitting(draw, Shape.drawn(draw), trunk)
    corpus = draw_corpus(draw, shape)
    corpus.write(folder)
    corpus.files["documents"] = "documents.jsonl"
    steps = trunk(_Chain(draw, shape, corpus, folder))
    return Chain(seed, steps, draw.choice([60, 80, 200]))


def _fitting(draw: Random, shape: Shape, trunk: object) -> Shape:
    """Change a shape that a command would mostly refuse."""
    if draw.random() < 0.1:
        return shape
    if trunk is _audited:
        return replace(shape, references=draw.choice([2, 3, 5]))
    if trunk is _projected:
        return replace(shape, longest=draw.choice([12, 30]), nasty=False)
    return replace(shape, scored=shape.scored or trunk is _swept)


@dataclass(frozen=True)
class _Chain:
    """What a chain is drawn from."""

    draw: Random
    shape: Shape
    corpus: Corpus
    folder: Path

    def options(self, command: str, chance: float = 0.2) -> Words:
        """Draw options of a command."""
        return draw_options(self.draw, command, self.corpus, chance)

    def tables(self) -> Words:
        """Draw how the references and hypotheses are named."""
        both = self.draw.random() < 0.3
        return ["both.jsonl"] * 2 if both else ["references.jsonl", "hypotheses.jsonl"]


def _made(*words: str, options: Words, needed: Words | None = None) -> Step:
    """Return a command with options, and what to run if these are refused: it without them."""
    return Step([*words, *options], [*words, *(needed or [])])


def _readers(chain: _Chain, run: str, kind: str = "score", least: int = 2) -> list[Step]:
    """Draw commands that read a run of a command; once in a while one that refuses it."""
    draw = chain.draw
    fitting = _READERS if draw.random() < 0.1 else _READERS_OF[kind]
    chosen = draw.sample(fitting, min(draw.randint(least, 4), len(fitting)))
    return [
        Step(_program(draw, run, kind) if name == "python" else _reader(chain, run, name, number))
        for number, name in enumerate(chosen)
    ]


_READERS = ("report", "report", "cite", "show", "explain", "export", "compare", "trend --table")
_READERS_OF = {
    "score": (
        *("report", "report", "macro report", "cite", "cite", "show", "explain", "explain"),
        *("compare", "compare", "trend --table", "python", "python"),
    ),
    "compare": ("report", "report", "macro report", "cite", "show", "python"),
    "agree": ("report", "report", "macro report", "show", "python"),
    "sweep": ("report", "report", "macro report", "show", "python"),
}
"""Command that made a run -> the commands that read it."""


def _reader(chain: _Chain, run: str, name: str, number: int) -> Words:
    draw = chain.draw
    page = f"page-{number}.html"
    if name == "macro report":
        return ["report", run, "--output", page, "--average", "macro"]
    words = [*name.split(), run, *chain.options(name.replace(" --", "-"), 0.25)]
    if name == "report":
        words += ["--output", page]
    if name == "trend --table":
        words[2] = "."
    if name == "compare" and draw.random() < 0.5:
        words += ["--output", f"compared-{number}"]
    if name == "explain":
        names = chain.corpus.names("document_id")
        words = [*_without(words, "--document"), "--document", draw.choice(names or ["nothing"])]
    if name == "export":
        words += [] if "--format" in words else ["--format", "audacity"]
        words += ["--output", f"exported-{number}"] if draw.random() < 0.5 else []
    return words


def _program(draw: Random, run: str, kind: str) -> Words:
    programs = (*_PROGRAMS, *_PROGRAMS_OF_SCORES) if kind == "score" else _PROGRAMS
    return ["python", draw.choice(programs).format(run=run)]


_PROGRAMS = (
    "import segscore; run = segscore.read_run({run!r}); print(repr(run)); "
    "print(getattr(run, '_repr_html_', str)())",
    "import segscore; run = segscore.read_run({run!r}); print(run.record['signature'])",
)
_PROGRAMS_OF_SCORES = (
    "import segscore; print(segscore.compare({run!r}, permutations=9, replicates=3))",
    "import segscore; print(segscore.compare({run!r}, replicates=0)._repr_html_())",
    "import segscore; run = segscore.read_run({run!r}); run.plot(run.board.measure); print(run)",
)


def _without(words: Words, option: str) -> Words:
    """Leave out an option with its value."""
    if option not in words:
        return words
    place = words.index(option)
    return [*words[:place], *words[place + 2 :]]


def _scored(chain: _Chain) -> list[Step]:
    """Score once, and read the run."""
    score = _made("score", *chain.tables(), "--output", "run", options=chain.options("score"))
    again = [Step(score.words)] if chain.draw.random() < 0.2 else []
    return [score, *again, *_readers(chain, "run")]


def _baselines(chain: _Chain) -> list[Step]:
    """Score with reference points, and read the run: intervals may be missing here and there."""
    chosen = chain.draw.choice(["none,random-own", "random-own", "all,shuffled-own", "human,coin"])
    points = ["--reference-points", chosen]
    options = [*_without(chain.options("score", 0.1), "--reference-points"), *points]
    score = _made(
        "score", *chain.tables(), "--output", "run", options=options, needed=["--max-unpaired", "1"]
    )
    return [score, *_readers(chain, "run")]


def _compared(chain: _Chain) -> list[Step]:
    """Score twice, compare the two, and read the comparison."""
    tables, options = chain.tables(), chain.options("score", 0.1)
    changed = chain.options("score", 0.05) if chain.draw.random() < 0.3 else []
    both = _merged(options, changed)
    runs = ["one", "two"] if chain.draw.random() < 0.8 else ["one"]
    compare = chain.options("compare")
    return [
        _made("score", *tables, "--output", "one", options=options),
        _made("score", *chain.tables(), "--output", "two", options=both),
        _made("compare", *runs, "--output", "compared", options=compare),
        *_readers(chain, "compared", "compare"),
    ]


def _merged(options: Words, others: Words) -> Words:
    """Add the options that are not given yet."""
    known = {word for word in options if word.startswith("--")}
    merged = [*options]
    for place, word in enumerate(others):
        if word.startswith("--") and word not in known:
            following = others[place + 1 : place + 2]
            merged += [word, *(each for each in following if not each.startswith("--"))]
    return merged


def _audited(chain: _Chain) -> list[Step]:
    """Audit coders, make a consensus of them, simulate others, and audit these."""
    draw = chain.draw
    codings = draw.choice(["references.jsonl", "references.jsonl", "hypotheses.jsonl"])
    steps = [_made("agree", codings, "--output", "audit", options=chain.options("agree"))]
    steps += _readers(chain, "audit", "agree")
    if draw.random() < 0.4:
        agreed, own = chain.options("consensus"), chain.options("score", 0.1)
        steps += [
            _made("consensus", codings, "--output", "agreed", options=agreed),
            _made("score", "agreed/references", codings, "--output", "run", options=own),
            *_readers(chain, "run", least=1),
        ]
    if draw.random() < 0.4:
        made, own = chain.options("simulate-coders"), chain.options("agree", 0.1)
        steps += [
            _made("simulate", "coders", codings, "--output", "made", options=made),
            _made("agree", "made/codings", "--output", "audit-2", options=own),
            *_readers(chain, "audit-2", "agree", 1),
        ]
    return steps


def _swept(chain: _Chain) -> list[Step]:
    """Sweep over thresholds or tolerances, and read the curves."""
    options, plain = chain.options("sweep"), ["--tolerances", "0,1"]
    tables = chain.tables()
    sweep = _made("sweep", *tables, "--output", "curves", options=options, needed=plain)
    return [sweep, *_readers(chain, "curves", "sweep")]


def _nightly(chain: _Chain) -> list[Step]:
    """Score nights of changing corpora, and read their history."""
    draw = chain.draw
    nights = NIGHTS[: draw.choice([1, 2, 3, 12])]
    for night in nights:
        if draw.random() < 0.9:
            _vary(chain).write(chain.folder / night)
    inputs = "--references {date}/references.jsonl --hypotheses {date}/hypotheses.jsonl"
    words = ["nightly", *inputs.split(), "--runs", "nights"]
    (chain.folder / "settings.toml").write_text(_settings(chain), "utf-8")
    options = chain.options("nightly")
    options += ["--settings", "settings.toml"] if draw.random() < 0.5 else []
    gate = ["--gate", "boundary_similarity>=-0.01,pk<=+0.01"]
    options += [] if "--gate" in options else gate
    needed = [*gate, "--max-unpaired", "1"]
    dates = [["--from", nights[0], "--to", nights[-1]]]
    if draw.random() < 0.5 and len(nights) < len(NIGHTS):
        dates = [["--date", night] for night in nights]
    steps = [_made(*words, *date, options=options, needed=needed) for date in dates]
    last = f"nights/date={nights[-1]}"
    trend = chain.options("trend")
    trend += [] if "--measure" in trend else ["--measure", "pk"]
    others = [
        ["trend", "nights", *trend],
        ["trend", "nights", "--measure", "boundary_similarity", "--report", "trend.html"],
        ["compare", f"nights/date={nights[0]}", last, *chain.options("compare")],
        ["trend", "--table", "nights", *chain.options("trend-table", 0.4)],
        ["report", "nights"],
        steps[-1].words,
        ["python", "import segscore; print(*segscore.trend('nights', measure='pk').findings)"],
    ]
    return [*steps, *_readers(chain, last), *map(Step, draw.sample(others, 4))]


def _vary(chain: _Chain) -> Corpus:
    """Return the corpus of a night: mostly the same hypotheses, or others of the same shape."""
    draw, corpus = chain.draw, chain.corpus
    if draw.random() < 0.2:
        return draw_corpus(draw, replace(chain.shape, density=0.3, nasty=False))
    kept = [row for row in corpus.hypotheses if draw.random() < 0.95]
    return replace(corpus, hypotheses=kept)


def _settings(chain: _Chain) -> str:
    """Write the table [score] of a settings file."""
    words, lines = chain.options("score", 0.1), ["[score]"]
    for place, word in enumerate(words):
        if word.startswith("--") and word not in _UNSET:
            value = words[place + 1] if place + 1 < len(words) else "--"
            shown = "true" if value.startswith("--") else _toml(value)
            lines.append(f"{word.removeprefix('--')} = {shown}")
    return "\n".join(lines) + "\n"


_UNSET = ("--explain-plan", "--log-format", "--format", "--layout", "--documents", "--by-level")


def _toml(value: str) -> str:
    try:
        return f"{float(value):g}" if "." in value else str(int(value))
    except ValueError:
        return json.dumps(value, ensure_ascii=False)


def _imported(chain: _Chain) -> list[Step]:
    """Import the corpus as tables in a unit, score them, and read and export the run."""
    draw = chain.draw
    options, needed = chain.options("import"), ["--unit", "millisecond", "--max-rejects", "1"]
    options += [] if "--unit" in options else needed[:2]
    options += [] if "--max-rejects" in options else needed[2:]
    tables = ["tables/references", "tables/hypotheses"]
    source = draw.choice(["run", "run", *tables])
    exports = []
    for number in range(2):
        export = ["export", source, *chain.options("export", 0.4), "--output", f"out-{number}"]
        exports.append(Step(export + ([] if "--format" in export else ["--format", "textgrid"])))
    return [
        _made("import", "both.jsonl", "--output", "tables", options=options, needed=needed),
        Step(["validate", tables[0], *chain.options("validate")]),
        _made("score", *tables, "--output", "run", options=chain.options("score", 0.1)),
        *_readers(chain, "run"),
        *exports,
    ]


def _projected(chain: _Chain) -> list[Step]:
    """Carry the references to another transcript, and score them there."""
    draw, records = chain.draw, {row["document_id"]: row for row in chain.corpus.references}
    for name in ("from", "to"):
        lines = []
        for row in records.values():
            units = [draw.choice(["a b c", "d", "e f g h"]) for _ in range(row["n_units"])]
            if name == "to" and draw.random() < 0.7:
                units = [" ".join(units[:2]), *units[2:]]
            lines.append({"document_id": row["document_id"], "units": units})
        text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
        (chain.folder / f"{name}.jsonl").write_text(text, "utf-8")
    files = ["both.jsonl", "--from", "from.jsonl", "--to", "to.jsonl", "--output", "carried"]
    tables = ["carried/references", "carried/hypotheses"]
    return [
        _made("project", *files, options=chain.options("project"), needed=["--max-edits", "9"]),
        _made("score", *tables, "--output", "run", options=chain.options("score", 0.1)),
        *_readers(chain, "run"),
    ]


def _explained(chain: _Chain) -> list[Step]:
    """Look at tables, and explain and calibrate numbers on them."""
    draw, systems = chain.draw, chain.corpus.names("coder")
    tables = chain.tables()

    def reconcile() -> Words:
        words = ["reconcile", *tables, *chain.options("reconcile")]
        if "--apply" in words:
            return _without(words, "--published")
        words += [] if "--published" in words else ["--published", "0.3"]
        words += [] if "--measure" in words else ["--measure", "pk"]
        return words + ([] if "--system" in words or not systems else ["--system", systems[0]])

    def calibrate() -> Words:
        words = ["simulate", "values", tables[0], *chain.options("simulate-values")]
        return words + ([] if "--measure" in words else ["--measure", "window_diff"])

    commands = [
        ["validate", draw.choice(["references.jsonl", "both.jsonl"]), *chain.options("validate")],
        ["validate", "documents.jsonl", "--documents"],
        reconcile(),
        reconcile(),
        calibrate(),
        calibrate(),
        ["measures", *([] if draw.random() < 0.5 else ["pk"]), *chain.options("measures")],
        ["testsets", *chain.options("testsets")],
        ["score", *tables, "--output", "run", "--explain-plan"],
        ["agree", tables[0], "--output", "audit", "--explain-plan"],
        ["export", tables[0], "--format", "elan"],
    ]
    return [Step(words) for words in draw.sample(commands, 5)]


_TRUNKS: Sequence[Callable[[_Chain], list[Step]]] = (
    *(_scored, _scored, _scored, _baselines, _baselines, _compared, _compared, _audited),
    *(_audited, _swept, _nightly, _nightly, _imported, _projected, _explained),
)
