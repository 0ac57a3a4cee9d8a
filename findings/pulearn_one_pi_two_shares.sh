#!/usr/bin/env bash
# pulearn's `pi` is a share of all rows for precision and F1, and a share of the unlabeled rows for the AUC.
#
# One would guess: pu_precision_score, pu_f1_score and pu_roc_auc_score take the same `pi`, as they say it in the same words (a
# random sample is truly positive with this probability).
# What happens: precision and F1 are right with the share of positives among all rows, labeled ones included; the AUC is right
# with the share among the unlabeled rows. A flawless model has precision .83 with the one, and an AUC of 1.06 with the other
# (a warning says that pi may be poorly estimated, although it is exact).
# Who is bitten: who gives one `pi` to scorers of several metrics, as with make_pu_scorer in a search over models. Where few
# positives are labeled the two shares are nearly the same, and nothing shows.
# Seen with pulearn 0.2.0, scikit-learn 1.9.1, November 2026.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/python -m pip install --quiet --disable-pip-version-check pulearn==0.2.0 scikit-learn==1.9.1 numpy==2.4.6 pandas==3.1.1

env/bin/python - <<'PYTHON'
import warnings

import numpy as np
from pulearn.metrics import pu_f1_score, pu_precision_score, pu_roc_auc_score

# 100 labeled positives; among 900 unlabeled rows 300 positives. The scores of the two classes are apart.
label = np.repeat([1, 0, 0], [100, 300, 600])
score = np.repeat([0.9, 0.9, 0.1], [100, 300, 600])
shares = {"all rows": 400 / 1000, "unlabeled rows": 300 / 900}

found = {}
for rows, pi in shares.items():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        metrics = (pu_precision_score, pu_f1_score, pu_roc_auc_score)
        found[rows] = [metric(label, score, pi) for metric in metrics]
    print(f"pi of {rows} ({pi:.3f}): precision {found[rows][0]:.3f}, F1 {found[rows][1]:.3f}, AUC {found[rows][2]:.3f}")
    for each in said:
        print(f"  {each.message}")

assert np.allclose(found["all rows"], [1, 1, 19 / 18])
assert np.allclose(found["unlabeled rows"], [5 / 6, 10 / 11, 1])
PYTHON
