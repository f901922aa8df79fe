"""The publications that define coefficients of agreement, and tests of coders."""

from segscore.pipeline.measures.bibliography import PUBLICATIONS, Publication

_FOURNIER = next(each for each in PUBLICATIONS if each.key == "fournier2013evaluating")

ARTSTEIN = Publication(
    "artstein2008inter",
    "Artstein & Poesio 2008",
    "article",
    {
        "author": "Artstein, Ron and Poesio, Massimo",
        "title": "Inter-Coder Agreement for Computational Linguistics",
        "journal": "Computational Linguistics",
        "volume": "34",
        "number": "4",
        "pages": "555--596",
        "year": "2008",
    },
)
KRIPPENDORFF = Publication(
    "krippendorff2004content",
    "Krippendorff 2004",
    "book",
    {
        "author": "Krippendorff, Klaus",
        "title": "Content Analysis: An Introduction to Its Methodology",
        "edition": "2",
        "publisher": "Sage",
        "year": "2004",
    },
)
_GWET = Publication(
    "gwet2008",
    "Gwet 2008",
    "article",
    {
        "author": "Gwet, Kilem Li",
        "title": "Computing Inter-Rater Reliability and Its Variance in the Presence of High "
        "Agreement",
        "journal": "British Journal of Mathematical and Statistical Psychology",
        "volume": "61",
        "number": "1",
        "pages": "29--48",
        "year": "2008",
        "doi": "10.1348/000711006X126600",
    },
)
CALDERON = Publication(
    "calderon2025",
    "Calderon, Reichart & Dror 2025",
    "inproceedings",
    {
        "author": "Calderon, Nitay and Reichart, Roi and Dror, Rotem",
        "title": "The Alternative Annotator Test for LLM-as-a-Judge: How to Statistically Justify "
        "Replacing Human Annotators with LLMs",
        "booktitle": "Proceedings of the Annual Meeting of the Association for Computational "
        "Linguistics (ACL 2025, Long Papers)",
        "pages": "16051--16081",
        "year": "2025",
        "doi": "10.18653/v1/2025.acl-long.782",
    },
)

SOURCES: dict[tuple[str, str], tuple[Publication, ...]] = {
    ("alpha", "two_category"): (KRIPPENDORFF,),
    ("ac1", "two_category"): (_GWET,),
    **{
        (name, similarity): (ARTSTEIN,) if similarity == "two_category" else (_FOURNIER, ARTSTEIN)
        for name in ("pi", "kappa")
        for similarity in (
            "boundary_similarity",
            "segmentation_similarity",
            "exact",
            "two_category",
        )
    },
}
"""The publications of each coefficient and similarity."""

AGREEMENT_PUBLICATIONS = (ARTSTEIN, CALDERON, _GWET, KRIPPENDORFF)
"""Those that define no measure of a system."""
