#!/usr/bin/env bash
# Precision at 10 of implicit is 1 for a list of ten with one hit.
#
# One would guess: precision at k is the share of hits among the k recommended items: 1 of 10 and 5 of 10 give .3 on
# average.
# What happens: implicit divides by the smaller of k and the number of items that the user likes, summed over users: 6
# hits of 6 possible ones, so 1.0. That is recall wherever users like fewer than k items.
# Who is bitten: who compares it with precision at k of another library or of a paper, or chooses k by it: it does not
# fall as lists get longer.
# Seen with implicit 0.7.3, SciPy 1.17.1, November 2026.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/python -m pip install --quiet --disable-pip-version-check implicit==0.7.3 numpy==2.4.6 scipy==1.17.1

env/bin/python - <<'PYTHON'
import numpy as np
from implicit.evaluation import ranking_metrics_at_k
from scipy.sparse import csr_matrix


class Fixed:
    """Recommends items 0, 1, 2, ... to everybody."""

    def recommend(self, users, user_items, N=10, **options):
        items = np.tile(np.arange(N, dtype=np.int32), (len(users), 1))
        return items, -items.astype(float)


likes = {0: [0], 1: [0, 1, 2, 3, 4]}
rows = np.repeat(list(likes), [len(items) for items in likes.values()]).astype(np.int32)
columns = np.concatenate(list(likes.values())).astype(np.int32)
held_out = csr_matrix((np.ones(6, dtype=np.float32), (rows, columns)), shape=(2, 20))
held_out.indices, held_out.indptr = held_out.indices.astype(np.int32), held_out.indptr.astype(np.int32)
seen = csr_matrix((2, 20), dtype=np.float32)

for k in (5, 10, 15):
    found = ranking_metrics_at_k(Fixed(), seen, held_out, K=k, show_progress=False, num_threads=1)
    print(f"precision at {k}: {found['precision']} (share of hits: {6 / (2 * k):.3f})")
    assert found["precision"] == 1.0
PYTHON
