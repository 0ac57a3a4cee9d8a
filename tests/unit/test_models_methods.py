"""Each of the five classifiers equals the plain method it replaces."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from test_models_registry import mixed

from pumetrics_workflow.models.encoding import MixedTable
from pumetrics_workflow.models.lockstep_mlp import initial_network, predict, train
from pumetrics_workflow.models.registry import out_of_sample_scores


@pytest.mark.parametrize("list_size", [6, 40])
def test_neighbors_equal_a_plain_search(list_size):
    """Ties, nominal and missing values, and lists that run out within the fold."""
    X, labelings, _ = mixed(60, missing=0.2)
    X["a"] = X["a"].round()
    X["c"] = X["c"].round()
    folds = np.arange(60) % 2
    scores = out_of_sample_scores(
        X, labelings, folds, model="nearest_neighbors", list_size=list_size
    )
    columns = [plain_column(column) for _, column in X.items()]
    for row in range(60):
        others = np.flatnonzero(folds != folds[row])
        away = np.array([plain_distance(columns, row, other) for other in others])
        near = others[away <= np.sort(away)[4] + 1e-9]
        expected = (labelings[:, near].sum(axis=1) + 1 / 30) / (len(near) + 2 / 30)
        np.testing.assert_allclose(scores[:, row], expected, atol=1e-12)


def plain_column(column):
    """Values, numeric ones scaled to [0, 1], missing ones as None, and whether they are nominal."""
    nominal = isinstance(column.dtype, pd.CategoricalDtype)
    if not nominal:
        column = (column - column.min()) / (np.ptp(column.dropna()) or 1)
    return [None if pd.isna(value) else value for value in column], nominal


def plain_distance(columns, row, other):
    total = 0.0
    for values, nominal in columns:
        a = values[row]
        b = values[other]
        known = b if a is None else a
        if nominal or known is None:
            total += a is None or b is None or a != b
        elif a is None or b is None:
            total += max(known, 1 - known) ** 2
        else:
            total += (a - b) ** 2
    return total


def test_bayes_equals_counting_row_by_row():
    X, labelings, folds = mixed(90, missing=0.1)
    scores = out_of_sample_scores(X, labelings, folds, model="naive_bayes")
    for y, got in zip(labelings, scores, strict=True):
        train = folds != 1
        for row in np.flatnonzero(~train)[:8]:
            assert got[row] == pytest.approx(plain_bayes(X, y, train, row), abs=1e-10)


def plain_bayes(X, y, train, row):
    joint = np.array([(y[train] == c).sum() + 1.0 for c in (0, 1)])
    for _, column in X.items():
        value = column.iloc[row]
        if pd.isna(value):
            continue
        for c in (0, 1):
            seen = column[train & (y == c)].dropna()
            if isinstance(column.dtype, pd.CategoricalDtype):
                joint[c] *= ((seen == value).sum() + 1) / (len(seen) + len(column.cat.categories))
                continue
            distinct = np.unique(column[train].dropna())
            step = np.diff(distinct).mean() if len(distinct) > 1 else 0.01
            seen = np.rint(seen / step) * step
            value_ = np.rint(value / step) * step
            spread = max(seen.std(ddof=0), step / 6)
            edges = norm.cdf([value_ - step / 2, value_ + step / 2], seen.mean(), spread)
            joint[c] *= max(edges[1] - edges[0], 1e-75)
    return joint[1] / joint.sum()


def test_svm_equals_a_machine_trained_alone_and_its_answers_agree():
    from sklearn.svm import SVC

    X, labelings, folds = mixed(200, missing=0)
    decision, binary, logistic = (
        out_of_sample_scores(X, labelings[:1], folds, model=m, random_state=0)[0]
        for m in ("svm", "svm_class", "svm_logistic")
    )
    np.testing.assert_array_equal(binary, decision > 0)
    numbers, source = MixedTable(X).indicators()
    assert source.tolist() == [0, 1, 2, 3, 3, 3, 3, 4, 5]
    for fold in range(4):
        test = folds == fold
        order = np.argsort(decision[test])
        assert (np.diff(logistic[test][order]) >= 0).all(), (
            "within a fold the logistic model keeps the order"
        )
        low = numbers[~test].min(axis=0)
        high = numbers[~test].max(axis=0)
        unit = (numbers - low) / np.where(high > low, high - low, 1)
        exact = (
            SVC(kernel="linear", C=1.0, tol=1e-6)
            .fit(unit[~test], labelings[0, ~test])
            .decision_function(unit[test])
        )
        np.testing.assert_allclose(decision[test], exact, atol=1e-3)


def test_perceptron_equals_one_network_at_a_time():
    """Against textbook online gradient descent in float64, with inputs and a hidden unit that a lane lacks."""
    rng = np.random.default_rng(5)
    x = rng.uniform(-1, 1, (25, 6)).astype(np.float32)
    x[:, 5] = 1  # the bias; lane 1 does not see inputs 1 and 2
    targets = (rng.random((25, 2)) < 0.5).astype(np.float32)
    sees = np.ones((6, 2), bool)
    sees[[1, 2], 1] = False
    network = initial_network(sees, 0.5, np.random.default_rng(1))
    hidden, output = (
        np.array(w, dtype=float) for w in (network.hidden.reshape(6, 3, -1), network.output)
    )
    train(network, x, np.repeat(targets, 8, axis=1), 30, 0.3, 0.2)
    got = predict(network, x)[[0, 8]]
    for lane, units in ((0, 3), (1, 2)):  # (5 + 2) // 2 and (3 + 2) // 2
        visible = np.flatnonzero(sees[:, lane])
        start = hidden[visible][:, :units, lane], output[:, [*range(units), 3], lane]
        expected = plain_perceptron(
            x[:, visible].astype(float), targets[:, lane], *start, epochs=30
        )
        np.testing.assert_allclose(got[lane], expected, atol=2e-4)


@pytest.mark.parametrize("momentum", [0.0, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("n_rows", [1, 2, 7, 8, 9, 17])
def test_perceptron_steps_row_by_row_whatever_fits_into_its_blocks(n_rows, momentum):
    """Blocks of eight rows change the order of the sums alone, also where momentum lasts for many blocks."""
    rng = np.random.default_rng(n_rows)
    x = rng.uniform(-1, 1, (n_rows, 4)).astype(np.float32)
    targets = rng.integers(0, 2, (n_rows, 16)).astype(np.float32)
    network = initial_network(np.ones((4, 16), bool), 0.5, np.random.default_rng(1))
    start = (
        np.array(network.hidden.reshape(4, 2, 16), float)[:, :, 5],
        np.array(network.output, float)[:, :, 5],
    )
    train(network, x, targets, 12, 0.3, momentum)
    expected = plain_perceptron(
        x.astype(float), targets[:, 5], *start, epochs=12, momentum=momentum
    )
    np.testing.assert_allclose(predict(network, x)[5], expected, atol=5e-6)


def test_perceptron_of_a_lane_does_not_depend_on_what_its_neighbors_see():
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, (21, 7)).astype(np.float32)
    targets = rng.integers(0, 2, (21, 32)).astype(np.float32)
    sees = np.ones((7, 32), bool)
    sees[1, 20:] = sees[3, [2, 25]] = False
    together = initial_network(sees, 0.05, np.random.default_rng(0))
    train(together, x, targets, 40, 0.3, 0.2)
    for lane in (0, 2, 20, 25):
        alone = initial_network(sees[:, [lane]], 0.05, np.random.default_rng(0))
        train(alone, x, np.repeat(targets[:, [lane]], 16, axis=1), 40, 0.3, 0.2)
        np.testing.assert_array_equal(
            predict(alone, x)[0], predict(together, x)[lane], err_msg=f"lane {lane}"
        )


def plain_perceptron(x, targets, hidden, output, epochs, momentum=0.2):
    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    def forward(row):
        act = np.append(sigmoid(row @ hidden), 1.0)
        return act, sigmoid(output @ act)

    hidden = hidden.copy()
    output = output.copy()
    hidden_step = np.zeros_like(hidden)
    output_step = np.zeros_like(output)
    for _ in range(epochs):
        for row, target in zip(x, targets, strict=True):
            act, out = forward(row)
            error = (np.array([1 - target, target]) - out) * out * (1 - out)
            back = (error @ output)[:-1] * act[:-1] * (1 - act[:-1])
            output_step = momentum * output_step + 0.3 * np.outer(error, act)
            hidden_step = momentum * hidden_step + 0.3 * np.outer(row, back)
            output = output + output_step
            hidden = hidden + hidden_step
    outputs = np.array([forward(row)[1] for row in x])
    return outputs[:, 1] / outputs.sum(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "missing"), [(0, 0.0), (1, 0.0), (2, 0.1), (3, 0.25)])
def test_tree_equals_one_written_by_recursion(seed, missing):
    X, labelings, folds = mixed(160, seed=seed, missing=missing)
    X["b"] = X["b"] + 0.5 * (np.arange(160) % 3)
    scores = out_of_sample_scores(X, labelings[:2], folds, model="c45")
    columns = [
        (c.cat.codes.where(c.notna()).astype(float).to_numpy(), len(c.cat.categories))
        if isinstance(c.dtype, pd.CategoricalDtype)
        else (c.to_numpy(), 0)
        for _, c in X.items()
    ]
    for y, got in zip(labelings[:2], scores, strict=True):
        for fold in (0, 3):
            train_rows = np.flatnonzero(folds != fold)
            tree = PlainTree(columns, y, train_rows)
            expected = [tree.score(row) for row in np.flatnonzero(folds == fold)]
            np.testing.assert_allclose(got[folds == fold], expected, atol=1e-9)


def entropy(weights):
    """Bits of a split of this weight, times the weight."""
    weights = np.asarray(weights, dtype=float)
    weights = weights[weights > 1e-9]
    return (
        weights.sum() * np.log2(weights.sum()) - (weights * np.log2(weights)).sum()
        if weights.size
        else 0.0
    )


class PlainTree:
    """C4.5 as in Quinlan's book, one (row, weight) list per node."""

    def __init__(self, columns, y, rows):
        self.columns = columns
        self.y = y
        self.rows = rows
        self.root = self.grow([(row, 1.0) for row in rows])

    def totals(self, entries):
        return np.array([sum(w for row, w in entries if self.y[row] == c) for c in (0, 1)])

    def grow(self, entries):
        totals = self.totals(entries)
        node = {"totals": totals, "children": None}
        if totals.sum() < 4 - 1e-6 or totals.min() < 1e-6:
            return node
        options = [option for j in range(len(self.columns)) if (option := self.option(j, entries))]
        if not options:
            return node
        bar = np.mean(
            [o["gain"] for o in options if not o["values"] or o["values"] < 0.3 * len(self.rows)]
        )
        best = {"ratio": 0.0}
        for option in options:
            if option["gain"] >= bar - 1e-3 and option["ratio"] > best["ratio"] + 1e-6:
                best = option
        if "feature" not in best:
            return node
        if not best["values"]:
            column = self.columns[best["feature"]][0][self.rows]
            best["cut"] = column[column <= best["cut"]].max()
        node.update(best)
        sides, unknown = self.split(best, entries)
        weights = np.array([self.totals(side).sum() for side in sides])
        node["shares"] = weights / weights.sum()
        node["children"] = [
            self.grow(side + [(row, w * share) for row, w in unknown if share > 1e-6])
            for side, share in zip(sides, node["shares"], strict=True)
        ]
        return node

    def branch(self, option, row):
        value = self.columns[option["feature"]][0][row]
        if np.isnan(value):
            return None
        return int(value if option["values"] else value > option["cut"])

    def split(self, option, entries):
        sides = [[] for _ in range(option["values"] or 2)]
        unknown = []
        for row, w in entries:
            branch = self.branch(option, row)
            (unknown if branch is None else sides[branch]).append((row, w))
        return sides, unknown

    def gains(self, option, entries):
        sides, unknown = self.split(option, entries)
        total = sum(w for _, w in entries)
        counts = np.array([self.totals(side) for side in sides])
        gain = (entropy(counts.sum(axis=0)) - sum(entropy(c) for c in counts)) / total
        split = entropy([*counts.sum(axis=1), sum(w for _, w in unknown)]) / total
        return counts.sum(axis=1), gain, split

    def option(self, j, entries):
        values, n_values = self.columns[j]
        option = {"feature": j, "values": n_values, "cut": None}
        total = sum(w for _, w in entries)
        if n_values:
            sizes, gain, split = self.gains(option, entries)
            if (sizes >= 2 - 1e-6).sum() < 2:
                return None
            return {**option, "gain": gain, "ratio": gain / split if split > 1e-9 else 0.0}
        distinct = np.unique([values[row] for row, _ in entries if not np.isnan(values[row])])
        known = sum(w for row, w in entries if not np.isnan(values[row]))
        least = min(max(0.05 * known, 2), 25)
        best = None
        tried = 0
        for low, high in pairwise(distinct):
            sizes, gain, split = self.gains({**option, "cut": (low + high) / 2}, entries)
            if sizes.min() < least - 1e-6:
                continue
            tried += 1
            if gain > (best[0] if best else 0) + 1e-6:
                best = gain, split, (low + high) / 2
        if not best or best[0] - np.log2(tried) / total <= 1e-6:
            return None
        gain = best[0] - np.log2(tried) / total
        return {**option, "gain": gain, "ratio": gain / best[1], "cut": best[2]}

    def score(self, row):
        return self.walk(self.root, row, self.root["totals"])

    def walk(self, node, row, above):
        if node["children"] is None:
            totals = node["totals"] if node["totals"].sum() > 1e-6 else above
            return (totals[1] + 1) / (totals.sum() + 2)
        branch = self.branch(node, row)
        if branch is not None:
            return self.walk(node["children"][branch], row, node["totals"])
        pairs = zip(node["shares"], node["children"], strict=True)
        return sum(
            share * self.walk(child, row, node["totals"]) for share, child in pairs if share > 0
        )
