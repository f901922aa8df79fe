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
_GWET = Publication("gwet2008", "Gwet 2008")
CALDERON = Publication("calderon2025", "Calderon, Reichart & Dror 2025")

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
