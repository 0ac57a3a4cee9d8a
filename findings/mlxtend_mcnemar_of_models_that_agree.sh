#!/usr/bin/env bash
# McNemar's test of two models that never disagree has p = 0.
#
# One would guess: two models with the same predictions do not differ, so p is 1.
# What happens: the default (chi-squared with continuity correction) divides 1 by 0: chi-squared is infinite and p is
# 0; only numpy warns, of the division. With exact=True p is 1. Five wins against five losses have p = .75 in the place
# of 1, since the correction is applied to a difference of 0 as well.
# Who is bitten: who compares many pairs of models by p-values: the pairs that are most alike come out as the most
# different.
# Seen with mlxtend 0.25.0, numpy 2.4.6, SciPy 1.17.1, November 2026.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/python -m pip install --quiet --disable-pip-version-check mlxtend==0.25.0 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1 scikit-learn==1.9.1

env/bin/python - <<'PYTHON'
import numpy as np
from mlxtend.evaluate import mcnemar, mcnemar_table

truth, predicted = np.repeat([1, 0], 30), np.tile([1, 1, 0], 20)
alike = mcnemar_table(y_target=truth, y_model1=predicted, y_model2=predicted)
even = np.array([[50, 5], [5, 10]])

print("table of two models that agree everywhere:", alike.tolist())
print("default:", mcnemar(alike), " exact:", mcnemar(alike, exact=True))
print("5 wins, 5 losses, default:", mcnemar(even), " exact:", mcnemar(even, exact=True))

assert mcnemar(alike) == (np.inf, 0.0)
assert mcnemar(alike, exact=True)[1] == 1.0
assert round(mcnemar(even)[1], 4) == 0.7518
assert mcnemar(even, exact=True)[1] == 1.0
PYTHON
