"""Commands that fail at a store or a disk, with one line and without a secret."""

from tests.support.command_line import CommandResult, Segscore
from tests.support.servers import (
    ACCOUNT_KEY,
    READER,
    WRITER,
)

SECRETS = (WRITER["secret"], READER["secret"], ACCOUNT_KEY, "wrongsecret", "c2VjcmV0")

ROW = '{"document_id": "a", "coder": "x", "role": "reference", "n_units": 9, "boundaries": [3]}\n'


def assert_one_line(result: CommandResult, code: int, *texts: str) -> None:
    """Check that the command ended with one clear line and without a secret."""
    assert result.code == code, result.err
    (line,) = result.err.splitlines()
    for text in ("segscore: error: ", *texts):
        assert text in line
    assert not any(secret in line for secret in SECRETS)


def score(segscore: Segscore, references: str, output: str) -> CommandResult:
    return segscore("score", references, f"{references}/hypotheses", "--output", output)
