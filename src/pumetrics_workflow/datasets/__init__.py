"""Data sets: the registry, fetching and checking raw files, parsing them, and encoding them for training."""

from pumetrics_workflow.datasets.fetch import fetch
from pumetrics_workflow.datasets.prepare import prepare
from pumetrics_workflow.datasets.registry import DataSet, Registry, load_registry
from pumetrics_workflow.datasets.reports import DataUnavailable, FetchReport
from pumetrics_workflow.models.encoding import encode, encoded_names

__all__ = [
    "DataSet",
    "DataUnavailable",
    "FetchReport",
    "Registry",
    "encode",
    "encoded_names",
    "fetch",
    "load_registry",
    "prepare",
]
