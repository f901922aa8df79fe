"""Formats of annotations, tiers, speech and editing are known by endings and content."""

import pytest

from segscore.pipeline.importing.open_input import detect
from tests.support.reading import import_settings

PREMIERE = "Name\tText\tIn\tOut\tDauer\tTyp\n\na\t\t00;00;01;00\t00;00;01;00\t00;00;00;00\tC\n"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.json", '[{"id": 1, "annotations": []}]', "label-studio"),
        ("a.json", '[{"id": 1, "annotations": [{"re', "label-studio"),
        ("a.json", '[{"session_id": "a"}]', "seglst"),
        ("a.seglst.json", "[", "seglst"),
        ("a.jsonl", '{"text": "a", "answer": "accept", "spans": []}', "prodigy"),
        ("a.jsonl", '{"text": "a", "label": []}', "doccano"),
        ("a.jsonl", '{"text": "a", "entities": [], "relations": []}', "doccano"),
        ("a.jsonl", '{"id": 1, "text": "a", "annotations": [], "meta": {}}', "doccano"),
        ("a.jsonl", '{"start": 0, "end": 1, "text": "a", "label": "b"}', "intervals"),
        ("a.jsonl", '{"boundaries": [1], "text": "a", "label": "b"}', "jsonl"),
        ("a.EAF", "", "elan"),
        ("a.b.TextGrid", "", "textgrid"),
        ("a.rttm", "", "rttm"),
        ("a.stm", "", "stm"),
        ("a.ctm", "", "ctm"),
        ("a.tok", "", "disrpt"),
        ("a.conllu", "", "disrpt"),
        ("a.jams", "", "jams"),
        ("a.edl", "", "edl"),
        ("a.txt", "0.000000\t1.500000\n", "audacity"),
        ("a.txt", "0.000000\t1.500000\t\n", "audacity"),
        ("a.txt", "\\\t1.0\t2.0\r\n0\t1\ta\tb\r\n", "audacity"),
        ("a.txt", "0 24\n25 99\n", "audacity"),
        ("a.lab", "0.0 1.5 verse\n", "audacity"),
        ("a.txt", "1\t2\t0101\n", "nltk"),
        ("a.txt", "0101\n", "nltk"),
        ("a.csv", PREMIERE, "premiere"),
        ("a.tsv", PREMIERE.replace(";", ":").replace("\n", "\r\n"), "premiere"),
        ("a.csv", "start\tend\tc\td\te\tf\n0\t1\t1\t1\t1\t1\n", "intervals"),
    ],
)
def test_the_format_of_a_file(name: str, text: str, expected: str) -> None:
    assert detect(name, text, import_settings()) == expected
