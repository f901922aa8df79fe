"""Name documents and systems after their folders, where their files do not tell them apart."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.conversion.names import name_in_folder, shared_folders
from segscore.pipeline.importing.conversion.surveyed import SurveyedShape, colliding_names
from segscore.pipeline.importing.folders import is_of_a_side
from segscore.pipeline.plain_text import first_named
from segscore.schemas.input_columns import TABLE_ROLES

_HYPOTHESIS = TABLE_ROLES["hypotheses"]


@dataclass(frozen=True)
class FolderNames:
    """What the folders of an import name.

    Attributes:
        colliding: names of files that several files have, to which folders are added.
        shared: number of folders that all files have in common.
        sides: role -> the folders of files with this role, if `--coder` names the coder of files of
            both; else empty. Those of one role only are systems, or the coder of the references.
    """

    colliding: frozenset[str]
    shared: int
    sides: dict[str, frozenset[str]]

    @classmethod
    def of(cls, surveyed: Sequence[SurveyedShape]) -> "FolderNames":
        """Read the folders of all shapes.

        Raises:
            Refused: `--coder` would name the coder of folders of several coders.
        """
        shared = shared_folders([one.url for one in surveyed])
        sides: dict[str, frozenset[str]] = {}
        for one in surveyed:
            if one.folders is not None:
                of_role = sides.get(one.role, frozenset())
                sides[one.role] = of_role | {*filter(None, one.folders.split("/"))}
        names = cls(frozenset(), shared, sides if len(sides) > 1 else {})
        coded = [replace(one, coder=names.coder(one)) for one in surveyed]
        colliding = colliding_names(coded)
        _refuse_folders_of_coders(coded, colliding, shared)
        return replace(names, colliding=colliding)

    def named(self, one: SurveyedShape) -> SurveyedShape:
        """Return a shape with the names of its folders.

        Raises:
            Refused: no folder, or several, can be the name of a system.
        """
        document = one.document_id
        if one.by_file and document in self.colliding:
            document = name_in_folder(document, one.url, self.shared, self._own(one))
        return replace(one, document_id=document, coder=self.coder(one))

    def coder(self, one: SurveyedShape) -> str:
        """Return the coder of a shape: of hypotheses, if `--coder` is another's, their folder.

        Raises:
            Refused: no folder, or several, can be the name of the system.
        """
        if one.folders is None or one.role != _HYPOTHESIS or not self.sides:
            return one.coder
        own = self._own(one)
        systems = [name for name in own if not is_of_a_side(name)] or own
        if len(systems) != 1:
            found = f"{' and '.join(systems)} may be its system" if systems else "no folder"
            raise Refused(
                f"{one.url}: names no coder, and --coder {one.coder} is that of the references "
                f"({found}); name a folder of the file system=NAME"
            )
        return systems[0]

    def _own(self, one: SurveyedShape) -> list[str]:
        """Return the folders of a shape that no shape of the other role has."""
        if one.folders is None or not self.sides:
            return []
        others = [names for role, names in self.sides.items() if role != one.role]
        return [name for name in one.folders.split("/") if name and name not in others[0]]

    def describe(self, surveyed: Sequence[SurveyedShape]) -> Iterator[str]:
        """Yield a line about systems, and one about documents, that are named after folders."""
        pairs = [(one, self.named(one)) for one in surveyed]
        systems = dict.fromkeys(after.coder for one, after in pairs if after.coder != one.coder)
        if systems:
            yield f"systems named after their folders: {first_named([*systems])}"
        documents = dict.fromkeys(
            after.document_id for one, after in pairs if after.document_id != one.document_id
        )
        if documents:
            yield (
                "documents named after their folders, too, because files have one name: "
                f"{first_named([*documents])}"
            )


def _refuse_folders_of_coders(
    surveyed: Iterable[SurveyedShape], colliding: frozenset[str], shared: int
) -> None:
    """Refuse files of one name in folders of several coders that an option makes one coder's.

    A folder is that of a coder if it has the name of the coder, or looks like that of a role.
    """
    told: dict[str, tuple[SurveyedShape, str]] = {}
    others: dict[str, tuple[SurveyedShape, str]] = {}
    for one in surveyed:
        folders = [each for each in one.url.split("/")[shared:-1] if "=" not in each]
        if (
            not one.by_file
            or one.folders is None
            or one.document_id not in colliding
            or not folders
        ):
            continue
        found = next((each for each in folders if _is_of(each, one.coder)), None)
        side = others if found is None else told
        side.setdefault(one.document_id, (one, found or folders[-1]))
    for document in sorted(told.keys() & others.keys())[:1]:
        (one, own_folder), (other, folder) = told[document], others[document]
        raise Refused(
            f"{other.url}: would be by {one.coder} (--coder), but {own_folder}/ has {document}, "
            f"too; say whose files are whose with --references '*{own_folder}/*' --hypotheses "
            f"'*{folder}/*', or name folders coder=NAME"
        )


def _is_of(folder: str, coder: str) -> bool:
    return folder.casefold() == coder.casefold() or is_of_a_side(folder)
