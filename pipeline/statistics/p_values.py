"""Write p values for readers, in one way everywhere."""

_LEAST = 0.00005


def shown_p(p: float | None) -> str:
    """Write a p value with four decimals, never as 0; a dash if undefined."""
    if p is None:
        return "–"
    return "< .0001" if p < _LEAST else f"{p:.4f}"
