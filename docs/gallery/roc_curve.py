"""ROC curves of two models: measured, corrected with its bounds, and true."""

import matplotlib.pyplot as plt
from sklearn.metrics import roc_curve

from pumetrics.displays import PURocCurveDisplay
from pumetrics.examples import fraud_cases

cases = fraud_cases()
s = (cases["outcome"] == "fraud").astype(int)

figure, axes = plt.subplots(1, 2, figsize=(8, 4.4), layout="constrained")
for axis, model in zip(axes, ("new_model", "rules"), strict=True):
    PURocCurveDisplay.from_predictions(s, cases[model], alpha=0.03, alpha_range=(0.02, 0.04), ax=axis)
    fpr, tpr, _ = roc_curve(cases["fraud"], cases[model])
    axis.plot(fpr, tpr, "k:", label="true")
    axis.legend(loc="lower right", fontsize="small", frameon=False)
    axis.set_title(model)
