"""ROC curves of two models: corrected with their bounds, and true."""

import matplotlib.pyplot as plt
from sklearn.metrics import roc_curve

from pumetrics.displays import PURocDisplay
from pumetrics.examples import fraud_cases

cases = fraud_cases()
s = (cases["outcome"] == "fraud").astype(int)

figure, axis = plt.subplots(figsize=(5, 6), layout="constrained")
options = {"alpha": 0.03, "alpha_range": (0.02, 0.04), "uncorrected": False, "ax": axis}
for model in ("new_model", "rules"):
    PURocDisplay.from_predictions(s, cases[model], name=model, **options)
for model in ("new_model", "rules"):
    axis.plot(
        *roc_curve(cases["fraud"], cases[model])[:2],
        "k:",
        label=None if model == "rules" else "true",
    )
axis.legend(loc="lower right", fontsize="small")
