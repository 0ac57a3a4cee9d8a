"""True classifier performance from positive, unlabeled and noisy labels."""

__version__ = "0.1.0"
