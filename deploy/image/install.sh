#!/bin/sh
# install.sh PREFIX EXTRAS: installs segscore from this checkout into a new environment at PREFIX.
set -eu
prefix=$1
extras=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT

# Once the environment exists, its own python3 may come first on PATH; it has no pip.
python=$(command -v python3)
"$python" -m venv --without-pip "$prefix"
"$python" -m pip wheel --no-deps --wheel-dir "$wheels" "$source"
for wheel in "$wheels"/segscore-*.whl; do
    "$python" -m pip --python "$prefix/bin/python" install \
        --constraint "$source/constraints.txt" "${wheel}[$extras]"
done
# Tests take a tenth of the space, and nothing imports them.
find "$prefix/lib" -type d -name tests -prune -exec rm -r {} +
install -m 755 "$source/deploy/image/enter.sh" "$prefix/bin/enter"
# The script that writes the DuckDB file of dashboards, and its views.
install -D -m 644 -t "$prefix/dashboards" "$source"/deploy/dashboards/database.py \
    "$source"/deploy/dashboards/*.sql
