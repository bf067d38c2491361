#!/bin/bash
# Prints Tables 1 and 2; see tables.py.
exec python3 "$(dirname "$0")/tables.py" "$@"
