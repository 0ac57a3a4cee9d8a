#!/usr/bin/env bash
# WEKA's nearest neighbor with k = 1 gives probabilities between 0 and 1 that depend on the number of training rows.
#
# One would guess: one neighbor votes for its class: the probability is 0 or 1, as in scikit-learn.
# What happens: IBk adds 1/n to each class before it divides, so with 24 rows and two classes the answer is .962 or
# .038, and with three neighbors .986, .662, .338 or .014. Refitting on more rows moves every score.
# Who is bitten: who cuts scores of IBk at a threshold found on another sample, or pools scores of folds of unequal
# size: equal votes differ by fold.
# Seen with WEKA 3.9.7 (in python-weka-wrapper3 0.3.3), November 2026. Needs Java.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# The wrapper is only a carrier: its source archive holds WEKA's own jar.
python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: python-weka-wrapper3==0.3.3
tar -xzf python_weka_wrapper3-0.3.3.tar.gz
jar=python_weka_wrapper3-0.3.3/python/weka/lib/weka.jar

{
    printf '@relation r\n@attribute id numeric\n@attribute x numeric\n@attribute c {no,yes}\n@data\n'
    for i in $(seq 24); do
        if [ $((i % 2)) = 1 ]; then class=yes; else class=no; fi
        echo "$i,$(((i * 37) % 24 + 6 * (i % 2))),$class"
    done
} >rows.arff

for k in 1 3; do
    java -cp "$jar" weka.classifiers.lazy.IBk -K "$k" -t rows.arff -T rows.arff \
        -classifications "weka.classifiers.evaluation.output.prediction.CSV -distribution" >"predictions$k.txt" 2>/dev/null
    echo "k = $k:" $(grep -E '^[0-9]+,' "predictions$k.txt" | cut -d, -f6 | tr -d '*' | sort -u)
done

python3 - <<'PYTHON'
import re


def probabilities(name):
    rows = [line.strip().split(",") for line in open(name) if re.match(r"\d+,", line)]
    return {float(row[5].strip("*")) for row in rows}


def expected(votes, k, n=24):
    return round((votes + 1 / n) / (k + 2 / n), 3)


assert probabilities("predictions1.txt") == {expected(0, 1), expected(1, 1)} == {0.038, 0.962}
assert probabilities("predictions3.txt") <= {expected(votes, 3) for votes in range(4)}
PYTHON
