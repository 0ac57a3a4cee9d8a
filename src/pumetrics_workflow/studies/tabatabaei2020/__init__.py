"""Tabatabaei, Klein & Hoogendoorn (2020): F1 without negatives, and how often it selects the wrong model."""

__all__ = ["METHODS", "NAME", "NAMES", "SHOWN_RHOS", "SOURCES"]

NAME = "tabatabaei2020"
METHODS = {"estimated_f1": "estimated F1", "lee_liu": "LL score"}
SOURCES = {
    "generated": "generated data",
    "iris": "Iris",
    "iris_bundled": "Iris (bundled copy)",
    "heart_c": "Heart disease",
    "breast_cancer": "Breast cancer (bundled)",
    "health_stand_in": "Health (a stand-in, generated)",
}
# Label frequencies whose medians were read off the published curves.
SHOWN_RHOS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
# Data sets as the ids of printed numbers have them.
NAMES = {
    "generated": "generated",
    "iris": "iris",
    "iris_bundled": "iris",
    "heart_c": "heart",
}
