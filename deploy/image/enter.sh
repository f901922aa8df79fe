#!/bin/sh
# The entry point: runs a command where nothing but /tmp can be written.
set -eu
# numba reads no folder of passes that it may not write to.
if [ ! -e "$NUMBA_CACHE_DIR" ]; then
    cp -R "$(dirname "$0")/../passes" "$NUMBA_CACHE_DIR"
fi
exec "$@"
