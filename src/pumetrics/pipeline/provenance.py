"""Where a result comes from: versions, seed, hashes, machine."""

import hashlib
import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version

__all__ = ["provenance"]

_PACKAGES = ("snakemake", "numpy", "scipy", "pandas", "scikit-learn", "numba", "pyarrow", "seaborn", "matplotlib")


def provenance(config, cards, *, code):
    """Return what one needs to know to make the results again.

    Parameters
    ----------
    config : dict
        The checked config of the run.
    cards : dict
        The card of each data set, by name.
    code : str
        Hash of the library.

    Returns
    -------
    dict
    """
    from pumetrics import __version__

    settings = json.dumps(config, sort_keys=True)
    return {
        "scale": config["scale"],
        "seed": config["seed"],
        "studies": ", ".join(config["studies"]),
        "config": settings,
        "config_sha256": hashlib.sha256(settings.encode()).hexdigest(),
        "code": code,
        "pumetrics": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in _PACKAGES},
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "data": {name: card.get("sha256") or card["source"] for name, card in cards.items() if card["available"]},
        "finished": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
