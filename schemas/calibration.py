"""The output table `calibration`: the value of a measure for known faults."""

import pandera.pyarrow as pap

from segscore.schemas.columns import name, value, whole

CALIBRATION = pap.DataFrameSchema(
    {
        "measure": name("the measure"),
        "fault": name(
            "missed, added, missed-or-added, mixed (near and full misses), moved, or random: as "
            "many boundaries as the reference, anywhere"
        ),
        "level": value(
            "probability of the fault for each boundary; of moved, the largest distance"
        ),
        "size": value("level; of moved, the mean distance, in the unit of the run"),
        "micro": value("value over all versions of all references", None, None),
        "macro": value("mean over documents of their values", None, None),
        "documents": whole("documents whose references were simulated", 1),
        "all_documents": whole("documents with an accepted reference", 1),
    },
    name="calibration",
    description="fault and level",
    strict=True,
)
