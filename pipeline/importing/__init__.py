"""`segscore import`: convert files of other formats to tables, by tasks on a cluster.

`run` has the steps. Tasks read parts of the files (`read_part`), describe documents by ranges of
their ids (`describe`), and write the tables (`write_tables`). Between them, rows are in files
(`shards`).
`projection` has `segscore project`, which differs in what its tasks read.

Tested in `unit/importing/`, `commands/test_import*.py`, `commands/test_answer*.py`.
"""
