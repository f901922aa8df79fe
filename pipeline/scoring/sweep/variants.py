"""A setting under which systems are ranked; without NumPy, as every command imports it."""

from typing import NamedTuple

from segscore.pipeline.settings.measuring import MeasuringSettings


class Variant(NamedTuple):
    """A setting and its value.

    Attributes:
        setting: n_t, window or units.
        choice: the value, as text.
        own: whether it is that of the run.
        settings: how the measures are computed.
    """

    setting: str
    choice: str
    own: bool
    settings: MeasuringSettings
