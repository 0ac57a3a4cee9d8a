"""Class priors: all estimators on samples with known priors. Beyond the papers."""

__all__ = ["DEFAULT"]

DEFAULT = "consensus"  # what estimate_priors takes; the table "methods" is why
