"""Are the probabilities right? Predicted against corrected shares of frauds, before and after calibration."""

import matplotlib.pyplot as plt

from pumetrics.calibration import positive_probability, reliability_curve
from pumetrics.examples import fraud_cases

cases = fraud_cases()
s = (cases["outcome"] == "fraud").astype(int)
predicted = {
    "score of the model": cases["new_model"],
    "probability of being positive": positive_probability(s, cases["new_model"], alpha=0.03),
}

figure, axis = plt.subplots(figsize=(5, 5), layout="constrained")
axis.plot([0, 1], [0, 1], color="#888888", linestyle="--", label="calibrated")
for name, probability in predicted.items():
    bins = reliability_curve(s, probability, alpha=0.03, n_bins=8, strategy="uniform")
    spread = [bins["positive"] - bins["lower"], bins["upper"] - bins["positive"]]
    axis.errorbar(bins["predicted"], bins["positive"], spread, fmt="o-", capsize=3, label=name)
axis.set(xlabel="predicted", ylabel="share of frauds among the unconfirmed, corrected", xlim=(0, 1), ylim=(0, 1.02))
axis.legend(frameon=False, loc="lower right")
