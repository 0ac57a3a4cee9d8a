#!/usr/bin/env bash
# The interval of a flawless AUC or F1 has no width, next to one of accuracy that reaches down to .84.
#
# One would guess: ten positives ranked above ten negatives leave room for an AUC below 1, as they leave room for an
# accuracy of .84.
# What happens: DeLong's variance and Takahashi's are 0 there: AUC .99999994 (.99999994 to .99999994, float32), F1 1
# (1 to 1). Accuracy of the same rows is 1 (.839 to 1), by Wilson's method.
# Who is bitten: who reports a small, separable test set: the least certain samples get the most certain intervals,
# and the AUC is not even 1.
# Seen with confidenceinterval 1.0.5, scikit-learn 1.9.1, November 2026.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/python -m pip install --quiet --disable-pip-version-check confidenceinterval==1.0.5 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1 scikit-learn==1.9.1 statsmodels==0.15.0

env/bin/python - <<'PYTHON'
import numpy as np
from confidenceinterval import accuracy_score, f1_score, roc_auc_score

y = [1] * 10 + [0] * 10
auc, auc_ends = roc_auc_score(y, np.arange(20)[::-1].tolist(), confidence_level=0.95)
f1, f1_ends = f1_score(y, y, confidence_level=0.95, average="binary")
accuracy, accuracy_ends = accuracy_score(y, y, confidence_level=0.95)
print("AUC", auc, auc_ends)
print("F1", f1, f1_ends)
print("accuracy", accuracy, accuracy_ends)

assert auc < 1 and auc_ends[0] == auc_ends[1]
assert f1 == f1_ends[0] == f1_ends[1] == 1
assert accuracy == 1 and round(accuracy_ends[0], 3) == 0.839
PYTHON
