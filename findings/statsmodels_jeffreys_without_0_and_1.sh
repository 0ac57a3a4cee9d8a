#!/usr/bin/env bash
# The Jeffreys interval of 0 hits among 50 leaves out 0, and that of 50 among 50 leaves out 1.
#
# One would guess: whatever was observed lies in its own interval, as for the five other methods of the function.
# What happens: method='jeffreys' takes both quantiles of the posterior also at the edge: 0 of 50 gives (0.0000098,
# .0488), 50 of 50 gives (.951, .9999902). Brown, Cai and DasGupta (2001), who recommend the interval, set that end
# to 0 or 1.
# Who is bitten: who tests whether an error rate of 0 or a precision of 1 is still possible: it is excluded by its own
# observation.
# Seen with statsmodels 0.15.0, SciPy 1.17.1, November 2026.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/python -m pip install --quiet --disable-pip-version-check statsmodels==0.15.0 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1

env/bin/python - <<'PYTHON'
from statsmodels.stats.proportion import proportion_confint

METHODS = ("normal", "agresti_coull", "beta", "wilson", "binom_test", "jeffreys")
none = {method: proportion_confint(0, 50, method=method) for method in METHODS}
every = {method: proportion_confint(50, 50, method=method) for method in METHODS}
for method in METHODS:
    print(f"{method:14} 0 of 50: {none[method]}  50 of 50: {every[method]}")

assert [method for method in METHODS if none[method][0] > 0] == ["jeffreys"]
assert [method for method in METHODS if every[method][1] < 1] == ["jeffreys"]
PYTHON
