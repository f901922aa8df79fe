"""The files of docs/training.md run, and several processes count what one does."""

import ast
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.harness import write_files
from tests.support.paths import ROOT

READY = ROOT / "build" / "torch" / "ready"

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


@pytest.fixture
def files(tmp_path: Path) -> Path:
    if not READY.exists():
        pytest.skip(f"torch is not set up; `make {READY.relative_to(ROOT)}` does it (4 GB)")
    write_files("training.md", tmp_path)
    return tmp_path


def lines(folder: Path, file: str) -> list[str]:
    """Run a file; return what it prints."""
    done = subprocess.run(
        [str(READY.parent / "bin" / "python"), file],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout.splitlines()


def test_a_loop_keeps_the_metric_of_its_best_epoch(files: Path) -> None:
    (line,) = lines(files, "train.py")
    epoch, _, rest = line.partition(": ")
    values, _, documents = rest.partition(" over ")
    assert int(epoch.removeprefix("epoch ")) > 0
    assert documents == "64 documents"
    assert ast.literal_eval(values)["boundary_similarity"] > 0.5


def test_two_processes_count_what_one_does(files: Path) -> None:
    two, one = (
        ast.literal_eval(line.split(": ", 1)[1].strip()) for line in lines(files, "processes.py")
    )
    assert two == one
    assert one["pk_ci_low"] is not None


def test_a_module_of_lightning_has_the_same_values_on_two_devices(files: Path) -> None:
    assert "boundary_similarity" in lines(files, "segmenter.py")[-1]
    (files / "devices.py").write_text(DEVICES)
    one, two = (ast.literal_eval(line) for line in lines(files, "devices.py") if line[0] == "{")
    assert one == two
    assert one["pk"] > 0
