"""Classifiers whose out-of-sample scores the studies evaluate."""
