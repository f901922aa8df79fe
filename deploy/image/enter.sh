#!/bin/sh
# Entry point: runs a command in a container that can only write to /tmp.
set -eu
# In a Kubernetes volume at /tmp, which lacks the sticky bit, others could replace compiled kernels;
# /dev/shm has it.
[ -n "$(find /tmp -prune -perm -1000)" ] || export NUMBA_CACHE_DIR=/dev/shm/passes
# numba ignores a folder of compiled kernels that it cannot write to.
if mkdir -m 700 "$NUMBA_CACHE_DIR" 2>/dev/null; then
    cp -R "$(dirname "$0")/../passes/." "$NUMBA_CACHE_DIR"
fi
exec "$@"
