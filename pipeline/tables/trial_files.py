"""Number the files or folders of hypotheses that are answers of the same systems."""

from collections.abc import Sequence

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.tables.path_columns import TRIAL, PathValues


def numbered_as_trials(
    location: str, urls: Sequence[str], values: Sequence[PathValues]
) -> list[PathValues]:
    """Return the columns that files have by their place, with the number of their trial.

    Each of several locations is a trial. Of a single one, each file is, or each folder if the files
    are in several. They are numbered from 1 in the order of their names.

    Args:
        location: what names the table; several locations are written as one.
        urls: its files.
        values: the columns that folders name, for each file.

    Raises:
        Refused: there is but one trial.
    """
    several = storage.split_locations(location)
    if len(several) > 1:
        place = {file.url: name for name in several for file in storage.find_counted(name).files}
        places = [place[url] for url in urls]
    else:
        places = [url.rpartition("/")[0] for url in urls]
        places = list(urls) if len({*places}) == 1 else places
    numbers = {name: number for number, name in enumerate(sorted({*places}), start=1)}
    if len(numbers) < 2:
        raise Refused(
            f"--trials: HYPOTHESES {location} is a single file; name the files of all trials, or "
            f"number the answers in its column {TRIAL} and omit --trials"
        )
    return [
        (*((name, value) for name, value in own if name != TRIAL), (TRIAL, numbers[place]))
        for own, place in zip(values, places, strict=True)
    ]
