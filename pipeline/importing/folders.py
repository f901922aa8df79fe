"""Read role, coder, document and attributes from the folders of a file to import.

A folder such as `channel=eins/` below the location that was named gives an attribute, as in input
tables; `role=hypothesis/`, `coder=eva/` (or `system=alpha/`) and `document_id=show-1/` give what
they say.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from urllib.parse import unquote

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.schemas.input_columns import INPUT_TYPES, ROLE, ROLES

_CODERS = ("coder", "system")
_DOCUMENT = "document_id"
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")

_SIDES: Mapping[str, tuple[str, ...]] = {
    "reference": ("reference", "references", "ref", "refs", "gold"),
    "hypothesis": ("hypothesis", "hypotheses", "hyp", "hyps", "system", "systems"),
}
"""Role -> names of folders that look like those of files with the role."""


@dataclass(frozen=True)
class FolderValues:
    """What the folders of a file say; None for what they do not say."""

    role: str | None = None
    coder: str | None = None
    document_id: str | None = None
    attributes: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True)
class Folders:
    """The folders of the files of an import.

    Attributes:
        bases: the locations that were named, up to the first part with a pattern -> the folders
            that they name.
        patterns: role -> pattern of the paths of its files below a location.
        whole: attributes of which all values are whole numbers.
        sides: names of the folders that look like those of references and of hypotheses, if there
            are both and nothing says which files have which role; else empty.
    """

    bases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()
    sides: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, locations: Iterable[str], patterns: Mapping[str, str | None], urls: Sequence[str]
    ) -> "Folders":
        """Read the folders of all files.

        Raises:
            Refused: a folder gives a role that does not exist, or a file fits both patterns.
        """
        given = {role: pattern for role, pattern in patterns.items() if pattern is not None}
        bases = dict(map(storage.base_of, locations))
        folders = cls(bases, given)
        texts: dict[str, set[str]] = {}
        for url in urls:
            for name, text in folders._columns(url):
                texts.setdefault(name, set()).add(text)
            folders.values(url)
        whole = {name for name, values in texts.items() if all(map(_WHOLE.fullmatch, values))}
        sides = () if given or ROLE in texts else folders._sides(urls)
        return cls(bases, given, frozenset(whole), sides)

    def values(self, url: str) -> FolderValues:
        """Return what the folders of a file say.

        Raises:
            Refused: a folder gives a role that does not exist, or the file fits both patterns.
        """
        columns = dict(self._columns(url))
        role = columns.get(ROLE)
        if role is not None and role not in ROLES:
            raise Refused(
                f"{url}: the folder role={role} must be role=reference or role=hypothesis"
            )
        fitting = [side for side, glob in self.patterns.items() if self._fits(url, glob)]
        if len(fitting) > 1:
            raise Refused(f"{url}: fits both --references and --hypotheses; make one narrower")
        return FolderValues(
            role=fitting[0] if fitting else role,
            coder=next((columns[name] for name in _CODERS if name in columns), None),
            document_id=columns.get(_DOCUMENT),
            attributes={
                name: int(text) if name in self.whole else text
                for name, text in columns.items()
                if name not in (*_CODERS, *INPUT_TYPES, ROLE)
            },
        )

    def plain(self, url: str) -> str:
        """Return the folders of a file below its location that are no columns, with slashes."""
        folders = self._below(url).split("/")[:-1]
        return "/".join(name for name in folders if not all(_column(name)))

    def refuse_unknown_role(self, url: str) -> None:
        """Refuse to guess the role of a file where there are patterns, or folders, of both."""
        if len(self.patterns) > 1:
            raise Refused(
                f"{url}: fits neither --references nor --hypotheses; make one wider, or leave the "
                "file out with a pattern of the files to import"
            )
        if self.sides:
            reference, hypothesis = self.sides
            raise Refused(
                f"{url}: does not say its role, and there are folders of both roles, {reference}/ "
                f"and {hypothesis}/; add --references '{reference}/*' --hypotheses "
                f"'{hypothesis}/*', or --role if all files have one"
            )

    def _fits(self, url: str, pattern: str) -> bool:
        path = self._below(url)
        return fnmatchcase(path, pattern) or fnmatchcase(path, f"{pattern.rstrip('/')}/*")

    def _below(self, url: str) -> str:
        """Return the path of a file below the nearest location."""
        base = self._base(url)
        return url.removeprefix(base).lstrip("/") if base else url.rpartition("/")[2]

    def _base(self, url: str) -> str:
        inside = [base for base in self.bases if url == base or url.startswith(f"{base}/")]
        return max((base for base in inside if base != url), key=len, default="")

    def _columns(self, url: str) -> Iterator[tuple[str, str]]:
        """Yield the columns of folders below a location, and its own but for attributes."""
        named = self.bases.get(self._base(url) or url, ())
        own = (each for each in map(_column, named) if each[0] in (ROLE, "coder", _DOCUMENT))
        below = map(_column, self._below(url).split("/")[:-1])
        yield from (each for each in (*own, *below) if all(each))

    def _sides(self, urls: Sequence[str]) -> tuple[str, ...]:
        names = dict.fromkeys(name for url in urls for name in self._below(url).split("/")[:-1])
        found = [
            next((name for name in names if name.lower() in words), None)
            for words in _SIDES.values()
        ]
        return tuple(name for name in found if name is not None) if all(found) else ()


def _column(folder: str) -> tuple[str, str]:
    """Split the name of a folder into column and value; empty if it names none."""
    name, separator, text = folder.partition("=")
    return (unquote(name), unquote(text)) if separator else ("", "")


def is_of_a_side(folder: str) -> bool:
    """Return whether a folder says the role or the coder of its files."""
    sides = [name for names in _SIDES.values() for name in names]
    return _column(folder)[0] in (ROLE, *_CODERS) or folder.lower() in sides
