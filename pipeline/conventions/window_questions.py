"""Choices of conventions of Pk and WindowDiff: the text, the windows, and how k is chosen."""

from segscore.pipeline.conventions.convention import Answer, Program, Question

_DIFFERENCE = ("window_diff",)

_TEXT = Question(
    "text",
    (
        Answer(
            "positions",
            "A text of N units has N - 1 places for a boundary, and N - k windows.",
            "segscore; segeval; NLTK on N - 1 flags",
        ),
        Answer(
            "starts",
            "There are N flags, with the mark on the first unit of a segment: N - k + 1 windows.",
            "NLTK as TinyRec calls it",
            "with n_units + 1, and every position one later",
        ),
        Answer(
            "ends",
            "There are N flags, with the mark on the last unit of a segment except the last one: "
            "N - k + 1 windows.",
            "NLTK as SuperDialseg calls it",
            "with n_units + 1, and the same positions",
        ),
        Answer(
            "ends-marked",
            "There are N flags, with the mark on the last unit of every segment, also of the last.",
            "NLTK, if the end of the text is marked",
            "with n_units + 1, and a boundary at n_units added to both sides",
        ),
        Answer(
            "starts-marked",
            "There are N flags, with the mark on the first unit of every segment, also of the "
            "first.",
            "NLTK, if the start of the text is marked",
            "with n_units + 1, every position one later, and a boundary at 1 added to both sides",
        ),
    ),
)
_WINDOWS = Question(
    "windows",
    (
        Answer("all", "All windows are examined, each of k places.", "segscore; segeval; NLTK"),
        Answer(
            "last-left-out",
            "The loop ends one window early.",
            "programs that loop over range(len(flags) - k)",
            "with the last unit of every document removed",
        ),
        Answer(
            "longer",
            "A window has k + 1 places.",
            "NLTK 2, windowdiff",
            "with a --window that is 1 larger",
        ),
    ),
)
_DIFFERENCES = Question(
    "difference",
    (
        Answer("differs", "A window is wrong if the numbers differ.", "Pevzner & Hearst 2002"),
        Answer(
            "absolute",
            "Each window adds the difference between the numbers.",
            "NLTK, windowdiff with weighted=True; NLTK 2",
            "column window_diff_weighted",
        ),
        Answer(
            "padded",
            "The text is padded with k units at both ends; N + k windows.",
            "Lamprier et al. 2007",
            "column window_diff_edges",
        ),
        Answer(
            "padded-plus-one",
            "The text is padded with k units at both ends; errors are divided by N + k + 1.",
            "segeval, window_diff with lamprier_et_al_2007_fix=True",
            "edge_errors / (edge_windows + 1) from the columns of scores",
        ),
    ),
    _DIFFERENCE,
)
_K = Question(
    "k",
    (
        Answer("half-segment", "k is N / 2S, S segments.", "segscore; segeval; TinyRec"),
        Answer(
            "flags-per-boundary",
            "k is (N - 1) / 2B, B boundaries.",
            "NLTK, pk without k on N - 1 flags",
            "with a run of each document, and --window (N - 1) / 2B of its reference, rounded",
        ),
        Answer(
            "units-per-boundary",
            "k is N / 2B, B boundaries.",
            "NLTK, pk without k on N flags",
            "with a run of each document, and --window N / 2B of its reference, rounded",
        ),
        Answer(
            "half-segment-plus",
            "k is (N + 1) / 2S.",
            "segscore on N flags that were imported as N + 1 units",
            "with a run of each document, and --window (N + 1) / 2S of its reference, rounded",
        ),
        Answer(
            "segment",
            "k is the whole mean segment, N / S.",
            "programs that forget to halve it",
            "with a run of each document, and --window N / S of its reference, rounded",
        ),
    ),
)
_ROUNDING = Question(
    "rounding",
    (
        Answer("half-even", "k is rounded half to even.", "segscore; segeval; Python's round"),
        Answer(
            "half-up", "k is rounded half up.", "Choi 2000; K&S's program", "--rounding half-up"
        ),
        Answer(
            "down", "k is rounded down.", "int() and // of Python", "with --window rounded down"
        ),
        Answer("up", "k is rounded up.", "ceil() of Python", "with --window rounded up"),
    ),
)
_LEAST = Question(
    "least",
    (
        Answer("two", "k is at least 2.", "segscore; segeval; SuperDialseg"),
        Answer("one", "k is at least 1.", "NLTK; K&S's program", "with --window 1 where k is 1"),
    ),
)
_SCOPE = Question(
    "scope",
    (
        Answer("pair", "Each pair has the k of its reference.", "segscore; segeval; NLTK"),
        Answer(
            "document",
            "Each document has one k, from all its references.",
            "Kazantseva & Szpakowicz 2012, 5",
            "--window per-document",
        ),
        Answer(
            "run",
            "The corpus has one k, from all references.",
            "programs that are given k once",
            "--window per-run",
        ),
    ),
)
_ROLES = Question(
    "roles",
    (
        Answer("given", "k is that of the reference.", "segscore"),
        Answer(
            "exchanged",
            "k is that of the hypothesis.",
            "segeval, if it is called with the reference first",
            "with REFERENCES and HYPOTHESES exchanged",
        ),
    ),
)

_NLTK = {"average": "pairs", "least": "one", "text": "starts"}
WINDOW_PROGRAMS = (
    Program("segscore", "segscore score", {}),
    Program("segscore, macro", "segscore score", {"average": "macro"}),
    Program(
        "segeval",
        "the mean of segeval.pk(hypothesis, reference), or of segeval.window_diff",
        {"average": "pairs"},
    ),
    Program("TextSeg", "Accuracy of koomri/text-segmentation: segeval, weighted by windows", {}),
    Program(
        "segeval, exchanged",
        "the mean of segeval.pk(reference, hypothesis), or of segeval.window_diff",
        {"average": "pairs", "roles": "exchanged"},
    ),
    Program(
        "segeval, lamprier_et_al_2007_fix",
        "the mean of segeval.window_diff(hypothesis, reference, lamprier_et_al_2007_fix=True)",
        {"average": "pairs", "difference": "padded-plus-one"},
        _DIFFERENCE,
    ),
    Program(
        "NLTK, N - 1 flags",
        "the mean of nltk.pk(reference, hypothesis), or of nltk.windowdiff with the k of nltk.pk",
        {"average": "pairs", "least": "one", "k": "flags-per-boundary"},
    ),
    Program(
        "NLTK, N flags, starts",
        "the mean of nltk.pk(reference, hypothesis), or of nltk.windowdiff with the k of nltk.pk",
        {**_NLTK, "k": "units-per-boundary"},
    ),
    Program(
        "NLTK, N flags, ends",
        "the mean of nltk.pk(reference, hypothesis), or of nltk.windowdiff with the k of nltk.pk",
        {**_NLTK, "k": "units-per-boundary", "text": "ends"},
    ),
    Program(
        "NLTK, N flags, last one set",
        "the mean of nltk.pk(reference, hypothesis), or of nltk.windowdiff with the k of nltk.pk",
        {**_NLTK, "text": "ends-marked"},
    ),
    Program(
        "TinyRec",
        "the mean of nltk.pk(reference, hypothesis, k), or of nltk.windowdiff, on N flags",
        {"average": "pairs", "text": "starts"},
    ),
    Program(
        "SuperDialseg",
        "SegmentationEvaluation of super_dialseg",
        {"average": "pairs", "text": "ends"},
    ),
    Program(
        "NLTK 2, windowdiff",
        "the mean of windowdiff(reference, hypothesis, k) / (len(reference) - k) of NLTK 2",
        {"average": "pairs", "windows": "longer", "difference": "absolute", "text": "starts"},
        _DIFFERENCE,
    ),
    Program(
        "NLTK, weighted=True",
        "the mean of nltk.windowdiff(reference, hypothesis, k, weighted=True)",
        {"average": "pairs", "difference": "absolute"},
        _DIFFERENCE,
    ),
    Program(
        "Documents joined", "a program that is given all documents as one", {"documents": "joined"}
    ),
    Program("Choi 2000", "the C99 package, in words", {"average": "pairs", "rounding": "half-up"}),
    Program(
        "K&S",
        "the program of Kazantseva & Szpakowicz 2012, on N flags",
        {
            "average": "macro",
            "rounding": "half-up",
            "least": "one",
            "scope": "document",
            "text": "ends",
        },
    ),
    Program(
        "Adachi 2026",
        "the evaluation of Adachi, Tsukagoshi & Ohmukai 2026, in whole seconds",
        {"average": "pairs", "least": "one", "merged": "half-second", "grid": "seconds"},
    ),
)

WINDOW_QUESTIONS = (_TEXT, _WINDOWS, _DIFFERENCES, _K, _ROUNDING, _LEAST, _SCOPE, _ROLES)
