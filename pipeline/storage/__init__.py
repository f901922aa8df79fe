"""Files on disk and in object stores; no other folder of the pipeline opens files.

Tested in `unit/storage/`, `stores/`.
"""

from segscore.pipeline.storage.files import (
    chunks,
    count_newlines,
    decoded_lines,
    file_size,
    head,
    is_as_written,
    lines,
    read_bytes,
    read_lines,
    read_ranges,
    read_text,
    read_whole,
    text_chunks,
    write_bytes,
    write_new_bytes,
    write_new_text,
    write_text,
)
from segscore.pipeline.storage.folders import (
    copy,
    is_folder,
    make_folder,
    names,
    other_files,
    remove,
    remove_files,
    remove_if_empty,
    remove_temporary,
)
from segscore.pipeline.storage.input_files import (
    Found,
    InputFile,
    describe_left_out,
    digest_of,
    digests_of,
    find,
    find_counted,
    require_version,
)
from segscore.pipeline.storage.locations import (
    PARQUET,
    FileFolders,
    Pattern,
    absolute,
    base_of,
    canonical,
    file_folders,
    is_json_lines,
    is_local,
    is_plain,
    join,
    joined_locations,
    listed_as,
    pattern,
    require_writable_store,
    split_locations,
)
from segscore.pipeline.storage.object_stores import configure, configured, container
from segscore.pipeline.storage.parquet import (
    TableFile,
    column_names,
    open_parquet,
    read_columns,
    read_row_groups,
    read_table,
    table_bytes,
    write_table,
)
from segscore.pipeline.storage.resolver import require_resolvable
from segscore.pipeline.storage.temporary import temporary_for
from segscore.pipeline.storage.written import Written, noting
