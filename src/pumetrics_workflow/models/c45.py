"""C4.5 decision trees as Rider et al. grew them: unpruned, uncollapsed, Laplace estimates at the leaves.

Quinlan's algorithm with the details of WEKA's ``J48 -U -O -A``: gain ratio among the features of at least average
gain, one branch per nominal value, cuts of numeric features charged with the bits of their choice, rows of unknown
branch sent down all of them with fractional weights.
"""

import numpy as np

from pumetrics.compiled import compiled

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
    columns = np.arange(len(table.names))
    entropies = _plogp_table(table.n)
    for fold in np.unique(folds):
        train = folds != fold
        test = np.flatnonzero(folds == fold)
        entries = _root_entries(table, train)
        values = np.ascontiguousarray(table.values[:, train])
        rows = np.ascontiguousarray(table.values[:, test].T)
        for labeling, y in enumerate(labels):
            use = columns != removed[labeling]
            scores[labeling, test] = _grow_and_score(
                values, table.n_values, use, entries, y[train], entropies, rows
            )
    return scores


def _root_entries(table, train):
    """All training rows, counted among themselves, in ascending order of each numeric feature, then as they come.

    Shape (n_features + 1, n_train); each order is closed by -1 if it leaves out missing values. Nominal features are
    never looked up in order: their line is empty.
    """
    number = np.cumsum(train, dtype=np.int32) - 1
    order = np.stack([number[rows[train[rows]]] for rows in table.sorted_rows])
    known = np.where(table.is_nominal, 0, np.sum(~np.isnan(table.values[:, train]), axis=1))
    order[np.arange(order.shape[1]) >= known[:, None]] = -1
    return np.vstack([order, np.arange(order.shape[1], dtype=np.int32)])


def _plogp_table(n):
    """x log2 x of 0, 1, ... n: without missing values all weights are counts."""
    counts = np.arange(n + 1, dtype=np.float64)
    return counts * np.log2(np.maximum(counts, 1))


@compiled
def _plogp(x, table):
    whole = int(x)
    if whole == x:
        return table[whole]
    return x * np.log2(x) if x > _SMALL else 0.0


@compiled
def _bits(whole, first, second, table):
    """Bits that tell the two parts of a whole apart."""
    return _plogp(whole, table) - _plogp(first, table) - _plogp(second, table)


@compiled
def _numeric_cut(
    values,
    rows,
    weights,
    y,
    order,
    total,
    table,
):
    """Best cut of a numeric feature in a node: its gain (0 for none), gain ratio, and midpoint.

    `order` lists the node's entries of known value, ascending, then -1.
    """
    all_known = 0.0
    all_positive = 0.0
    known = 0
    while known < len(order) and order[known] >= 0:
        all_known += weights[order[known]]
        all_positive += weights[order[known]] * y[rows[order[known]]]
        known += 1
    least = min(max(0.1 * all_known / 2, _MIN_ROWS), 25.0)
    if known < 2 * least - _SMALL:
        return 0.0, 0.0, 0.0
    before = _bits(all_known, all_positive, all_known - all_positive, table)
    below = 0.0
    positive = 0.0
    best = 0.0
    at = 0
    tried = 0
    best_below = 0.0
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
        rest = all_positive - positive
        after = _bits(below, positive, below - positive, table)
        after += _bits(above, rest, above - all_positive + positive, table)
        gain = (before - after) / total
        if gain > best + _SMALL:
            best = gain
            at = k
            best_below = below
    if at == 0:
        return 0.0, 0.0, 0.0
    gain, ratio = _charged(best, tried, best_below, all_known, total, table)
    return gain, ratio, (values[rows[order[at]]] + values[rows[order[at - 1]]]) / 2


@compiled
def _charged(
    gain,
    tried,
    below,
    known,
    total,
    table,
):
    """Gain of a cut less the bits of its choice among those tried, and its gain ratio; 0 if nothing is left."""
    gain -= np.log2(tried) / total
    if gain <= _SMALL:
        return 0.0, 0.0
    split = _bits(total, total - known, below, table) - _plogp(known - below, table)
    return gain, (gain * total / split if split > _SMALL else 0.0)


@compiled
def _nominal_split(
    values,
    rows,
    weights,
    y,
    n_values,
    total,
    table,
):
    """Gain and gain ratio of one branch per value; the gain is -1 if fewer than two branches have enough rows."""
    counts = np.zeros((n_values, 2))
    for e in range(len(rows)):
        value = values[rows[e]]
        if not np.isnan(value):
            counts[int(value), y[rows[e]]] += weights[e]
    known = 0.0
    positive = 0.0
    after = 0.0
    split = 0.0
    full = 0
    for value in range(n_values):
        size = counts[value, 0] + counts[value, 1]
        full += size > _MIN_ROWS - _SMALL
        known += size
        positive += counts[value, 1]
        after += _bits(size, counts[value, 0], counts[value, 1], table)
        split -= _plogp(size, table)
    if full < 2:
        return -1.0, 0.0
    before = _bits(known, positive, known - positive, table)
    gain = max(before - after, 0.0) / total
    split += _plogp(total, table) - _plogp(total - known, table)
    return gain, (gain * total / split if split > _SMALL else 0.0)


@compiled
def _choose(
    values,
    n_values,
    use,
    many_valued,
    rows,
    weights,
    y,
    order,
    total,
    table,
):
    """The feature of best gain ratio among those of at least average gain, or -1, and its cut."""
    n_features = len(use)
    gains = np.zeros(n_features) - 1
    ratios = np.zeros(n_features)
    cuts = np.zeros(n_features)
    valid = 0
    average = 0.0
    n_rows = values.shape[1]
    for f in range(n_features):
        if not use[f]:
            continue
        if n_values[f]:
            gains[f], ratios[f] = _nominal_split(
                values[f], rows, weights, y, n_values[f], total, table
            )
        else:
            gain, ratios[f], cuts[f] = _numeric_cut(
                values[f], rows, weights, y, order[f], total, table
            )
            gains[f] = gain if gain > 0 else -1.0
        # Features with as many values as a good part of the rows would drag the average up.
        if gains[f] >= 0 and (n_values[f] == 0 or many_valued or n_values[f] < 0.3 * n_rows):
            average += gains[f]
            valid += 1
    if valid == 0:
        return -1, 0.0
    best = 0.0
    feature = -1
    for f in range(n_features):
        if gains[f] >= average / valid - 1e-3 and gains[f] >= 0 and ratios[f] > best + _SMALL:
            best = ratios[f]
            feature = f
    return feature, (cuts[feature] if feature >= 0 else 0.0)


@compiled
def _largest_up_to(values, order, cut):
    """The largest training value not above the cut: C4.5 cuts at values that occur."""
    low = 0
    high = len(order) - 1
    while order[high] < 0:
        high -= 1
    while low < high:
        middle = (low + high + 1) // 2
        if values[order[middle]] <= cut:
            low = middle
        else:
            high = middle - 1
    return values[order[low]]


@compiled
def _branches(values, rows, n_values, cut):
    """Branch of each entry of a node, -1 where the value is missing."""
    branch = np.empty(len(rows), np.int32)
    for e in range(len(rows)):
        value = values[rows[e]]
        if np.isnan(value):
            branch[e] = -1
        elif n_values:
            branch[e] = int(value)
        else:
            branch[e] = int(value - cut >= _SMALL)
    return branch


@compiled
def _share_out(branch, weights, rows, y, counts):
    """Write the weight of each class in each branch to `counts`, unknown entries in proportion; return the shares."""
    shares = np.zeros(len(counts))
    unknown = np.zeros(2)
    known = 0.0
    for b in range(len(counts)):
        counts[b, 0] = 0.0
        counts[b, 1] = 0.0
    for e in range(len(branch)):
        if branch[e] >= 0:
            counts[branch[e], y[rows[e]]] += weights[e]
            known += weights[e]
        else:
            unknown[y[rows[e]]] += weights[e]
    for b in range(len(counts)):
        shares[b] = (counts[b, 0] + counts[b, 1]) / known
        counts[b, 0] += shares[b] * unknown[0]
        counts[b, 1] += shares[b] * unknown[1]
    return shares


@compiled
def _descend(
    b,
    branch,
    share,
    rows,
    weights,
    order,
):
    """Entries of one branch: each feature's order among them and, in the last line, their rows; and their weights."""
    keep = share > _SMALL
    place = np.empty(len(rows), np.int32)
    count = 0
    for e in range(len(rows)):
        if branch[e] == b or (keep and branch[e] < 0):
            place[e] = count
            count += 1
        else:
            place[e] = -1
    entries = np.empty((len(order) + 1, count), np.int32)
    sub_weights = np.empty(count)
    for e in range(len(rows)):
        if place[e] >= 0:
            entries[len(order), place[e]] = rows[e]
            sub_weights[place[e]] = weights[e] if branch[e] == b else weights[e] * share
    for f in range(len(order)):
        position = 0
        for entry in order[f]:
            if entry < 0:
                break
            if place[entry] >= 0:
                entries[f, position] = place[entry]
                position += 1
        if position < count:
            entries[f, position] = -1
    return entries, sub_weights


@compiled
def _grow(
    tree,
    values,
    n_values,
    use,
    many_valued,
    entries,
    y,
    table,
):
    """Split the root of the tree, and its children in turn.

    A node waits with its entries as given by `_descend`; those of the root are all training rows.
    """
    features, cuts, first, counts = tree
    waiting = np.empty(len(first), np.int32)
    lines = [entries]
    loads = [np.ones(entries.shape[1])]
    waiting[0] = 0
    end = 1
    while len(lines):
        here = lines.pop()
        weights = loads.pop()
        node = waiting[len(lines)]
        rows = here[-1]
        total = counts[node, 0] + counts[node, 1]
        if total <= 2 * _MIN_ROWS - _SMALL or min(counts[node, 0], counts[node, 1]) <= _SMALL:
            continue
        feature, cut = _choose(
            values, n_values, use, many_valued, rows, weights, y, here[:-1], total, table
        )
        if feature < 0:
            continue
        if n_values[feature] == 0:
            cut = _largest_up_to(values[feature], entries[feature], cut)
        branch = _branches(values[feature], rows, n_values[feature], cut)
        n_branches = n_values[feature] if n_values[feature] else 2
        shares = _share_out(branch, weights, rows, y, counts[end : end + n_branches])
        features[node] = feature
        cuts[node] = cut
        first[node] = end
        for b in range(n_branches):
            features[end] = -1
            if min(counts[end, 0], counts[end, 1]) > _SMALL:
                waiting[len(lines)] = end
                part, load = _descend(b, branch, shares[b], rows, weights, here[:-1])
                lines.append(part)
                loads.append(load)
            end += 1


@compiled
def _grow_and_score(
    values,
    n_values,
    use,
    entries,
    y,
    table,
    rows,
):
    """Probability of the positive class of `rows` by a tree of the training rows."""
    n = values.shape[1]
    most = 2
    few_valued = 0  # a count: numba would compile all below twice, once for a literal `True`
    for f in range(len(use)):
        most = max(most, n_values[f])
        few_valued += use[f] and (n_values[f] == 0 or n_values[f] < 0.3 * n)
    # A split needs two branches of two rows, so there are fewer splits than half the rows.
    room = 1 + (n // 2) * most
    features = np.empty(room, np.int32)
    first = np.empty(room, np.int32)
    cuts = np.empty(room)
    counts = np.empty((room, 2))
    features[0] = -1
    counts[0, 0] = 0.0
    counts[0, 1] = 0.0
    for row in range(n):
        counts[0, y[row]] += 1
    tree = features, cuts, first, counts
    _grow(tree, values, n_values, use, few_valued == 0, entries, y, table)
    scores = np.empty(len(rows))
    waiting = np.empty(room, np.int32)
    shares = np.empty(room)
    for r in range(len(rows)):
        scores[r] = _score(tree, n_values, rows[r], waiting, shares)
    return scores


@compiled
def _score(tree, n_values, row, waiting, shares):
    """Laplace estimate of the positive class at the leaves a row reaches, weighted by how much of it gets there."""
    features, cuts, first, counts = tree
    waiting[0] = 0
    shares[0] = 1.0
    score = 0.0
    count = 1
    while count:
        count -= 1
        node = waiting[count]
        share = shares[count]
        feature = features[node]
        while feature >= 0 and not np.isnan(row[feature]):
            value = row[feature]
            branch = int(value) if n_values[feature] else int(value - cuts[node] >= _SMALL)
            child = first[node] + branch
            feature = features[child]
            # Where no training row reached the child, stay.
            if counts[child, 0] + counts[child, 1] > _SMALL:
                node = child
        if feature < 0:
            score += share * (counts[node, 1] + 1) / (counts[node, 0] + counts[node, 1] + 2)
            continue
        total = counts[node, 0] + counts[node, 1]
        n_branches = n_values[feature] if n_values[feature] else 2
        for child in range(first[node], first[node] + n_branches):
            weight = counts[child, 0] + counts[child, 1]
            if weight > _SMALL:
                waiting[count] = child
                shares[count] = share * weight / total
                count += 1
    return score
