"""The files of docs/training.md run, and several processes count what one does."""

import ast
from pathlib import Path

import pytest

from tests.support.harness import RunFile, write_files

DEVICES = """
import lightning
from segmenter import Segmenter
from torch.utils.data import DataLoader, TensorDataset
from train import documents

if __name__ == "__main__":
    held_out = DataLoader(TensorDataset(*documents(2)), batch_size=8)
    lightning.seed_everything(7)
    model = Segmenter()
    for devices in (1, 2):
        trainer = lightning.Trainer(
            accelerator="cpu", devices=devices, strategy="ddp_spawn" if devices > 1 else "auto",
            logger=False, enable_progress_bar=False, enable_checkpointing=False,
        )
        (values,) = trainer.validate(model, held_out, verbose=False)
        print(values)
"""

BFLOAT16 = """
import segscore
import torch

flags = torch.tensor([[1, 0, 1, 0]], dtype=torch.bfloat16)
metric = segscore.Metric("pk")
metric.update_starts(reference=flags, hypothesis=flags, lengths=torch.tensor([4]))
metric.update_masks(reference=flags[:, 1:], hypothesis=flags[:, 1:])
metric.update_labels(reference=flags, hypothesis=flags)
print(metric.pairs, metric.compute())
"""


@pytest.fixture
def files(tmp_path: Path, torch: RunFile) -> Path:
    write_files("training.md", tmp_path)
    return tmp_path


def test_a_loop_keeps_the_metric_of_its_best_epoch(files: Path, torch: RunFile) -> None:
    (line,) = torch("train.py").splitlines()
    epoch, _, rest = line.partition(": ")
    values, _, documents = rest.partition(" over ")
    assert int(epoch.removeprefix("epoch ")) > 0
    assert documents == "64 documents"
    assert ast.literal_eval(values)["boundary_similarity"] > 0.5


def test_two_processes_count_what_one_does(files: Path, torch: RunFile) -> None:
    two, one = (
        ast.literal_eval(line.split(": ", 1)[1].strip())
        for line in torch("processes.py").splitlines()
    )
    assert two == one
    assert one["pk_ci_low"] is not None


def test_a_module_of_lightning_has_the_same_values_on_two_devices(
    files: Path, torch: RunFile
) -> None:
    assert "boundary_similarity" in torch("segmenter.py").splitlines()[-1]
    (files / "devices.py").write_text(DEVICES)
    printed = torch("devices.py").splitlines()
    one, two = (ast.literal_eval(line) for line in printed if line[0] == "{")
    assert one == two
    assert one["pk"] > 0


def test_tensors_of_bfloat16_are_read(tmp_path: Path, torch: RunFile) -> None:
    (tmp_path / "half.py").write_text(BFLOAT16)
    assert torch("half.py") == "3 {'pk': 0.0}\n"
