"""Fill the columns of the summary about the answers of language models."""

import pyarrow as pa

from segscore.pipeline.runs.finished import are_over_all
from segscore.pipeline.scoring.aspects.aspect import Aspect, Outcome
from segscore.pipeline.statistics.averages import ANSWER_COLUMNS, summary_groups, summary_type
from segscore.pipeline.tables.answer_accounts import AnswerAccount


def answer_columns(account: AnswerAccount | None) -> dict[str, float | int | None]:
    """Return the columns about the answers of a system; null without an account."""
    if account is None:
        return dict.fromkeys(ANSWER_COLUMNS)
    values = (account.answers, account.failed, account.undivided, account.edit_rate)
    return dict(zip(ANSWER_COLUMNS, values, strict=True))


class Answers(Aspect):
    """What became of the answers of systems that are language models."""

    def fill(self, outcome: Outcome) -> pa.Table:
        """Fill the columns about answers in the rows over all documents."""
        accounts, summary = outcome.inputs.hypotheses.accounts, outcome.summary
        if not accounts:
            return summary
        whole = are_over_all(summary, summary_groups(summary.column_names)).to_pylist()
        systems = summary.column("hypothesis").to_pylist()
        rows = [
            answer_columns(accounts.get(system) if is_whole else None)
            for system, is_whole in zip(systems, whole, strict=True)
        ]
        for name in ANSWER_COLUMNS:
            values = pa.array([row[name] for row in rows], summary_type(name))
            summary = summary.set_column(summary.column_names.index(name), name, values)
        return summary
