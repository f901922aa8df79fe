"""The output tables of an agreement run."""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.schemas.columns import (
    any_of,
    name,
    number_or_null,
    value,
    whole,
    whole_or_null,
)
from segscore.schemas.similarities import SIMILARITY_MEANINGS

COEFFICIENTS = {
    "pi": "agreement above chance, one rate for all coders (Scott's pi for two coders)",
    "kappa": "agreement above chance, one rate per coder (Cohen's kappa for two coders)",
}
_REACHES = {
    "0": "at the position",
    "half_window": "at most floor(k / 2) away",
    "window": "at most k away",
}
_QUARTILES = {"q1": "lower quartile", "median": "median", "q3": "upper quartile"}


def coefficient(description: str) -> pap.Column:
    """Return a column of a coefficient's values."""
    return number_or_null(f"{description}; at most 1, except with --as-published")


_EDITS = {
    "matches": whole("boundaries that both have at the same position"),
    "near_misses": whole("pairs of their boundaries 1 to n_t - 1 positions apart"),
    "near_miss_span": whole("sum of the near misses' distances, in the unit of the run"),
    "misses": whole("full misses: boundaries that only the first coder has"),
    "false_alarms": whole("full misses: boundaries that only the second coder has"),
}

PAIRS = pap.DataFrameSchema(
    {
        "document_id": name("id of the document"),
        "coder": name("coder, the one whose name sorts first"),
        "peer": name("the other coder"),
        "n_units": whole("units of the document, in the unit of the run"),
        **_EDITS,
        "boundaries": whole("boundaries of the coder"),
        "peer_boundaries": whole("boundaries of the peer"),
        "window": whole("window size k with the coder as the reference"),
        "windows": whole("number of windows: max(0, n_units - window)"),
        "pk_errors": whole("windows in which only one of the two has a boundary"),
        "window_diff_errors": whole("windows in which the numbers of boundaries differ"),
        "peer_window": whole("window size k with the peer as the reference"),
        "peer_windows": whole("number of windows: max(0, n_units - peer_window)"),
        "peer_pk_errors": whole("as pk_errors, with peer_window"),
        "peer_window_diff_errors": whole("as window_diff_errors, with peer_window"),
        **{
            similarity: value(f"{meaning}; 1 if there is nothing to compare", 1)
            for similarity, meaning in SIMILARITY_MEANINGS.items()
        },
        "pk": value("Pk with the coder as the reference", 1),
        "window_diff": value("WindowDiff with the coder as the reference", 1),
        "peer_pk": value("Pk with the peer as the reference", 1),
        "peer_window_diff": value("WindowDiff with the peer as the reference", 1),
    },
    name="pairs",
    description="document and pair of coders",
    strict=False,
)

DOCUMENTS = pap.DataFrameSchema(
    {
        "document_id": name("id of the document"),
        "n_units": whole("units of the document, in the unit of the run"),
        "collapsed_boundaries": whole(
            "boundaries of its codings that were dropped: by the import, at the end of the "
            "document, or in the conversion to words"
        ),
        "window": whole(
            "window size k of the document: from all its codings, unless --window sets it"
        ),
        "codings": whole("number of its coders"),
        "coders": pap.Column(
            pa.list_(pa.string()), nullable=False, description="names of its coders, ascending"
        ),
        "segments": pap.Column(
            pa.list_(pa.int32()),
            nullable=False,
            description="number of segments of each coder, parallel to coders",
        ),
        "pairs": whole("pairs of coders"),
        "segments_mean": number_or_null("mean number of segments of the codings"),
        "segments_sd": number_or_null(
            "standard deviation (n - 1) of the number of segments of the codings"
        ),
        **{
            similarity: value(f"mean over pairs of coders: {meaning}", 1)
            for similarity, meaning in SIMILARITY_MEANINGS.items()
        },
        "pk_mean": value("mean of Pk over ordered pairs of coders", 1),
        "pk_sd": number_or_null("standard deviation (n - 1) of Pk over ordered pairs of coders"),
        "window_diff_mean": value("mean of WindowDiff over ordered pairs of coders", 1),
        "window_diff_sd": number_or_null(
            "standard deviation (n - 1) of WindowDiff over ordered pairs of coders"
        ),
        **{
            f"{kind}_{similarity}": coefficient(
                f"{meaning}, by {similarity}, of this document alone"
            )
            for similarity in SIMILARITY_MEANINGS
            for kind, meaning in COEFFICIENTS.items()
        },
        "alpha_two_category": coefficient("Krippendorff's nominal alpha of this document alone"),
        "ac1_two_category": coefficient("Gwet's AC1 of this document alone"),
        "contested": value(
            "disagreement of which one can be sure: lower end of the 95 % interval (Wilson) of a "
            "share of 1 - boundary_similarity among as many observations as the coders marked "
            "boundaries. Null if they marked none",
            1,
        ),
    },
    name="documents",
    description="document",
    strict=False,
)

AGREEMENT = pap.DataFrameSchema(
    {
        "coefficient": any_of(
            ["pi", "kappa", "bias", "alpha", "ac1"],
            "pi (Scott's for two coders), kappa (Cohen's for two coders), bias (expected agreement "
            "of pi minus that of kappa), alpha (Krippendorff's, nominal), ac1 (Gwet's)",
        ),
        "similarity": any_of(
            SIMILARITY_MEANINGS,
            ". ".join(f"{key}: {meaning}" for key, meaning in SIMILARITY_MEANINGS.items()),
        ),
        "actual": value("observed agreement, pooled over documents and pairs of coders", 1),
        "expected": number_or_null(
            "agreement expected by chance; in [0, 1], except with --as-published"
        ),
        "value": coefficient("(actual - expected) / (1 - expected); for bias, the difference"),
        "ci_low": number_or_null("lower end of the 95 % interval; null without one"),
        "ci_high": number_or_null("upper end of the 95 % interval; null without one"),
        "codings": whole("codings of the group"),
        "coders": whole("coders of the group"),
        "documents": whole("documents of the group, including those with one coder"),
        "pairs": whole("pairs of codings of the same document"),
        "coders_low": number_or_null(
            "lower end of the 95 % interval for other coders like these (Gwet 2014, chapter 5); "
            "null with two coders"
        ),
        "coders_high": number_or_null("upper end of the interval for other coders like these"),
        "chance": value(
            "similarity of coders who place as many boundaries at random: 64 draws of each coding; "
            "null but for pi and kappa",
            1,
        ),
        "corrected": number_or_null("(actual - chance) / (1 - chance)"),
        "chance_documents": whole("documents that were drawn: at most 4,096, by hash"),
        "change": number_or_null(
            "value less that of the group before, in the order of the values of the attribute; "
            "null unless --group-by is one attribute"
        ),
        "change_low": number_or_null(
            "lower end of its 95 % interval, widened by the adjustment of change_p, so that it "
            "excludes 0 if change_p is below 0.05, and only then"
        ),
        "change_high": number_or_null("upper end of that interval"),
        "change_p": value("p of the change, adjusted by Holm for all groups", 1),
        "same_coders": number_or_null("coders who coded in this group and in the one before"),
        "joined_coders": number_or_null("coders of this group who did not code in the one before"),
        "left_coders": number_or_null("coders of the group before who did not code in this one"),
        "same_coders_change": number_or_null(
            "change of the first similarity of the run, pooled, among the same coders"
        ),
        "same_coders_low": number_or_null("lower end of its 95 % interval"),
        "same_coders_high": number_or_null("upper end of its 95 % interval"),
    },
    name="agreement",
    description="group, coefficient and similarity",
    strict=False,
)

CODERS = pap.DataFrameSchema(
    {
        "coder": name("the coder"),
        "documents": whole("documents that the coder coded"),
        "peers": whole("coders who share a document with this one"),
        "boundaries": whole("boundaries that the coder marked"),
        "rate": value("boundaries / positions that the coder could have marked", 1),
        "peer_boundary_similarity": value(
            f"{SIMILARITY_MEANINGS['boundary_similarity']}, pooled over all pairs with this coder",
            1,
        ),
        "peer_boundary_similarity_low": value(
            "lower end of the 95 % interval of peer_boundary_similarity, by a jackknife", 1
        ),
        "peer_boundary_similarity_high": value("upper end of that interval", 1),
        "without_pi_boundary_similarity": coefficient(
            "pi by boundary_similarity without this coder"
        ),
        "others_boundary_similarity": value(
            "boundary_similarity of the other coders among themselves, pooled", 1
        ),
        "shrunk_effect": number_or_null(
            "how much more similar the coder is to the others than coders are on average, in the "
            "documents that they share, shrunk towards 0; for crowds, in which nobody is judged"
        ),
    },
    name="coders",
    description="group and coder",
    strict=False,
)

PEERS = pap.DataFrameSchema(
    {
        "coder": name("coder, the one whose name sorts first"),
        "peer": name("the other coder"),
        "documents": whole("documents that both coded"),
        **_EDITS,
        "potential_boundaries": whole("positions that both could have marked"),
        **{
            similarity: value(f"{meaning}, pooled over the documents that both coded", 1)
            for similarity, meaning in SIMILARITY_MEANINGS.items()
        },
    },
    name="peers",
    description="group and pair of coders who share a document",
    strict=False,
)

CORPUS = pap.DataFrameSchema(
    {
        "documents": whole("documents of the group"),
        "coded_once": whole("number of those documents with one coder"),
        "codings": whole("codings of the group"),
        "coders": whole("coders of the group"),
        "boundaries": whole("boundaries of all codings"),
        "potential_boundaries": whole("potential boundaries of all codings"),
        "segments_mean": number_or_null("mean number of segments of a coding"),
        "segments_sd": number_or_null(
            "standard deviation (n - 1) of the number of segments of a coding"
        ),
        "segment_size_mean": number_or_null("mean size of a segment, in the unit of the run"),
        "segment_size_sd": number_or_null("standard deviation (n - 1) of the segment sizes"),
        "marked_positions": whole("positions that at least one coder marked"),
        **{
            f"{kind}_{reach}_{quartile}": value(
                f"{meaning} of {kind}_{reach} in prominence, over documents with several coders", 1
            )
            for reach in _REACHES
            for kind in ("support", "peer_support")
            for quartile, meaning in _QUARTILES.items()
        },
        "agreement_index_mean": value("mean of agreement_index over codings where defined", 1),
        "agreement_index_sd": number_or_null(
            "standard deviation (n - 1) of agreement_index over these codings"
        ),
    },
    name="corpus",
    description="group",
    strict=False,
)

PROMINENCE = pap.DataFrameSchema(
    {
        "document_id": name("id of the document"),
        "position": whole("a position that at least one coder marked, in the unit of the run"),
        "window": whole("window size k of the document"),
        "coders": whole("number of coders of the document"),
        **{
            key: column
            for reach, where in _REACHES.items()
            for key, column in {
                f"coders_within_{reach}": whole(f"coders with a boundary {where}"),
                f"support_{reach}": value(f"share of the coders with a boundary {where}", 1),
                f"peer_support_{reach}": value(
                    f"share of the coders with a boundary {where}, leaving out one who marked the "
                    "position; null with one coder",
                    1,
                ),
            }.items()
        },
        "marked_by": pap.Column(
            pa.list_(pa.string()), description="coders with a boundary at the position, ascending"
        ),
    },
    name="prominence",
    description="document and position that at least one coder marked",
    strict=False,
)

AGREEMENT_INDEX = pap.DataFrameSchema(
    {
        "document_id": name("id of the document"),
        "coder": name("the coder"),
        "coders": whole("number of coders of the document"),
        "hits": whole("marks of the other coders in the bins in which the coder has a boundary"),
        "lowest_hits": whole("the fewest marks that as many bins of the document could have"),
        "highest_hits": whole("the most marks that as many bins of the document could have"),
        "agreement_index": value("(hits - lowest_hits) / (highest_hits - lowest_hits)", 1),
    },
    name="agreement_index",
    description="document and coder",
    strict=False,
)

TYPES = pap.DataFrameSchema(
    {
        "type": pap.Column(pa.int64(), nullable=False, description="boundary type"),
        "other_type": pap.Column(
            pa.int64(), nullable=False, description="the same type, or one it is confused with"
        ),
        "boundaries": whole_or_null(
            "boundaries of the type in documents with two codings; null for two types"
        ),
        "paired": whole(
            "boundaries of two coders with these types that match, are a near miss, or are at one "
            "position with two types"
        ),
        "share": value(
            "of two types: paired / those to which both coders gave one of the two; of one: paired "
            "/ all paired ones with it",
            1,
        ),
        "boundary_similarity": value(
            "B of the boundaries of this type alone, pooled; null for two types", 1
        ),
        "ci_low": value("lower end of its 95 % interval", 1),
        "ci_high": value("upper end of its 95 % interval", 1),
        "expected": value("square of boundaries / potential boundaries, over all codings", 1),
        "pi": coefficient("(boundary_similarity - expected) / (1 - expected)"),
    },
    name="types",
    description="group and boundary type, or two types that are confused; empty without types",
    strict=False,
)
