"""Tables of OpenML's copies: categories are nominal, unless the entry of the registry says that they are ordinal."""

import re

__all__ = ["openml_tables"]


def openml_tables(dataset, path):
    """Readings of the copy of a data set at OpenML, the closest to the entry of the registry first.

    Parameters
    ----------
    dataset : DataSet
        An entry of the registry with a copy at OpenML.
    path : path
        The Parquet file that :func:`pumetrics_workflow.datasets.openml_client.download_openml` wrote.

    Yields
    ------
    frame : pandas.DataFrame
        Raw table with the target; first with names, types and levels of the entry, if they fit, then with OpenML's.
        Where the names agree and no hash tells the two readings apart, there is only the first.
    drop : list of str
        Columns to leave out.
    """
    import pandas as pd

    frame = pd.read_parquet(path)
    target = dataset.openml.target
    if target not in frame:
        raise ValueError(f"{dataset.name}: no column {target!r}, the columns are {', '.join(map(str, frame.columns))}")
    drop = [name for name in dataset.openml.drop if name in frame]  # OpenML leaves out some by itself
    stored = frame.drop(columns=drop)
    described = _as_described(dataset, stored, target)
    if described is not None:
        yield described, []
        names = [[_plain(name) for name in columns.drop(target)] for columns in (stored.columns, described.columns)]
        if not dataset.content.hash and names[0] == names[1]:
            return
    yield _as_stored(dataset, frame, target), drop


def _as_described(dataset, frame, target):
    """Table with the names, types and levels of the entry, or None if they do not fit."""
    from pumetrics_workflow.datasets.parse import typed

    names, options = _description(dataset)
    features = frame.drop(columns=target)
    if names is None or len(names) != features.shape[1]:
        return None
    features = features.astype({name: object for name in features if str(features[name].dtype) == "category"})
    features.columns = names
    for name, levels in options.get("levels", {}).items():
        if "?" in levels and name in features:  # missing, but a level of its own in the entry
            features[name] = features[name].where(features[name].notna(), "?")
    if target in features:
        return None
    try:
        return typed(features.assign(**{target: frame[target].astype(object)}), options, target)
    except ValueError:
        return None


def _description(dataset):
    """Names of the features of an entry, if it lists them, and the options that give them types."""
    options = dict(dataset.options)
    if dataset.parser == "sequences":
        names = [f"position{number + 1}" for number in range(options["length"])]
        levels = dict.fromkeys(names, options["alphabet"]) if "alphabet" in options else {}
        return names, {"nominal": "all", "levels": levels}
    if dataset.parser == "libsvm" and "names" not in options:
        return [f"x{number + 1}" for number in range(options["columns"])], {}
    if "names" not in options:
        return None, {}
    left_out = {dataset.target, *dataset.drop}
    return [name for name in options["names"] if name not in left_out], options


def _as_stored(dataset, frame, target):
    """Table with OpenML's names and levels. The client calls all categories ordered; only the entry knows which are."""
    import pandas as pd

    from pumetrics_workflow.datasets.parse import typed

    ordinal = {_plain(name): levels for name, levels in dataset.options.get("ordinal", {}).items()}
    frame = frame.rename(columns=str)
    ranked, listed = {}, {}
    for name in frame.columns.drop(target):
        column = frame[name]
        if _plain(name) in ordinal:
            ranked[name] = ordinal[_plain(name)]
            frame[name] = column.astype(object)
        elif isinstance(column.dtype, pd.CategoricalDtype):
            levels = [str(level).strip(" '\"") for level in column.cat.categories]
            listed[name] = column.cat.rename_categories(levels).cat.as_unordered()
        elif column.dtype == bool:
            frame[name] = column.astype(object)
    order = list(frame.columns)
    frame[target] = frame[target].astype(object)
    others = typed(frame.drop(columns=list(listed)), {"nominal": "auto", "ordinal": ranked}, target)
    return others.assign(**listed)[order]


def _plain(name):
    """Name as both sides write it: in lower case, with underscores."""
    return re.sub(r"\W+", "_", str(name).lower()).strip("_")
