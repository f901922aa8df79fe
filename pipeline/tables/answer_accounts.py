"""Accounts of each system's answers: their number, the failed ones, and edited words.

An import of answers of language models states it in the metadata of the files that it writes, so
that a failure rate stands beside each score, also of failed answers that have no row.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

ACCOUNTS_KEY = "segscore.answer_accounts"
"""Key of a Parquet file's metadata: the account of the answers of each system, as JSON."""

_MOST_LETTERS = 2**20
"""Accounts of so many systems that they are longer are neither written nor read."""

_LARGEST = 2**53
"""The largest number that an account may have."""


@dataclass(frozen=True)
class AnswerAccount:
    """What became of the answers of a system.

    Attributes:
        answers: number of answers.
        failed: how many of them could not be used.
        words: number of words of the texts that the others were to repeat; 0 if they were not.
        edits: number of these words that were deleted, inserted or changed.
        undivided: how many texts that were written again have no break.
    """

    answers: int = 0
    failed: int = 0
    words: int = 0
    edits: int = 0
    undivided: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers that contradict each other, because the metadata may be forged."""
        numbers = (self.answers, self.failed, self.words, self.edits, self.undivided)
        if not all(type(number) is int and 0 <= number <= _LARGEST for number in numbers):
            raise ValueError("an account has whole numbers")
        if self.failed + self.undivided > self.answers:
            raise ValueError("more answers failed, or have no break, than there are")

    def __add__(self, other: "AnswerAccount") -> "AnswerAccount":
        """Return the account of the answers of both."""
        return AnswerAccount(
            self.answers + other.answers,
            self.failed + other.failed,
            self.words + other.words,
            self.edits + other.edits,
            self.undivided + other.undivided,
        )

    @property
    def edit_rate(self) -> float | None:
        """Edits by words; None if the answers do not repeat words."""
        return self.edits / self.words if self.words else None


Accounts = Mapping[str, AnswerAccount]
"""System -> the account of its answers."""


def write_accounts(accounts: Accounts) -> str | None:
    """Write accounts as metadata; None if there are none, or too many."""
    if not accounts:
        return None
    text = json.dumps(stated_accounts(accounts))
    return text if len(text) <= _MOST_LETTERS else None


def stated_accounts(accounts: Accounts) -> dict[str, dict[str, int]]:
    """Return accounts as objects of JSON, with answers without a break where there are any."""
    found = {name: asdict(account) for name, account in accounts.items()}
    return {
        name: {key: number for key, number in numbers.items() if number or key != "undivided"}
        for name, numbers in found.items()
    }


def recorded_accounts(schema: "pa.Schema") -> str:
    """Return the accounts that the metadata of a file states, as JSON; empty if it states none."""
    text = (schema.metadata or {}).get(ACCOUNTS_KEY.encode(), b"").decode("utf-8", "replace")
    return text if len(text) <= _MOST_LETTERS else ""


def add_accounts(stated: Iterable[tuple[str, str]]) -> dict[str, AnswerAccount]:
    """Add up what the files of a table state.

    Args:
        stated: the folder of each file, and what it states; files of one import are in one folder
            and state the same, which counts once.
    """
    sums: dict[str, AnswerAccount] = {}
    for _, text in sorted(set(stated)):
        for name, account in _read(text).items():
            sums[name] = sums.get(name, AnswerAccount()) + account
    return sums


def _read(text: str) -> dict[str, AnswerAccount]:
    try:
        return accounts_in(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def accounts_in(stated: Any) -> dict[str, AnswerAccount]:
    """Read accounts from objects of JSON; none if they are not what this version writes."""
    try:
        return {name: AnswerAccount(**numbers) for name, numbers in stated.items()}
    except (ValueError, TypeError, AttributeError):
        return {}
