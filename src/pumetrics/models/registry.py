"""The registry of models: how a study turns a labeling into scores out of sample."""

__all__ = ["MODELS", "out_of_sample_scores"]


def _bagged_mlp(features, s, seed, **options):
    """Out-of-bag scores of bagged networks."""
    from pumetrics.models.ensemble import BaggedMLPClassifier

    state = int(seed.generate_state(1)[0])
    return BaggedMLPClassifier(random_state=state, **options).fit(features, s).oob_decision_function_


MODELS = {"bagged_mlp": _bagged_mlp}


def out_of_sample_scores(features, s, *, type, seed, **options):
    """Score every example by a model that was not trained on it.

    Parameters
    ----------
    features : ndarray of shape (n, d)
    s : ndarray of shape (n,)
        Observed labels the model is trained on, 0 and 1.
    type : str
        Name of an entry of :data:`MODELS`.
    seed : numpy.random.SeedSequence
    **options
        The model's own.

    Returns
    -------
    ndarray of shape (n,)
        Higher is more positive.
    """
    if type not in MODELS:
        raise ValueError(f"there is no model type {type!r}; there are {', '.join(MODELS)}")
    return MODELS[type](features, s, seed, **options)
