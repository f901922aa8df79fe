#!/bin/sh
# warm.sh PREFIX: compiles the loops of the common commands into PREFIX/passes.
set -eu
export NUMBA_CACHE_DIR="$1/passes"
mkdir -p "$NUMBA_CACHE_DIR"
exec "$1/bin/segscore" warm-up
