"""Data sets that come with scikit-learn: no network, no file."""

__all__ = ["EMBEDDED", "load_embedded"]

EMBEDDED = {
    "breast_cancer": "load_breast_cancer",
    "diabetes_progression": "load_diabetes",
    "digits_even": "load_digits",
    "digits_high": "load_digits",
    "iris_bundled": "load_iris",
    "wine_bundled": "load_wine",
}


def load_embedded(name):
    """Raw table of a bundled data set and the name of its target column.

    Raises
    ------
    ValueError
        If no bundled set goes by that name.
    """
    import sklearn.datasets

    if name not in EMBEDDED:
        raise ValueError(f"no set bundled with scikit-learn is named {name!r}, known are {', '.join(EMBEDDED)}")
    frame = getattr(sklearn.datasets, EMBEDDED[name])(as_frame=True).frame
    return frame.rename(columns=lambda column: str(column).replace(" ", "_")), "target"
