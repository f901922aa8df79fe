"""Write values and numbers of nights for sentences."""


def short(value: float, digits: int = 3) -> str:
    """Write a value with three decimals, without a leading zero: .413, -.02 as -.020, 1.250."""
    text = f"{value:.{digits}f}"
    if not text.strip("-0."):
        return "0"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def nights(number: int) -> str:
    """Write a number of nights."""
    return f"{number} night{'' if number == 1 else 's'}"
