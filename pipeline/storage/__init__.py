"""Files on disk and in object stores; no other folder of the pipeline opens files."""

from segscore.pipeline.storage.files import (
    file_size,
    head,
    lines,
    read_bytes,
    read_text,
    read_whole,
    write_bytes,
    write_new_text,
    write_text,
)
from segscore.pipeline.storage.folders import (
    copy,
    make_folder,
    move,
    names,
    remove,
    remove_files,
    remove_if_empty,
)
from segscore.pipeline.storage.input_files import InputFile, find, require_version
from segscore.pipeline.storage.locations import (
    PARQUET,
    Pattern,
    absolute,
    canonical,
    is_json_lines,
    is_local,
    join,
    pattern,
)
from segscore.pipeline.storage.object_stores import configure, configured
from segscore.pipeline.storage.parquet import (
    TableFile,
    column_names,
    open_parquet,
    read_columns,
    read_row_groups,
    read_table,
    write_table,
)
from segscore.pipeline.storage.temporary import temporary_for

__all__ = [
    "PARQUET",
    "InputFile",
    "Pattern",
    "TableFile",
    "absolute",
    "canonical",
    "column_names",
    "configure",
    "configured",
    "copy",
    "file_size",
    "find",
    "head",
    "is_json_lines",
    "is_local",
    "join",
    "lines",
    "make_folder",
    "move",
    "names",
    "open_parquet",
    "pattern",
    "read_bytes",
    "read_columns",
    "read_row_groups",
    "read_table",
    "read_text",
    "read_whole",
    "remove",
    "remove_files",
    "remove_if_empty",
    "require_version",
    "temporary_for",
    "write_bytes",
    "write_new_text",
    "write_table",
    "write_text",
]
