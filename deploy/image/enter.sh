#!/bin/sh
# Entry point: runs a command in a container that can only write to /tmp.
set -eu
# segscore does not load compiled loops from a folder that other users can write to.  A Kubernetes
# volume at /tmp lacks the sticky bit; /dev/shm has it.
[ -n "$(find /tmp -prune -perm -1000)" ] || export NUMBA_CACHE_DIR=/dev/shm/passes
# numba ignores a folder of compiled loops that it cannot write to.
if mkdir -m 700 "$NUMBA_CACHE_DIR" 2>/dev/null; then
    cp -R "$(dirname "$0")/../passes/." "$NUMBA_CACHE_DIR"
fi
exec "$@"
