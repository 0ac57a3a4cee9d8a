"""True classifier performance from positive, unlabeled and wrong labels."""

__version__ = "0.1.0"
