"""The work of the commands, in layers: each folder or file imports only those listed above it.

plain_text.py  text without control characters and secrets
errors.py      what can go wrong, and the exit codes
arrays/        ragged boundary arrays, document ids, how a loop is compiled
measures/      formulas and their compiled counts
alignment/     the breaks of one text in the units of another, by fewest edits
storage/       files on disk and in object stores, through fsspec; nothing else opens a file
tables/        find, read and validate input tables; their columns; rejected rows
statistics/    sums, averages, the jackknife, tests
testsets/      test sets, recognised by the content of their references
settings/      what every command can be asked: options, ranges, how segmentations are measured
runs/          a run: folder, plan, tasks, shuffle, record; it alone uses clusters of Dask
results/       what a scoring run found, for every reader: leaderboard, coverage, chance, names
scoring/       segscore score, sweep, explain
importing/     segscore import, answers, project: formats, conversion to segmentations
agreement/     segscore agree, consensus, simulate coders
conventions/   segscore reconcile, simulate values
comparison/    segscore compare, simulate power, suspects
nightly/       segscore nightly, trend
reports/       segscore report, export
"""

if __name__ != "segscore.pipeline":
    raise ImportError("this is segscore.pipeline; import it by that name")
