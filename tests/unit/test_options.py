"""Options: declared once, and offered by every command that shares what they change."""

import re
from dataclasses import MISSING, fields, make_dataclass
from typing import Annotated, Any

import pytest

from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.conventions.calibrate_settings import CalibrateSettings
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import ALL, FAMILIES
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.sweep.settings import SweepSettings
from segscore.pipeline.settings.measuring import SIGNED, MeasuringSettings
from segscore.pipeline.settings.options import Option, Signed, options_of

COMMANDS = (ScoreSettings, AgreeSettings, SweepSettings, CalibrateSettings)
SIGNING = (ScoreSettings, AgreeSettings, SweepSettings, MeasuringSettings)
TOGETHER = (
    {"window", "rounding"},  # window_sizes
    {"units", "length_tolerance", "documents"},  # how lengths and positions are read
)
"""Options that one function takes: a command that has one of them needs the others."""

OWN = ("n_t", "seed", "measures")
"""Options for which some commands have a help text or a default of their own."""


@pytest.mark.parametrize("settings", COMMANDS, ids=lambda settings: settings.__name__)
def test_commands_that_share_a_function_offer_its_options(settings: type) -> None:
    names = {field.name for field in fields(settings)}
    for options in TOGETHER:
        assert not options & names or options <= names, options - names


@pytest.mark.parametrize("settings", COMMANDS, ids=lambda settings: settings.__name__)
def test_a_shared_option_means_and_checks_the_same(settings: type) -> None:
    ours = options_of(MeasuringSettings)
    for name, option in options_of(settings).items():
        if name in ours and name not in OWN:
            assert option == ours[name], name
            assert getattr(settings, name) == getattr(MeasuringSettings, name)


def test_what_a_setting_affects_exists() -> None:
    """A misspelt family or count would leave the setting out of every signature."""
    counts = {name for family in FAMILIES.values() for name in family.COUNTS}
    used = {word for each in ALL.values() for word in re.findall(r"[a-z_]+", each.formula)}
    for signed in SIGNED.values():
        assert {*signed.affects} <= {*FAMILIES} | counts | used, signed.name


def test_the_help_lists_the_families() -> None:
    """It is text, because settings import no NumPy, which families do."""
    listed = re.search(r"families \(([^)]*)\)", options_of(MeasuringSettings)["measures"].help)
    assert listed is not None
    assert listed[1].split(", ") == list(FAMILIES)


def test_every_check_names_the_option() -> None:
    for name, option in options_of(MeasuringSettings).items():
        if option.check is not None and isinstance(getattr(MeasuringSettings, name), int | float):
            wrong: dict[str, Any] = {name: -7}
            with pytest.raises(Refused, match=f"--{name.replace('_', '-')} -7"):
                MeasuringSettings(**wrong)


@pytest.mark.parametrize("settings", SIGNING, ids=lambda settings: settings.__name__)
def test_a_signature_states_each_option_that_says_so(settings: type) -> None:
    """An option of one command alone enters its signature by being signed, and nothing else."""
    own = Annotated[int, Option("An option.", signed=Signed("depth", "how deep"))]
    longer: Any = make_dataclass("Longer", [("depth", own, 0)], bases=(settings,), frozen=True)
    given = {each.name: "-" for each in fields(settings) if each.default is MISSING}
    assert "depth" not in signed(longer(**given))
    assert "|depth:3|" in signed(longer(**given, depth=3))


def signed(settings: Any) -> str:
    """Return the signature of settings of any command."""
    signature = settings.signature
    return str(signature if isinstance(signature, str) else signature("jackknife,documents"))
