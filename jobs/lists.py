"""Options that are lists of numbers."""


def numbers(option: str, text: str) -> tuple[float, ...]:
    """Read numbers separated by commas.

    Raises:
        Refused: naming the option, if it is not a list of numbers.
    """
    from pipeline.errors import Refused

    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError as problem:
        raise Refused(f"{option} {text}: must be numbers separated by commas") from problem


def whole_numbers(option: str, text: str | None) -> tuple[int, ...]:
    """Read whole numbers separated by commas; none where the option is not given.

    Raises:
        Refused: naming the option, if it is not a list of whole numbers.
    """
    from pipeline.errors import Refused

    try:
        return () if text is None else tuple(int(part) for part in text.split(","))
    except ValueError as problem:
        raise Refused(f"{option} {text}: must be whole numbers separated by commas") from problem
