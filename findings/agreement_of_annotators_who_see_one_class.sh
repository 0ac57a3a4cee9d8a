#!/usr/bin/env bash
# Two annotators who agree on every item, all of one class: an error, 1, not a number, or a division by zero, by coefficient.
#
# One would guess: complete agreement is 1 (or undefined) for every coefficient, and says that it rests on one class.
# What happens: krippendorff raises ValueError; irrCAC gives Krippendorff's alpha 1 with p = 0 and an interval of
# width 0, AC1 1 with p = nan, Conger's kappa nan, and Fleiss' kappa ends in ZeroDivisionError. With a second class
# among ten items, all of them are 1, those of irrCAC with z = 999999999999999.9.
# Who is bitten: who reports agreement of people on the outputs of a good model, batch by batch: batches without an
# error have no number, or a certain one.
# Seen with krippendorff 0.9.0, irrCAC 0.4.4, November 2026.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/python -m pip install --quiet --disable-pip-version-check krippendorff==0.9.0 irrCAC==0.4.4

env/bin/python - <<'PYTHON'
import warnings

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC

warnings.simplefilter("ignore")


def answer(coefficient, verdicts):
    try:
        if coefficient == "krippendorff package":
            return krippendorff.alpha(reliability_data=verdicts, level_of_measurement="nominal")
        found = getattr(CAC(pd.DataFrame(verdicts).T), coefficient)()["est"]
        return found["coefficient_value"], found["z"], found["p_value"]
    except (ValueError, ZeroDivisionError) as error:
        return type(error).__name__


one_class, two_classes = [[1] * 10] * 2, [[1] * 9 + [0]] * 2
found = {}
for name in ("krippendorff package", "krippendorff", "gwet", "fleiss", "conger"):
    found[name] = answer(name, one_class)
    print(f"{name:21} one class: {found[name]}   two classes: {answer(name, two_classes)}")

assert found["krippendorff package"] == "ValueError"
assert found["krippendorff"][::2] == (1.0, 0.0)
assert found["gwet"][0] == 1.0 and np.isnan(found["gwet"][2])
assert found["fleiss"] == "ZeroDivisionError"
assert np.isnan(found["conger"][0])
assert answer("krippendorff package", two_classes) == 1.0
for name in ("krippendorff", "gwet", "fleiss", "conger"):
    assert answer(name, two_classes) == (1.0, 999999999999999.9, 0.0)
PYTHON
