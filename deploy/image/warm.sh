#!/bin/sh
# warm.sh PREFIX: compiles the kernels of the common commands into PREFIX/passes, which all users can read.
set -eu
export NUMBA_CACHE_DIR="$1/passes"
mkdir -p "$NUMBA_CACHE_DIR"
"$1/bin/segscore" warm-up
chmod -R go+rX "$NUMBA_CACHE_DIR"
