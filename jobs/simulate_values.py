"""`segscore simulate values`: show which faults give which values on a corpus."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from segscore.jobs.cli.log import LOG
from segscore.jobs.cli.options import FigureFile
from segscore.jobs.show.formats import ResultFormat, plain_table, print_json, print_table
from segscore.pipeline.conventions.calibrate_settings import CalibrateSettings

if TYPE_CHECKING:
    from segscore.pipeline.conventions.calibrate import Calibration


def simulate_values(
    chosen: CalibrateSettings, format_name: ResultFormat = "text", figure: FigureFile = None
) -> None:
    """Show what a value of a measure is worth: the value that known faults give.

    Misses, adds and moves boundaries of REFERENCES at random, and measures the result; also of
    no boundaries, and of random ones.
    """
    from segscore.pipeline.conventions.calibrate import run_calibration
    from segscore.pipeline.reports.figures import require_figure

    if figure is not None:
        require_figure("--figure", figure)
    calibration = run_calibration(chosen)
    LOG.warn(calibration.warnings)
    number = chosen.number
    if number is not None and number.assumed_percent:
        text = f"--value {number.printed}: read as a percentage, {number.value:g}"
        LOG.say("warning", text)
    value = None if number is None else number.value
    if format_name == "text":
        _print_as_text(calibration, chosen, value)
    else:
        _print_as_data(calibration, value, format_name)
    if figure is not None:
        _save_figure(figure, calibration)


def _save_figure(path: str, calibration: "Calibration") -> None:
    """Save the curves."""
    from segscore.jobs.show.figures import write_figure
    from segscore.pipeline.reports.calibration import curve_charts

    write_figure(path, curve_charts(calibration), "no curve has a value to draw")


def _print_as_text(
    calibration: "Calibration", chosen: CalibrateSettings, value: float | None
) -> None:
    """Print what a value is worth, or the curve; then what systems that find nothing get."""
    from segscore.jobs.show.fitted import print_lines
    from segscore.jobs.show.shown import print_result
    from segscore.pipeline.conventions.calibration_tables import distances_table, shares_table

    if value is not None:
        print_lines(calibration.describe(value))
    else:
        print_result(shares_table(calibration))
        print_result(distances_table(calibration))
    if calibration.sample.words:
        sentence = f"simulated on {calibration.sample.words}; --sample all takes every one"
        print_lines(sentence)
    if person := calibration.second_person_in_words():
        print_lines(person)
    print_lines(calibration.chance_in_words())
    if chosen.output is not None:
        print_lines(f"written to {chosen.output}")


def _print_as_data(calibration: "Calibration", value: float | None, format_name: str) -> None:
    """Print a row for each fault; in JSON also what a value is worth."""
    table = calibration.table
    rows = table.to_pylist()
    if format_name == "json":
        described = None if value is None else calibration.describe(value)
        person = calibration.second_person
        print_json(
            "simulate-values",
            {
                "value": value,
                "described": described,
                "points": rows,
                "second_person": None if person is None else asdict(person),
            },
        )
    else:
        print_table(plain_table(table.column_names, rows, ""), format_name)
