"""Which options the readers of formats use, according to the table and in fact."""

import json
from contextlib import suppress
from typing import Any

import pytest

from segscore.api.settings import read_settings
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.asked import Asked
from segscore.pipeline.importing.formats.known import FORMATS, format_named
from segscore.pipeline.importing.formats.option_readers import OPTION_READERS
from segscore.pipeline.importing.open_input import format_of, open_input
from segscore.pipeline.importing.settings import ImportSettings
from tests.support.paths import ROOT

FILES = ROOT / "tests" / "data" / "formats"
CASES = [json.loads(line) for line in (FILES / "expected.jsonl").read_text().splitlines()]
OTHERS = ("--format", "--encoding", "--documents")
NUMBERS = ("max_level", "smallest_gap")


class Watched(Asked):
    """Options of which it is known which were read."""

    def __getattribute__(self, name: str) -> Any:
        attributes = object.__getattribute__(self, "__dict__")
        attributes.setdefault("read", set()).add(name)
        return object.__getattribute__(self, name)


def asked_of(case: dict[str, Any]) -> Asked:
    """Return the options of a case as readers get them."""
    options = {
        option.removeprefix("--").replace("-", "_"): value
        for option, value in case["options"].items()
        if option not in OTHERS
    }
    options |= {name: int(options[name]) for name in NUMBERS if name in options}
    return ImportSettings(("f",), "out", **read_settings(ImportSettings, options)).asked()


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_a_reader_uses_only_options_of_its_format(case: dict[str, Any]) -> None:
    asked = asked_of(case)
    for file in case["files"]:
        watched = Watched(**vars(asked))
        with suppress(Refused):
            opened = open_input(str(FILES / file), case["options"].get("--encoding"))
            chosen = case["options"].get("--format")
            name = format_named(chosen) if chosen else format_of(opened, asked)
            read_shapes = FORMATS[name].read
            assert read_shapes is not None
            list(read_shapes(opened, watched))
        read = vars(watched)["read"]
        read |= {"tier"} if "tiers" in read else set()
        used = [option for option in OPTION_READERS if option in read]
        assert [option for option in used if name not in OPTION_READERS[option]] == []


def test_the_table_names_options_and_formats() -> None:
    assert OPTION_READERS.keys() <= ImportSettings.__dataclass_fields__.keys()
    assert {name for names in OPTION_READERS.values() for name in names} <= FORMATS.keys()
