#!/bin/sh
# The entry point: runs a command where nothing but /tmp can be written.
set -eu
# segscore runs no compiled loops from where other users can put some.  Where /tmp is a volume of
# Kubernetes it lacks the sticky bit; /dev/shm has it.
[ -n "$(find /tmp -prune -perm -1000)" ] || export NUMBA_CACHE_DIR=/dev/shm/passes
# numba reads no folder of passes that it may not write to.
if mkdir -m 700 "$NUMBA_CACHE_DIR" 2>/dev/null; then
    cp -R "$(dirname "$0")/../passes/." "$NUMBA_CACHE_DIR"
fi
exec "$@"
