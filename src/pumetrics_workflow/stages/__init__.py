"""The stages between prepared data and records: label, train, estimate_priors, evaluate.

Each is a function from table to table, which a script calls between reading and writing. Where scores would fill a disk
:mod:`pumetrics_workflow.stages.in_memory` calls the same functions one after the other.
"""
