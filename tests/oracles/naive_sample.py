"""The choice of a sample of documents once more, slow and obvious."""

from collections.abc import Mapping

_64_BITS = 2**64 - 1


def hash_of(document: str) -> int:
    """Return the hash of an id: FNV-1a of its bytes, finished as in splitmix64."""
    state = 0xCBF29CE484222325
    for byte in document.encode():
        state = ((state ^ byte) * 0x100000001B3) & _64_BITS
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _64_BITS
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _64_BITS
    return state ^ (state >> 31)


def chosen_documents(segments: Mapping[str, int], most: int) -> list[str]:
    """Return the documents with the lowest hashes that have at most so many segments together.

    At least one document is chosen.

    Args:
        segments: number of segments of all references of each document.
        most: the most segments.
    """
    chosen: list[str] = []
    for document in sorted(segments, key=hash_of):
        if chosen and sum(segments[name] for name in chosen) + segments[document] > most:
            break
        chosen.append(document)
    return chosen
