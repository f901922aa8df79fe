"""`segscore import`: convert files of other formats to tables, by tasks on a cluster.

`run` has the steps. Tasks read parts of the files (`read_part`): the reader of each format yields
shapes (`reading`, `shapes`), which are converted to rows, unless they are positions. Tasks describe
documents by ranges of their ids (`describe`), because sorted documents let `score` read tables in
place, and write the tables (`write_tables`). Between them, rows are in files (`shards`).
`answers` has `segscore answers` and `projection` has `segscore project`, whose tasks read what
belongs to some documents, in packets (`runs.packets`).

Tested in `unit/importing/`, `commands/test_import*.py`, `commands/test_answer*.py`.
"""
