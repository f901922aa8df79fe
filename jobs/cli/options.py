"""Options for where and how a command runs; settings classes define all other options."""

from typing import Annotated

import typer

from segscore.jobs.cli.log import choose
from segscore.jobs.cli.settings_file import load_settings
from segscore.pipeline.settings.options import Panel

SettingsFile = Annotated[
    str | None,
    typer.Option(
        "--settings",
        is_eager=True,
        callback=load_settings,
        hidden=True,
        help="TOML file with options for each command, or run.json of a run of this command; the "
        "command line takes precedence.",
    ),
]
LogFormat = Annotated[
    str,
    typer.Option(
        is_eager=True,
        callback=choose,
        hidden=True,
        help="Format of log lines on standard error: text or json.",
    ),
]
Cluster = Annotated[
    str,
    typer.Option(
        help="Where to run: local, processes or tcp://host:port. "
        "local uses threads; tls://host:port needs certificates.",
        rich_help_panel=Panel.RUNNING,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        help="Threads or processes; default: one per processor.",
        min=1,
        rich_help_panel=Panel.RUNNING,
    ),
]
ExplainPlan = Annotated[
    bool,
    typer.Option(
        "--explain-plan",
        help="Print how rows would be matched; do nothing else.",
        rich_help_panel=Panel.RUNNING,
    ),
]

FigureFile = Annotated[
    str | None,
    typer.Option(
        "--figure",
        help="File for a figure: .svg, .pdf or .png.",
        rich_help_panel=Panel.OUTPUT,
    ),
]
