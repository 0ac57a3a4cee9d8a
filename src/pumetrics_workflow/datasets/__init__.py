"""Data sets: the registry, fetching and checking raw files, parsing them, and encoding them for training."""

from pumetrics.models.encoding import encode, encoded_names
from pumetrics_workflow.datasets.errors import DataUnavailable
from pumetrics_workflow.datasets.fetch import FetchReport, fetch, fetch_all
from pumetrics_workflow.datasets.prepare import prepare
from pumetrics_workflow.datasets.registry import DataSet, Registry, load_registry

__all__ = [
    "DataSet",
    "DataUnavailable",
    "FetchReport",
    "Registry",
    "encode",
    "encoded_names",
    "fetch",
    "fetch_all",
    "load_registry",
    "prepare",
]
