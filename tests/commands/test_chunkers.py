"""Outputs of chunkers, as their programs write them, are imported at the first try and scored."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore

TEXT = "Good evening. The floods recede. Rescue teams go home. And now the sport. A late goal."
CUTS = [0, 13, 54, len(TEXT)]
SPANS = list(pairwise(CUTS))


def chunks(**names: str) -> list[dict[str, Any]]:
    """Describe each chunk by its start, its end and its text under the given names."""
    return [
        {names[what]: value for what, value in zip(names, (a, b, TEXT[a:b]), strict=False)}
        for a, b in SPANS
    ]


OUTPUTS: dict[str, Any] = {
    "langchain.json": [
        {"id": None, "metadata": {"source": "d", "start_index": a}, "page_content": TEXT[a:b]}
        for a, b in SPANS
    ],
    "llamaindex.json": [
        {"id_": f"node-{a}", "ref_doc_id": "d", **chunk}
        for chunk, (a, _) in zip(
            chunks(start="start_char_idx", end="end_char_idx", text="text"), SPANS, strict=True
        )
    ],
    "haystack.json": [
        {"content": TEXT[a:b], "meta": {"source_id": "d", "split_id": a, "split_idx_start": a}}
        for a, b in SPANS
    ],
    "chonkie.jsonl": [
        {"document_id": "d", **chunk, "token_count": 3}
        for chunk in chunks(start="start_index", end="end_index", text="text")
    ],
    "semchunk.jsonl": [{"document_id": "d", "offsets": SPANS}],
    "spacy.jsonl": [{"document_id": "d", "sents": chunks(start="start_char", end="end_char")}],
    "nltk.json": {"d": SPANS, "e": SPANS},
    "regex.json": [{"doc_id": "d", "chunks": chunks(start="start", end="end", text="text")}],
    "two-lists.jsonl": [{"id": "d", "tokens": ["a", "b"], "chunks": SPANS}],
    "table.csv": "doc_id,char_start,char_end\n" + "".join(f"d,{a},{b}\n" for a, b in SPANS),
}


def put(folder: Path, name: str, content: Any) -> Path:
    """Write the output of a chunker as its ending says."""
    if name.endswith(".jsonl"):
        content = "".join(f"{json.dumps(record)}\n" for record in content)
    elif not isinstance(content, str):
        content = json.dumps(content)
    path = folder / name
    path.write_text(content)
    return path


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_chunker_is_scored(segscore: Segscore, tmp_path: Path, name: str) -> None:
    gold = [
        {"document_id": document, "coder": "gold", "n_units": len(TEXT), "boundaries": [13, 74]}
        for document in "de"
    ]
    references = put(tmp_path, "gold.jsonl", gold)
    output, coder = tmp_path / "tables", name.partition(".")[0]
    options = ("--role", "hypothesis", "--documents", references, "--unit", "character")
    named = () if name != "nltk.json" else ("--coder", coder)
    imported = segscore(
        "import", put(tmp_path, name, OUTPUTS[name]), *options, *named, "--output", output
    )
    assert imported.code == 0, imported.err
    row = read_table(str(output / "hypotheses")).to_pylist()[0]
    found = row["document_id"], row["coder"], row["n_units"], row["boundaries"]
    assert found == ("d", coder, len(TEXT), CUTS[1:-1])
    sides = (references, output / "hypotheses", "--unit", "character", "--measures", "f1")
    scored = segscore("score", *sides, "--output", tmp_path / "run")
    assert (scored.code, "0.500" in scored.out) == (0, True), scored.err


def test_lists_of_pairs_that_are_not_numbers_are_not_spans(
    segscore: Segscore, tmp_path: Path
) -> None:
    file = put(tmp_path, "texts.json", {"d": [[0, "Good"], [5, "evening"]]})
    refused = segscore("import", file, "--coder", "x", "--output", tmp_path / "out")
    assert (refused.code, "cannot tell its format" in refused.err) == (2, True)
