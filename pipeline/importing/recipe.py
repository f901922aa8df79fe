"""Import the published files of a test set: apply its recipe, and check what came of it."""

from collections.abc import Sequence
from dataclasses import fields, replace

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.testsets.recognise import Recognition, recognise
from segscore.pipeline.testsets.registry import KnownSet, Registry, own_registry
from segscore.pipeline.testsets.tables import content_of, read_references


def with_recipe(settings: ImportSettings) -> ImportSettings:
    """Return settings in which the recipe of the test set replaces defaults.

    Options that were given stay, such as another --coder.

    Raises:
        Refused: there is no such test set, or none of its recipe is known.
    """
    if settings.testset is None:
        return settings
    known = own_registry().find(settings.testset)
    options: dict[str, object] = dict(known.options)
    if known.format is not None:
        options["format_name"] = known.format
    if not options:
        note = f" ({known.note})" if known.note else ""
        raise Refused(
            f"--testset {known.name}: segscore does not know how to import it; name the options "
            f"yourself, and omit --testset{note}"
        )
    defaults = {field.name: field.default for field in fields(settings)}
    changed = {
        name: value for name, value in options.items() if getattr(settings, name) == defaults[name]
    }
    return replace(settings, **changed)  # type: ignore[arg-type]


def recognise_imported(settings: ImportSettings, location: str) -> Recognition:
    """Recognise the test set of imported references, and require the one that was named.

    Raises:
        Refused: the settings name a test set, and the references are not it or one of its splits;
            the message says what differs.
    """
    registry = own_registry()
    rows = read_references(location)
    documents = len(rows.numbered.documents)
    if settings.testset is None:
        return recognise(content_of(rows, registry), documents, registry)
    known = registry.find(settings.testset)
    own = Registry((known,))
    found = recognise(content_of(rows, own), documents, own)
    fingerprints = [split for split in known.splits if split.fingerprint is not None]
    if not fingerprints:
        sentence = f"references: not verified: no fingerprint of {known.name} is known"
        return replace(found, sentence=sentence)
    if not found.is_whole:
        raise Refused(_difference(known, found, settings.files))
    return found


def _difference(known: KnownSet, found: Recognition, files: Sequence[str]) -> str:
    """Say in what the imported references differ from a test set."""
    content = found.content
    nearest = found.split or min(
        known.splits, key=lambda split: abs((split.documents or 0) - found.documents)
    )
    expected = [
        f"{number:,} {name}"
        for name, number in (("documents", nearest.documents), ("boundaries", nearest.boundaries))
        if number is not None
    ]
    known_of = f", where {nearest.title} has {' and '.join(expected)}" if expected else ""
    same = ""
    if found.split is not None:
        same = f"; {found.recognised:,} of the references are the same"
    return (
        f"--testset {known.name}: {', '.join(files)}: is not {known.name}: {found.documents:,} "
        f"documents and {content.boundaries:,} boundaries{known_of}{same}; nothing was written"
    )


def recipe_of(test_set: KnownSet) -> str:
    """Return the command that imports the published files; empty if it is not known."""
    if test_set.format is None and not test_set.options:
        return ""
    given = {"format": test_set.format} if test_set.format is not None else {}
    options = [
        f"--{name.replace('_', '-')} {value}"
        for name, value in {**given, **test_set.options}.items()
    ]
    return " ".join(["segscore import PATH…", *options, "--output DIR"])
