"""The BibTeX on the page of sources: what `segscore cite` prints."""

import re
from importlib.metadata import version
from pathlib import Path

from segscore.pipeline.measures import ALL
from segscore.pipeline.measures.agreement_bibliography import AGREEMENT_PUBLICATIONS
from segscore.pipeline.measures.bibliography import ADJUSTMENT, INTERVAL_METHOD, bibliography

PAGE = Path(__file__).parents[1] / "bibliography.md"
_ENTRIES = re.compile(r"(?<=^```bibtex\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)


def page() -> str:
    """Return the text of docs/bibliography.md: the page with the entries as they are now."""
    others = (INTERVAL_METHOD, ADJUSTMENT, *AGREEMENT_PUBLICATIONS)
    entries = bibliography([*ALL.values()], version("segscore"), others).rstrip() + "\n"
    text, replaced = _ENTRIES.subn(lambda _: entries, PAGE.read_text("utf-8"))
    if replaced != 1:
        raise SystemExit(f"{PAGE}: must have one block of bibtex, not {replaced}")
    return text
