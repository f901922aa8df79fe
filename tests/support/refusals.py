"""Commands that fail at a store or a disk, with one line and without a secret."""

from tests.support.command_line import Ended, Segscore
from tests.support.servers import (
    ACCOUNT_KEY,
    READER,
    WRITER,
)

SECRETS = (WRITER["secret"], READER["secret"], ACCOUNT_KEY, "wrongsecret", "c2VjcmV0")

ROW = '{"document_id": "a", "coder": "x", "role": "reference", "n_units": 9, "boundaries": [3]}\n'


def told(ended: Ended, code: int, *texts: str) -> None:
    """Check that the command ended with one clear line and without a secret."""
    assert ended.code == code, ended.err
    (line,) = ended.err.splitlines()
    for text in ("segscore: error: ", *texts):
        assert text in line
    assert not any(secret in line for secret in SECRETS)


def score(segscore: Segscore, references: str, output: str) -> Ended:
    return segscore("score", references, f"{references}/hypotheses", "--output", output)
