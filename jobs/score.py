"""`segscore score`: hypotheses against references."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segscore.jobs.cli import garbage
from segscore.jobs.cli.options import (
    NT,
    Cluster,
    Documents,
    ExplainPlan,
    Fresh,
    GroupBy,
    LogFormat,
    MaxRejects,
    MemoryLimit,
    Output,
    PSeg,
    References,
    Replicates,
    Rounding,
    Seed,
    Settings,
    Units,
    Window,
    Workers,
    memory_of,
    names,
    numbers,
    whole_numbers,
    window_of,
)
from segscore.jobs.show.printing import Bar, print_finished, print_plan
from segscore.pipeline.errors import Done

if TYPE_CHECKING:
    from segscore.pipeline.scoring.settings import ScoreSettings

READ: dict[str, Callable[[Any], Any]] = {
    "group_by": names,
    "window": window_of,
    "boundary_types": partial(whole_numbers, "--boundary-types"),
    "c_seg_costs": partial(numbers, "--c-seg-costs"),
    "edit_constants": partial(numbers, "--edit-constants"),
    "content_weights": partial(numbers, "--content-weights"),
    "memory_limit": memory_of,
}
"""How options that are not taken as they stand are read."""


def settings_of(**options: Any) -> "ScoreSettings":
    """Make settings of options as a command line says them; those left out are as by default.

    Raises:
        Refused: an option that cannot be meant.
    """
    from segscore.pipeline.scoring.settings import ScoreSettings

    return ScoreSettings(
        **{name: READ[name](said) if name in READ else said for name, said in options.items()}
    )


def score(
    references: References,
    hypotheses: Annotated[str, typer.Argument(help="Segmentations to judge.")],
    output: Output,
    documents: Documents = None,
    group_by: GroupBy = None,
    n_t: NT = 2,
    window: Window = "per-pair",
    rounding: Rounding = "half-even",
    units: Units = "units",
    pairing: Annotated[
        str, typer.Option(help="Of near misses: greedy as published, or optimal.")
    ] = "greedy",
    boundary_types: Annotated[
        str | None,
        typer.Option(help="Types boundaries may have, such as 1,2,3; default: those that occur."),
    ] = None,
    p_seg: PSeg = None,
    cost_miss: Annotated[float, typer.Option(help="Cost of a miss in Pr_error, 0 to 1.")] = 0.5,
    c_seg_costs: Annotated[
        str, typer.Option(help="Costs of a miss and of a false alarm in C_seg.")
    ] = "1,0.3",
    beta: Annotated[float, typer.Option(help="Weight of recall in b_f1 and f1.")] = 1.0,
    edit_constants: Annotated[
        str, typer.Option(help="Added to the weight of a near miss, of a substitution.")
    ] = "0,0",
    content_weights: Annotated[
        str,
        typer.Option(
            help="Weights of leading and trailing misses, leading and trailing false alarms."
        ),
    ] = "1,1,1,1",
    unit_weights: Annotated[
        bool,
        typer.Option("--unit-weights", help="Count content in unit_weights of --documents."),
    ] = False,
    confusion: Annotated[
        bool, typer.Option("--confusion", help="Write which boundary type was taken for which.")
    ] = False,
    consensus: Annotated[
        str | None,
        typer.Option(help="Score against consensus references too, such as 0.5,0.3,any."),
    ] = None,
    reference_points: Annotated[
        str | None,
        typer.Option(help="Score reference points too, such as none,all,regular,random-known."),
    ] = None,
    replicates: Replicates = 1000,
    seed: Seed = 0,
    cluster: Cluster = "local",
    workers: Workers = None,
    max_rejects: MaxRejects = 1.0,
    memory_limit: MemoryLimit = None,
    explain_plan: ExplainPlan = False,
    fresh: Fresh = False,
    settings: Settings = None,
    log_format: LogFormat = "text",
) -> Done | None:
    """Score hypotheses against references and write scores, averages and intervals."""
    chosen = settings_of(
        references=references,
        hypotheses=hypotheses,
        output=output,
        documents=documents,
        group_by=group_by,
        n_t=n_t,
        window=window,
        rounding=rounding,
        units=units,
        pairing=pairing,
        boundary_types=boundary_types,
        p_seg=p_seg,
        cost_miss=cost_miss,
        c_seg_costs=c_seg_costs,
        beta=beta,
        edit_constants=edit_constants,
        content_weights=content_weights,
        unit_weights=unit_weights,
        confusion=confusion,
        consensus=consensus,
        reference_points=reference_points,
        replicates=replicates,
        seed=seed,
        max_rejects=max_rejects,
        memory_limit=memory_limit,
        fresh=fresh,
    )
    from segscore.pipeline.runs import cluster as places
    from segscore.pipeline.runs.planning import LIMITS
    from segscore.pipeline.scoring import run
    from segscore.pipeline.scoring.inputs import find_inputs

    if explain_plan:
        print_plan(run.scoring_plan(chosen, find_inputs(chosen), LIMITS))
        return None
    garbage.work()
    with places.connect(cluster, workers, chosen.memory_limit) as client, Bar() as bar:
        finished = run.run_scoring(chosen, client, bar.advance)
    if isinstance(finished, Done):
        return finished
    print_finished(output, finished)
    return None
