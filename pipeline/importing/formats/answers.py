"""Answers of language models, which are placed in the units of `--source` (`importing/answers`)."""

from segscore.pipeline.importing.formats.format import Format

_ALL = (
    *("source", "text_field", "source_units", "answer_field", "answer", "labels", "failed"),
    *("document_field", "coder_field"),
)

FORMATS = (
    Format("rewritten", options=(*_ALL, "breaks", "headings", "max_edits", "tokens")),
    Format("numbered", options=(*_ALL, "numbers", "first_number")),
    Format("quoted", options=(*_ALL, "max_unplaced", "tokens")),
)
