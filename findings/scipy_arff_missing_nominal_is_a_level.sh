#!/usr/bin/env bash
# A missing nominal value in an ARFF file becomes a value of its own, b'?', that no missing-value check finds.
#
# One would guess: '?' is missing in both kinds of column, as the format says: NaN or None.
# What happens: scipy.io.arff.loadarff gives NaN in a numeric column and the bytes b'?' in a nominal one, though '?'
# is not among the values that the attribute declares and that it reports. isna() finds nothing, and an encoder
# makes one more level.
# Who is bitten: who imputes or drops missing values after reading data of UCI or OpenML (votes, breast cancer,
# credit, mushroom): the missing values go into the model as a category.
# Seen with SciPy 1.17.1, pandas 3.1.1, November 2026.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/python -m pip install --quiet --disable-pip-version-check scipy==1.17.1 numpy==2.4.6 pandas==3.1.1

env/bin/python - <<'PYTHON'
import io

import pandas as pd
from scipy.io import arff

FILE = """@relation votes
@attribute age numeric
@attribute answer {yes,no}
@data
41,yes
?,?
52,no
"""
rows, meta = arff.loadarff(io.StringIO(FILE))
table = pd.DataFrame(rows)
print(table, "declared:", meta["answer"], "missing:", table.isna().sum().to_dict(), sep="\n")

assert meta["answer"] == ("nominal", ("yes", "no"))
assert table["answer"].tolist() == [b"yes", b"?", b"no"]
assert table.isna().sum().to_dict() == {"age": 1, "answer": 0}
assert pd.get_dummies(table["answer"]).shape[1] == 3
PYTHON
