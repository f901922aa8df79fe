"""Which options the readers of formats use, according to the table and in fact."""

import json
from collections import defaultdict
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Any

import pytest

from segscore.api.settings import read_settings
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.known import FORMATS, SPECIFIC_OPTIONS, format_named
from segscore.pipeline.importing.open_input import format_of, open_input
from segscore.pipeline.importing.run import warn_of_unused
from segscore.pipeline.importing.settings import ImportSettings
from tests.support.paths import ROOT

FILES = ROOT / "tests" / "data" / "formats"
CASES = [json.loads(line) for line in (FILES / "expected.jsonl").read_text().splitlines()]
OTHERS = ("--documents", "--format")
READERS = [name for name, one in FORMATS.items() if one.read]
IN_TEST_FORMATS = ("jsonl", "csv", "nltk", "segeval")
"""Formats that give positions, whose files have no case here."""
NUMBERS = ("max_level", "skip_lines", "smallest_gap")


class Watched(ImportSettings):
    """Options of which it is known which were read."""

    def __getattribute__(self, name: str) -> Any:
        attributes = object.__getattribute__(self, "__dict__")
        attributes.setdefault("read", set()).add(name)
        return object.__getattribute__(self, name)


def settings_of(case: dict[str, Any]) -> ImportSettings:
    """Return the settings of a case."""
    options = {
        option.removeprefix("--").replace("-", "_"): value
        for option, value in case["options"].items()
        if option not in OTHERS
    }
    options |= {name: int(options[name]) for name in NUMBERS if name in options}
    settings = ImportSettings(("f",), "out", **read_settings(ImportSettings, options))
    chosen = case["options"].get("--format")
    return replace(settings, format_name=chosen and format_named(chosen))


def options_read(case: dict[str, Any]) -> dict[str, set[str]]:
    """Return the formats of the files of a case, and the options that their readers read."""
    settings = settings_of(case)
    _ = settings.clock  # computed before it is watched
    found: dict[str, set[str]] = defaultdict(set)
    for file in case["files"]:
        watched = copy(settings)
        object.__setattr__(watched, "__class__", Watched)
        with suppress(Refused):
            opened = open_input(str(FILES / file), settings)
            name = settings.format_name or format_of(opened, settings)
            read_shapes = FORMATS[name].read
            assert read_shapes is not None
            with suppress(Refused):
                list(read_shapes(opened, watched))
            read = vars(watched).get("read", set())
            found[name] |= read | ({"columns"} if "column_names" in read else set())
    return found


READ = [options_read(case) for case in CASES]
"""What the readers read in each case."""


@pytest.mark.parametrize("read", READ, ids=[case["case"] for case in CASES])
def test_a_reader_reads_only_options_of_its_format(read: dict[str, set[str]]) -> None:
    for name, options in read.items():
        assert options & {*SPECIFIC_OPTIONS} <= {*FORMATS[name].options}


@pytest.mark.parametrize("name", READERS)
def test_every_format_has_a_case_in_which_it_reads_its_options(name: str) -> None:
    """Frames are read by way of the clock."""
    found = set[str]().union(*(case[name] for case in READ if name in case))
    assert {*FORMATS[name].options} <= found | ({"frame_rate"} if "clock" in found else set())


@pytest.mark.parametrize("name", [name for name in READERS if name not in IN_TEST_FORMATS])
def test_every_format_refuses_damaged_files(name: str) -> None:
    """Of each case the file is cut at some places; no error but a refusal is raised."""
    read_shapes = FORMATS[name].read
    assert read_shapes is not None
    cases = [case for case, read in zip(CASES, READ, strict=True) if [*read] == [name]]
    assert cases
    for case in cases[:2]:
        settings = settings_of(case)
        opened = open_input(str(FILES / case["files"][0]), settings)
        if opened.is_parquet:
            continue
        for cut in range(0, len(opened.content), max(1, len(opened.content) // 20)):
            with suppress(Refused):
                list(read_shapes(replace(opened, content=opened.content[:cut]), settings))
        with pytest.raises(Refused):
            list(read_shapes(replace(opened, content=b"\x00{[<\xff"), settings))


@pytest.mark.parametrize("name", FORMATS)
def test_options_that_a_format_does_not_read_are_warned_of(name: str) -> None:
    others = [option for option in SPECIFIC_OPTIONS if option not in FORMATS[name].options]
    given = {"skip_lines": 1, "columns": {"start": "x"}, "tier": ("x",), "marks": "end"}
    given |= {
        "source_units": "tokens",
        "headings": "keep",
        "failed": "none",
        "truncated": "keep",
        "tokens": "words",
    }
    given |= {"max_unplaced": 1, "first_number": 1, "max_edits": 0.5}
    for option in others:
        value = given.get(option, "lines" if option == "text_units" else "25")
        settings = ImportSettings(("f.x",), "out", name, **{option: value})  # type: ignore[arg-type]
        (warning,) = warn_of_unused(settings, {name: "f.x"})
        assert warning == f"--{option.replace('_', '-')} has no effect on f.x ({name})"


def test_formats_name_options() -> None:
    assert {name for one in FORMATS.values() for name in one.options} == {*SPECIFIC_OPTIONS}
