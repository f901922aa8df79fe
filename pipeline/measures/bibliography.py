"""The publications that define the measures, and BibTeX of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from segscore.pipeline.measures.measure import Measure


@dataclass(frozen=True)
class Publication:
    """A publication that the source of a measure names.

    Attributes:
        key: key of the entry in BibTeX.
        named: how the sources of measures name it.
        kind: kind of the entry, such as ``article``.
        fields: fields of the entry.
    """

    key: str
    named: str
    kind: str
    fields: Mapping[str, str]

    @property
    def bibtex(self) -> str:
        """The entry."""
        width = max(map(len, self.fields))
        lines = [f"  {name:<{width}} = {{{text}}}," for name, text in self.fields.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


def _article(key: str, named: str, **fields: str) -> Publication:
    return Publication(key, named, "article", fields)


def _paper(key: str, named: str, **fields: str) -> Publication:
    return Publication(key, named, "inproceedings", fields)


_NAACL_2012 = (
    "Proceedings of Human Language Technologies: The 2012 Annual Conference of the North American "
    "Chapter of the Association for Computational Linguistics"
)

PUBLICATIONS = (
    _article(
        "arbelaez2011",
        "Arbeláez et al. 2011",
        author="Arbeláez, Pablo and Maire, Michael and Fowlkes, Charless and Malik, Jitendra",
        title="Contour Detection and Hierarchical Image Segmentation",
        journal="IEEE Transactions on Pattern Analysis and Machine Intelligence",
        year="2011",
    ),
    _article(
        "beeferman1999statistical",
        "Beeferman, Berger & Lafferty 1999",
        author="Beeferman, Doug and Berger, Adam and Lafferty, John",
        title="Statistical Models for Text Segmentation",
        journal="Machine Learning",
        volume="34",
        pages="177--210",
        year="1999",
    ),
    _paper(
        "fournier2013evaluating",
        "Fournier 2013",
        author="Fournier, Chris",
        title="Evaluating Text Segmentation using Boundary Edit Distance",
        booktitle="Proceedings of the 51st Annual Meeting of the Association for Computational "
        "Linguistics (Volume 1: Long Papers)",
        address="Sofia, Bulgaria",
        pages="1702--1712",
        year="2013",
    ),
    _paper(
        "franz2007user",
        "Franz, McCarley & Xu 2007",
        author="Franz, Martin and McCarley, J. Scott and Xu, Jian-Ming",
        title="User-Oriented Text Segmentation Evaluation Measure",
        booktitle="Proceedings of the 30th Annual International ACM SIGIR Conference on Research "
        "and Development in Information Retrieval",
        pages="701--702",
        year="2007",
    ),
    _paper(
        "georgescul2006analysis",
        "Georgescul, Clark & Armstrong 2006",
        author="Georgescul, Maria and Clark, Alexander and Armstrong, Susan",
        title="An Analysis of Quantitative Aspects in the Evaluation of Thematic Segmentation "
        "Algorithms",
        booktitle="Proceedings of the 7th SIGdial Workshop on Discourse and Dialogue",
        address="Sydney",
        pages="144--151",
        year="2006",
    ),
    _article(
        "hubert1985",
        "Hubert & Arabie 1985",
        author="Hubert, Lawrence and Arabie, Phipps",
        title="Comparing Partitions",
        journal="Journal of Classification",
        volume="2",
        number="1",
        pages="193--218",
        year="1985",
        doi="10.1007/BF01908075",
    ),
    _paper(
        "kazantseva2012topical",
        "Kazantseva & Szpakowicz 2012",
        author="Kazantseva, Anna and Szpakowicz, Stan",
        title="Topical Segmentation: a Study of Human Performance and a New Measure of Quality",
        booktitle=_NAACL_2012,
        pages="211--220",
        year="2012",
    ),
    _paper(
        "lamprier2007evaluation",
        "Lamprier et al. 2007",
        author="Lamprier, Sylvain and Amghar, Tassadit and Levrat, Bernard and Saubion, Frederic",
        title="On Evaluation Methodologies for Text Segmentation Algorithms",
        booktitle="Proceedings of the 19th IEEE International Conference on Tools with Artificial "
        "Intelligence",
        volume="2",
        pages="19--26",
        year="2007",
    ),
    _paper(
        "ocampo2022",
        "Ocampo Diaz & Ouyang 2022",
        author="Ocampo Diaz, Gerardo and Ouyang, Jessica",
        title="An Alignment-Based Approach to Text Segmentation Similarity Scoring",
        booktitle="Proceedings of the 26th Conference on Computational Natural Language Learning "
        "(CoNLL)",
        address="Abu Dhabi, United Arab Emirates",
        pages="374--383",
        year="2022",
    ),
    _article(
        "pevzner2002critique",
        "Pevzner & Hearst 2002",
        author="Pevzner, Lev and Hearst, Marti A.",
        title="A Critique and Improvement of an Evaluation Metric for Text Segmentation",
        journal="Computational Linguistics",
        volume="28",
        number="1",
        pages="19--36",
        year="2002",
    ),
    _article(
        "rand1971",
        "Rand 1971",
        author="Rand, William M.",
        title="Objective Criteria for the Evaluation of Clustering Methods",
        journal="Journal of the American Statistical Association",
        volume="66",
        number="336",
        pages="846--850",
        year="1971",
        doi="10.2307/2284239",
    ),
    _paper(
        "rasanen2009",
        "Räsänen, Laine & Altosaar 2009",
        author="Räsänen, Okko Johannes and Laine, Unto Kalervo and Altosaar, Toomas",
        title="An Improved Speech Segmentation Quality Measure: the R-value",
        booktitle="Proceedings of Interspeech 2009",
        pages="1851--1854",
        year="2009",
    ),
    _paper(
        "scaiano2012",
        "Scaiano & Inkpen 2012",
        author="Scaiano, Martin and Inkpen, Diana",
        title="Getting More from Segmentation Evaluation",
        booktitle=_NAACL_2012,
        pages="362--366",
        year="2012",
    ),
    Publication(
        "vandenburg2020",
        "van den Burg & Williams 2020",
        "misc",
        {
            "author": "van den Burg, Gerrit J. J. and Williams, Christopher K. I.",
            "title": "An Evaluation of Change Point Detection Algorithms",
            "eprint": "2003.06222",
            "archiveprefix": "arXiv",
            "year": "2020",
        },
    ),
)
"""Titles and pages are those that the papers print, of themselves or of each other."""

INTERVAL_METHOD = _article(
    "miller1974jackknife",
    "Miller 1974",
    author="Miller, Rupert G.",
    title="The Jackknife: A Review",
    journal="Biometrika",
    volume="61",
    number="1",
    pages="1--15",
    year="1974",
)
"""The publication on the jackknife, by which intervals and tests are computed."""

ADJUSTMENT = _article(
    "holm1979simple",
    "Holm 1979",
    author="Holm, Sture",
    title="A Simple Sequentially Rejective Multiple Test Procedure",
    journal="Scandinavian Journal of Statistics",
    volume="6",
    pages="65--70",
    year="1979",
)
"""The publication on Holm's method, by which the p values of several pairs are adjusted."""

SEGSCORE = """\
@misc{segscore,
  author = {{the segscore authors}},
  title  = {segscore},
  year   = {2026},
  note   = {Version VERSION},
}"""


def publications_of(measures: Iterable[Measure]) -> list[Publication]:
    """Return the publications that the sources of some measures name, by author."""
    sources = [measure.source for measure in measures]
    return [each for each in PUBLICATIONS if any(each.named in source for source in sources)]


def bibliography(
    measures: Iterable[Measure], version: str, others: Iterable[Publication] = ()
) -> str:
    """Return BibTeX of segscore, of the publications that define some measures, and of others."""
    works = [each.bibtex for each in (*publications_of(measures), *others)]
    return "\n\n".join([SEGSCORE.replace("VERSION", version), *works])
