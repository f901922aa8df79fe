#!/bin/sh
# warm.sh PREFIX: compiles the passes, by scoring a sample, into PREFIX/passes.
set -eu
prefix=$1
segscore=$prefix/bin/segscore
export NUMBA_CACHE_DIR="$prefix/passes"
sample=$(mktemp -d)
trap 'rm -rf "$sample"' EXIT
cd "$sample"

row() { # ROLE CODER BOUNDARIES SCORES
    for document in a b c d; do
        printf '{"document_id": "%s", "role": "%s", "coder": "%s", "n_units": 8, ' $document "$1" "$2"
        printf '"unit_lengths": [3, 1, 2, 2, 1, 4, 1, 2], "boundaries": [%s]%s}\n' "$3" "$4"
    done
}
row reference one 2,4,6 '' >sample.jsonl
row reference two 2,5 '' >>sample.jsonl
row hypothesis system 3,6 ', "boundary_scores": [0.4, 0.9]' >>sample.jsonl
"$segscore" import sample.jsonl --output tables
cd tables

"$segscore" score references hypotheses --output plain
"$segscore" score references hypotheses --output all --documents documents --units words \
    --pairing optimal --consensus 0.5,any \
    --reference-points none,all,regular,random-known,random-mean,human
"$segscore" agree references --output agreement
"$segscore" sweep references hypotheses --output curves
