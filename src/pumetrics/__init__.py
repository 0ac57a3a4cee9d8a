"""True classifier performance from positive, unlabeled and noisy labels."""

__version__ = "0.2.0"
