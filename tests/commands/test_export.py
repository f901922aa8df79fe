"""Segmentations and edits as files of the programs that people annotate with, and back."""

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from segscore.pipeline import storage
from segscore.pipeline.importing.run import find_imported, run_import
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.reports.export.settings import EXPORT_FORMATS, ExportSettings
from segscore.pipeline.reports.export.write_export import export_tracks, write_export
from segscore.pipeline.runs.executors import Threads
from segscore.pipeline.runs.tasks import ignore_progress
from tests.support.command_line import Segscore
from tests.support.examples import examples
from tests.support.rows import read_rows

IMPORTED_AS = {
    "webvtt": ("show.vtt", "webvtt"),
    "audacity": ("show.txt", "audacity"),
    "textgrid": ("show.TextGrid", "textgrid"),
    "label-studio": ("show.json", "label-studio"),
    "elan": ("show.eaf", "elan"),
}
LONGEST = 2**31 - 1


def table(folder: Path, rows: list[dict[str, Any]], unit: str | None = "millisecond") -> str:
    """Write a table of segmentations as an import does."""
    folder.mkdir(parents=True)
    schema = pa.schema(
        [
            ("document_id", pa.string()),
            ("coder", pa.string()),
            ("n_units", pa.int32()),
            ("boundaries", pa.list_(pa.int32())),
        ],
        metadata=None if unit is None else {"segscore.unit": unit},
    )
    storage.write_table(str(folder / "rows.parquet"), pa.Table.from_pylist(rows, schema))
    return str(folder)


def row(coder: str, boundaries: list[int], n_units: int = 600_120) -> dict[str, Any]:
    return {"document_id": "show", "coder": coder, "n_units": n_units, "boundaries": boundaries}


def read_back(file: Path, format_name: str, **asked: Any) -> Any:
    """Import a file, and return the references without what an import adds."""
    output = str(file.parent / "imported")
    chosen = ImportSettings((str(file),), output, format_name, **asked)
    with Threads(2) as threads:
        run_import(chosen, find_imported(chosen), threads, ignore_progress, resumable=False)
    rows = storage.read_table(storage.join(output, "references")).to_pylist()
    return [{name: one[name] for name in row("", [])} for one in rows]


@st.composite
def times(draw: st.DrawFn) -> tuple[int, list[int]]:
    """(n_units, boundaries) in milliseconds, with any of the three decimals."""
    n_units = draw(st.one_of(st.integers(1, 30), st.integers(1, LONGEST)))
    inside = st.lists(st.integers(1, max(1, n_units - 1)), unique=True, max_size=12)
    return n_units, sorted(p for p in draw(inside) if p < n_units)


@pytest.mark.parametrize("name", EXPORT_FORMATS)
@settings(max_examples=examples(15))
@given(case=times(), coder=st.sampled_from(["desk", 'a "b"', "Ärger", "7", "07", "a@b.org"]))
@example(case=(LONGEST, [1, LONGEST - 1]), coder="desk")
@example(case=(1, []), coder="desk")
def test_what_is_exported_is_imported(
    name: str, case: tuple[int, list[int]], coder: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    n_units, boundaries = case
    folder = tmp_path_factory.mktemp("way")
    rows = [row(coder, boundaries, n_units)]
    source = table(folder / "references", rows)
    file, format_name = IMPORTED_AS[name]
    write_export(str(folder / file), export_tracks(ExportSettings(source, name, "show")).files)
    named = {} if name == "label-studio" else {"coder": coder}
    assert read_back(folder / file, format_name, **named) == rows


@pytest.fixture
def shows(segscore: Segscore, tmp_path: Path) -> Path:
    """A run of one show: two people, two systems; and the tables that it scored."""
    references = [row("desk", [185_500, 420_250]), row("anna", [185_500, 420_000])]
    systems = [row("a", [186_000, 300_250, 600_000]), row("b", [])]
    tables = [
        table(tmp_path / "references", references),
        table(tmp_path / "hypotheses", systems),
    ]
    ended = segscore("score", *tables, "--n-t", 1001, "--output", tmp_path / "run")
    assert ended.code == 0, ended.err
    return tmp_path / "run"


def test_edits_are_those_of_explain(segscore: Segscore, shows: Path) -> None:
    chosen = ("--document", "show", "--coder", "desk,a")
    ended = segscore("export", shows, "--format", "audacity", *chosen, "--output", shows / "out")
    assert ended.code == 0, ended.err
    labels = (shows / "out/edits/a against desk/show.txt").read_text()
    assert labels == (
        "185.500\t186.000\tnear miss: hypothesis 500 ms late\n"
        "300.250\t300.250\tfalse alarm\n"
        "420.250\t420.250\tmiss\n"
        "600.000\t600.000\tfalse alarm\n"
    )
    explained = segscore("explain", shows, "--document", "show", "--hypothesis", "a").out
    of_desk = explained.partition("a against desk")[2].partition("a against anna")[0]
    for line in (
        "near miss: 0:03:05.500 in the reference, 0:03:06 in the hypothesis",
        "miss: 0:07:00.250 in the reference only",
        "false alarm: 0:05:00.250 in the hypothesis only",
        "false alarm: 0:10:00 in the hypothesis only",
    ):
        assert line in of_desk


def test_a_match_and_a_cue_at_the_end(segscore: Segscore, tmp_path: Path) -> None:
    """An edit lasts a second in WebVTT, but no cue ends after the document."""
    source = [row("desk", [5_000, 9_500], 10_000)]
    systems = [row("a", [5_000, 9_500], 10_000)]
    tables = [table(tmp_path / "references", source), table(tmp_path / "hypotheses", systems)]
    assert segscore("score", *tables, "--output", tmp_path / "run").code == 0
    chosen = ("--format", "webvtt", "--document", "show", "--output", tmp_path / "out")
    assert segscore("export", tmp_path / "run", *chosen).code == 0
    assert (tmp_path / "out/edits/a against desk/show.vtt").read_text() == (
        "WEBVTT\n\n00:00:05.000 --> 00:00:06.000\nmatch\n\n00:00:09.500 --> 00:00:10.000\nmatch\n"
    )


@pytest.mark.parametrize("name", EXPORT_FORMATS)
def test_a_run_without_boundaries_has_no_edits(
    segscore: Segscore, tmp_path: Path, name: str
) -> None:
    tables = [
        table(tmp_path / coder, [row(coder, [], 10_000)]) for coder in ("references", "hypotheses")
    ]
    assert segscore("score", *tables, "--output", tmp_path / "run").code == 0
    chosen = ("--format", name, "--document", "show", "--output", tmp_path / "out")
    exported = segscore("export", tmp_path / "run", *chosen)
    assert exported.code == 0, exported.err
    texts = [file.read_text() for file in (tmp_path / "out").rglob("*") if file.is_file()]
    texts = texts or [(tmp_path / "out").read_text()]
    assert not any("match" in text or "miss" in text for text in texts)


@pytest.mark.parametrize("name", ["webvtt", "audacity"])
def test_each_segmentation_of_a_run_comes_back(segscore: Segscore, shows: Path, name: str) -> None:
    out = shows.parent / "out"
    chosen = ("--format", name, "--document", "show", "--output", out)
    ended = segscore("export", shows, *chosen)
    assert ended.code == 0, ended.err
    file, format_name = IMPORTED_AS[name]
    assert len(ended.out.splitlines()) == len([*out.rglob(file)]) == 8
    found = [
        *read_back(out / "references/desk" / file, format_name, coder="desk"),
        *read_back(out / "hypotheses/a" / file, format_name, coder="a"),
        *read_back(out / "hypotheses/b" / file, format_name, coder="b"),
    ]
    assert found == [
        row("desk", [185_500, 420_250]),
        row("a", [186_000, 300_250, 600_000]),
        row("b", []),
    ]


def test_the_tiers_of_a_run_come_back(segscore: Segscore, shows: Path) -> None:
    file = shows.parent / "show.TextGrid"
    segscore("export", shows, "--format", "textgrid", "--document", "show", "--output", file)
    found = read_back(file, "textgrid", tier=("desk", "anna", "a", "b"))
    assert found == [
        row("desk", [185_500, 420_250]),
        row("anna", [185_500, 420_000]),
        row("a", [186_000, 300_250, 600_000]),
        row("b", []),
    ]
    assert file.read_text().count('class = "TextTier"') == 4
    assert file.read_text().count('mark = "near miss: hypothesis 500 ms late"') == 4


def test_the_tiers_of_an_elan_file_come_back(segscore: Segscore, shows: Path) -> None:
    file = shows.parent / "show.eaf"
    chosen = ("--format", "elan", "--document", "show", "--output", file)
    assert segscore("export", shows, *chosen).code == 0
    found = read_back(file, "elan", tier=("desk", "anna", "a", "b"))
    assert found == [
        row("desk", [185_500, 420_250]),
        row("anna", [185_500, 420_000]),
        row("a", [186_000, 300_250, 600_000]),
        row("b", []),
    ]
    text = file.read_text()
    assert text.count("<TIER ") == 8 and text.count("near miss: hypothesis 500 ms late") == 2
    times = {
        slot: int(time) for slot, time in re.findall(r'_ID="(ts\d+)" TIME_VALUE="(\d+)"', text)
    }
    for tier in text.split("<TIER ")[1:]:
        spans = re.findall(r'REF1="(ts\d+)" TIME_SLOT_REF2="(ts\d+)"', tier)
        ends = [times[end] for _, end in spans]
        starts = [times[start] for start, _ in spans]
        assert all(start < end for start, end in zip(starts, ends, strict=True))
        assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))


def many(folder: Path, documents: int, coders: str = "desk,anna") -> str:
    """A table of several documents by several coders; the last document lacks the last coder."""
    rows = [
        {**row(coder, [1000 * number + 1]), "document_id": f"show {number}, part"}
        for number in range(documents)
        for coder in coders.split(",")
    ]
    return table(folder / "references", rows[:-1])


@pytest.mark.parametrize("name", EXPORT_FORMATS)
def test_all_documents_at_once(segscore: Segscore, tmp_path: Path, name: str) -> None:
    source, out = many(tmp_path, 4), tmp_path / "out"
    result = segscore("export", source, "--format", name, "--output", out)
    assert result.code == 0, result.err
    files = [file for file in out.rglob("*") if file.is_file()]
    tracks = name in ("webvtt", "audacity")
    assert len(files) == (7 if tracks else 4)
    assert f"{out}: {len(files)} files of 4 documents" in result.out
    no_output = segscore("export", source, "--format", name)
    assert no_output.code == 2 and "has 4 documents; name a folder with --output" in no_output.err
    # An id may contain a comma; then several have to be told apart.
    one = segscore("export", source, "--format", name, "--document", "show 1, part",
                   "--coder", "desk", "--output", tmp_path / "one")  # fmt: skip
    assert one.code == 0 and (tmp_path / "one").is_file()
    anna = segscore("export", source, "--format", name, "--coder", "anna", "--output",
                    tmp_path / "anna")  # fmt: skip
    assert anna.code == 0 and "1 document left out, without a segmentation by anna" in anna.err
    assert len([file for file in (tmp_path / "anna").rglob("*") if file.is_file()]) == 3


def test_some_documents_of_a_run(segscore: Segscore, tmp_path: Path) -> None:
    rows = [{**row("desk", [9]), "document_id": name} for name in ("a", "b", "c")]
    tables = [table(tmp_path / name, rows) for name in ("references", "hypotheses")]
    assert segscore("score", *tables, "--output", tmp_path / "run").code == 0
    for chosen, expected in (((), "abc"), (("--document", "a,c"), "ac")):
        out = tmp_path / f"out{expected}"
        options = ("--format", "elan", *chosen, "--output", out)
        result = segscore("export", tmp_path / "run", *options)
        assert result.code == 0, result.err
        assert sorted(file.name for file in out.iterdir()) == [f"{one}.eaf" for one in expected]
    wrong = segscore("export", tables[0], "--format", "elan", "--document", "a,d", "--output", "x")
    assert wrong.code == 2 and "no segmentation of document d" in wrong.err


def test_annotations_and_predictions_come_back(segscore: Segscore, shows: Path) -> None:
    file = shows.parent / "show.json"
    segscore("export", shows, "--format", "label-studio", "--document", "show", "--output", file)
    (task,) = json.loads(file.read_text())
    labels = [one["value"]["labels"] for one in task["predictions"][0]["result"]]
    assert labels.count(["near miss"]) == 2 and labels.count(["Segment"]) == 4
    references = read_back(file, "label-studio", from_name="segments")
    assert references == [row("anna", [185_500, 420_000]), row("desk", [185_500, 420_250])]
    hypotheses = read_rows(file.parent, "imported/hypotheses")
    assert [(one["coder"], one["boundaries"]) for one in hypotheses] == [
        ("a", [186_000, 300_250, 600_000]),
        ("b", []),
    ]


def test_a_table_of_hypotheses_becomes_predictions(segscore: Segscore, shows: Path) -> None:
    chosen = ("--format", "label-studio", "--document", "show", "--coder", "a")
    ended = segscore("export", shows.parent / "hypotheses", *chosen)
    (task,) = json.loads(ended.out)
    assert [one["model_version"] for one in task["predictions"]] == ["a"]
    assert task["annotations"] == []


def test_same_names_have_roles(segscore: Segscore, tmp_path: Path) -> None:
    tables = [
        table(tmp_path / "references", [row("desk", [9])]),
        table(tmp_path / "hypotheses", [row("desk", [9])]),
    ]
    assert segscore("score", *tables, "--output", tmp_path / "run").code == 0
    ended = segscore("export", tmp_path / "run", "--format", "textgrid", "--document", "show")
    for name in ("desk (reference)", "desk (hypothesis)", "desk against desk"):
        assert f'        name = "{name}"\n' in ended.out


def test_names_stay_below_the_output(segscore: Segscore, tmp_path: Path) -> None:
    rows = [row("../../x", [9]), row("..", [9])]
    source = table(tmp_path / "references", rows)
    chosen = ("--format", "audacity", "--document", "show", "--output", tmp_path / "out")
    assert segscore("export", source, *chosen).code == 0
    files = [str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.txt")]
    assert sorted(files) == [
        "out/references/%2E%2E/show.txt",
        "out/references/%2E.%2F..%2Fx/show.txt",
    ]


@pytest.mark.first
@pytest.mark.parametrize("unit", ["sentence", None])
@pytest.mark.parametrize("name", EXPORT_FORMATS)
def test_other_units_are_refused(
    segscore: Segscore, tmp_path: Path, name: str, unit: str | None
) -> None:
    references = table(tmp_path / "references", [row("desk", [9])], unit)
    hypotheses = table(tmp_path / "hypotheses", [row("a", [9])], unit)
    assert segscore("score", references, hypotheses, "--output", tmp_path / "run").code == 0
    for source in (references, tmp_path / "run"):
        ended = segscore("export", source, "--format", name, "--document", "show")
        assert (ended.code, ended.out) == (2, "")
        (line,) = ended.err.splitlines()
        assert line.startswith(f"segscore: error: {source}: ")
        assert (f"counts {unit}s" if unit else "does not say") in line and "need times" in line


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--format", "srt", "--document", "show"), "--format srt: must be one of webvtt,"),
        (("--format", "webvtt", "--document", "other"), "other"),
        (("--format", "webvtt", "--document", "show", "--coder", "c"), "anna, desk, a, b"),
        (("--format", "webvtt", "--document", "show"), "name a folder with --output"),
        (("--format", "webvtt", "--document", "show", "--output", ""), "--output: is empty"),
    ],
)
def test_what_cannot_be_exported_is_said(
    segscore: Segscore, shows: Path, options: tuple[str, ...], said: str
) -> None:
    ended = segscore("export", shows, *options)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err and len(ended.err.splitlines()) == 1


def test_a_file_is_never_replaced(segscore: Segscore, shows: Path) -> None:
    chosen = ("--format", "webvtt", "--document", "show", "--output", shows.parent / "out")
    assert segscore("export", shows, *chosen).code == 0
    edited = shows.parent / "out/hypotheses/b/show.vtt"
    edited.write_text("WEBVTT, edited by hand\n")
    ended = segscore("export", shows, *chosen)
    assert ended.code == 2 and "exists already" in ended.err
    assert edited.read_text() == "WEBVTT, edited by hand\n"


def test_names_that_no_disk_allows_are_refused_before_anything_is_written(
    segscore: Segscore, tmp_path: Path
) -> None:
    rows = [{**row("desk", [9]), "document_id": name} for name in ("a", "ü" * 120)]
    ended = segscore(
        "export", table(tmp_path / "long", rows), "--format", "webvtt", "--output", tmp_path / "out"
    )
    assert ended.code == 2 and "would be a name of 244 bytes" in ended.err
    assert not (tmp_path / "out").exists()


def test_names_of_files_have_no_characters_that_change_the_direction_of_text(
    segscore: Segscore, tmp_path: Path
) -> None:
    rows = [{**row("desk", [9]), "document_id": name} for name in ("a", "b\u202etxt")]
    source = table(tmp_path / "turned", rows)
    assert segscore("export", source, "--format", "webvtt", "--output", tmp_path / "out").code == 0
    names = sorted(path.name for path in (tmp_path / "out").rglob("*.vtt"))
    assert names == ["a.vtt", "b%E2%80%AEtxt.vtt"]


def test_one_length_for_all(segscore: Segscore, tmp_path: Path) -> None:
    source = table(tmp_path / "references", [row("desk", [9]), row("anna", [9], 600_000)])
    chosen = ("--format", "textgrid", "--document", "show")
    ended = segscore("export", source, *chosen)
    assert ended.code == 2
    assert "600,120 units long for desk, but 600,000 for anna" in ended.err
    assert segscore("export", source, *chosen, "--coder", "anna").code == 0


def test_one_segmentation_for_each_coder(segscore: Segscore, tmp_path: Path) -> None:
    source = table(tmp_path / "references", [row("desk", [9]), row("desk", [10])])
    ended = segscore("export", source, "--format", "textgrid", "--document", "show")
    assert ended.code == 2 and "more than one segmentation" in ended.err


def test_a_row_that_breaks_a_rule_is_refused(segscore: Segscore, tmp_path: Path) -> None:
    source = table(tmp_path / "references", [row("desk", [9, 9])])
    ended = segscore("export", source, "--format", "textgrid", "--document", "show")
    assert ended.code == 2 and "row 0: boundaries" in ended.err
