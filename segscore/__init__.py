"""Score text segmentations: exact, cited, at any size.

>>> import segscore
>>> segscore.score(reference=[2, 5], hypothesis=[2, 4], n_units=11).boundary_similarity
0.75
>>> segscore.pk(reference=[2, 5], hypothesis=[2, 4], n_units=11)
0.2222222222222222

Every measure of `segscore.measures()` for pairs is a function of this module. Names are imported
when they are used, so that `import segscore` is fast. docs/python.md has a tour.
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if find_spec("segscore.pipeline") is None:
    # Python found this folder in a checkout, where it runs perhaps; the others are beside it.
    __path__.append(str(Path(__file__).parents[1]))

if TYPE_CHECKING:
    from segscore.api.agree import AgreementTables, agree
    from segscore.api.align import Alignment, align
    from segscore.api.calibrate import calibrate
    from segscore.api.compare import ComparisonTables, compare
    from segscore.api.evaluation import Evaluation, evaluate
    from segscore.api.measures import measures
    from segscore.api.metric import Metric
    from segscore.api.read_run import read_run
    from segscore.api.reconcile import reconcile
    from segscore.api.runs import RunTables
    from segscore.api.score import Score, score
    from segscore.api.segmentation import Segmentation
    from segscore.api.sweep import SweepTables, sweep
    from segscore.api.testsets import testsets
    from segscore.api.trend import TrendTables, trend
    from segscore.api.typed import *  # noqa: F403  (a function for each measure)
    from segscore.pipeline.errors import Failed, Refused

    __version__: str

__all__ = [
    "AgreementTables",
    "Alignment",
    "ComparisonTables",
    "Evaluation",
    "Failed",
    "Metric",
    "Refused",
    "RunTables",
    "Score",
    "Segmentation",
    "SweepTables",
    "TrendTables",
    "agree",
    "align",
    "calibrate",
    "compare",
    "evaluate",
    "measures",
    "read_run",
    "reconcile",
    "score",
    "sweep",
    "testsets",
    "trend",
]

if TYPE_CHECKING:
    from segscore.api import typed as _typed

    __all__ += _typed.__all__

_HOMES = {
    "agree": ("AgreementTables", "agree"),
    "align": ("Alignment", "align"),
    "calibrate": ("calibrate",),
    "compare": ("ComparisonTables", "compare"),
    "evaluation": ("Evaluation", "evaluate"),
    "measures": ("measures",),
    "metric": ("Metric",),
    "reconcile": ("reconcile",),
    "read_run": ("read_run",),
    "runs": ("RunTables",),
    "score": ("Score", "score"),
    "segmentation": ("Segmentation",),
    "sweep": ("SweepTables", "sweep"),
    "testsets": ("testsets",),
    "trend": ("TrendTables", "trend"),
}
_MODULES = {name: f"segscore.api.{module}" for module, names in _HOMES.items() for name in names}
_MODULES |= dict.fromkeys(("Failed", "Refused"), "segscore.pipeline.errors")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import a name of the public interface, or make the function of a measure."""
        value = None
        if name in _MODULES:
            try:
                value = getattr(import_module(_MODULES[name]), name)
            except ModuleNotFoundError as missing:
                raise ModuleNotFoundError(
                    f"segscore.{name} needs {missing.name}, which is not installed: pip install "
                    "segscore, without --no-deps",
                    name=missing.name,
                ) from None
        elif name == "__version__":
            from importlib.metadata import version

            value = version("segscore")
        elif not name.startswith("_"):
            from segscore.pipeline.measures import PAIRS

            if name in PAIRS.measures:
                from segscore.api.measure_functions import measure_function

                value = measure_function(name)
        if value is None:
            from segscore.pipeline.errors import nearest

            near = nearest(name, __dir__()) if not name.startswith("_") else ""
            raise AttributeError(f"module 'segscore' has no attribute {name!r}{near}", name=name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """List the public names: those of ``__all__``, and a function for each measure."""
    from segscore.pipeline.measures import PAIRS

    return sorted({*__all__, *PAIRS.measures})
