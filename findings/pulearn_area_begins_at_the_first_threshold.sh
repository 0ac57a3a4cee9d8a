#!/usr/bin/env bash
# pulearn's area under the corrected precision-recall curve leaves out all that lies before the highest score.
#
# One would guess: pu_precision_recall_curve(...).corrected_ap of a flawless model is 1, and of a constant score the share of
# positives, as with scikit-learn's average precision of the true classes.
# What happens: the curve has no point at recall 0, and its area begins at the recall of the highest score. The coarser the
# scores, the more is missing: a flawless model of two scores has 0, of three .5, of eleven .9; a constant score has 0.
# Who is bitten: who ranks models of coarse scores with it, such as 0/1 predictions, shallow trees, nearest neighbors or rounded
# probabilities: the finer scores win, whatever they are worth.
# Seen with pulearn 0.2.0, scikit-learn 1.9.1, November 2026.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/python -m pip install --quiet --disable-pip-version-check pulearn==0.2.0 scikit-learn==1.9.1 numpy==2.4.6 pandas==3.1.1

env/bin/python - <<'PYTHON'
import numpy as np
from pulearn.metrics import pu_precision_recall_curve
from sklearn.metrics import average_precision_score

# 100 labeled positives, 300 positives and 600 negatives among the unlabeled.
label = np.repeat([1, 0, 0], [100, 300, 600])
y = np.repeat([1, 1, 0], [100, 300, 600])
pi = y.mean()

found = {}
for levels in (0, 1, 2, 10, 100):
    score = np.full(1000, 0.3)
    if levels:  # equally many positives, labeled and not, at each of so many scores above that of all negatives
        score[y == 1] = 0.5 + 0.4 * (np.arange(400) % levels) / 100
    found[levels] = pu_precision_recall_curve(label, score, pi).corrected_ap
    name = f"flawless model of {levels + 1} scores" if levels else "constant score"
    print(f"{name}: {found[levels]:.3f}, of the true classes {average_precision_score(y, score):.3f}")

# what is missing is the part up to the recall of the highest score, 1 / levels, of a curve whose height is 1
assert found[0] == 0
for levels in (1, 2, 10, 100):
    assert abs(found[levels] - (1 - 1 / levels)) < 1e-9
PYTHON
