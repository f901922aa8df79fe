"""Conventions of coefficients of agreement: what agrees, by chance, and what is averaged."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.pipeline.agreement.run import FinishedAudit, run_agreement
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.conventions.convention import (
    Answer,
    Answers,
    Program,
    Question,
    conventions,
)
from segscore.pipeline.conventions.published import Published
from segscore.pipeline.conventions.search import Search, search_conventions
from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.runs.sink import MemorySink
from segscore.pipeline.tables.read import Rows
from segscore.pipeline.tables.sources import TableSource

_NAMED = "named"
_COEFFICIENTS = ("pi", "kappa", "alpha")

_SIMILARITY = Question(
    "similarity",
    (
        Answer(
            "boundary_similarity",
            "What agrees is B.",
            "Fournier 2013",
            "--similarity boundary_similarity",
        ),
        Answer(
            "segmentation_similarity",
            "What agrees is S.",
            "Fournier 2013",
            "--similarity segmentation_similarity",
        ),
        Answer(
            "exact",
            "What agrees are boundaries at the same position.",
            "segscore",
            "--similarity exact",
        ),
        Answer(
            "two_category",
            "What agrees are positions, with a boundary or without.",
            "Kazantseva & Szpakowicz 2012; Hearst 1997",
            "--similarity two_category",
        ),
    ),
)
_COEFFICIENT = Question(
    "coefficient",
    (
        Answer(_NAMED, "The coefficient is the one that the paper names.", "segscore"),
        Answer("pi", "The coefficient is multi-pi.", "Fleiss 1971, who calls it kappa", "row pi"),
        Answer("kappa", "The coefficient is multi-kappa.", "Davies & Fleiss 1982", "row kappa"),
        Answer("alpha", "The coefficient is nominal alpha.", "Krippendorff 2004", "row alpha"),
    ),
)
_N_T = Question(
    "n_t",
    (
        Answer("2", "Boundaries 1 place apart can be a near miss.", "segscore; segeval", "--n-t 2"),
        Answer("1", "There are no near misses.", "exact matches", "--n-t 1"),
        Answer("3", "Boundaries up to 2 places apart can be a near miss.", "segeval", "--n-t 3"),
    ),
)
_CHANCE = Question(
    "chance",
    (
        Answer("pooled", "The chance of a boundary is that of the whole corpus.", "segscore"),
        Answer(
            "item",
            "The chance of a boundary is the mean over documents.",
            "segeval, fleiss_pi_linear",
            "--expected item",
        ),
        Answer(
            "item-segments",
            "The chance of a boundary is the mean over documents, with segments for boundaries.",
            "Fournier 2013, the tables; segeval before 2.0.11",
            "--as-published fournier2013",
        ),
    ),
)
_END = Question(
    "end",
    (
        Answer("open", "The end of the text is not a decision.", "segscore; segeval"),
        Answer(
            "closed",
            "The end of the text counts as a boundary on which all coders agree.",
            "Kazantseva & Szpakowicz 2012, 4.2",
            "with n_units + 1, and a boundary at n_units added to every coding",
        ),
    ),
)
_AVERAGE = Question(
    "average",
    (
        Answer("pooled", "Documents are pooled.", "segscore; segeval", "table agreement"),
        Answer(
            "documents",
            "Mean over documents of the coefficient of each.",
            "Kazantseva & Szpakowicz 2012",
            "mean of the column in the table documents",
        ),
    ),
)
_QUESTIONS = (_SIMILARITY, _COEFFICIENT, _N_T, _CHANCE, _END, _AVERAGE)

_S = {"similarity": "segmentation_similarity"}
_POSITIONS = {"similarity": "two_category"}
_PROGRAMS = (
    Program("segscore, B", "segscore agree", {}),
    Program("segscore, S", "segscore agree", _S),
    Program("segscore, exact", "segscore agree", {"similarity": "exact"}),
    Program("segscore, positions", "segscore agree", _POSITIONS),
    Program("segeval, B", "segeval.fleiss_pi_linear(dataset)", {"chance": "item"}, ("pi",)),
    Program(
        "segeval, S",
        "segeval.fleiss_pi_linear(dataset, fnc_compare=segeval.segmentation_similarity)",
        {"chance": "item", **_S},
        ("pi",),
    ),
    Program("segeval, B", "segeval.fleiss_kappa_linear(dataset)", {}, ("kappa",)),
    Program(
        "segeval, S",
        "segeval.fleiss_kappa_linear(dataset, fnc_compare=segeval.segmentation_similarity)",
        _S,
        ("kappa",),
    ),
    Program("Fournier 2013, B", "the tables of the paper", {"chance": "item-segments"}),
    Program("Fournier 2013, S", "the tables of the paper", {"chance": "item-segments", **_S}),
    Program(
        "K&S",
        "Kazantseva & Szpakowicz 2012, 4.2, of one chapter",
        {"coefficient": "pi", "end": "closed", **_POSITIONS},
        ("kappa",),
    ),
    Program(
        "statsmodels",
        "fleiss_kappa of the marks at all positions",
        {"coefficient": "pi", **_POSITIONS},
        ("kappa",),
    ),
    Program(
        "krippendorff", "krippendorff.alpha of the marks at all positions", _POSITIONS, ("alpha",)
    ),
)


def reconcile_codings(
    settings: AgreeSettings,
    codings: TableSource,
    documents: TableSource | None,
    numbers: Sequence[Published],
) -> Search:
    """Find the conventions that give published coefficients of agreement.

    Raises:
        Refused: there is no such coefficient, or the tables cannot be read.
        Failed: no document has two codings.
    """
    for number in numbers:
        if number.measure not in _COEFFICIENTS or number.system:
            raise Refused(
                f"{number.title}: no convention computes it; with --codings there are "
                f"{', '.join(_COEFFICIENTS)}, without a system"
            )
    measures = {number.measure for number in numbers}
    programs = [p for p in _PROGRAMS if not p.measures or measures <= {*p.measures}]
    questions = [q for q in _QUESTIONS if settings.units == "units" or q is not _END]
    grid = conventions(questions, programs, lambda answers: _possible(answers, measures))
    audits = _Audits(settings, codings, documents)
    return search_conventions(
        numbers, questions, grid, lambda answers: [audits.value(n, answers) for n in numbers]
    )


def _possible(answers: Answers, measures: set[str]) -> bool:
    """Return whether answers go together, and are not those of another convention."""
    chosen = {answers["coefficient"]} if answers["coefficient"] != _NAMED else measures
    positions = answers["similarity"] == "two_category"
    if answers["coefficient"] in measures or ("alpha" in chosen and not positions):
        return False
    unused = (answers["n_t"] != "2" and answers["similarity"] in ("exact", "two_category")) or (
        answers["chance"] != "pooled" and (positions or chosen == {"kappa"})
    )
    return not unused


class _Audits:
    """Coefficients of a corpus by every convention; each audit is made once."""

    def __init__(
        self, settings: AgreeSettings, codings: TableSource, documents: TableSource | None
    ) -> None:
        self.settings, self.table = settings, codings.table
        self.documents = {} if documents is None else {"documents": documents}
        self.rows = codings.read()
        self.known: dict[tuple[str | None, ...], FinishedAudit] = {}

    def value(self, number: Published, answers: Answers) -> float:
        """Return a coefficient by a convention, NaN if undefined."""
        named = answers["coefficient"] == _NAMED
        coefficient = number.measure if named else answers["coefficient"]
        audit = self._audit(number.document, answers)
        if answers["average"] == "documents":
            column = f"{coefficient}_{answers['similarity']}"
            values = audit.table("documents").column(column).drop_null().to_numpy()
            return float(values.mean()) if len(values) else float("nan")
        key = (coefficient, answers["similarity"])
        rows = audit.table("agreement").to_pylist()
        value = next(r["value"] for r in rows if (r["coefficient"], r["similarity"]) == key)
        return float("nan") if value is None else float(value)

    def _audit(self, document: str | None, answers: Answers) -> FinishedAudit:
        end = answers.get("end", "open")
        key = (document, answers["n_t"], answers["chance"], end)
        if key not in self.known:
            chance: dict[str, Any] = {
                "pooled": {},
                "item": {"expected": "item"},
                "item-segments": {"as_published": "fournier2013"},
            }[answers["chance"]]
            settings = replace(self.settings, n_t=int(answers["n_t"]), **chance)
            source = TableSource(self.table, lambda: self._codings(document, end))
            sources = {"codings": source, **self.documents}
            audited = run_agreement(settings, sources=sources, sink=MemorySink())
            assert not isinstance(audited, Done)
            self.known[key] = audited
        return self.known[key]

    def _codings(self, document: str | None, end: str) -> Rows:
        """Return the codings of one document or of all, with the end of the text or without."""
        rows = self.rows
        if document is not None:
            ids = np.array(rows.table.column("document_id").to_pylist(), object)
            rows = rows.keep(ids == document)
            if not len(rows):
                raise Refused(f"{document}: has no coding")
        return rows if end == "open" else _closed(rows)


def _closed(rows: Rows) -> Rows:
    """Return codings of texts that are one unit longer, with a boundary before that unit."""
    table = rows.table
    n_units = table.column("n_units").to_pylist()
    added = {"boundaries": n_units, "boundary_types": [1] * len(n_units)}
    for name in (name for name in added if name in table.column_names):
        lists = zip(table.column(name).to_pylist(), added[name], strict=True)
        field = table.schema.field(name)
        column = pa.array([[*values, last] for values, last in lists], field.type)
        table = table.set_column(table.column_names.index(name), field, column)
    longer = pa.array([n + 1 for n in n_units], table.schema.field("n_units").type)
    place = table.column_names.index("n_units")
    return replace(rows, table=table.set_column(place, table.schema.field("n_units"), longer))
