#!/usr/bin/env bash
# 'inst#' in WEKA's predictions under cross-validation is no row number: it begins again in each fold.
#
# One would guess: inst# 7 is the seventh row of the file, or at least a number that occurs once.
# What happens: with -x 4 on 24 rows each of the numbers 1 to 6 occurs four times, for rows in an order that WEKA has
# shuffled and stratified. Only an attribute that is written along (-p with its index) says which row it is.
# Who is bitten: who joins the predictions of two classifiers, or predictions and verdicts, by inst#: the join works
# and pairs other rows.
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

java -cp "$jar" weka.classifiers.bayes.NaiveBayes -t rows.arff -x 4 \
    -classifications "weka.classifiers.evaluation.output.prediction.CSV -p first" >predictions.txt 2>/dev/null
grep -E '^[0-9]+,' predictions.txt | head -8

python3 - <<'PYTHON'
import re

rows = [line.strip().split(",") for line in open("predictions.txt") if re.match(r"\d+,", line)]
numbers = [int(row[0]) for row in rows]
ids = [int(float(row[-1])) for row in rows]
print("inst#:", numbers, "rows of the file:", ids, sep="\n")

assert len(rows) == 24
assert sorted(set(numbers)) == [1, 2, 3, 4, 5, 6]
assert sorted(ids) == list(range(1, 25))
assert ids != sorted(ids)
PYTHON
