"""Figures: a function for each one, of its name, from tables as read back from CSV."""

import matplotlib.pyplot as plt

from pumetrics.plotting import COLORS

__all__ = ["example"]


def example(table):
    """TO WRITE: what the figure shows."""
    figure, axis = plt.subplots(figsize=(3.4, 2.6))
    axis.plot(table["repeat"], table["value"], "o", color=COLORS["CR"])
    axis.set(xlabel="repeat", ylabel="TO WRITE")
    return figure
