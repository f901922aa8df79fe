"""The model behind docs/scale.md, in cases with a known answer."""

import math
from dataclasses import replace

import pytest

from benchmarks.cost_model import Assumed, Cluster, Design, Measured, predict
from segscore.pipeline.runs.planning import ROWS_AT_ONCE

FREE = Measured(
    tasks=(2.0,),
    survey=0,
    start=0,
    plan=0,
    merge=0,
    output=0,
    sums=0,
    receipt=0,
    memory=0,
    scheduler=0,
    client=0,
    scheduler_byte=0,
    client_byte=0,
    beat=0,
    exchange=0,
    pack=0,
    packet=0,
    read_packet=0,
    shuffled_row=0,
)
ENDLESS = Assumed(network=math.inf, store=math.inf, request=0, memory=math.inf)
PLAIN = Design("plain")


def pairs(parts: int) -> int:
    return parts * ROWS_AT_ONCE


@pytest.mark.parametrize(("parts", "workers"), [(1, 1), (7, 1), (7, 3), (9, 3), (5, 100)])
def test_without_costs_tasks_take_turns(parts: int, workers: int) -> None:
    run = predict(FREE, ENDLESS, PLAIN, pairs(parts), workers)
    assert run.seconds == 2 * math.ceil(parts / workers)
    assert run.work == 2 * parts


def test_a_slow_scheduler_is_waited_for() -> None:
    slow = replace(FREE, scheduler=1.0)
    run = predict(slow, ENDLESS, PLAIN, pairs(200), 100)
    assert run.busy["scheduler"] == 1
    assert run.stages["shuffling"] == 84  # batches of three parts' rows
    assert run.stages["surveying"] == run.stages["tasks"] == 200


def test_a_client_receives_results_one_by_one() -> None:
    run = predict(replace(FREE, client=3.0), ENDLESS, PLAIN, pairs(10), 10)
    assert run.stages["tasks"] == 2 + 10 * 3


def test_workers_share_the_bandwidth_of_the_store() -> None:
    slow = replace(FREE, output=10e6)
    run = predict(slow, replace(ENDLESS, store=1e6), PLAIN, pairs(50), 50)
    assert run.busy["store"] == pytest.approx(500 / run.stages["tasks"])
    assert run.seconds == pytest.approx(2 + 500)


def test_serial_work_of_the_client_is_added() -> None:
    alone = replace(FREE, start=1.0, plan=0.5, merge=0.25)
    run = predict(alone, ENDLESS, PLAIN, pairs(8), 8)
    assert run.seconds == pytest.approx(1 + 8 * 0.5 + 2 + 8 * 0.25)


def test_a_shuffle_precedes_surveys_and_tasks() -> None:
    slow = replace(FREE, exchange=5.0, pack=1e-6, tasks=(3.0,), survey=0.5)
    run = predict(slow, replace(ENDLESS, pairs_per_reference=4), PLAIN, pairs(8), 2)
    rows = pairs(8) * 5 / 4
    assert run.stages["shuffling"] == pytest.approx(5 + rows * 1e-6 / 2)
    assert (run.stages["surveying"], run.stages["tasks"]) == (4 * 0.5, 4 * 3.0)


def test_each_batch_brings_a_packet_to_every_task() -> None:
    """8 parts of hypotheses and 2 of references are 10 batches."""
    slow = replace(FREE, tasks=(3.0,), read_packet=0.5)
    run = predict(slow, replace(ENDLESS, pairs_per_reference=4), PLAIN, pairs(8), 2)
    assert run.stages["tasks"] == 4 * (3 + 10 * 0.5)


def test_a_worker_with_too_little_memory_is_reported() -> None:
    for memory, fits in ((1000, True), (999, False)):
        assumed = replace(ENDLESS, memory=memory)
        run = predict(replace(FREE, memory=1000.0), assumed, PLAIN, pairs(1), 1)
        assert (run.memory, run.fits) == (1000, fits)


def test_gathering_tasks_share_the_sums() -> None:
    slow = replace(FREE, merge=1.0)
    together = predict(slow, ENDLESS, replace(PLAIN, together=8), pairs(64), 8)
    assert together.stages["adding up"] == 8 + 8


def test_sums_are_added_in_rounds_until_few_are_left() -> None:
    slow = replace(FREE, merge=1.0)
    rounds = predict(slow, ENDLESS, replace(PLAIN, together=4), pairs(64), 64)
    assert rounds.stages["adding up"] == 4 + 4 + 4


def test_parts_grow_with_the_number_of_pairs() -> None:
    assert PLAIN.part_of(10**8) == ROWS_AT_ONCE
    assert PLAIN.part_of(10**10) == 2**21


def test_heartbeats_slow_the_scheduler() -> None:
    """10 workers send 20 a second; each takes 10 ms."""
    assert Cluster(replace(FREE, beat=0.01), ENDLESS, 10).slowed == pytest.approx(1 / 0.8)
