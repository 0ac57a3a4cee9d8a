#!/usr/bin/env bash
# CatBoost's eval_metric takes probabilities for log-odds: F1 of a good model becomes that of "everything is positive".
#
# One would guess: eval_metric(y, probability, 'F1') cuts probabilities at .5, as every other library does.
# What happens: its second argument is a raw score that is cut at 0, so every probability is a positive prediction:
# recall 1, accuracy the class prior, MCC 0. The areas are right, since they use the order alone, so nothing looks
# odd.
# Who is bitten: who scores the probabilities of another model with it, or of predict_proba in the place of
# prediction_type='RawFormulaVal'.
# Seen with catboost 1.2.10, numpy 2.4.6, November 2026.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/python -m pip install --quiet --disable-pip-version-check catboost==1.2.10 numpy==2.4.6 pandas==3.1.1

env/bin/python - <<'PYTHON'
import numpy as np
from catboost.utils import eval_metric

rng = np.random.default_rng(0)
y = (rng.random(200) < 0.3).astype(int)
raw = rng.normal(y) - 1
probability = 1 / (1 + np.exp(-raw))

for name in ("AUC", "Recall", "Accuracy", "F1", "MCC"):
    of_probability, of_raw = eval_metric(y, probability, name)[0], eval_metric(y, raw, name)[0]
    print(f"{name:9} of probabilities {of_probability:.4f}, of raw scores {of_raw:.4f}")

assert eval_metric(y, probability, "AUC") == eval_metric(y, raw, "AUC")
assert eval_metric(y, probability, "Recall") == [1.0]
assert eval_metric(y, probability, "MCC") == [0.0]
assert abs(eval_metric(y, probability, "Accuracy")[0] - y.mean()) < 1e-12
assert eval_metric(y, raw, "Accuracy")[0] == ((raw > 0) == y).mean()
PYTHON
