"""Preparing a data set: features, labels, and the card that says what it is."""

import difflib
import hashlib
import json
from pathlib import Path

import numpy as np

from pumetrics_workflow.datasets.parse import MARKS, counts, parse
from pumetrics_workflow.models.encoding import encoded_names
from pumetrics_workflow.seeding import rng_for

__all__ = ["COUNTS", "MANIFEST", "content_hash", "describe", "prepare"]

MANIFEST = "fetched.json"
COUNTS = ("rows", "features", "positives", "missing")  # that an entry states
_Y = "y"
_UNIQUE = 0.9  # levels per row, from which on a column names the rows
_FEW = 20  # levels that any column may have
# Of the entry, in its card.
_SAID = ("name", "title", "positive", "license", "citation", "notes", "deviation")


def prepare(dataset, paths=None, *, seed=0, manifest=None):
    """Table of features and labels of a data set, and its card.

    Parameters
    ----------
    dataset : DataSet
        An entry of the registry.
    paths : mapping of str to path, or FetchReport
        Where each file lies. Not needed for embedded and generated sets.
    seed : int
        Root of the random numbers of generated sets; the set's own name is added to it.
    manifest : dict, optional
        What `fetch` noted of the files; default: what it left in their folder.

    Returns
    -------
    frame : pandas.DataFrame of shape (n_samples, n_features + 1)
        Numeric features as float32 (NaN where missing), nominal ones as category, and ``y`` as int8, last.
    card : dict
        What the set is: name, rows, features, nominal features, missing values, positives, source, hashes, license.

    Raises
    ------
    ValueError
        If files do not hold what the registry says, naming the set, what was found and what was expected.
    """
    frame, card = _prepared(dataset, paths, seed, manifest)
    _check(dataset, card)
    return frame, card


def describe(dataset, paths):
    """Counts of rows, features, positives and missing values that an entry of the registry states."""
    _, card = _prepared(dataset, paths)
    return {key: card[key] for key in COUNTS}


def _prepared(dataset, paths, seed=0, manifest=None):
    if dataset.kind == "embedded":
        from pumetrics_workflow.datasets.generators import load_embedded

        raw, target = load_embedded(dataset.name)
        origin = {"source": "bundled with scikit-learn", "sha256": {}}
        return _finished(dataset, raw, target, origin)
    if dataset.kind == "generated":
        from pumetrics_workflow.datasets.generators import generate

        raw = generate(dataset.name, dataset.options, seed=seed)
        origin = {"source": f"generated with seed {seed}", "sha256": {}}
        return _finished(dataset, raw, _Y, origin, positive={"classes": [1]}, drop=())
    if dataset.kind == "unavailable":
        raise ValueError(f"{dataset.name}: {dataset.unavailable}")
    return _from_files(dataset, paths, manifest)


def _from_files(dataset, paths, manifest):
    paths = getattr(paths, "paths", paths)
    if not paths:
        raise ValueError(f"{dataset.name}: its files must be fetched first, and handed to prepare")
    hashes = {}
    for name, path in paths.items():
        hashes[name] = hashlib.sha256(Path(path).read_bytes()).hexdigest()

    folder = Path(path).parent
    if not manifest and (folder / MANIFEST).is_file():
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    manifest = manifest or {}

    for name, known in manifest.get("sha256", {}).items():
        if hashes.get(name) != known:
            raise ValueError(
                f"{dataset.name}: {folder / name} was altered since it was fetched; delete {folder} and "
                f"{folder}.json and run again, to fetch it once more"
            )

    origin = {"source": "given files", "sha256": hashes}
    origin |= {key: manifest[key] for key in ("source", "known", "warning") if key in manifest}
    number = manifest.get("alternative", 0)
    if number == "openml":
        return _from_openml(dataset, path, origin)
    alternative = dataset.variants()[number]
    raw = parse(alternative, paths, target=dataset.target)
    return _finished(dataset, raw, dataset.target, {**origin, "files_note": alternative.note})


def _from_openml(dataset, path, origin):
    """OpenML's copy: as the entry describes it if that gives the very same content, else with OpenML's own names."""
    from pumetrics_workflow.datasets.openml_copy import openml_tables

    for raw, drop in openml_tables(dataset, path):
        positive = dataset.openml.get("positive")
        frame, card = _finished(
            dataset, raw, dataset.openml["target"], origin, positive=positive, drop=drop
        )
        if content_hash(frame) == dataset.content.get("hash"):
            break
    return frame, card


def _finished(
    dataset,
    raw,
    target,
    origin,
    *,
    positive=None,
    drop=None,
):
    """Features and labels from a raw table, and the card."""
    positive = positive or dataset.positive
    drop = dataset.drop if drop is None else drop
    has_classes = "classes" in positive
    # In the registry a class may be of one of several files.
    if dataset.own_file and has_classes:
        _check_classes(raw[target], positive, dataset.name)

    frame = _labeled(raw, target, positive, drop, dataset.name)
    if dataset.own_file:
        _check_features(raw.drop(columns=[target, *drop]), dataset)
    classes = _class_sizes(raw[target]) if has_classes else {}
    if dataset.sample:
        frame = _sampled(frame, dataset)
    return frame, _card(dataset, frame, classes, origin)


def _labeled(raw, target, positive, drop, name):
    """Features and ``y`` from the raw table; rows without a class are left out."""
    import pandas as pd

    for column in drop:
        if column not in raw:
            columns = ", ".join(map(str, raw.columns))
            raise ValueError(f"{name}: no column {column!r} to drop, the columns are {columns}")

    y = _positives(raw[target], positive, name)
    labeled = y.notna()
    kept = raw.drop(columns=[target, *drop])[labeled].reset_index(drop=True)
    numeric = [column for column in kept.columns if str(kept[column].dtype) != "category"]
    with np.errstate(over="ignore"):
        frame = kept.astype(dict.fromkeys(numeric, np.float32))

    for column in numeric:
        infinite = np.isinf(frame[column])
        if infinite.any():
            value = kept[column][infinite].iloc[0]
            raise ValueError(
                f"{name}: column {column!r} holds {value}, and numbers must be below 3.4e38 in size"
            )

    labels = pd.Series(y[labeled].to_numpy(np.int8), name=_Y)
    return pd.concat([frame.rename(columns={_Y: "y_feature"}), labels], axis=1)


def _sampled(frame, dataset):
    """Rows drawn once, whatever the seed of a run, in their order: the sample is part of what the set is."""
    rng = rng_for(0, "dataset", dataset.name, 0)
    rows = rng.choice(len(frame), min(dataset.sample, len(frame)), replace=False)
    return frame.iloc[np.sort(rows)].reset_index(drop=True)


def _positives(target, rule, name):
    """1, 0 or NaN (left out) per row, by the positive rule."""
    import pandas as pd

    if "classes" in rule:
        positive = _among(target, rule["classes"])
        known = target.notna()
        if "against" in rule:
            known &= positive | _among(target, rule["against"])
        return positive.astype(float).where(known)

    numbers = pd.to_numeric(target, errors="coerce")
    words = target[numbers.isna() & target.notna()]
    if len(words):
        raise ValueError(
            f"{name}: the target {target.name!r} holds {counts(words)}, the rule needs numbers: {dict(rule)}"
        )

    if "above" in rule:
        means = {"mean": numbers.mean(), "median": numbers.median()}
        positive = numbers > means.get(rule["above"], rule["above"])
    elif "at_least" in rule:
        positive = numbers >= rule["at_least"]
    else:
        positive = numbers < rule["below"]
    return positive.astype(float).where(numbers.notna())


def _check_features(features, dataset):
    """Raise ValueError, a line for each, on columns of an own file that are no features as they are."""
    wrong = []
    nominal = dataset.options.get("nominal", ())
    for name, column in features.items():
        known = column.dropna()
        drop = f"add drop: [{name!r}]"
        if str(column.dtype) == "category":
            n_levels = known.nunique()
            if n_levels >= max(_UNIQUE * len(column), _FEW) and name not in nominal:
                wrong.append(
                    f"column {name!r} has {n_levels} levels in {len(column)} rows, as names and dates have: {drop}, or "
                    "list it in options.nominal"
                )
            continue

        is_whole = len(known) > 0 and (known % 1 == 0).all()
        is_count = is_whole and len(known) > 1 and (np.diff(column) == 1).all()
        if is_count and str(name).startswith("Unnamed"):
            wrong.append(f"column {name!r} is the index that was saved with the table: {drop}")
        n_values = known.nunique()
        n_kept = known.astype(np.float32).nunique()
        if is_whole and n_kept < n_values:
            wrong.append(
                f"column {name!r} has whole numbers of which {n_values} become {n_kept} with the seven digits of a "
                f"feature: subtract a constant, or {drop}"
            )
    if wrong:
        raise ValueError("\n".join(f"{dataset.name}: {each}" for each in wrong))


def _check_classes(target, rule, name):
    """Raise ValueError if a class of a rule does not occur, or if a value may be a class or mark a missing one."""
    stated = [*rule["classes"], *rule.get("against", ())]
    for value in stated:
        if not _among(target, [value]).any():
            known = [str(each) for each in target.dropna().unique()]
            near = difflib.get_close_matches(str(value), known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            if isinstance(value, int) and any(each.startswith("0") for each in known):
                hint = "; YAML reads 010 as 8: put a class with a leading zero in quotes, such as '010'"
            raise ValueError(
                f"{name}: positive: no row of class {value!r}: {target.name!r} holds {counts(target)}{hint}"
            )
    unstated = target.dropna()[~_among(target.dropna(), stated)].astype(str).unique()
    folded = {str(value).casefold(): value for value in stated}
    alike = [value for value in unstated if value.casefold() in folded]
    if alike:
        other = folded[alike[0].casefold()]
        raise ValueError(
            f"{name}: the target {target.name!r} holds {counts(target)}: {other!r} and {alike[0]!r} differ by case "
            "only; write them alike, or list both"
        )
    if "against" in rule:
        return
    is_mark = target.astype(str).str.lower().isin(MARKS - {"-"})
    unclear = target[target.notna() & is_mark & ~_among(target, stated)]
    if len(unclear):
        raise ValueError(
            f"{name}: the target {target.name!r} holds {counts(unclear)}: list it in options.missing if the class is "
            "missing there, or list all negative classes in positive.against"
        )


def _among(target, classes):
    """Which values are among `classes`: as text, and as numbers where a class is a number."""
    import pandas as pd

    numbers = [float(value) for value in classes if isinstance(value, int | float)]
    among = target.astype(str).isin([str(value) for value in classes])
    if numbers:
        among |= pd.to_numeric(target, errors="coerce").isin(numbers)
    return among


def _card(dataset, frame, classes, origin):
    features = frame.drop(columns=_Y)
    missing = features.isna().sum()
    nominal = features.select_dtypes("category")
    return {
        **{key: getattr(dataset, key) for key in _SAID},
        "rows": len(frame),
        "features": features.shape[1],
        "nominal_features": [*map(str, nominal)],
        "encoded": len(encoded_names(features)),
        "missing": int(missing.sum()),
        "missing_by_feature": {
            str(name): int(count) for name, count in missing[missing > 0].items()
        },
        "levels": int(nominal.nunique().sum()),
        "positives": int(frame[_Y].sum()),
        "share_positive": float(frame[_Y].mean()),
        "classes": [*classes.values()],
        "class_sizes": classes,
        **origin,
    }


def _check(dataset, card):
    """Raise ValueError unless counts, levels and sizes of classes are those of the registry."""
    expected = {key: getattr(dataset, key) for key in COUNTS}
    if dataset.encoded:
        expected["encoded"] = dataset.encoded
    for key in ("levels", "classes"):
        if key in dataset.content:
            expected[key] = dataset.content[key]

    wrong = differences(card, expected)
    if wrong:
        raise ValueError(f"{dataset.name} ({card['source']}): {'; '.join(wrong)}")


def differences(found, expected):
    """Each count that is not as expected, in words."""
    return [
        f"{found[key]} {key}, expected {value}"
        for key, value in expected.items()
        if found[key] != value
    ]


# What a table holds, in a few numbers and a hash: the same for any file that holds the same data

_DIGITS = 6
_LARGEST = 30  # classes; a target with more is treated as a number


def content_hash(frame):
    """Hash of a prepared table: names and order of columns, levels, values to six significant digits, classes, rows.

    Line ends, quotes, further digits, and the format of the file leave it as it is; one changed value does not.

    Parameters
    ----------
    frame : pandas.DataFrame of shape (n_samples, n_features + 1)
        A table of :func:`prepare`.

    Returns
    -------
    str
        32 hexadecimal digits.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1.5, 0.1], "y": [0, 1]})
    >>> content_hash(frame) == content_hash(frame.assign(size=[1.5, 0.1000000001]))
    True
    >>> content_hash(frame) == content_hash(frame.assign(size=[1.5, 0.1001]))
    False
    """
    digest = hashlib.sha256(f"{len(frame)} rows\n".encode())
    for name in frame.columns:
        column = frame[name]
        digest.update(f"{name!s}\n".encode())
        if str(column.dtype) == "category":
            kind = "ordinal" if column.cat.ordered else "nominal"
            levels = "\x1f".join(map(str, column.cat.categories))
            digest.update(f"{kind}\n{levels}\n".encode())
            digest.update(column.cat.codes.to_numpy().astype("<i4").tobytes())
        else:
            for part in _rounded(column.to_numpy(np.float64)):
                digest.update(part.tobytes())
    return digest.hexdigest()[:32]


def _rounded(values):
    """Values to six significant digits, as whole mantissas and exponents; the same on any machine."""
    values = np.asarray(values, np.float64)
    known = np.isfinite(values) & (values != 0)
    size = np.where(known, np.abs(values), 1.0)
    exponents = np.floor(np.log10(size)).astype(np.int64)
    mantissas = _scaled(size, exponents)
    too_large = mantissas >= 10**_DIGITS  # log10 is not exact
    too_small = mantissas < 10 ** (_DIGITS - 1)
    exponents = exponents + too_large - too_small
    mantissas = _scaled(size, exponents)
    mantissas = np.where(known, np.sign(values) * mantissas, 0.0)
    special = np.select([np.isnan(values), np.isposinf(values), np.isneginf(values)], [1, 2, 3], 0)
    exponents = np.where(known, exponents, 1000 * special)
    return mantissas.astype("<i8"), exponents.astype("<i4")


def _scaled(size, exponents):
    powers = exponents - (_DIGITS - 1)
    least = int(powers.min(initial=0))
    table = np.array(
        [float(f"1e{power}") for power in range(least, int(powers.max(initial=0)) + 1)]
    )
    return np.rint(size / table[powers - least])


def _class_sizes(target):
    """Sizes of the classes of a target, the largest first; empty for a target that is a number."""
    sizes = {str(value): int(size) for value, size in target.value_counts().items() if size}
    return sizes if len(sizes) <= _LARGEST else {}
