"""C4.5 decision trees as Rider et al. grew them: unpruned, uncollapsed, Laplace estimates at the leaves.

Quinlan's algorithm with the details of WEKA's ``J48 -U -O -A``: gain ratio among the features of at least average
gain, one branch per nominal value, cuts of numeric features charged with the bits of their choice, rows of unknown
branch sent down all of them with fractional weights.
"""

import numpy as np
from numba import njit

__all__ = ["c45"]

_SMALL = 1e-6  # WEKA's tolerance in comparisons of gains and weights
_GAP = 1e-5  # numeric values closer than this are not cut apart
_MIN_ROWS = 2.0  # in at least two branches


def c45(table, labels, folds, removed, rng):
    """Out-of-fold probability of the positive class by a C4.5 tree.

    Parameters
    ----------
    table : MixedTable
        Features of the n rows.
    labels : ndarray of shape (n_labelings, n), uint8
        0 and 1.
    folds : ndarray of shape (n,)
        Fold of each row; a row is scored by the tree of the other folds.
    removed : ndarray of shape (n_labelings,), int
        Column a labeling does not see, or -1.
    rng : numpy.random.Generator
        Not used: there is nothing random.

    Returns
    -------
    ndarray of shape (n_labelings, n), float64

    Notes
    -----
    Trees of different labelings share only the order of each feature's values, sorted once per data set.
    """
    scores = np.empty(labels.shape)
    columns, entropies = np.arange(len(table.names)), _plogp_table(table.n)
    for fold in np.unique(folds):
        train, test = folds != fold, np.flatnonzero(folds == fold)
        order, known = _training_order(table, train)
        values = np.ascontiguousarray(table.values[:, train])
        rows = np.ascontiguousarray(table.values[:, test].T)
        for labeling, y in enumerate(labels):
            use = columns != removed[labeling]
            scores[labeling, test] = _grow_and_score(
                values, table.n_values, use, order, known, y[train], entropies, rows
            )
    return scores


def _training_order(table, train):
    """Training rows, counted among themselves, in ascending order of each feature, and how many are not missing."""
    number = np.cumsum(train, dtype=np.int32) - 1
    order = np.stack([number[rows[train[rows]]] for rows in table.sorted_rows])
    return order, np.sum(~np.isnan(table.values[:, train]), axis=1)


def _plogp_table(n):
    """x log2 x of 0, 1, ... n: without missing values all weights are counts."""
    counts = np.arange(n + 1, dtype=np.float64)
    return counts * np.log2(np.maximum(counts, 1))


@njit(cache=True)
def _plogp(x, table):
    whole = int(x)
    if whole == x:
        return table[whole]
    return x * np.log2(x) if x > _SMALL else 0.0


@njit(cache=True)
def _numeric_cut(values, rows, weights, y, order, known, total, table):
    """Best cut of a numeric feature in a node: its gain (0 for none), gain ratio, and midpoint.

    `order` lists the node's entries of known value, ascending.
    """
    all_known, all_positive = 0.0, 0.0
    for k in range(known):
        all_known += weights[order[k]]
        all_positive += weights[order[k]] * y[rows[order[k]]]
    least = min(max(0.1 * all_known / 2, _MIN_ROWS), 25.0)
    if known < 2 * least - _SMALL:
        return 0.0, 0.0, 0.0
    before = _plogp(all_known, table) - _plogp(all_positive, table) - _plogp(all_known - all_positive, table)
    below, positive = 0.0, 0.0
    best, at, tried, best_below = 0.0, 0, 0, 0.0
    for k in range(1, known):
        entry = order[k - 1]
        below += weights[entry]
        positive += weights[entry] * y[rows[entry]]
        above = all_known - below
        if below <= least - _SMALL or values[rows[entry]] + _GAP >= values[rows[order[k]]]:
            continue
        if above <= least - _SMALL:
            break
        tried += 1
        after = _plogp(below, table) - _plogp(positive, table) - _plogp(below - positive, table)
        after += (
            _plogp(above, table)
            - _plogp(all_positive - positive, table)
            - _plogp(above - all_positive + positive, table)
        )
        gain = (before - after) / total
        if gain > best + _SMALL:
            best, at, best_below = gain, k, below
    if tried == 0:
        return 0.0, 0.0, 0.0
    best -= np.log2(tried) / total
    if best <= _SMALL:
        return 0.0, 0.0, 0.0
    split = (
        _plogp(total, table)
        - _plogp(best_below, table)
        - _plogp(all_known - best_below, table)
        - _plogp(total - all_known, table)
    )
    middle = (values[rows[order[at]]] + values[rows[order[at - 1]]]) / 2
    return best, (best * total / split if split > _SMALL else 0.0), middle


@njit(cache=True)
def _nominal_split(values, rows, weights, y, n_values, total, table):
    """Gain and gain ratio of one branch per value; the gain is -1 if fewer than two branches have enough rows."""
    counts = np.zeros((n_values, 2))
    for e in range(len(rows)):
        value = values[rows[e]]
        if not np.isnan(value):
            counts[int(value), y[rows[e]]] += weights[e]
    known, positive, after, split, full = 0.0, 0.0, 0.0, 0.0, 0
    for value in range(n_values):
        size = counts[value, 0] + counts[value, 1]
        full += size > _MIN_ROWS - _SMALL
        known += size
        positive += counts[value, 1]
        after += _plogp(size, table) - _plogp(counts[value, 0], table) - _plogp(counts[value, 1], table)
        split -= _plogp(size, table)
    if full < 2:
        return -1.0, 0.0
    gain = max(_plogp(known, table) - _plogp(positive, table) - _plogp(known - positive, table) - after, 0.0) / total
    split += _plogp(total, table) - _plogp(total - known, table)
    return gain, (gain * total / split if split > _SMALL else 0.0)


@njit(cache=True)
def _choose(values, n_values, use, many_valued, rows, weights, y, order, known, total, table):
    """The feature of best gain ratio among those of at least average gain, or -1, and its cut."""
    n_features = len(use)
    gains, ratios, cuts = np.full(n_features, -1.0), np.zeros(n_features), np.zeros(n_features)
    valid, average = 0, 0.0
    n_rows = values.shape[1]
    for f in range(n_features):
        if not use[f]:
            continue
        if n_values[f]:
            gains[f], ratios[f] = _nominal_split(values[f], rows, weights, y, n_values[f], total, table)
        else:
            gain, ratios[f], cuts[f] = _numeric_cut(values[f], rows, weights, y, order[f], known[f], total, table)
            gains[f] = gain if gain > 0 else -1.0
        # Features with as many values as a good part of the rows would drag the average up.
        if gains[f] >= 0 and (n_values[f] == 0 or many_valued or n_values[f] < 0.3 * n_rows):
            average += gains[f]
            valid += 1
    if valid == 0:
        return -1, 0.0
    best, feature = 0.0, -1
    for f in range(n_features):
        if gains[f] >= average / valid - 1e-3 and gains[f] >= 0 and ratios[f] > best + _SMALL:
            best, feature = ratios[f], f
    return feature, (cuts[feature] if feature >= 0 else 0.0)


@njit(cache=True)
def _largest_up_to(values, order, known, cut):
    """The largest training value not above the cut: C4.5 cuts at values that occur."""
    low, high = 0, known - 1
    while low < high:
        middle = (low + high + 1) // 2
        if values[order[middle]] <= cut:
            low = middle
        else:
            high = middle - 1
    return values[order[low]]


@njit(cache=True)
def _branches(values, rows, n_values, cut):
    """Branch of each entry of a node, -1 where the value is missing."""
    branch = np.full(len(rows), -1, np.int32)
    for e in range(len(rows)):
        value = values[rows[e]]
        if not np.isnan(value):
            branch[e] = int(value) if n_values else int(value - cut >= _SMALL)
    return branch


@njit(cache=True)
def _branch_weights(branch, weights, rows, y, n_branches):
    """Weight of each class in each branch, unknown entries shared out in proportion, and the shares."""
    counts, unknown = np.zeros((n_branches, 2)), np.zeros(2)
    for e in range(len(branch)):
        if branch[e] >= 0:
            counts[branch[e], y[rows[e]]] += weights[e]
        else:
            unknown[y[rows[e]]] += weights[e]
    shares = counts.sum(axis=1) / counts.sum()
    return counts + shares.reshape(-1, 1) * unknown, shares


@njit(cache=True)
def _descend(b, branch, share, rows, weights, order, known):
    """Entries of one branch: rows, weights, and each feature's order among them."""
    keep = share > _SMALL
    place = np.full(len(rows), -1, np.int32)
    count = 0
    for e in range(len(rows)):
        if branch[e] == b or (keep and branch[e] < 0):
            place[e] = count
            count += 1
    sub_rows, sub_weights = np.empty(count, np.int32), np.empty(count)
    for e in range(len(rows)):
        if place[e] >= 0:
            sub_rows[place[e]] = rows[e]
            sub_weights[place[e]] = weights[e] if branch[e] == b else weights[e] * share
    sub_order, sub_known = np.empty((len(known), count), np.int32), np.zeros(len(known), np.int64)
    for f in range(len(known)):
        position = 0
        for k in range(known[f]):
            entry = place[order[f, k]]
            if entry >= 0:
                sub_order[f, position] = entry
                position += 1
        sub_known[f] = position
    return sub_rows, sub_weights, sub_order, sub_known


@njit(cache=True)
def _grow(values, n_values, use, order, known, y, table):
    """Grow a tree on the training rows.

    Returns the nodes as columns (feature or -1, cut, first child, weight of each class); children of a node are
    neighbours, in the order of their branches.
    """
    n = values.shape[1]
    positives = 0.0 + y.sum()
    nodes = [(-1, 0.0, -1, n - positives, positives)]
    many_valued = True
    for f in range(len(use)):
        if use[f] and (n_values[f] == 0 or n_values[f] < 0.3 * n):
            many_valued = False
    # Nominal features are never looked up in order.
    listed = np.where(n_values > 0, 0, known)
    stack = [(0, np.arange(n).astype(np.int32), np.ones(n), order, listed)]
    if n < 2 * _MIN_ROWS or positives == 0 or positives == n:
        stack.pop()
    while len(stack):
        node, rows, weights, node_order, node_known = stack.pop()
        _, _, _, negative, positive = nodes[node]
        total = negative + positive
        feature, cut = _choose(
            values, n_values, use, many_valued, rows, weights, y, node_order, node_known, total, table
        )
        if feature < 0:
            continue
        if n_values[feature] == 0:
            cut = _largest_up_to(values[feature], order[feature], known[feature], cut)
        branch = _branches(values[feature], rows, n_values[feature], cut)
        n_branches = n_values[feature] if n_values[feature] else 2
        counts, shares = _branch_weights(branch, weights, rows, y, n_branches)
        nodes[node] = (feature, cut, len(nodes), negative, positive)
        first = len(nodes)
        for b in range(n_branches):
            nodes.append((-1, 0.0, -1, counts[b, 0], counts[b, 1]))
            if counts[b].sum() > 2 * _MIN_ROWS - _SMALL and counts[b].min() > _SMALL:
                parts = _descend(b, branch, shares[b], rows, weights, node_order, node_known)
                stack.append((first + b, parts[0], parts[1], parts[2], parts[3]))
    return nodes


@njit(cache=True)
def _grow_and_score(values, n_values, use, order, known, y, table, rows):
    """One call for both: a list of nodes is slow to hand back to Python."""
    return _score(_grow(values, n_values, use, order, known, y, table), rows, n_values)


@njit(cache=True)
def _score(nodes, rows, n_values):
    """Laplace estimate of the positive class at the leaves a row reaches, weighted by how much of it gets there."""
    scores = np.zeros(len(rows))
    for r in range(len(rows)):
        stack = [(0, 1.0, 0)]
        while len(stack):
            node, weight, parent = stack.pop()
            feature, cut, first, negative, positive = nodes[node]
            if feature < 0:
                if negative + positive <= _SMALL:  # nobody came this way in training: ask the parent
                    _, _, _, negative, positive = nodes[parent]
                scores[r] += weight * (positive + 1) / (negative + positive + 2)
                continue
            value = rows[r, feature]
            if not np.isnan(value):
                branch = int(value) if n_values[feature] else int(value - cut >= _SMALL)
                stack.append((first + branch, weight, node))
                continue
            for b in range(n_values[feature] if n_values[feature] else 2):
                _, _, _, some, more = nodes[first + b]
                if some + more > _SMALL:
                    stack.append((first + b, weight * (some + more) / (negative + positive), node))
    return scores
